package client

import (
	"context"
	"math/rand/v2"

	"github.com/aguiws/aguiws/protocol"
)

// ReasonOlder is the Update.Reason of a View that has older messages before those that
// were held.
const ReasonOlder = "older"

// paging is a ws.messages that has no answer.
type paging struct {
	t     *Thread
	limit int
	sent  bool
	err   error
	done  chan struct{}
}

// Older asks for the messages before those that are held, so many at most (0: as the
// server likes, and it has a limit of its own), and returns when they are. Subscriptions
// are told the whole anew, with ReasonOlder. It is asked again until there is an answer or
// ctx ends. A View whose Older is 0 has them all.
func (t *Thread) Older(ctx context.Context, limit int) error {
	p := &paging{t: t, limit: limit, done: make(chan struct{})}
	t.c.mu.Lock()
	if t.err != nil || t.older == 0 {
		t.c.mu.Unlock()
		return t.err
	}
	t.pages[p] = struct{}{}
	t.flush()
	t.c.mu.Unlock()
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		t.c.mu.Lock()
		defer t.c.mu.Unlock()
		delete(t.pages, p)
		return context.Cause(ctx)
	}
}

func (p *paging) submit() {
	if p.sent {
		return
	}
	if p.t.older == 0 {
		p.end(nil)
		return
	}
	p.sent = true
	before := p.t.before
	request := map[string]any{"threadId": p.t.id}
	if before != "" {
		request["before"] = before
	}
	if p.limit > 0 {
		request["limit"] = p.limit
	}
	p.t.c.ask("ws.messages", request, func(f *Frame) {
		why := refusedFrame(f)
		switch {
		case f.Type == "ws.messages" && before != p.t.before:
			p.again() // what is held begins elsewhere by now
		case f.Type == "ws.messages":
			p.t.precede(f)
			p.end(nil)
		case !why.passes():
			p.end(why)
		default:
			p.t.c.later(why.RetryAfter+rand.N(p.t.c.opts.BackoffMin), p.again)
		}
	})
}

func (p *paging) again() {
	p.sent = false
	p.t.flush()
}

func (p *paging) end(why error) {
	if _, waits := p.t.pages[p]; waits {
		delete(p.t.pages, p)
		p.err = why
		close(p.done)
	}
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
