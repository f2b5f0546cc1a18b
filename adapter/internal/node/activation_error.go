package node

import (
	"errors"
	"strconv"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
)

// ActivationError says why an activation cannot succeed, now or ever.
type ActivationError struct {
	Code, Text string // text is for whoever runs the server
	Told       string // what clients are told; "": text
	// elsewhere: another node may succeed, and is waited for. foreign: a node that has the
	// agent will, and is the only one to be asked.
	Elsewhere, Foreign bool
	// GiveBack: decisions that nothing was done with are given back.
	GiveBack bool
}

func (u *ActivationError) Error() string { return u.Text }

// ToldCorrupted is what clients are told of store.ErrCorrupted.
const ToldCorrupted = "the stored thread cannot be read"

// Impossible is an error that no attempt will get past.
func Impossible(err error) error {
	const told = "the stored input cannot be carried out"
	return &ActivationError{Code: adapter.CodeAgentError, Text: told + ": " + err.Error(), Told: told}
}

// UnknownAgent is an error that a node with that agent will not have. orphan: there is
// no such node. giveBack: decisions are given back.
func UnknownAgent(name string, orphan, giveBack bool) error {
	return &ActivationError{
		Code: adapter.CodeAgentError, Text: "the agent " + strconv.Quote(name) + " is not known to this server",
		Foreign: !orphan, GiveBack: giveBack,
	}
}

// Condemned makes an error about what is stored one that no attempt gets past.
func Condemned(err error) error {
	if !errors.Is(err, store.ErrCorrupted) {
		return err
	}
	return &ActivationError{Code: adapter.CodeStateCorrupted, Text: err.Error(), Told: ToldCorrupted}
}
