package controlapi

import "github.com/aguiws/aguiws/adapter"

type stoppedBelowJSON struct {
	Active  int `json:"active" jsonschema:"threads with a run or queued inputs that were not stopped; with children=cancel: ask again"`
	Waiting int `json:"waiting" jsonschema:"threads with open interrupts, which were not stopped"`
	Stopped int `json:"stopped" jsonschema:"threads in which all was stopped"`
}

var stopParameters = []parameter{
	{"children", "what becomes of the threads below it: leave, which is meant if left out; cancel, all in them is stopped too, 200 threads at a time"},
}

// actor is the caller, as who stops what goes on.
func (c *call) actor() adapter.Actor {
	return adapter.Actor{User: c.caller.User(), From: c.caller.Origin(adapter.ThroughOperator)}
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
	c.caller.Weigh(b.Threads)
	switch {
	case err == nil:
		return &stoppedBelowJSON{b.Active, b.Waiting, b.Stopped}, nil
	case stop:
		return nil, err
	}
	return nil, nil
}
