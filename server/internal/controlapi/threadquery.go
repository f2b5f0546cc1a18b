package controlapi

import (
	"net/url"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

// filterParameters pick threads of a list.
var filterParameters = []parameter{
	{"status", "The state of the threads that are listed. An active thread has a run or queued inputs, a waiting one has open interrupts, and an idle one has neither. With status or agent the server looks at 1000 threads for a page. A page may therefore be short or empty and have a next one."},
	{"agent", "The agent of the latest run of each listed thread. An empty value means the default agent."},
}

func (c *call) threadFilter(query url.Values) (f store.ThreadFilter, err error) {
	f.Status = store.ThreadStatus(query.Get("status"))
	switch f.Status {
	case "", store.ThreadActive, store.ThreadWaiting, store.ThreadIdle:
	default:
		return f, badRequest("status is active, waiting or idle")
	}
	if query.Has("agent") {
		agent, _ := c.Gate.AgentNamed(query.Get("agent"))
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

var threadsParameters = append([]parameter{
	{"namespace", "The namespace of the threads that are listed. The default is the caller's own. Another one of the tenant needs the scope " + identity.ScopeAdmin + " and does not go with waiting."},
	{"waiting", "The value true lists only threads with open interrupts, those that have waited longest first. It goes with limit and cursor alone."},
	{"from", "The earliest time of the latest input of each listed thread, in RFC 3339."},
	{"to", "The time before which the latest input of each listed thread came, in RFC 3339."},
}, append(filterParameters, pageParameters...)...)

func (c *call) listThreads() (any, error) {
	q, err := c.page()
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	filter, err := c.threadFilter(query)
	if err != nil {
		return nil, err
	}
	from, to, err := times(query)
	if err != nil {
		return nil, err
	}
	namespace, foreign, err := c.listedNamespace(query)
	if err != nil {
		return nil, err
	}
	switch query.Get("waiting") {
	case "":
	case "true":
		if !filter.All() || !from.IsZero() || !to.IsZero() || foreign {
			return nil, badRequest("waiting=true goes with limit and cursor alone: status=waiting goes with all others")
		}
		return c.listWaiting(q)
	default:
		return nil, badRequest("waiting is true or left out")
	}
	of := store.ThreadQuery{Namespace: namespace, From: from, To: to, Limit: q.Limit, Cursor: q.Cursor, ThreadFilter: filter}
	if foreign {
		tenant := c.caller.Identity.Tenant
		of.Tenant = &tenant
		// A page that skips the threads of other tenants would tell by its next that there are
		// some.
		known, _, err := c.Runner.Threads(c.r.Context(), store.ThreadQuery{Namespace: namespace, Tenant: &tenant, Limit: 1})
		if len(known) == 0 {
			return c.placed(namespace, nil, "", err, nil)
		}
	}
	threads, next, err := c.Runner.Threads(c.r.Context(), of)
	return c.placed(namespace, threads, next, err, nil)
}

// listedNamespace is the one whose threads are asked for, and whether it is another one than
// the caller's.
func (c *call) listedNamespace(query url.Values) (namespace string, foreign bool, err error) {
	namespace = query.Get("namespace")
	if namespace == "" || namespace == c.caller.Identity.Namespace {
		return c.caller.Identity.Namespace, false, nil
	}
	return namespace, true, c.mayName("namespace", namespace)
}

func (c *call) listWaiting(q store.PageQuery) (any, error) {
	open, next, err := c.Runner.Inbox(c.r.Context(), operate.InboxQuery{
		InboxQuery: store.InboxQuery{Namespace: c.caller.Identity.Namespace, Limit: q.Limit, Cursor: q.Cursor},
	})
	partial, err := partly(err)
	if err != nil {
		return nil, err
	}
	keys := make([]store.ThreadKey, len(open))
	asks := map[string]*interruptJSON{}
	for i, s := range open {
		keys[i] = s.Thread
		asks[s.Thread.Thread] = c.firstAsked(s)
	}
	infos, err := c.Runner.ThreadInfos(c.r.Context(), keys)
	if err != nil {
		return nil, err
	}
	var threads []store.ThreadInfo
	for _, info := range infos {
		if info == nil || info.Unused {
			continue // it was deleted meanwhile
		}
		info.Suspended = true
		threads = append(threads, *info)
	}
	if partial {
		err = store.ErrPartial
	}
	return c.placed(c.caller.Identity.Namespace, threads, next, err, asks)
}

// firstAsked is what somebody who answers is asked next; nil: nothing.
func (c *call) firstAsked(s operate.Suspended) *interruptJSON {
	shown := c.summarised(s).Interrupts
	for i := range shown {
		if shown[i].Draft == nil {
			return &shown[i]
		}
	}
	return nil
}

// placed is a page of threads of a namespace, with where they stand, and what those of asks
// ask.
func (c *call) placed(namespace string, threads []store.ThreadInfo, next string, err error, asks map[string]*interruptJSON) (any, error) {
	ids := make([]string, len(threads))
	for i, t := range threads {
		ids[i] = t.Thread.Thread
	}
	stand, failed := c.Runner.Placed(c.r.Context(), namespace, ids)
	if failed != nil && err == nil {
		err = failed
	}
	told := threadOf
	if failed != nil {
		told = partialThreadOf
	}
	return pageOf(threads, next, err, func(t store.ThreadInfo) threadJSON {
		of, ok := stand[t.Thread.Thread]
		if of.Info = &t; !ok {
			of.Node = store.Node{Thread: t.Thread.Thread, Root: t.Thread.Thread}
		}
		one := told(of)
		one.Asks = asks[t.Thread.Thread]
		return one
	})
}
