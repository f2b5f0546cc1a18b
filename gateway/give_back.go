package gateway

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// judged is what a request has come to that failed before an event said that the agent has
// the answers. The answers are the human's again if the agent certainly has not got them.
// A human is asked if nobody knows, because they were sent and nothing came that says more.
func (c *call) judged(r *request, v *reception, err error) error {
	f, ok := errors.AsType[*failure](err)
	switch {
	case ok && r.answers == nil && !r.unheard && c.u.options.AskLost && v.sent.Load() && f.brokeOff():
		return v.uncertain(c.ctx, f)
	case !ok || r.answers == nil || r.unheard || f.arrived:
		return err
	case f.forgets(r.dialect):
		f.Forgotten = true
		c.u.log(c.run, r.ids).Warn("the agent does not know the question that was answered", "code", f.Code, "error", excerpt([]byte(f.Message)))
		return f
	case !f.own && v.sent.Load() && f.Code != CodeRefused && f.Code != CodeFailed && f.Code != CodeContentType:
		return v.uncertain(c.ctx, f)
	case r.turnedDown(f):
		return f
	case r.later:
		f.undelivered = true
		return f
	}
	c.spend(outcome{Usage: f.usage, For: c.run.LatestInput().RunID})
	return f.givenBack()
}

// turnedDown reports whether the agent has refused cancellations, and nothing else. They
// are none of anybody's: nothing is lost with them, and with them open nobody could get
// past them.
func (r *request) turnedDown(f *failure) bool {
	if !f.own && f.Code != CodeRefused {
		return false
	}
	for _, a := range r.answers {
		if a.Status != protocol.ResumeCancelled {
			return false
		}
	}
	return true
}

func (f *failure) givenBack() error {
	return &adapter.GiveBackError{Code: f.Code, Message: f.Message, Metadata: f.Metadata}
}

// uncertain is a failure after which a human is asked. The request may be made again, under
// its id: it must not be stopped then.
func (v *reception) uncertain(ctx context.Context, f *failure) error {
	v.awaitStop(ctx)
	return &adapter.UncertainError{Message: f.Message}
}

// awaitStop waits until the agent has been told to stop, where it is told.
func (v *reception) awaitStop(ctx context.Context) {
	if v.stopped == nil {
		return
	}
	select {
	case <-v.stopped:
	case <-ctx.Done():
	}
}
