package controlapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/notices"
)

// Record is the record of what was decided.
type Record interface {
	Decisions(ctx context.Context, q store.DecisionQuery) (store.DecisionPage, error)
}

type decisionJSON struct {
	ID              string           `json:"id"`
	At              time.Time        `json:"at" jsonschema:"when it was decided, by the store's clock"`
	Status          string           `json:"status" jsonschema:"resolved, cancelled or expired: nobody answered in time"`
	User            string           `json:"user,omitempty" jsonschema:"who decided; left out where nobody did, or users are not told apart"`
	Through         string           `json:"through,omitempty" jsonschema:"socket, post, copilotkit, inbox, link, login, expiry, operator or steering"`
	Credential      string           `json:"credential,omitempty" jsonschema:"the subject of the credential"`
	Tenant          string           `json:"tenant"`
	ThreadID        string           `json:"threadId"`
	Namespace       string           `json:"namespace"`
	Interrupt       string           `json:"interruptId"`
	Reason          string           `json:"reason,omitempty" jsonschema:"the interrupt's"`
	Message         string           `json:"message,omitempty" jsonschema:"as it was shown"`
	Agent           string           `json:"agent,omitempty" jsonschema:"that asked; left out if it has no name"`
	Tool            string           `json:"tool,omitempty" jsonschema:"the tool that it is about"`
	ToolCallID      string           `json:"toolCallId,omitempty"`
	Arguments       json.RawMessage  `json:"arguments,omitempty" jsonschema:"as they were shown, without what the server is set to take out"`
	ArgumentsDigest string           `json:"argumentsDigest,omitempty" jsonschema:"SHA-256, in hexadecimal, of all the arguments in the form of RFC 8785, numbers by their exact value"`
	Payload         json.RawMessage  `json:"payload,omitempty" jsonschema:"the answer, without what the server is set to take out"`
	Cut             []string         `json:"cut,omitempty" jsonschema:"which of message, arguments and payload are not whole"`
	AskedBy         *decisionRunJSON `json:"askedBy,omitempty" jsonschema:"the run that asked"`
	AnsweredBy      decisionRunJSON  `json:"answeredBy,omitzero" jsonschema:"the run that the answer began; left out: none did, the thread was deleted"`
	Refused         int              `json:"refused" jsonschema:"answers that were refused before it"`
}

type decisionRunJSON struct {
	ID    string `json:"id" jsonschema:"the server's name of the run"`
	Label string `json:"runId,omitempty" jsonschema:"the client's"`
}

func decisionOf(d store.Decision) decisionJSON {
	b := bodyOf(d)
	told := decisionJSON{
		ID: d.ID, At: d.At.UTC(), Status: string(d.Status), User: notices.UserOf(d.User), Through: string(b.Through), Credential: b.Credential,
		Tenant: d.Tenant, ThreadID: d.Thread.Thread, Namespace: d.Thread.Namespace, Interrupt: d.Interrupt, Reason: b.Reason, Message: b.Message,
		Agent: d.Agent, Tool: d.Tool, ToolCallID: b.ToolCallID, Arguments: b.Arguments, ArgumentsDigest: b.ArgumentsDigest, Payload: b.Payload, Cut: b.Cut,
		AnsweredBy: decisionRunJSON{d.RunID, b.AnsweredBy.Label}, Refused: d.Refused,
	}
	if b.AskedBy.RunID != "" {
		told.AskedBy = &decisionRunJSON{b.AskedBy.RunID, b.AskedBy.Label}
	}
	return told
}

// bodyOf is the rest of a decision. Members that cannot be read are left out: who decided
// what stands beside it.
func bodyOf(d store.Decision) (b adapter.DecisionBody) {
	_ = json.Unmarshal(d.Body, &b)
	return b
}

func decisionOperations() []operation {
	filters := []parameter{
		{"user", "only what this user of the tenant decided"},
		{"tool", "only about this tool"},
		{"status", "only resolved, cancelled or expired ones"},
		{"from", "not before this time, RFC 3339"},
		{"to", "before this time, RFC 3339"},
		{"format", "csv, or ndjson for JSON lines: all that there are instead of a page, as Accept with text/csv or application/x-ndjson; json"},
	}
	filters = append(filters, pageParameters...)
	return []operation{
		{method: "GET", path: "/decisions", id: "listDecisions", lists: true, exports: true, summary: "What was decided, the latest first: in the tenant; without the scope approver or admin in the threads of the caller's namespace. Threads that were deleted are among them. A page may be empty and have a next one",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: listOf[decisionJSON]{}, serve: (*call).listDecisions,
			query: append([]parameter{{"thread", "only of this thread"}, {"namespace", "of the thread, if it is not the caller's own"},
				{"tenant", "only of this tenant, which needs the scopes admin and tenants if it is not the caller's"}, tenantsParameter}, filters...)},
		{method: "GET", path: "/threads/{thread}/decisions", id: "listThreadDecisions", lists: true, exports: true, outlives: true, summary: "What was decided in a thread, the latest first, also when it was deleted",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: listOf[decisionJSON]{}, serve: (*call).listDecisions, query: filters},
	}
}

var decisionStatuses = []store.DecisionStatus{store.DecisionResolved, store.DecisionCancelled, store.DecisionExpired}

// decisionQuery is what the request asks for, of what the caller may be told.
func (c *call) decisionQuery(query url.Values) (q store.DecisionQuery, err error) {
	tenant := c.caller.Tenant()
	if named := query.Get("tenant"); named != "" && named != tenant {
		if err := c.mayAllTenants(); err != nil {
			return q, err
		}
		tenant = named
	}
	q = store.DecisionQuery{Tenant: tenant, Tool: query.Get("tool"), Status: store.DecisionStatus(query.Get("status")), Cursor: query.Get("cursor")}
	if q.AllTenants, err = c.allTenants(query); err != nil {
		return q, err
	}
	if q.Status != "" && !slices.Contains(decisionStatuses, q.Status) {
		return q, badRequest("status is resolved, cancelled or expired")
	}
	if user := query.Get("user"); user != "" {
		if q.AllTenants {
			return q, badRequest("user is one of a tenant: name it with tenant, instead of tenants")
		}
		q.User = notices.NameOf(tenant, user)
	}
	if q.From, q.To, err = times(query); err != nil {
		return q, err
	}
	if q.Limit, err = c.number("limit", maxPage); err != nil {
		return q, err
	}
	if c.key.Thread == "" && c.ownOnly() { // else enterThread has seen to it
		q.Namespace = c.caller.Namespace()
	}
	if c.key.Thread != "" {
		q.Thread = &c.key
		return q, nil
	}
	q.Thread, err = c.listedThread(q.AllTenants || tenant != c.caller.Tenant())
	return q, err
}

func (c *call) listDecisions() (any, error) {
	q, err := c.decisionQuery(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	page, err := c.Record.Decisions(c.r.Context(), q)
	if unknown := c.goneThread(page, err); unknown != nil {
		return nil, unknown
	}
	return pageOf(page.Decisions, page.Next, err, decisionOf)
}

// goneThread refuses the path's thread of another namespace, when there is nothing of it in
// the tenant: neither the thread nor a decision.
func (c *call) goneThread(page store.DecisionPage, err error) error {
	if c.key.Thread == "" || c.key.Namespace == c.caller.Namespace() || len(page.Decisions) > 0 || err != nil && !errors.Is(err, store.ErrPartial) {
		return nil
	}
	t, err := c.Runner.Thread(c.r.Context(), c.key)
	if err != nil {
		return err
	}
	if t == nil || t.Tenant != c.caller.Tenant() {
		return errNoThread
	}
	return nil
}
