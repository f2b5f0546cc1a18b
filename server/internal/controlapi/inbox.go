package controlapi

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/notices"
)

type interruptJSON struct {
	ID        string          `json:"id"`
	Interrupt json.RawMessage `json:"interrupt" jsonschema:"The interrupt as the client received it."`
	ExpiresAt time.Time       `json:"expiresAt,omitzero"`
	ToolCall  *toolCallJSON   `json:"toolCall,omitempty" jsonschema:"The tool call that the interrupt is about."`
	Stale     bool            `json:"stale,omitempty" jsonschema:"The interrupt has expired and can only be cancelled. When all interrupts of a thread have expired, a new user message cancels them."`
	Draft     *entryJSON      `json:"draft,omitempty" jsonschema:"The draft: an answer that waits until the other interrupts have theirs."`
	Truncated bool            `json:"truncated,omitempty" jsonschema:"The interrupt is large, and this is a summary. listInterrupts has the whole of an open interrupt, and listDecisions that of a resolved one."`
	Decision  *resolutionJSON `json:"decision,omitempty" jsonschema:"The decision, if the interrupt is no longer open."`
}

type toolCallJSON struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments" jsonschema:"The arguments as the agent proposed them, usually JSON. A summary has their beginning."`
	Size      int    `json:"size,omitempty" jsonschema:"The size of all arguments in bytes. Only a summary has it."`
	Digest    string `json:"digest,omitempty" jsonschema:"The SHA-256 digest of all arguments, in hexadecimal. Only a summary has it."`
	Redacted  bool   `json:"redacted,omitempty" jsonschema:"The list has [redacted] in the place of some values, and leaves out size and digest. listInterrupts has all values."`
}

type inboxItemJSON struct {
	ThreadID   string          `json:"threadId"`
	Namespace  string          `json:"namespace"`
	Tenant     string          `json:"tenant,omitempty" jsonschema:"The tenant of the thread. Only a list of all tenants has it."`
	User       string          `json:"user,omitempty" jsonschema:"The user whose input was the first of the thread, if the server tells users apart. Only a list of open interrupts has it."`
	Agent      string          `json:"agent,omitempty" jsonschema:"The agent that asks. It is left out if the agent has no name."`
	Title      string          `json:"title" jsonschema:"The title of the thread. It is empty for resolved interrupts."`
	Since      time.Time       `json:"since,omitzero" jsonschema:"The time of the question."`
	Label      string          `json:"runId" jsonschema:"The client's id of the run that asked."`
	ExpiresAt  time.Time       `json:"expiresAt,omitzero" jsonschema:"The time when all open interrupts have expired. It is left out if one of them never expires."`
	Interrupts []interruptJSON `json:"interrupts"`
	Omitted    int             `json:"omitted,omitempty" jsonschema:"The number of open interrupts that the item leaves out. listInterrupts has all."`
	Reviewers  []string        `json:"reviewers,omitempty" jsonschema:"The other users who look at the interrupts now: see reviewInterrupts. Only a list of open interrupts has it."`
	Assignee   string          `json:"assignee,omitempty" jsonschema:"The user to whom the interrupts are assigned: see assignInterrupts. Only a list of open interrupts has it."`
	Corrupted  bool            `json:"corrupted,omitempty" jsonschema:"The store cannot read the open interrupts. Nobody can answer them, and the thread can be deleted."`
}

type reviewersJSON struct {
	Reviewers []string `json:"reviewers" jsonschema:"The other users who look at the interrupts now."`
}

type entryJSON struct {
	InterruptID string          `json:"interruptId"`
	Status      string          `json:"status" jsonschema:"The answer: resolved or cancelled."`
	Payload     json.RawMessage `json:"payload,omitempty"`
}

type draftJSON struct {
	Status  string          `json:"status" jsonschema:"The answer: resolved or cancelled."`
	Payload json.RawMessage `json:"payload,omitempty"`
}

type resolveJSON struct {
	Label   string      `json:"runId,omitempty" jsonschema:"An id of the caller's for the run that the answers begin. The server makes one if it is left out."`
	Entries []entryJSON `json:"entries"`
}

type resolvedJSON struct {
	Missing  []string      `json:"missing" jsonschema:"The ids of the interrupts that have no answer yet. The server keeps the answers as drafts until all have one."`
	Admitted *admittedJSON `json:"admitted,omitempty" jsonschema:"The run that the answers began. It is left out while answers are missing."`
	Thread   string        `json:"threadId,omitempty" jsonschema:"The thread below the named one that asked. The server gave the answers there. It is left out if the named thread asked."`
}

