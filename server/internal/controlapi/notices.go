package controlapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// NoticesPattern is the route of notices, which whoever has the connection may answer in
// other ways than by a page.
const NoticesPattern = "GET /v1/notices"

// maxWait bounds how long a request waits for notices, in seconds.
const maxWait = 25

type noticesOf[T any] struct {
	Items   []T    `json:"items"`
	Next    string `json:"next" jsonschema:"The value of after for the next request. Every page has it."`
	More    bool   `json:"more,omitempty" jsonschema:"More notices may be behind these, also if there are none. The caller asks again from next at once."`
	Missed  bool   `json:"missed,omitempty" jsonschema:"Earlier notices may be gone, because the server no longer keeps them. The caller should read the present state."`
	Partial bool   `json:"partial,omitempty" jsonschema:"A part of the store does not answer. Its notices come later, and next waits for them."`
}

func noticeOperations() []operation {
	return []operation{
		{method: "GET", path: "/notices", id: "listNotices", waits: true, summary: "List notices of what happens in threads, or follow them",
			notes: "A caller with the scope approver or admin sees those of its tenant, and others see those of their namespace. A WebSocket, or a request for Server-Sent Events, stays open and carries new notices as they come.",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: noticesOf[notices.Notice]{}, serve: (*call).listNotices,
			query: append([]parameter{
				{"limit", "The number of items in a page, at most 200. The default is 100."},
				{"from", "The earliest time of the notices of the first page, in RFC 3339. It does not go with after."},
				{"wait", "The number of seconds to wait for the first notice, at most " + strconv.Itoa(maxWait) + "."},
			}, noticeParameters...)},
	}
}

// noticeParameters are those that streams take as well.
var noticeParameters = []parameter{
	{"after", "The value of next in the previous page. Without it the notices begin now."},
	{"kind", "The kinds of notices that are listed, separated by commas."},
	{"severity", "The severity of the notices that are listed: info, action, warning or error."},
	{"thread", "The id of the only thread whose notices are listed."},
	{"namespace", "The namespace of the threads whose notices are listed. One that is not the caller's own needs one of the scopes approver, admin."},
	{"agent", "The agent whose notices are listed. An empty value means the default agent."},
	tenantsParameter,
}

// NoticeQuery is what a request to watch notices asks for, of what the caller may be told.
func NoticeQuery(g *peer.Gate, caller *peer.Caller, query url.Values) (notices.Query, *refusal.Refusal) {
	for name := range query {
		if !slices.ContainsFunc(noticeParameters, func(p parameter) bool { return p.name == name }) {
			return notices.Query{}, badRequest("there is no query parameter " + strconv.Quote(name)).Refusal
		}
	}
	c := &call{Config: &Config{Gate: g}, caller: caller, op: &noticeOperations()[0]}
	q, err := c.noticeQuery(query)
	if p, ok := errors.AsType[*problem](err); ok {
		return q, p.Refusal
	}
	return q, nil
}

func (c *call) noticeQuery(query url.Values) (notices.Query, error) {
	q := notices.Query{After: query.Get("after")}
	if err := c.needs(c.op.home()); err != nil {
		return q, err
	}
	all, err := c.allTenants(query)
	if err == nil && !all {
		err = c.mayName("namespace", query.Get("namespace"))
	}
	if err != nil {
		return q, err
	}
	kinds := map[store.NoticeKind]bool{}
	for kind := range strings.SplitSeq(query.Get("kind"), ",") {
		if kind == "" {
			continue
		}
		if !slices.Contains(notices.Kinds, store.NoticeKind(kind)) {
			return q, badRequest("kind: " + strconv.Quote(kind) + " is no kind of notice")
		}
		kinds[store.NoticeKind(kind)] = true
	}
	severity := query.Get("severity")
	if severity != "" && !slices.Contains(notices.Severities, severity) {
		return q, badRequest("severity: " + strconv.Quote(severity) + " is none of " + strings.Join(notices.Severities, ", "))
	}
	thread, namespace, agent, ofAgent := query.Get("thread"), query.Get("namespace"), "", query.Has("agent")
	if ofAgent {
		agent, _ = c.Gate.AgentNamed(query.Get("agent"))
	}
	switch {
	case all:
		q.Topic.All = true
	case c.ownOnly():
		q.Topic.Namespace = c.caller.Identity.Namespace
	default:
		q.Topic.Tenant = c.caller.Identity.Tenant
	}
	q.Passes = func(n *store.Notice) bool {
		return (len(kinds) == 0 || kinds[n.Kind]) && (severity == "" || severity == notices.SeverityOf(n)) &&
			(thread == "" || thread == n.Thread.Thread) && (namespace == "" || namespace == n.Thread.Namespace) &&
			(!ofAgent || agent == n.Agent)
	}
	return q, nil
}

func (c *call) listNotices() (any, error) {
	query := c.r.URL.Query()
	q, err := c.noticeQuery(query)
	if err != nil {
		return nil, err
	}
	if q.From, _, err = times(query); err != nil {
		return nil, err
	}
	if !q.From.IsZero() && q.After != "" {
		return nil, badRequest("from: not with after, which says where to go on")
	}
	limit, err := c.number("limit", maxPage)
	if err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = 100
	}
	seconds, err := c.number("wait", maxWait)
	if err != nil {
		return nil, err
	}
	ctx := c.r.Context()
	if seconds > 0 {
		waiting, release, refused := c.Gate.Await(ctx, c.caller)
		if refused != nil {
			return nil, &problem{Refusal: refused}
		}
		defer release()
		ctx = waiting
	}
	p, err := c.Notices.Page(ctx, q, limit, time.Duration(seconds)*time.Second)
	if seconds > 0 && ctx.Err() != nil && c.r.Context().Err() == nil {
		if refused, ok := errors.AsType[*refusal.Error](context.Cause(ctx)); ok {
			return nil, refused
		}
	}
	page := noticesOf[json.RawMessage]{Items: make([]json.RawMessage, len(p.Items)), Next: p.Next, More: p.More, Missed: p.Missed}
	for i, item := range p.Items {
		page.Items[i] = item.Text
	}
	page.Partial, err = partly(err)
	return page, err
}

// Refuse answers a request to the control API that is answered elsewhere.
func Refuse(w http.ResponseWriter, refused *refusal.Refusal) { (&problem{Refusal: refused}).write(w) }
