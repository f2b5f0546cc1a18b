package operate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/decision"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Suspended is a thread's open interrupts, as the inbox shows them.
type Suspended struct {
	Thread     store.ThreadKey
	Tenant     string
	User       string // whose input used the thread first, in a list; "": not known
	Agent      string // that asks; "": the default one, or not known
	Title      string
	Since      time.Time // zero when read with its thread
	Label      string    // runId of the run that asked
	Expires    time.Time // when all interrupts have expired; zero: never
	Interrupts []OpenInterrupt
	Reviewers  []string // who look at them now, in a list
	Assignee   string   // whose they are to answer, in a list; "": nobody's
	// Corrupted says, in an inbox, that what is stored of them cannot be read: nobody
	// can answer them, and the thread can be deleted.
	Corrupted bool
	version   int64
}

// OpenInterrupt is an interrupt that waits for an answer.
type OpenInterrupt struct {
	ID        string
	Interrupt json.RawMessage // as it was shown, byte for byte
	ExpiresAt time.Time       // zero: never
	Stale     bool            // ExpiresAt has passed: it can only be cancelled
	// Call is the tool call it is about; nil: none that the thread holds.
	Call  *protocol.ToolFunction
	Draft *protocol.ResumeEntry // an answer that waits for the others
	Login *store.Login          // the account that is asked for; nil: none is
	By    string                // which question of the server's own it is, as store.SuspendedInterrupt has it
}

// InboxQuery asks for a page of an inbox. The store has no index of some conditions. Those
// are looked for among so many suspensions for a page: it may have fewer than Limit and be
// followed by another one.
type InboxQuery struct {
	store.InboxQuery
	Label  string    // runId of the run that asked; "": any
	Agent  string    // "": any
	Tool   string    // the name of a tool that an interrupt is about; "": any
	Before time.Time // one of the deadlines is before; zero: whether or not there is one
}

// inboxLooks is how many suspensions are looked at for a page.
const inboxLooks = 200

// scans reports whether it asks for what the store has no index of.
func (q *InboxQuery) scans() bool {
	return q.Label != "" || q.Agent != "" || q.Tool != "" || !q.Before.IsZero() || q.Namespace != "" && q.Reason != ""
}

// Wants reports whether a thread's open interrupts have the reason and what the store has
// no index of.
func (q *InboxQuery) Wants(s *Suspended) bool {
	has := func(f func(OpenInterrupt) bool) bool { return slices.ContainsFunc(s.Interrupts, f) }
	return (q.Label == "" || s.Label == q.Label) && (q.Agent == "" || s.Agent == q.Agent) &&
		(q.Tool == "" || has(func(o OpenInterrupt) bool { return o.Call != nil && o.Call.Name == q.Tool })) &&
		(q.Before.IsZero() || has(func(o OpenInterrupt) bool { return !o.ExpiresAt.IsZero() && o.ExpiresAt.Before(q.Before) })) &&
		(q.Reason == "" || has(func(o OpenInterrupt) bool { return o.reason() == q.Reason }))
}

func (o *OpenInterrupt) reason() string {
	var shown protocol.Interrupt
	if json.Unmarshal(o.Interrupt, &shown) != nil {
		return ""
	}
	return shown.Reason
}

func suspended(item store.InboxItem) (*Suspended, error) {
	open, err := stored.Suspension(item.Suspension)
	if err != nil || open == nil {
		return nil, err
	}
	s := &Suspended{Thread: item.Thread, Tenant: item.Tenant, User: item.User, Agent: cmp.Or(item.Agent, open.Agent), Title: item.Title, Since: item.Since, Label: open.Label, Expires: unixMilli(open.Expires()), Reviewers: item.Reviewers, Assignee: item.Assignee, version: item.Version}
	for _, it := range open.Items {
		o := OpenInterrupt{ID: it.ID, Interrupt: it.Interrupt, ExpiresAt: unixMilli(it.ExpiresAt), Call: it.Call, Login: it.Login, By: it.By}
		o.Stale = !o.ExpiresAt.IsZero() && o.ExpiresAt.Before(time.Now())
		if text := item.Drafts[it.ID]; text != nil {
			o.Draft = new(protocol.ResumeEntry)
			if err := stored.Decode(text, o.Draft, "the draft for interrupt %s", it.ID); err != nil {
				return nil, err
			}
			decision.DraftOf(o.Draft)
		}
		s.Interrupts = append(s.Interrupts, o)
	}
	return s, nil
}

