package admit

import (
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/decision"
	"github.com/aguiws/aguiws/adapter/store"
)

// Request is an input with what only this house says of it.
type Request struct {
	admission.Input
	// StopsAll: what is under way makes room, whatever runner.Options.Busy says.
	StopsAll bool
	// Drafted are who has answered the interrupts of which the input's entries were
	// drafts.
	Drafted map[string]decision.Signature
	// Back is how it goes back; nil: its messages may say so.
	Back *GoingBack
	// Login is the interrupt that a login ends, Event the one that an event does, and Called
	// the one that the end of a call does.
	Login, Event, Called string
	// Users, with Called, are those whose messages the call was given.
	Users []string
	// Caller is the call that it begins the execution of; nil: none.
	Caller *store.Caller
}
