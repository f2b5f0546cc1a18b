package runner

import (
	"errors"
	"strconv"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
)

// activationError says why an activation cannot succeed, now or ever.
type activationError struct {
	code, text string // text is for whoever runs the server
	told       string // what clients are told; "": text
	// elsewhere: another node may succeed, and is waited for. foreign: a node that has the
	// agent will, and is the only one to be asked.
	elsewhere, foreign bool
	// giveBack: decisions that nothing was done with are given back.
	giveBack bool
}

func (u *activationError) Error() string { return u.text }

// toldCorrupted is what clients are told of store.ErrCorrupted.
const toldCorrupted = "the stored thread cannot be read"

// impossible is an error that no attempt will get past.
func impossible(err error) error {
	const told = "the stored input cannot be carried out"
	return &activationError{code: adapter.CodeAgentError, text: told + ": " + err.Error(), told: told}
}

// unknownAgent is an error that a node with that agent will not have. orphan: there is
// no such node. giveBack: decisions are given back.
func unknownAgent(name string, orphan, giveBack bool) error {
	return &activationError{
		code: adapter.CodeAgentError, text: "the agent " + strconv.Quote(name) + " is not known to this server",
		foreign: !orphan, giveBack: giveBack,
	}
}

// condemned makes an error about what is stored one that no attempt gets past.
func condemned(err error) error {
	if !errors.Is(err, store.ErrCorrupted) {
		return err
	}
	return &activationError{code: adapter.CodeStateCorrupted, text: err.Error(), told: toldCorrupted}
}