func inboxOperations() []operation {
	return []operation{
		{method: "GET", path: "/inbox", id: "listInbox", lists: true, summary: "List the threads that have open interrupts, those that have waited longest first",
			notes: "A caller with the scope approver or admin sees those of its tenant, and others see those of their namespace. With tenants=all the tenants follow one another. With state=resolved the list has interrupts that were decided. Large interrupts are summarised.",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: listOf[inboxItemJSON]{}, serve: (*call).listInbox, query: inboxParameters},
		{method: "GET", path: "/inbox/totals", id: "countInbox", summary: "Count the threads that have open interrupts, in all and by reason",
			notes: "Threads whose open interrupts have all expired are counted apart.",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: inboxTotalsJSON{}, serve: (*call).countInbox,
			query: []parameter{{"reason", "A further reason to count. The server counts the reasons of AG-UI and its own in any case. The parameter may be repeated."}, tenantsParameter}},
		{method: "POST", path: "/inbox/resolve", id: "resolveInbox", summary: "Answer open interrupts of up to 100 threads, each thread on its own",
			notes: "The same request under the same key is carried out once.",
			scope: identity.ScopeRun, beyond: identity.ScopeApprover, admits: true, body: resolveInboxJSON{}, status: 200, answer: resolvedInboxJSON{}, serve: (*call).resolveInbox},
		{method: "GET", path: "/threads/{thread}/interrupts", id: "listInterrupts", summary: "List the open interrupts of a thread, with drafts",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: listOf[inboxItemJSON]{}, serve: (*call).listInterrupts},
		{method: "POST", path: "/threads/{thread}/interrupts/resolve", id: "resolveInterrupts", summary: "Answer some or all of a thread's open interrupts",
			scope: identity.ScopeRun, beyond: identity.ScopeApprover, admits: true, body: resolveJSON{}, status: 200, answer: resolvedJSON{}, serve: (*call).resolve},
		ledToOperation(),
		{method: "PUT", path: "/threads/{thread}/interrupts/review", id: "reviewInterrupts", summary: "Note for a minute that the caller looks at a thread's open interrupts",
			notes: "It is a note for the others and no lock: anybody's answer is taken all the same. The note ends with the interrupts. The server notes at most 8 users of a thread, and nobody if it does not tell users apart.",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 200, answer: reviewersJSON{}, serve: (*call).review},
		{method: "DELETE", path: "/threads/{thread}/interrupts/review", id: "leaveInterrupts", summary: "Delete the note that the caller looks at a thread's open interrupts",
			scope: identity.ScopeRead, beyond: identity.ScopeApprover, status: 204, serve: (*call).leave},
		{method: "PUT", path: "/threads/{thread}/interrupts/assignment", id: "assignInterrupts", summary: "Note for an hour that a thread's open interrupts are assigned to the caller",
			notes: "The note takes the place of another user's. It is no lock: anybody's answer is taken all the same. The note ends with the interrupts. The server notes nobody if it does not tell users apart.",
			scope: identity.ScopeRun, beyond: identity.ScopeApprover, status: 204, serve: (*call).assign},
		{method: "DELETE", path: "/threads/{thread}/interrupts/assignment", id: "releaseInterrupts", summary: "Delete the note that a thread's open interrupts are assigned to the caller",
			scope: identity.ScopeRun, beyond: identity.ScopeApprover, status: 204, serve: (*call).release},
		{method: "PUT", path: "/threads/{thread}/interrupts/{interrupt}/draft", id: "keepDraft", summary: "Keep an answer to an open interrupt as a draft",
			notes: "The agent does not go on, even if all interrupts have an answer by then: resolveInterrupts gives the word.",
			scope: identity.ScopeRun, beyond: identity.ScopeApprover, body: draftJSON{}, status: 204, serve: (*call).keepDraft},
		{method: "DELETE", path: "/threads/{thread}/interrupts/{interrupt}/draft", id: "dropDraft", summary: "Delete a draft",
			scope: identity.ScopeRun, beyond: identity.ScopeApprover, status: 204, serve: (*call).dropDraft},
	}
}

