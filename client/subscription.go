package client

import (
	"context"
	"iter"

	"github.com/aguiws/aguiws/protocol"
)

// Update is an event of a thread's log, or the thread told anew.
type Update struct {
	// Event comes once, in the log's order. Nil in a restatement.
	Event protocol.Event
	// Position is where the event stands, or as of when the View is.
	Position Position
	// View, in a restatement, replaces all that was said before: events are missing
	// that cannot be had any more, or Reason is "" and this is where the
	// subscription begins. A run that was under way may have ended.
	View *View
	// Reason is one of ws.attached, "deleted", or ReasonOlder: nothing is missing then, and
	// more is held of what was before.
	Reason string
}

// Subscription is a sequence of a thread's updates. It begins with a restatement of
// what is held.
type Subscription struct {
	t       *Thread
	updates []Update
	closed  bool
}

// Subscribe returns the thread's updates from now on. One whose updates are not taken
// holds the thread up when Options.Buffer are due, until half of them are taken: the
// server is then asked for what came meanwhile. It must be closed.
func (t *Thread) Subscribe() *Subscription {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	view := t.view()
	s := &Subscription{t: t, updates: []Update{{View: &view, Position: view.Position}}}
	t.subs[s] = struct{}{}
	return s
}

// Close ends the subscription. A second call does nothing.
func (s *Subscription) Close() {
	s.t.c.mu.Lock()
	defer s.t.c.mu.Unlock()
	s.closed, s.updates = true, nil
	delete(s.t.subs, s)
	s.t.resume()
	s.t.c.change()
}

// Next waits for the next update. Updates that were due when the thread ended come before
// the error that says so.
func (s *Subscription) Next(ctx context.Context) (u Update, err error) {
	err = s.t.c.await(ctx, func() (bool, error) {
		switch {
		case s.closed:
			return false, ErrClosed
		case len(s.updates) == 0:
			return false, s.t.err
		}
		u = s.updates[0]
		s.updates = s.updates[1:]
		s.t.resume()
		return true, nil
	})
	return u, err
}

// All are the updates until ctx ends or the thread does, which the last error says.
func (s *Subscription) All(ctx context.Context) iter.Seq2[Update, error] {
	return func(yield func(Update, error) bool) {
		for {
			u, err := s.Next(ctx)
			if !yield(u, err) || err != nil {
				return
			}
		}
	}
}

// deliver hands an update to the subscriptions. A full one makes the thread stand
// still behind it.
func (t *Thread) deliver(u Update) {
	for s := range t.subs {
		s.updates = append(s.updates, u)
		t.paused = t.paused || len(s.updates) >= t.c.opts.Buffer
	}
}

// resume goes on when the subscriptions have room again.
func (t *Thread) resume() {
	if !t.paused {
		return
	}
	for s := range t.subs {
		if len(s.updates) > t.c.opts.Buffer/2 {
			return
		}
	}
	t.paused = false
	if t.missed && t.attaching == "" {
		t.attach()
	}
}
