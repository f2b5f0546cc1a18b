package controlapi

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/notices"
)

type interruptJSON struct {
	ID        string          `json:"id"`
	Interrupt json.RawMessage `json:"interrupt" jsonschema:"as it was shown"`
	ExpiresAt time.Time       `json:"expiresAt,omitzero"`
	ToolCall  *toolCallJSON   `json:"toolCall,omitempty" jsonschema:"the call it is about"`
	Stale     bool            `json:"stale,omitempty" jsonschema:"it has expired and can only be cancelled. When all of a thread's have, a new user message cancels them"`
	Draft     *entryJSON      `json:"draft,omitempty" jsonschema:"an answer that waits for the others"`
	Truncated bool            `json:"truncated,omitempty" jsonschema:"it is a summary, because the whole is large; listInterrupts has the whole, listDecisions that of a resolved one"`
	Decision  *resolutionJSON `json:"decision,omitempty" jsonschema:"what became of it, if it is a resolved one"`
}

type toolCallJSON struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments" jsonschema:"as the agent proposed them, JSON by convention; of a summary their beginning"`
	Size      int    `json:"size,omitempty" jsonschema:"of all arguments in bytes; in a summary"`
	Digest    string `json:"digest,omitempty" jsonschema:"SHA-256 of all arguments in hex; in a summary"`
	Redacted  bool   `json:"redacted,omitempty" jsonschema:"the list leaves values out, in whose place is [redacted]; listInterrupts has all. Size and digest are not told"`
}

type inboxItemJSON struct {
	ThreadID   string          `json:"threadId"`
	Namespace  string          `json:"namespace"`
	Tenant     string          `json:"tenant,omitempty" jsonschema:"of the thread, where all tenants are asked for"`
	User       string          `json:"user,omitempty" jsonschema:"whose input used the thread first, if users are told apart; in lists of open ones only"`
	Agent      string          `json:"agent,omitempty" jsonschema:"that asks; left out if it has no name"`
	Title      string          `json:"title" jsonschema:"empty for resolved ones"`
	Since      time.Time       `json:"since,omitzero" jsonschema:"when it was asked"`
	Label      string          `json:"runId" jsonschema:"the client's name of the run that asked"`
	Interrupts []interruptJSON `json:"interrupts"`
	Omitted    int             `json:"omitted,omitempty" jsonschema:"how many open interrupts are left out of the list; listInterrupts has all"`
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
		{method: "GET", path: "/inbox", id: "listInbox", lists: true, summary: "Threads with open interrupts, those that have waited longest first: of the tenant, or of all tenants one after the other; without the scope approver or admin those of the caller's namespace. With state=resolved, interrupts that were decided. What is large is summarised",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: listOf[inboxItemJSON]{}, serve: (*call).listInbox, query: inboxParameters},
		{method: "GET", path: "/inbox/totals", id: "countInbox", summary: "How many threads have open interrupts, in all and by reason",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: inboxTotalsJSON{}, serve: (*call).countInbox,
			query: []parameter{{"reason", "another reason to count, beside those of AG-UI and of this server; may come several times"}, tenantsParameter}},
		{method: "POST", path: "/inbox/resolve", id: "resolveInbox", summary: "Answer open interrupts of up to 100 threads, each for itself and once under its key",
			scope: identity.ScopeRun, beyond: identity.ScopeApprover, admits: true, body: resolveInboxJSON{}, status: 200, answer: resolvedInboxJSON{}, serve: (*call).resolveInbox},
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
		shown := interruptJSON{ID: o.ID, Interrupt: o.Interrupt, ExpiresAt: o.ExpiresAt.UTC(), Stale: o.Stale}
		if o.Call != nil {
			shown.ToolCall = &toolCallJSON{Name: o.Call.Name, Arguments: o.Call.Arguments}
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
		ThreadID: s.Thread.Thread, Namespace: s.Thread.Namespace, Agent: s.Agent, User: notices.UserOf(s.User), Title: s.Title, Since: s.Since.UTC(), Label: s.Label,
		Interrupts: interruptsOf(&s), Corrupted: s.Corrupted,
	}
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
	entries, err := entriesOf(in.Entries, "entries")
	if err != nil {
		return nil, err
	}
	if _, err := c.thread(); err != nil {
		return nil, err
	}
	return c.answerThread(c.r.Context(), c.key, in.Label, entries)
}

// entriesOf reads answers, which stand under a name in the body.
func entriesOf(sent []entryJSON, where string) ([]protocol.ResumeEntry, error) {
	entries := make([]protocol.ResumeEntry, len(sent))
	for i, e := range sent {
		status := protocol.ResumeStatus(e.Status)
		if status != protocol.ResumeResolved && status != protocol.ResumeCancelled {
			return nil, badRequest(fmt.Sprintf("%s/%d/status is resolved or cancelled", where, i))
		}
		entries[i] = protocol.ResumeEntry{InterruptID: e.InterruptID, Status: status, Payload: protocol.Any(e.Payload)}
	}
	return entries, nil
}

func (c *call) answerThread(ctx context.Context, key store.ThreadKey, label string, entries []protocol.ResumeEntry) (*resolvedJSON, error) {
	answered, err := c.Runner.Answer(ctx, key, c.caller.Tenant(), c.caller.User(), label, entries,
		c.caller.Origin(adapter.ThroughInbox), c.caller.Headers())
	if err != nil {
		return nil, err
	}
	if len(answered.Missing) > 0 {
		return &resolvedJSON{Missing: answered.Missing}, nil
	}
	admitted, err := c.admitted(answered.Admitted, label, nil)
	if err != nil {
		return nil, err
	}
	run := admitted.(admittedJSON)
	return &resolvedJSON{Missing: []string{}, Admitted: &run}, nil
}

func (c *call) dropDraft() (any, error) {
	if _, err := c.thread(); err != nil {
		return nil, err
	}
	open, err := c.Runner.DropDraft(c.r.Context(), c.key, c.caller.User(), c.r.PathValue("interrupt"))
	if err == nil && !open {
		err = errNoInterrupt
	}
	return nil, err
}
