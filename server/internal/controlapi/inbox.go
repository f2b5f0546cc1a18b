package controlapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

type interruptJSON struct {
	ID        string          `json:"id"`
	Interrupt json.RawMessage `json:"interrupt" jsonschema:"as it was shown"`
	ExpiresAt time.Time       `json:"expiresAt,omitzero"`
	ToolCall  *toolCallJSON   `json:"toolCall,omitempty" jsonschema:"the call it is about"`
	Draft     *entryJSON      `json:"draft,omitempty" jsonschema:"an answer that waits for the others"`
}

type toolCallJSON struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments" jsonschema:"as the agent proposed them, JSON by convention"`
}

type inboxItemJSON struct {
	ThreadID   string          `json:"threadId"`
	Namespace  string          `json:"namespace"`
	Title      string          `json:"title"`
	Since      time.Time       `json:"since,omitzero"`
	Label      string          `json:"runId" jsonschema:"the client's name of the run that asked"`
	Interrupts []interruptJSON `json:"interrupts"`
	Corrupted  bool            `json:"corrupted,omitempty" jsonschema:"what is open cannot be read: nobody can answer it, and the thread can be deleted"`
}

type entryJSON struct {
	InterruptID string          `json:"interruptId"`
	Status      string          `json:"status" jsonschema:"resolved or cancelled"`
	Payload     json.RawMessage `json:"payload,omitempty"`
}

type resolveJSON struct {
	Label   string      `json:"runId,omitempty" jsonschema:"of the run that goes on; made if left out"`
	Entries []entryJSON `json:"entries"`
}

type resolvedJSON struct {
	Missing  []string      `json:"missing" jsonschema:"interrupts that have no answer yet; the answers are kept as drafts until they have"`
	Admitted *admittedJSON `json:"admitted,omitempty" jsonschema:"all were answered: the run that goes on"`
}

func inboxOperations() []operation {
	return []operation{
		{method: "GET", path: "/inbox", id: "listInbox", lists: true, summary: "The tenant's threads with open interrupts, those that have waited longest first; without the scope approver or admin those among the threads of the caller's namespace that the page looks at, latest input first",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: listOf[inboxItemJSON]{}, serve: (*call).listInbox,
			query: append([]parameter{{"reason", "only those with an open interrupt of this reason"}}, pageParameters...)},
		{method: "GET", path: "/threads/{thread}/interrupts", id: "listInterrupts", summary: "The open interrupts of a thread, with drafts",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: listOf[inboxItemJSON]{}, serve: (*call).listInterrupts},
		{method: "POST", path: "/threads/{thread}/interrupts/resolve", id: "resolveInterrupts", summary: "Answer some or all of a thread's open interrupts",
			scope: identity.ScopeRun, beyond: identity.ScopeApprover, admits: true, body: resolveJSON{}, status: 200, answer: resolvedJSON{}, serve: (*call).resolve},
		{method: "DELETE", path: "/threads/{thread}/interrupts/{interrupt}/draft", id: "dropDraft", summary: "Take back an answer that waits for the others",
			scope: identity.ScopeRun, beyond: identity.ScopeApprover, status: 204, serve: (*call).dropDraft},
	}
}

func interruptsOf(open *adapter.Suspended) []interruptJSON {
	list := []interruptJSON{}
	if open == nil {
		return list
	}
	for _, o := range open.Interrupts {
		shown := interruptJSON{ID: o.ID, Interrupt: o.Interrupt, ExpiresAt: o.ExpiresAt.UTC()}
		if o.Call != nil {
			shown.ToolCall = &toolCallJSON{o.Call.Name, o.Call.Arguments}
		}
		if o.Draft != nil {
			shown.Draft = &entryJSON{o.Draft.InterruptID, string(o.Draft.Status), json.RawMessage(o.Draft.Payload)}
		}
		list = append(list, shown)
	}
	return list
}

