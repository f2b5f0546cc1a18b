package controlapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

var inboxParameters = append([]parameter{
	{"state", "open, which is meant if it is left out, or resolved: what was decided, the latest first, an item for each interrupt, as the decision record has it; a page looks at a bounded number for them, and may be short, or empty, and have a next one"},
	{"reason", "only those with an open interrupt of this reason. Indexed where the scope approver or admin shows the tenant's"},
	{"user", "only threads of this user of the tenant: whose input used it first. Looked for among 1,000 a page. Of resolved ones: only what this user decided"},
	{"thread", "only this thread, of the caller's namespace or of that in namespace"},
	{"namespace", "of the thread, if it is not the caller's own; needs one of the scopes approver, admin"},
	{"askedAfter", "only what was asked then or later: a date-time. Indexed"},
	{"askedBefore", "only what was asked before: a date-time. Indexed"},
	{"runId", "only what this run has asked, by the client's name of it. This, agent, tool and deadlineBefore are looked for among 200 a page: a page may be short, or empty, and have a next one"},
	{"agent", "only what this agent asks, by its name"},
	{"tool", "only where one of the calls is of this tool"},
	{"deadlineBefore", "only where one of the interrupts expires before: a date-time. Not with resolved"},
	tenantsParameter,
}, pageParameters...)

type inboxTotalsJSON struct {
	Total   int64            `json:"total" jsonschema:"threads with open interrupts"`
	Reasons map[string]int64 `json:"reasons,omitempty" jsonschema:"of them, those with an open interrupt of each reason; only with the scope approver or admin. None of a reason is left out"`
}

// commonReasons are counted unasked.
var commonReasons = []string{protocol.ReasonToolCall, protocol.ReasonInputRequired, protocol.ReasonConfirmation,
	adapter.ReasonUncertainStep, adapter.ReasonPaused, adapter.ReasonAuthRequired}

// mostReasons bounds what one call counts.
const mostReasons = 16

func (c *call) listInbox() (any, error) {
	q, err := c.inboxQuery()
	if err != nil {
		return nil, err
	}
	of, err := c.listedThread(q.AllTenants)
	if err != nil {
		return nil, err
	}
	switch c.r.URL.Query().Get("state") {
	case "", "open":
	case "resolved":
		return c.listResolved(q, of)
	default:
		return nil, badRequest("state is open or resolved")
	}
	list := c.summarised
	if q.AllTenants {
		list = func(s adapter.Suspended) inboxItemJSON {
			item := c.summarised(s)
			item.Tenant = s.Tenant
			return item
		}
	}
	if of != nil {
		return c.listThreadsInbox(*of, q)
	}
	items, next, err := c.Runner.Inbox(c.r.Context(), q)
	return pageOf(items, next, err, list)
}

// listThreadsInbox is the inbox of one thread.
func (c *call) listThreadsInbox(of store.ThreadKey, q adapter.InboxQuery) (any, error) {
	if q.Owner != "" || q.Agent != "" || q.AllTenants || !q.From.IsZero() || !q.To.IsZero() {
		return nil, badRequest("beside thread there are namespace, reason, runId, tool and deadlineBefore")
	}
	items, err := c.Runner.Open(c.r.Context(), []store.ThreadKey{of})
	items = slices.DeleteFunc(items, func(s adapter.Suspended) bool {
		return of.Namespace != c.caller.Namespace() && s.Tenant != c.caller.Tenant() || !q.Wants(&s)
	})
	return pageOf(items, "", err, c.summarised)
}

func (c *call) inboxQuery() (adapter.InboxQuery, error) {
	page, err := c.page()
	if err != nil {
		return adapter.InboxQuery{}, err
	}
	query := c.r.URL.Query()
	q := adapter.InboxQuery{
		InboxQuery: store.InboxQuery{Tenant: page.Tenant, Reason: query.Get("reason"), Limit: page.Limit, Cursor: page.Cursor},
		Label:      query.Get("runId"), Agent: query.Get("agent"), Tool: query.Get("tool"),
	}
	if q.AllTenants, err = c.allTenants(query); err != nil {
		return q, err
	}
	if user := query.Get("user"); user != "" {
		if q.AllTenants {
			return q, badRequest("user is of one tenant: leave tenants out")
		}
		if q.Owner = c.caller.NameOf(user); q.Owner == "" {
			return q, badRequest("user: users are not told apart here")
		}
	}
	if !q.AllTenants && c.ownOnly() {
		q.Namespace = c.caller.Namespace()
	}
	for name, into := range map[string]*time.Time{"askedAfter": &q.From, "askedBefore": &q.To, "deadlineBefore": &q.Before} {
		if text := query.Get(name); text != "" {
			if *into, err = time.Parse(time.RFC3339, text); err != nil {
				return q, badRequest(name + " is a date-time such as 2030-01-31T00:00:00Z")
			}
		}
	}
	return q, nil
}

