package follow

import (
	"context"
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxPage bounds what Next returns at once.
const maxPage = 1024

// Why an attachment was not recovered.
const (
	ReasonNoPosition   = "no_position"   // none was given
	ReasonEpochChanged = "epoch_changed" // the log has another life
	ReasonTrimmed      = "trimmed"       // events after it are gone
	ReasonAhead        = "ahead"         // the log has not come so far
)

// Follower is a cursor over one thread's log. It holds no events: what it is
// behind by is read from the node's tail of the thread, or from the log. Its
// methods are for one goroutine, except Close.
type Follower struct {
	hub    *Hub
	key    store.ThreadKey
	notify func()
	topic  *topic // guarded by the hub's lock
	taken  int    // the topic's, when the cursor was last at its end. Guarded by the hub's lock
	window int    // how many messages a restatement has; 0: all
	only   bool   // it watches no more than run. Guarded by the hub's lock
	run    string // guarded by the hub's lock
	pos    store.Position
	missed [][]byte // read with Attach, not returned yet; they follow pos
}

// Follow makes a cursor without a position: Attach or Seek gives it one before
// Next. The hub calls notify, from any goroutine, when something is logged on the thread
// from now on; notify must not block. The caller closes the follower.
func (h *Hub) Follow(key store.ThreadKey, notify func()) *Follower {
	f := &Follower{hub: h, key: key, notify: notify}
	h.join(f)
	return f
}

// Close ends the following.
func (f *Follower) Close() { f.hub.leave(f) }

// Only says that the follower is there for the run of this server-made id, and does not
// watch the thread as it would else; "": for one that is yet to be asked for. See
// Hub.Watched.
func (f *Follower) Only(run string) { f.watch(true, run) }

// All takes back what Only said.
func (f *Follower) All() { f.watch(false, "") }

func (f *Follower) watch(only bool, run string) {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	f.only, f.run = only, run
}

// Window says how many messages a restatement is to tell from now on, the last ones: what
// a run under way has said comes on top, and of very long ones there are fewer. 0: all.
func (f *Follower) Window(messages int) { f.window = messages }

// Position is that of the last event returned, or given by Attach or Seek.
func (f *Follower) Position() store.Position { return f.pos }

// Seek puts the cursor where a run was begun by this node.
func (f *Follower) Seek(p store.Position) {
	f.pos, f.missed = p, nil
	f.hub.observe(f.key, p)
}

// Attach reads the thread and puts the cursor after the given position if all
// events since are retained, else at the log's end with the thread restated
// (binding, Following a thread).
func (f *Follower) Attach(ctx context.Context, after *store.Position) (*Attached, error) {
	q := store.ReadQuery{After: after, Follower: true, Inputs: true, Small: true, Window: f.window, Head: stored.MessagesHead, Tail: stored.MessagesTail}
	view, err := f.hub.store.Read(ctx, f.key, q)
	if err == nil && view.Large > 0 && view.Recovered {
		q.Small = false
		view, err = f.hub.store.Read(ctx, f.key, q)
	}
	if err != nil {
		return nil, err
	}
	var a *Attached
	var end store.Position
	switch {
	case view.Large > 0:
		if err := store.Room(ctx, view.Large); err != nil {
			return nil, err
		}
		whole, err := f.hub.large.attach(ctx, f.key, f.window)
		if err != nil {
			return nil, err
		}
		own := *whole
		a, end = &own, own.Position
	case view.Recovered:
		a, end = &Attached{Position: *after, Recovered: true}, store.Position{Epoch: view.Epoch, Seq: view.Seq}
		err = describe(a, view)
	default:
		a, err = attached(view, nil)
		end = store.Position{Epoch: view.Epoch, Seq: view.Seq}
	}
	if err != nil {
		return nil, err
	}
	if !a.Recovered {
		a.Reason = reason(end, after)
	}
	f.pos, f.missed = a.Position, view.Missed
	f.hub.observe(f.key, end)
	return a, nil
}

// attached is where a follower stands that attaches without a position. Told is of the view,
// nil for what is yet to be made.
func attached(view *store.ThreadView, told *stored.Told) (a *Attached, err error) {
	a = &Attached{Position: store.Position{Epoch: view.Epoch, Seq: view.Seq}, deleted: view.Deleted}
	if view.Latest == nil {
		return a, describe(a, view)
	}
	if told == nil {
		if told, err = stored.Tell(view); err != nil {
			return nil, err
		}
	}
	a.Older, a.Before = told.Older, told.Before
	if a.Restatement, err = restate(view, told, ""); err != nil {
		return nil, err
	}
	return a, describe(a, view)
}

func reason(end store.Position, after *store.Position) string {
	switch {
	case after == nil:
		return ReasonNoPosition
	case after.Epoch != end.Epoch:
		return ReasonEpochChanged
	case after.Seq > end.Seq:
		return ReasonAhead
	}
	return ReasonTrimmed
}

// describe adds what the thread has: the open interrupts, the active run and the
// queued inputs.
func describe(a *Attached, view *store.ThreadView) error {
	open, err := stored.Suspension(view.Suspension)
	if err != nil {
		return err
	}
	if open != nil {
		for _, it := range open.Items {
			a.Interrupts = append(a.Interrupts, it.Interrupt)
		}
	}
	if view.Active != nil {
		record, err := stored.Brief(view.Active)
		if err != nil {
			return err
		}
		a.ActiveLabel = record.Label
	}
	for _, q := range view.Queue {
		var queued store.QueuedInput
		var input protocol.RunAgentInput
		if err := stored.Decode(q.Input, &queued, "the queued input %s", q.ID); err != nil {
			return err
		}
		if err := stored.Decode(queued.Input, &input, "the queued input %s", q.ID); err != nil {
			return err
		}
		messages, err := queued.Fresh.MarshalJSON()
		if err != nil {
			return fmt.Errorf("adapter: queued input: %w", err)
		}
		a.Queued = append(a.Queued, QueuedInput{Label: input.RunID, Messages: messages})
	}
	return nil
}

// Next returns what follows the cursor and moves it. It never waits for new
// events: an empty page means that there are none. A cursor that cannot go on
// is restated. After an error the cursor is where it was.
func (f *Follower) Next(ctx context.Context) (Page, error) {
	if len(f.missed) > 0 {
		n := min(len(f.missed), maxPage)
		page := Page{Events: f.missed[:n:n]}
		if f.missed = f.missed[n:]; len(f.missed) == 0 {
			f.missed = nil // an empty one would keep them all
		}
		f.pos.Seq += int64(n)
		page.CaughtUp = len(f.missed) == 0 && f.atEnd()
		return page, nil
	}
	page, state := f.fromTail()
	switch state {
	case tailFound:
		return page, nil
	case tailEpoch:
		return f.restated(ctx)
	}
	result, err := f.hub.store.Range(ctx, f.key, f.pos.Epoch, f.pos.Seq+1, maxPage)
	if err != nil {
		return Page{}, err
	}
	f.hub.observe(f.key, result.End)
	if result.Status != store.RangeOK {
		return f.restated(ctx)
	}
	f.pos.Seq += int64(len(result.Events))
	return Page{Events: result.Events, CaughtUp: f.atEnd()}, nil
}

type tailState int

const (
	tailFound  tailState = iota // the page is right
	tailBehind                  // the log has to be read
	tailEpoch                   // the log has another life
)

func (f *Follower) fromTail() (Page, tailState) {
	h := f.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	t := f.topic
	switch {
	case t == nil:
		return Page{CaughtUp: true}, tailFound
	case t.epoch != f.pos.Epoch:
		return Page{}, tailEpoch
	case f.pos.Seq >= t.last:
		t.caughtUp(f)
		return Page{CaughtUp: true}, tailFound
	case f.pos.Seq+1 < t.first:
		return Page{}, tailBehind
	}
	from := f.pos.Seq + 1 - t.first
	n := min(int64(len(t.tail))-from, maxPage)
	page := Page{Events: append([][]byte(nil), t.tail[from:from+n]...)}
	f.pos.Seq += n
	if page.CaughtUp = f.pos.Seq >= t.last; page.CaughtUp {
		t.caughtUp(f)
	}
	return page, tailFound
}

func (f *Follower) atEnd() bool {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	if f.topic == nil {
		return true
	}
	end := f.topic.epoch == f.pos.Epoch && f.pos.Seq >= f.topic.last
	if end {
		f.topic.caughtUp(f)
	}
	return end
}

func (f *Follower) restated(ctx context.Context) (Page, error) {
	at := f.pos
	a, err := f.Attach(ctx, &at)
	if err != nil {
		f.pos = at
		return Page{}, err
	}
	if a.Recovered { // what looked gone was read again in time
		return Page{}, nil
	}
	return Page{Restated: a, Deleted: at.Seq > 0 && a.deleted, CaughtUp: true}, nil
}