// Inbox pages through threads with open interrupts, those that have waited longest
// first, and returns the cursor of the next page, "" at the end. A thread that cannot be
// read holds up no other. An error that wraps ErrPartial comes with a page that others may
// be missing on: see store.PageQuery.
func (ib *inbox) Inbox(ctx context.Context, q InboxQuery) ([]Suspended, string, error) {
	if !q.scans() {
		items, next, _, err := ib.listed(ctx, q.InboxQuery)
		return items, next, err
	}
	from := q.InboxQuery
	if from.Namespace != "" {
		from.Reason = ""
	}
	limit := cmp.Or(q.Limit, 50)
	var found []Suspended
	for looked := 0; ; {
		from.Limit = limit - len(found) // so that none behind the page is passed over
		items, next, n, err := ib.listed(ctx, from)
		for _, s := range items {
			if q.Wants(&s) {
				found = append(found, s)
			}
		}
		looked += n
		if err != nil || next == "" || len(found) == limit || looked >= inboxLooks {
			return found, next, err
		}
		from.Cursor = next
	}
}

// listed is a page of the store's inbox, and how many suspensions it had.
func (ib *inbox) listed(ctx context.Context, q store.InboxQuery) ([]Suspended, string, int, error) {
	page, partial := ib.Store.Inbox(ctx, q)
	if partial != nil && !errors.Is(partial, store.ErrPartial) {
		return nil, "", 0, partial
	}
	items := make([]Suspended, 0, len(page.Items))
	for _, item := range page.Items {
		s, err := suspended(item)
		if item.Corrupted || errors.Is(err, store.ErrCorrupted) {
			s, err = &Suspended{Thread: item.Thread, Tenant: item.Tenant, User: item.User, Title: item.Title, Since: item.Since, Corrupted: true}, nil
		}
		if err != nil {
			return nil, "", 0, err
		}
		if s != nil {
			items = append(items, *s)
		}
	}
	return items, page.Next, max(1, len(page.Items)), partial
}

// ListedArguments are a call's arguments as lists show them: without what
// runner.Options.RedactLists takes out. False: nothing is taken out.
func (ib *inbox) ListedArguments(call protocol.ToolFunction) (string, bool) {
	text := decision.Redactions(ib.Options.RedactLists).In(call.Name, []byte(call.Arguments))
	return string(text), string(text) != call.Arguments
}

// Whose returns the tenant of a thread, and whether the thread is used at all, without
// reading what is in it.
func (ib *inbox) Whose(ctx context.Context, key store.ThreadKey) (tenant string, used bool, err error) {
	ends, err := ib.Store.Tail(ctx, []store.ThreadKey{key})
	if err != nil {
		return "", false, err
	}
	view, err := ib.Store.Read(ctx, key, store.ReadQuery{After: &ends[0]})
	if err != nil {
		return "", false, err
	}
	return view.Tenant, view.Used, nil
}

// CountInbox counts threads with open interrupts. Those whose interrupts have all expired by
// now are counted apart, just as Suspended.Expires tells them.
func (ib *inbox) CountInbox(ctx context.Context, q store.InboxCount) (store.InboxTotals, error) {
	q.At = time.Now()
	return ib.Store.CountInbox(ctx, q)
}

// Open returns the open interrupts of those of the threads that have any, in the
// same order, without reading what else is in them. Some, beside an error that wraps
// ErrPartial.
func (ib *inbox) Open(ctx context.Context, keys []store.ThreadKey) ([]Suspended, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	ends, partial := ib.Store.Tail(ctx, keys)
	if partial != nil && !errors.Is(partial, store.ErrPartial) {
		return nil, partial
	}
	var all []Suspended
	for i, key := range keys {
		if ends[i] == (store.Position{}) && partial != nil {
			continue
		}
		// A reader that asks for what follows the end is given no snapshot.
		view, err := ib.Store.Read(ctx, key, store.ReadQuery{After: &ends[i]})
		var s *Suspended
		if err == nil {
			s, err = suspended(store.InboxItem{Thread: key, Tenant: view.Tenant, Version: view.Version, Title: view.Title, Suspension: view.Suspension, Drafts: view.Drafts})
		}
		if errors.Is(err, store.ErrCorrupted) {
			s, err = &Suspended{Thread: key, Corrupted: true}, nil
		}
		if err != nil {
			return nil, err
		}
		if s != nil {
			all = append(all, *s)
		}
	}
	return all, partial
}