func inboxItem(s adapter.Suspended) inboxItemJSON {
	return inboxItemJSON{
		ThreadID: s.Thread.Thread, Namespace: s.Thread.Namespace, Title: s.Title, Since: s.Since.UTC(), Label: s.Label,
		Interrupts: interruptsOf(&s), Corrupted: s.Corrupted,
	}
}

func (c *call) listInbox() (any, error) {
	q, err := c.page()
	if err != nil {
		return nil, err
	}
	if c.needs(c.op.away()) != nil {
		return c.listOwnInbox(q)
	}
	items, next, err := c.Runner.Inbox(c.r.Context(), q)
	return pageOf(items, next, err, inboxItem)
}

// listOwnInbox is the inbox of a caller who answers for nobody else. A page is one
// of the namespace's threads, of which it has those that wait.
func (c *call) listOwnInbox(q store.PageQuery) (any, error) {
	threads, next, partly := c.Runner.Threads(c.r.Context(), c.caller.Namespace(), q)
	if partly != nil && !errors.Is(partly, store.ErrPartial) {
		return nil, partly
	}
	var suspended []store.ThreadKey
	for _, info := range threads {
		if info.Suspended {
			suspended = append(suspended, info.Thread)
		}
	}
	items, err := c.Runner.Open(c.r.Context(), suspended)
	if err != nil && !errors.Is(err, store.ErrPartial) {
		return nil, err
	}
	items = slices.DeleteFunc(items, func(open adapter.Suspended) bool { return !asksFor(&open, q.Reason) })
	return pageOf(items, next, cmp.Or(err, partly), inboxItem)
}

// asksFor reports whether one of the interrupts has the reason; "" is any.
func asksFor(open *adapter.Suspended, reason string) bool {
	return reason == "" || slices.ContainsFunc(open.Interrupts, func(o adapter.OpenInterrupt) bool {
		members, _ := strictjson.Members(o.Interrupt)
		has, _ := strictjson.Text(members["reason"])
		return has == reason
	})
}

func (c *call) listInterrupts() (any, error) {
	t, err := c.thread()
	if err != nil {
		return nil, err
	}
	page := listOf[inboxItemJSON]{Items: []inboxItemJSON{}}
	if t.Open != nil {
		page.Items = append(page.Items, inboxItem(*t.Open))
	}
	return page, nil
}

func (c *call) resolve() (any, error) {
	var in resolveJSON
	if err := c.read(&in); err != nil {
		return nil, err
	}
	if in.Label == "" {
		in.Label = newLabel("resolve")
	}
	entries := make([]protocol.ResumeEntry, len(in.Entries))
	for i, e := range in.Entries {
		status := protocol.ResumeStatus(e.Status)
		if status != protocol.ResumeResolved && status != protocol.ResumeCancelled {
			return nil, badRequest(fmt.Sprintf("entries/%d/status is resolved or cancelled", i))
		}
		entries[i] = protocol.ResumeEntry{InterruptID: e.InterruptID, Status: status, Payload: protocol.Any(e.Payload)}
	}
	if _, err := c.thread(); err != nil {
		return nil, err
	}
	answered, err := c.Runner.Answer(c.r.Context(), c.key, c.caller.Tenant(), c.caller.User(), in.Label, entries)
	if err != nil {
		return nil, err
	}
	if len(answered.Missing) > 0 {
		return resolvedJSON{Missing: answered.Missing}, nil
	}
	admitted, err := c.admitted(answered.Admitted, in.Label, nil)
	if err != nil {
		return nil, err
	}
	run := admitted.(admittedJSON)
	return resolvedJSON{Missing: []string{}, Admitted: &run}, nil
}

func (c *call) dropDraft() (any, error) {
	if _, err := c.thread(); err != nil {
		return nil, err
	}
	open, err := c.Runner.DropDraft(c.r.Context(), c.key, c.r.PathValue("interrupt"))
	if err == nil && !open {
		err = errNoInterrupt
	}
	return nil, err
}
