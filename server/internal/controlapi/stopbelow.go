package controlapi

import (
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
)

type stoppedBelowJSON struct {
	Active  int `json:"active" jsonschema:"The number of threads with an active run or queued inputs that were not stopped."`
	Waiting int `json:"waiting" jsonschema:"The number of threads with open interrupts that were not stopped."`
	Stopped int `json:"stopped" jsonschema:"The number of threads in which everything was stopped."`
}

var stopParameters = []parameter{
	{"children", "The treatment of the threads below. With leave, the default, nothing changes in them. With cancel, the server stops everything in them and cancels their open interrupts, 200 threads at a time. While active or waiting is not 0, the caller repeats the request."},
}

// actor is the caller, as who stops what goes on.
func (c *call) actor() admission.Actor {
	return admission.Actor{User: c.caller.Name(), From: c.caller.Origin(store.ThroughOperator)}
}

// stopsBelow reports whether what goes on below the thread is to be stopped too.
func (c *call) stopsBelow() (bool, error) {
	switch c.r.URL.Query().Get("children") {
	case "", "leave":
		return false, nil
	case "cancel":
		return true, nil
	}
	return false, badRequest("children is leave or cancel")
}

// below says what goes on below the path's thread, and stops it. It is called when the
// thread's own have been stopped, so that what they have begun below is seen. Nil: it could
// not be read, and was not to be stopped.
func (c *call) below(reason string, stop bool) (*stoppedBelowJSON, error) {
	b, err := c.Runner.StopBelow(c.r.Context(), c.key, reason, stop, c.actor())
	c.weigh(b.Threads)
	switch {
	case err == nil:
		return &stoppedBelowJSON{b.Active, b.Waiting, b.Stopped}, nil
	case stop:
		return nil, err
	}
	return nil, nil
}
