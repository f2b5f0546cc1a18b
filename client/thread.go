package client

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// Thread is a conversation that a Client follows. The client's lock holds it.
type Thread struct {
	c  *Client
	id string

	// These are what is held: the log up to mine, which is zero while nothing is.
	mine       Position
	fold       *fold.Fold
	interrupts []protocol.Interrupt
	queued     []QueuedInput
	restated   string // why it was told anew last
	older      int64  // how many messages stand before those of the fold
	before     string // where they end; "" with none

	// These say how the socket stands.
	live      bool   // all that was missed has come
	attaching string // the id of a ws.attach that has no answer
	refused   bool   // it was refused, for a while
	restating bool
	told      Position // of ws.attached
	left      *Frame   // ws.attached, which says what the restatement leaves out
	group     []protocol.Event
	replying  *Run // whose answer the next group is
	paused    bool // a subscription is full
	missed    bool // and something came since

	runs    []*Run // that have not ended
	waiting map[*request]struct{}
	subs    map[*Subscription]struct{}
	wanted  int   // by so many calls of Follow: those that wait, and those that have it
	err     error // it is not followed any more
}

// Follow attaches to a thread, and returns when all that it holds has come. held is
// what an earlier View of the thread said, possibly in another process: the client
// goes on from there. Nil is nothing, and so is a View of a run under way. A thread
// that is followed already is returned as it is.
func (c *Client) Follow(ctx context.Context, thread string, held *View) (*Thread, error) {
	c.mu.Lock()
	t := c.threads[thread]
	if t == nil {
		t = &Thread{c: c, id: thread, fold: fold.New(nil, nil), waiting: map[*request]struct{}{}, subs: map[*Subscription]struct{}{}}
		if held != nil && held.ActiveLabel == "" {
			t.mine, t.interrupts = held.Position, held.Interrupts
			t.older, t.before = held.Older, held.Before
			t.fold.Restore(held.Messages, held.State)
		}
		if c.err != nil {
			c.mu.Unlock()
			return nil, c.err
		}
		c.threads[thread] = t
		t.attach()
	}
	t.wanted++
	c.mu.Unlock()
	err := c.await(ctx, func() (bool, error) { return t.live, t.err })
	if err == nil {
		return t, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.wanted--; t.wanted == 0 {
		t.leave()
	}
	return nil, err
}

// Leave stops following. The thread's subscriptions and the handles of its runs end
// with ErrClosed; the runs go on.
func (t *Thread) Leave() {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.leave()
}

func (t *Thread) leave() {
	if t.err != nil {
		return
	}
	t.fail(ErrClosed)
	t.c.ask("ws.detach", map[string]any{"threadId": t.id}, func(*Frame) {})
	t.c.change()
}

// ID is the thread's.
func (t *Thread) ID() string { return t.id }

// View is what the client holds of the thread now.
func (t *Thread) View() View {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	return t.view()
}

// Await waits until holds says so of what the client holds. It is asked whenever
// something has changed, and must not call the client.
func (t *Thread) Await(ctx context.Context, holds func(View) bool) error {
	return t.c.await(ctx, func() (bool, error) { return holds(t.view()), t.err })
}

// attach asks for what comes after the position that is held.
func (t *Thread) attach() {
	if t.c.socket == nil || t.err != nil {
		return
	}
	request := map[string]any{"threadId": t.id}
	if t.mine != (Position{}) {
		request["after"] = t.mine
	}
	if t.c.opts.Window > 0 {
		request["window"] = t.c.opts.Window
	}
	t.live, t.refused, t.missed = false, false, false
	t.attaching = t.c.ask("ws.attach", request, func(f *Frame) {
		if f.ID != t.attaching {
			return // another was sent since, or the thread was left
		}
		if f.Type != "ws.error" {
			t.take(f)
			return
		}
		why := refusedFrame(f)
		if !why.passes() {
			t.fail(why)
			return
		}
		t.c.opts.Logger.Info("following was refused for now", "thread", t.id, "code", why.Code)
		t.refused = true
		t.c.later(why.RetryAfter+rand.N(t.c.opts.BackoffMin), t.again)
	})
}

// again does what was put off.
func (t *Thread) again() {
	if t.refused {
		t.attach()
	}
	for _, r := range t.runs {
		r.putOff = false
	}
	t.flush()
}

// behind attaches again, unless that is under way or what is missing is not wanted yet.
func (t *Thread) behind() {
	switch {
	case t.attaching != "" || t.mine == (Position{}):
	case t.paused:
		t.missed = true
	default:
		t.attach()
	}
}

// lost is what the loss of the socket leaves: what is held.
func (t *Thread) lost() {
	t.live, t.attaching, t.refused, t.restating, t.group, t.replying = false, "", false, false, nil, nil
	for _, r := range t.runs {
		r.lost()
	}
	for q := range t.waiting {
		q.sent = false
	}
}

// fail ends the thread and all that waits for it.
func (t *Thread) fail(why error) {
	if t.err != nil {
		return
	}
	t.err, t.live, t.attaching = why, false, ""
	delete(t.c.threads, t.id)
	for _, r := range slices.Clone(t.runs) {
		r.end(nil, why)
	}
	for q := range t.waiting {
		q.end(why)
	}
}

// take handles one frame about the thread.
func (t *Thread) take(f *Frame) {
	if f.IsEvent() {
		t.event(f)
		return
	}
	switch f.Type {
	case "ws.attached":
		if t.attaching != "" && f.ID == "" {
			return // it comes before the answer
		}
		t.attaching, t.refused, t.missed = "", false, false
		t.interrupts, t.queued, t.told = f.Interrupts, f.Queued, f.Position
		t.restating, t.group = !f.Recovered, nil
		if t.restating {
			t.mine, t.restated, t.left = Position{}, f.Reason, f
		}
		if r := t.replying; r != nil {
			r.unsure() // its answer may not come
			t.replying = nil
		}
	case "ws.live":
		if t.attaching != "" {
			return
		}
		if t.restating {
			t.restate(nil, t.told)
		}
		if f.Seq > t.mine.Seq {
			t.behind()
		}
		t.live = t.attaching == ""
		for _, r := range t.runs {
			if r.missing() {
				r.unsure()
			}
		}
		t.flush()
	case "ws.detached":
		if f.Reason != "deleted" {
			return
		}
		for _, r := range slices.Clone(t.runs) {
			if r.disposition != "" {
				r.end(nil, ErrDeleted)
			}
		}
		t.interrupts, t.queued, t.restated = nil, nil, f.Reason
		t.lost()
		t.restate(nil, Position{})
		t.attach()
	}
}

// event takes one event: its place says whether it is applied.
func (t *Thread) event(f *Frame) {
	e, err := protocol.Decode(f.Data)
	if err != nil {
		t.c.opts.Logger.Warn("an event cannot be read", "thread", t.id, "position", f.Seq, "error", err)
	}
	if f.Uncounted > 0 {
		if err == nil {
			t.group = append(t.group, e)
		}
		if f.Uncounted == 1 {
			group := t.group
			t.group = nil
			t.grouped(group, f.Position)
		}
		return
	}
	if t.attaching != "" {
		return // the answer says from where on
	}
	if t.mine == (Position{}) {
		t.mine = Position{f.Epoch, f.Seq - 1} // holding begins here
	}
	switch {
	case t.paused:
		t.missed = true
	case f.Epoch != t.mine.Epoch || f.Seq > t.mine.Seq+1:
		t.attach()
	case f.Seq == t.mine.Seq+1:
		t.mine = f.Position
		if err == nil {
			t.apply(e)
		}
	}
}

// apply takes in an event of the log.
func (t *Thread) apply(e protocol.Event) {
	e = t.windowed(e)
	if err := t.fold.Apply(e); err != nil {
		t.c.opts.Logger.Warn("an event cannot be applied", "thread", t.id, "position", t.mine.Seq, "error", err)
	}
	_, label, _ := t.fold.Run()
	if _, begins := e.(*protocol.RunStarted); begins {
		t.interrupts = nil
		if i := slices.IndexFunc(t.queued, func(q QueuedInput) bool { return q.Label == label }); i >= 0 {
			t.queued = slices.Delete(slices.Clone(t.queued), i, i+1)
		}
		var own bool // found: of inputs of one label the first that was sent begins first
		for _, r := range t.runs {
			if r.begun || r.disposition == "" || r.known() != label || own && r.disposition != Repeated {
				continue
			}
			r.begun = true
			own = own || r.disposition != Repeated
		}
	}
	ends := terminal(e)
	if ends {
		t.interrupts = Asked(e)
		for _, r := range slices.Clone(t.runs) {
			if r.begun && r.known() == label {
				r.ended(e)
			}
		}
	}
	t.deliver(Update{Event: e, Position: t.mine})
	if _, failed := e.(*protocol.RunError); failed {
		// Decisions may have been given back: only the server knows what is open.
		t.behind()
	}
}

// grouped takes events that are in no log.
func (t *Thread) grouped(group []protocol.Event, at Position) {
	switch {
	case t.restating:
		t.restate(group, at)
		return
	case len(group) == 0:
		return
	}
	r, last := t.replying, group[len(group)-1]
	t.replying = nil
	started, begins := group[0].(*protocol.RunStarted)
	switch {
	case begins && isRestated(started):
		if t.mine == (Position{}) {
			t.restated = ""
			t.restate(group, at)
		}
		if r != nil && terminal(last) {
			r.ended(last)
		} else if r != nil {
			r.begun = true
		}
	case begins:
		t.queued = slices.DeleteFunc(slices.Clone(t.queued), func(q QueuedInput) bool { return q.Label == started.RunID })
		for _, r := range slices.Clone(t.runs) {
			if !r.begun && r.known() == started.RunID && terminal(last) {
				r.ended(last) // it was cancelled while it waited
				break
			}
		}
	case r != nil:
		if e, ok := last.(*protocol.RunError); ok {
			r.refused(refusedRun(e))
		}
	}
}

// restate replaces what is held.
func (t *Thread) restate(group []protocol.Event, at Position) {
	t.fold = fold.New(nil, nil)
	for _, e := range group {
		if err := t.fold.Apply(e); err != nil {
			t.c.opts.Logger.Warn("an event cannot be applied", "thread", t.id, "error", err)
		}
	}
	t.older, t.before = 0, ""
	if t.restating && t.left != nil && len(group) > 0 {
		t.older, t.before = t.left.Older, t.left.Before
	}
	t.mine, t.restating, t.left = at, false, nil
	for _, r := range t.runs {
		r.unsure() // its end may have been missed
	}
	view := t.view()
	t.deliver(Update{View: &view, Position: at, Reason: t.restated})
}

// flush sends what has no answer.
func (t *Thread) flush() {
	if !t.live {
		return
	}
	for _, r := range slices.Clone(t.runs) {
		r.submit()
	}
	for q := range t.waiting {
		q.submit()
	}
}

func isRestated(e *protocol.RunStarted) bool {
	var ours struct{ Restated bool }
	return json.Unmarshal(e.Metadata["aguiws"], &ours) == nil && ours.Restated
}

func terminal(e protocol.Event) bool {
	switch e.(type) {
	case *protocol.RunFinished, *protocol.RunError:
		return true
	}
	return false
}

// Asked are the interrupts that a run's end leaves open; none of other events.
func Asked(end protocol.Event) []protocol.Interrupt {
	if end, ok := end.(*protocol.RunFinished); ok && end != nil && end.Outcome != nil && end.Outcome.Type == protocol.OutcomeInterrupt {
		return end.Outcome.Interrupts
	}
	return nil
}

// Cancel ends all runs of the label that have not ended: active, queued, or waiting for
// answers, whose questions are cancelled. It reports whether there was one. It is asked again until there is an answer or
// ctx ends.
func (t *Thread) Cancel(ctx context.Context, label string) (stopped bool, err error) {
	answered := false
	err = t.request(ctx, func(q *request) {
		t.c.ask("ws.cancel", map[string]any{"threadId": t.id, "runId": label}, func(f *Frame) {
			if f.Type == "ws.cancelled" {
				answered = f.Stopped
				q.end(nil)
				return
			}
			q.refused(f)
		})
	})
	return err == nil && answered, err
}
