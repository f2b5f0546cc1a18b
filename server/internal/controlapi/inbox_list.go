package controlapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/notices"
)

var inboxParameters = append([]parameter{
	{"state", "The state of the interrupts: open, the default, or resolved. The resolved ones come from the decision record, the latest first, with one item for each interrupt. The server looks at a bounded number of them for a page. A page of them may therefore be short or empty and have a next one."},
	{"reason", "The reason of an open interrupt in each listed thread. It is indexed for a caller with the scope approver or admin."},
	{"user", "The user of the tenant whose input was the first of each listed thread. The server looks among 1,000 threads for a page. With state=resolved it is the user who decided."},
	{"thread", "The id of the only thread that is listed, in the caller's namespace or the one of the parameter namespace."},
	{"namespace", "The namespace of the thread. The default is the caller's own. Another one needs one of the scopes approver, admin."},
	{"askedAfter", "The earliest time of a question that is listed: a date-time. It is indexed."},
	{"askedBefore", "The time before which a listed question was asked: a date-time. It is indexed."},
	{"runId", "The client's id of the run that asked. For runId, agent, tool and deadlineBefore the server looks among 200 threads for a page. A page may therefore be short or empty and have a next one."},
	{"agent", "The name of the agent that asks."},
	{"tool", "The tool of one of the calls in each listed thread."},
	{"deadlineBefore", "The time before which an interrupt of each listed thread expires: a date-time. It does not go with state=resolved."},
	tenantsParameter,
}, pageParameters...)

type inboxTotalsJSON struct {
	Total   int64            `json:"total" jsonschema:"The number of threads with open interrupts that somebody can answer. A thread whose open interrupts have all expired is not one of them."`
	Expired int64            `json:"expired,omitempty" jsonschema:"The number of threads whose open interrupts have all expired."`
	Until   time.Time        `json:"until,omitzero" jsonschema:"The time when the interrupts of the next of those threads have all expired. It is left out if none of them expires."`
	Reasons map[string]int64 `json:"reasons,omitempty" jsonschema:"The number of those threads that have an open interrupt of each reason. A reason without threads is left out. Only callers with the scope approver or admin receive it."`
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
		list = func(s operate.Suspended) inboxItemJSON {
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
func (c *call) listThreadsInbox(of store.ThreadKey, q operate.InboxQuery) (any, error) {
	if q.Owner != "" || q.Agent != "" || q.AllTenants || !q.From.IsZero() || !q.To.IsZero() {
		return nil, badRequest("beside thread there are namespace, reason, runId, tool and deadlineBefore")
	}
	items, err := c.Runner.Open(c.r.Context(), []store.ThreadKey{of})
	items = slices.DeleteFunc(items, func(s operate.Suspended) bool {
		return of.Namespace != c.caller.Identity.Namespace && s.Tenant != c.caller.Identity.Tenant || !q.Wants(&s)
	})
	return pageOf(items, "", err, c.summarised)
}

func (c *call) inboxQuery() (operate.InboxQuery, error) {
	page, err := c.page()
	if err != nil {
		return operate.InboxQuery{}, err
	}
	query := c.r.URL.Query()
	q := operate.InboxQuery{
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
		q.Namespace = c.caller.Identity.Namespace
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
	q := store.InboxCount{Tenant: c.caller.Identity.Tenant, AllTenants: all, Reasons: []string{""}}
	asked := c.r.URL.Query()["reason"]
	switch {
	case len(asked) > mostReasons:
		return nil, badRequest("more than 16 reasons")
	case !all && c.ownOnly():
		q.Namespace = c.caller.Identity.Namespace
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
	totals := inboxTotalsJSON{Total: counts.Waiting[""], Expired: counts.Expired, Until: counts.Next.UTC(), Reasons: map[string]int64{}}
	for reason, n := range counts.Waiting {
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
func (c *call) summarised(s operate.Suspended) inboxItemJSON {
	item := inboxItem(s)
	item.Reviewers = c.others(s.Reviewers)
	if s.Assignee != "" {
		item.Assignee = notices.UserOf(s.Assignee)
	}
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
		ToolCallID: cut(shown.ToolCallID, shownMessage), ExpiresAt: shown.ExpiresAt, Metadata: destructive(shown)})
	if call := it.ToolCall; call != nil && len(call.Arguments) > shownArgs {
		sum := sha256.Sum256([]byte(call.Arguments))
		it.ToolCall = &toolCallJSON{Name: cut(call.Name, shownMessage), Arguments: cut(call.Arguments, shownArgs), Size: len(call.Arguments), Digest: hex.EncodeToString(sum[:])}
	}
	if it.Draft != nil && len(it.Draft.Payload) > shownArgs {
		it.Draft = &entryJSON{InterruptID: it.Draft.InterruptID, Status: it.Draft.Status}
	}
}

// destructive is of a question's metadata whether what a yes leads to can be undone.
func destructive(i protocol.Interrupt) protocol.Metadata {
	if string(i.Metadata[adapter.DestructiveKey]) != "true" {
		return nil
	}
	return protocol.Metadata{adapter.DestructiveKey: i.Metadata[adapter.DestructiveKey]}
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
