package controlapi

import (
	"net/url"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// filterParameters pick threads of a list.
var filterParameters = []parameter{
	{"status", "active, only threads with a run under way or inputs that wait; waiting, with open interrupts; idle, with neither. With it or agent a page may have fewer than limit, or none, before the last: 1000 threads are looked at for it"},
	{"agent", "only threads whose latest run is of this agent; of the default one if it is empty"},
}

func (c *call) threadFilter(query url.Values) (f store.ThreadFilter, err error) {
	f.Status = store.ThreadStatus(query.Get("status"))
	switch f.Status {
	case "", store.ThreadActive, store.ThreadWaiting, store.ThreadIdle:
	default:
		return f, badRequest("status is active, waiting or idle")
	}
	if query.Has("agent") {
		agent, _ := c.AgentNamed(query.Get("agent"))
		f.Agent = &agent
	}
	return f, nil
}

// times reads the query parameters from and to.
func times(query url.Values) (from, to time.Time, err error) {
	for name, into := range map[string]*time.Time{"from": &from, "to": &to} {
		if text := query.Get(name); text != "" {
			if *into, err = time.Parse(time.RFC3339Nano, text); err != nil {
				return from, to, badRequest(name + " is a time of RFC 3339, such as 2030-01-31T14:02:00Z, not " + strconv.Quote(text))
			}
		}
	}
	return from, to, nil
}