func (c *call) countInbox() (any, error) {
	all, err := c.allTenants(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	q := store.InboxCount{Tenant: c.caller.Tenant(), AllTenants: all, Reasons: []string{""}}
	asked := c.r.URL.Query()["reason"]
	switch {
	case len(asked) > mostReasons:
		return nil, badRequest("more than 16 reasons")
	case !all && c.ownOnly():
		q.Namespace = c.caller.Namespace()
	default:
		for _, reason := range slices.Concat(commonReasons, asked) {
			if !slices.Contains(q.Reasons, reason) {
				q.Reasons = append(q.Reasons, reason)
			}
		}
	}
	counts, err := c.Runner.CountInbox(c.r.Context(), q)
	if err != nil {
		return nil, err
	}
	totals := inboxTotalsJSON{Total: counts[""], Reasons: map[string]int64{}}
	for reason, n := range counts {
		if reason != "" && n > 0 {
			totals.Reasons[reason] = n
		}
	}
	return totals, nil
}

// These bound what an item of the inbox may have of each, in bytes; a larger one is
// summarised.
const (
	shownWhole   = 4 << 10 // an interrupt with all that is about it
	shownMessage = 500
	shownArgs    = 1000
	shownItem    = 16 << 10 // all interrupts of a thread; further ones are left out
)

// summarised is an item that is no larger than shownItem and its first interrupt.
func (c *call) summarised(s adapter.Suspended) inboxItemJSON {
	item := inboxItem(s)
	room := shownItem
	for i := range item.Interrupts {
		it := &item.Interrupts[i]
		redacted := false
		if call := s.Interrupts[i].Call; call != nil {
			var text string
			if text, redacted = c.Runner.ListedArguments(*call); redacted {
				it.redact(text)
			}
		}
		if !redacted && it.weight() > shownWhole {
			it.summarise()
		}
		if room -= it.weight(); room < 0 && i > 0 {
			item.Omitted = len(item.Interrupts) - i
			item.Interrupts = item.Interrupts[:i]
			break
		}
	}
	return item
}

func (it *interruptJSON) weight() int {
	n := len(it.ID) + len(it.Interrupt)
	if it.ToolCall != nil {
		n += len(it.ToolCall.Name) + len(it.ToolCall.Arguments)
	}
	if it.Draft != nil {
		n += len(it.Draft.Payload)
	}
	return n
}

// summarise keeps of an interrupt what says what it is about.
func (it *interruptJSON) summarise() {
	it.Truncated = true
	var shown protocol.Interrupt
	_ = json.Unmarshal(it.Interrupt, &shown) // what is open was read before
	it.Interrupt, _ = json.Marshal(protocol.Interrupt{ID: shown.ID, Reason: cut(shown.Reason, shownMessage), Message: cut(shown.Message, shownMessage),
		ToolCallID: cut(shown.ToolCallID, shownMessage), ExpiresAt: shown.ExpiresAt})
	if call := it.ToolCall; call != nil && len(call.Arguments) > shownArgs {
		sum := sha256.Sum256([]byte(call.Arguments))
		it.ToolCall = &toolCallJSON{Name: cut(call.Name, shownMessage), Arguments: cut(call.Arguments, shownArgs), Size: len(call.Arguments), Digest: hex.EncodeToString(sum[:])}
	}
	if it.Draft != nil && len(it.Draft.Payload) > shownArgs {
		it.Draft = &entryJSON{InterruptID: it.Draft.InterruptID, Status: it.Draft.Status}
	}
}

// redact makes a summary with arguments from which something was taken out. Other places
// that may have it go too: what the interrupt says beside its message, a digest by which it
// could be guessed, and an answer that may hold it anew.
func (it *interruptJSON) redact(arguments string) {
	it.summarise()
	it.ToolCall = &toolCallJSON{Name: cut(it.ToolCall.Name, shownMessage), Arguments: cut(arguments, shownArgs), Redacted: true}
	if it.Draft != nil {
		it.Draft = &entryJSON{InterruptID: it.Draft.InterruptID, Status: it.Draft.Status}
	}
}

// cut is the beginning of a text, at the end of a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
