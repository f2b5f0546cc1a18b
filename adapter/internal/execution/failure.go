package execution

import (
	"cmp"
	"errors"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
)

// divergedMessage is for people, who may not know what a replay is. The log has where the
// paths part.
const divergedMessage = "the agent was changed since the run began, or goes another way each time it is called"

// failure says what clients are told of an agent's error, and what the log is: "" if
// there is no more to it.
func (x *execution) failure(err error) (told *protocol.RunError, logged string) {
	var diverged *adapter.DivergedError
	var broken *order.Error
	var p *panics.Error
	var user *adapter.UserError
	var back *adapter.GiveBackError
	switch {
	case errors.As(err, &diverged):
		return &protocol.RunError{Code: adapter.CodeReplayDiverged, Message: divergedMessage}, err.Error()
	case errors.As(err, &broken):
		return &protocol.RunError{Code: adapter.CodeProtocolViolation, Message: strings.TrimPrefix(broken.Error(), "protocol: ")}, err.Error()
	case errors.As(err, &p):
		return &protocol.RunError{Code: adapter.CodeAgentError, Message: "the agent panicked: the server's log says more of the run " + x.Claim.RunID}, ""
	case errors.As(err, &back):
		return toldOf(back.Code, back.Message, back.Metadata, back.Err)
	case errors.As(err, &user):
		return toldOf(user.Code, user.Message, user.Metadata, user.Err)
	}
	return &protocol.RunError{Code: adapter.CodeAgentError, Message: "the agent failed: the server's log says why, by the run " + x.Claim.RunID}, err.Error()
}

// toldOf is an error in the agent's own words.
func toldOf(code, message string, metadata protocol.Metadata, err error) (told *protocol.RunError, logged string) {
	if err != nil {
		logged = err.Error()
	}
	told = &protocol.RunError{Base: protocol.Base{Metadata: metadata}, Code: cmp.Or(code, adapter.CodeAgentError), Message: message}
	if _, bad := protocol.Encode(told); bad != nil {
		told.Metadata = nil
	}
	return told, logged
}

// maxLoggedError bounds what the log is told of an agent's error.
const maxLoggedError = 1 << 10

// logFailure tells the log what clients are not told.
func (x *execution) logFailure(code, text string) {
	if text == "" {
		return
	}
	x.node.Log.Warn("the agent failed", "thread", x.Claim.Thread.Thread, "label", x.label, "dispatch", x.Claim.RunID,
		"code", code, "error", logged(text), "bytes", len(text))
}

// logged is as much of an agent's error as the log is told.
func logged(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxLoggedError)], "")
}

// failed is how the run ends that an agent's error ended, with the code that is told. A
// replay that diverges has done nothing with the answers.
func (x *execution) failed(why error, code string) *store.End {
	end := &store.End{Kind: store.EndFail, Code: code}
	var diverged *adapter.DivergedError
	var back *adapter.GiveBackError
	switch {
	case x.journal.Final:
	case errors.As(why, &diverged):
		end.GiveBack = true
	case errors.As(why, &back) && x.continuing && !x.journal.Effects && !x.blocking():
		end.GiveBack, end.Over = true, x.journal.Behind
	}
	return end
}
