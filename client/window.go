package client

import (
	"context"

	"github.com/aguiws/aguiws/protocol"
)

// ReasonOlder is the Update.Reason of a View that has older messages before those that
// were held.
const ReasonOlder = "older"

// Older asks for the messages before those that are held, so many at most (0: as the
// server likes, and it has a limit of its own), and returns when they are. Subscriptions
// are told the whole anew, with ReasonOlder. It is asked again until there is an answer or
// ctx ends. A View whose Older is 0 has them all.
func (t *Thread) Older(ctx context.Context, limit int) error {
	t.c.mu.Lock()
	whole, err := t.older == 0, t.err
	t.c.mu.Unlock()
	if whole {
		return err
	}
	return t.request(ctx, func(q *request) {
		if t.older == 0 {
			q.end(nil)
			return
		}
		before := t.before
		asked := map[string]any{"threadId": t.id}
		if before != "" {
			asked["before"] = before
		}
		if limit > 0 {
			asked["limit"] = limit
		}
		t.c.ask("ws.messages", asked, func(f *Frame) {
			switch {
			case f.Type != "ws.messages":
				q.refused(f)
			case before != t.before:
				q.again() // what is held begins elsewhere by now
			default:
				t.precede(f)
				q.end(nil)
			}
		})
	})
}

// precede puts a page before what is held. A page that was asked for without a place may
// end in the midst of that.
func (t *Thread) precede(page *Frame) {
	messages := make(protocol.Messages, 0, len(page.Messages)+t.fold.Len())
	for _, m := range page.Messages {
		if !t.fold.Has(m.ID) {
			messages = append(messages, m)
		}
	}
	t.before = page.Before
	if len(messages) > 0 || page.Older == 0 {
		t.older = page.Older
	}
	t.fold.Restore(append(messages, t.fold.Messages()...), t.fold.State())
	view := t.view()
	t.deliver(Update{View: &view, Position: t.mine, Reason: ReasonOlder})
}

// windowed is an event as it is applied to what is held: one that tells all messages tells
// no more than follows the first one held.
func (t *Thread) windowed(e protocol.Event) protocol.Event {
	all, tells := e.(*protocol.MessagesSnapshot)
	if !tells || t.older == 0 {
		return e
	}
	first, held := "", false
	for m := range t.fold.All() {
		first = m.ID
		break
	}
	all, older := t.fold.Windowed(all)
	if t.older = int64(older); older > 0 {
		held = all.Messages[0].ID == first
	}
	if !held {
		t.before = "" // the message is gone that stood there
	}
	return all
}
