package gateway

import (
	"errors"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// giveBack is what a request has failed with before an event of it says that the agent has
// the answers: then they are the human's again. A cancellation that the agent refuses is
// none of anybody's: nothing is lost with it, and with it open nobody could get past it.
func (r *request) giveBack(err error) error {
	f, ok := errors.AsType[*failure](err)
	if !ok || r.answers == nil {
		return err
	}
	refused := f.own || f.Code == CodeRefused
	for _, a := range r.answers {
		refused = refused && a.Status == protocol.ResumeCancelled
	}
	if refused {
		return f
	}
	return &adapter.GiveBackError{Code: f.Code, Message: f.Message}
}
