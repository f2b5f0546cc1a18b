package controlapi

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/notices"
)

type decisionJSON struct {
	ID              string           `json:"id"`
	At              time.Time        `json:"at" jsonschema:"The time of the decision, by the store's clock."`
	Status          string           `json:"status" jsonschema:"The outcome: resolved, cancelled, or expired when nobody answered in time."`
	User            string           `json:"user,omitempty" jsonschema:"The user who decided. It is left out if nobody did, or if the server does not tell users apart."`
	Through         string           `json:"through,omitempty" jsonschema:"The way by which the answer came: socket, post, copilotkit, inbox, link, login, call, expiry, operator or steering."`
	Credential      string           `json:"credential,omitempty" jsonschema:"The subject of the credential."`
	Tenant          string           `json:"tenant"`
	ThreadID        string           `json:"threadId"`
	Namespace       string           `json:"namespace"`
	Interrupt       string           `json:"interruptId"`
	Reason          string           `json:"reason,omitempty" jsonschema:"The reason of the interrupt."`
	Message         string           `json:"message,omitempty" jsonschema:"The question as it was shown."`
	Agent           string           `json:"agent,omitempty" jsonschema:"The agent that asked. It is left out if the agent has no name."`
	Tool            string           `json:"tool,omitempty" jsonschema:"The tool that the decision is about."`
	ToolCallID      string           `json:"toolCallId,omitempty"`
	Arguments       json.RawMessage  `json:"arguments,omitempty" jsonschema:"The arguments as they were shown. Values that the server is set to redact are taken out."`
	ArgumentsDigest string           `json:"argumentsDigest,omitempty" jsonschema:"The SHA-256 digest of all arguments, in hexadecimal. The arguments have the form of RFC 8785, with numbers by their exact value."`
	Payload         json.RawMessage  `json:"payload,omitempty" jsonschema:"The answer. Values that the server is set to redact are taken out."`
	Cut             []string         `json:"cut,omitempty" jsonschema:"The names of the members that are cut off: message, arguments, payload."`
	AskedBy         *decisionRunJSON `json:"askedBy,omitempty" jsonschema:"The run that asked."`
	AnsweredBy      decisionRunJSON  `json:"answeredBy,omitzero" jsonschema:"The run that the answer began. It is left out if no run began because the thread was deleted."`
	Refused         int              `json:"refused" jsonschema:"The number of answers that were refused before this one."`
}

type decisionRunJSON struct {
	ID    string `json:"id" jsonschema:"The server's id of the run."`
	Label string `json:"runId,omitempty" jsonschema:"The client's id of the run."`
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
func bodyOf(d store.Decision) (b store.DecisionBody) {
	_ = json.Unmarshal(d.Body, &b)
	return b
}

func decisionOperations() []operation {
	filters := []parameter{
		{"user", "The user of the tenant whose decisions are listed."},
		{"tool", "The tool of the decisions that are listed."},
		{"status", "The outcome of the decisions that are listed: resolved, cancelled or expired."},
		{"from", "The earliest time of a decision that is listed, in RFC 3339."},
		{"to", "The time before which a listed decision was made, in RFC 3339."},
		{"format", "The format: json for a page, csv or ndjson (JSON lines) for all decisions at once. The header Accept with text/csv or application/x-ndjson does the same."},
	}
	filters = append(filters, pageParameters...)
	return []operation{
		{method: "GET", path: "/decisions", id: "listDecisions", lists: true, exports: true, summary: "List decisions, the latest first",
			notes: "A caller with the scope approver or admin sees those of its tenant, and others see those of their namespace. Decisions of deleted threads are among them. A page may be empty and have a next one.",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: listOf[decisionJSON]{}, serve: (*call).listDecisions,
			query: append([]parameter{{"thread", "The id of the thread whose decisions are listed."}, {"namespace", "The namespace of the thread. The default is the caller's own."},
				{"tenant", "The tenant whose decisions are listed. Another tenant than the caller's needs the scopes admin and tenants."}, tenantsParameter}, filters...)},
		{method: "GET", path: "/threads/{thread}/decisions", id: "listThreadDecisions", lists: true, exports: true, outlives: true, summary: "List the decisions of a thread, also of a deleted one, the latest first",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: listOf[decisionJSON]{}, serve: (*call).listDecisions, query: filters},
		{method: "DELETE", path: "/threads/{thread}/decisions", id: "forgetDecisions", outlives: true, summary: "Take the decisions of a thread out of the record, also of a deleted one",
			scope: identity.ScopeAdmin, beyond: identity.ScopeAdmin, status: 204, serve: (*call).forgetDecisions},
	}
}

func (c *call) forgetDecisions() (any, error) {
	page, err := c.Record.Decisions(c.r.Context(), store.DecisionQuery{Tenant: c.caller.Identity.Tenant, Thread: &c.key, Limit: 1})
	if err != nil {
		return nil, err
	}
	if unknown := c.goneThread(page, err); unknown != nil {
		return nil, unknown
	}
	return nil, c.Record.ForgetDecisions(c.r.Context(), c.key)
}

var decisionStatuses = []store.DecisionStatus{store.DecisionResolved, store.DecisionCancelled, store.DecisionExpired}

// decisionQuery is what the request asks for, of what the caller may be told.
func (c *call) decisionQuery(query url.Values) (q store.DecisionQuery, err error) {
	tenant := c.caller.Identity.Tenant
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
		q.User = identity.NameOf(tenant, user)
	}
	if q.From, q.To, err = times(query); err != nil {
		return q, err
	}
	if q.Limit, err = c.number("limit", maxPage); err != nil {
		return q, err
	}
	if c.key.Thread == "" && c.ownOnly() { // else enterThread has seen to it
		q.Namespace = c.caller.Identity.Namespace
	}
	if c.key.Thread != "" {
		q.Thread = &c.key
		return q, nil
	}
	q.Thread, err = c.listedThread(q.AllTenants || tenant != c.caller.Identity.Tenant)
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
	if c.key.Thread == "" || c.key.Namespace == c.caller.Identity.Namespace || len(page.Decisions) > 0 || err != nil && !errors.Is(err, store.ErrPartial) {
		return nil
	}
	t, err := c.Runner.Thread(c.r.Context(), c.key)
	if err != nil {
		return err
	}
	if t == nil || t.Tenant != c.caller.Identity.Tenant {
		return errNoThread
	}
	return nil
}