func interruptsOf(open *operate.Suspended) []interruptJSON {
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

func inboxItem(s operate.Suspended) inboxItemJSON {
	return inboxItemJSON{
		ThreadID: s.Thread.Thread, Namespace: s.Thread.Namespace, Agent: s.Agent, User: notices.UserOf(s.User), Title: s.Title, Since: s.Since.UTC(), Label: s.Label, ExpiresAt: s.Expires.UTC(),
		Interrupts: interruptsOf(&s), Corrupted: s.Corrupted,
	}
}

func (c *call) listInterrupts() (any, error) {
	open, err := c.Runner.Open(c.r.Context(), []store.ThreadKey{c.key})
	if err == nil && len(open) == 0 {
		err = c.used()
	}
	if err != nil {
		return nil, err
	}
	page := listOf[inboxItemJSON]{Items: []inboxItemJSON{}}
	for _, s := range open {
		page.Items = append(page.Items, inboxItem(s))
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
	if err := c.used(); err != nil {
		return nil, err
	}
	return c.answerThread(c.r.Context(), c.key, in.Label, entries)
}

// entriesOf reads answers, which stand under a name in the body.
func entriesOf(sent []entryJSON, where string) ([]protocol.ResumeEntry, error) {
	entries := make([]protocol.ResumeEntry, len(sent))
	for i, e := range sent {
		var err error
		if entries[i], err = entryOf(e, fmt.Sprintf("%s/%d/", where, i)); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func entryOf(e entryJSON, where string) (protocol.ResumeEntry, error) {
	status := protocol.ResumeStatus(e.Status)
	if status != protocol.ResumeResolved && status != protocol.ResumeCancelled {
		return protocol.ResumeEntry{}, badRequest(where + "status is resolved or cancelled")
	}
	return protocol.ResumeEntry{InterruptID: e.InterruptID, Status: status, Payload: protocol.Any(e.Payload)}, nil
}

func (c *call) answerThread(ctx context.Context, key store.ThreadKey, label string, entries []protocol.ResumeEntry) (*resolvedJSON, error) {
	answered, err := c.Runner.Answer(ctx, key, c.caller.Identity.Tenant, c.caller.Name(), label, entries,
		c.caller.Origin(store.ThroughInbox), c.caller.Headers)
	if err != nil {
		return nil, err
	}
	if len(answered.Missing) > 0 {
		return &resolvedJSON{Missing: answered.Missing, Thread: answered.Thread}, nil
	}
	admitted, err := c.admitted(answered.Admitted, label, nil)
	if err != nil {
		return nil, err
	}
	run := admitted.(admittedJSON)
	return &resolvedJSON{Missing: []string{}, Admitted: &run, Thread: answered.Thread}, nil
}

func (c *call) review() (any, error) {
	all, open, err := c.reviewed(false)
	if err == nil && !open {
		err = errNoInterrupt
	}
	return reviewersJSON{Reviewers: c.others(all)}, err
}

func (c *call) leave() (any, error) {
	_, _, err := c.reviewed(true)
	return nil, err
}

func (c *call) assign() (any, error) {
	open, err := c.assigned(false)
	if err == nil && !open {
		err = errNoInterrupt
	}
	return nil, err
}

func (c *call) release() (any, error) {
	_, err := c.assigned(true)
	return nil, err
}

func (c *call) assigned(over bool) (bool, error) {
	open, err := c.Runner.Assign(c.r.Context(), c.key, c.caller.Name(), over)
	if err == nil && !open {
		err = c.used()
	}
	return open, err
}

func (c *call) reviewed(over bool) ([]string, bool, error) {
	all, open, err := c.Runner.Review(c.r.Context(), c.key, c.caller.Name(), over)
	if err == nil && !open {
		err = c.used()
	}
	return all, open, err
}

// others are the names of those users who are not the caller.
func (c *call) others(users []string) []string {
	names := []string{}
	for _, user := range users {
		if user != c.caller.Name() {
			names = append(names, notices.UserOf(user))
		}
	}
	return names
}

func (c *call) keepDraft() (any, error) {
	var in draftJSON
	if err := c.read(&in); err != nil {
		return nil, err
	}
	entry, err := entryOf(entryJSON{c.r.PathValue("interrupt"), in.Status, in.Payload}, "")
	if err != nil {
		return nil, err
	}
	if err := c.used(); err != nil {
		return nil, err
	}
	refusal, open, err := c.Runner.KeepDraft(c.r.Context(), c.key, c.caller.Identity.Tenant, c.caller.Name(), entry, c.caller.Origin(store.ThroughInbox))
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return nil, problemOfInput(refusal)
	case !open:
		return nil, errNoInterrupt
	}
	return nil, nil
}

func (c *call) dropDraft() (any, error) {
	if err := c.used(); err != nil {
		return nil, err
	}
	open, err := c.Runner.DropDraft(c.r.Context(), c.key, c.caller.Name(), c.r.PathValue("interrupt"))
	if err == nil && !open {
		err = errNoInterrupt
	}
	return nil, err
}
