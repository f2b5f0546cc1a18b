package conformance

import (
	"slices"

	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
)

// view is what a client of the binding knows of one thread. The connection's lock
// holds it.
type view struct {
	thread string

	held  bool // epoch and seq are positions that the client has reached
	epoch string
	seq   int64

	at     int64 // of the last counted event on this socket
	placed bool  // at is known
	based  bool  // ws.stream has said where the next one stands
	order  *order.Sequence
	active bool // a run is under way
	midst  bool // following was taken up by a position, maybe in the midst of a run

	follower *exchange // the answer to ws.attach, until the thread is at rest
	askedAs  string
	askedFor *agui.Position
	restate  bool // the next uncounted events restate the thread
	live     bool

	replying *exchange   // whose answer the next uncounted events are
	due      []*exchange // inputs whose run has not ended
}

// block is a run of events that are in no log.
type block struct {
	left    int
	view    *view
	restate bool
	order   *order.Sequence
	answers *exchange
	events  []protocol.Event
	data    [][]byte
}

// lost is what a lost socket leaves: the position is kept, what was asked is not.
func (w *view) lost() {
	w.placed, w.based, w.restate, w.live, w.midst, w.askedAs, w.replying = false, false, false, false, false, "", nil
	for _, x := range w.due {
		x.items.close()
	}
	w.due = nil
	if w.follower != nil {
		w.follower.items.close()
		w.follower = nil
	}
}

// event takes one event frame.
func (b *bindingConn) event(f *agui.Frame) {
	data := f.Data
	e := b.c.judge(data)
	if b.block != nil {
		b.uncounted(e, data)
		return
	}
	w := b.views[f.ThreadID]
	if w == nil || !w.based {
		b.c.wrong(ruleCounting, "an event before ws.stream said where it stands: %s", clip(data, 200))
		return
	}
	w.at = f.Seq
	again := w.epoch != "" && w.held && w.at <= w.seq
	w.held, w.seq = true, max(w.seq, w.at)
	if e == nil {
		return
	}
	if _, begins := e.(*protocol.RunStarted); begins && w.order == nil {
		w.order = new(order.Sequence)
	}
	if w.order == nil && !w.midst && !again {
		b.c.wrong(ruleCounting, "%s of a run in whose midst following began, and that nothing opened", e.Type())
	}
	if w.order != nil && !again { // else it came in in the middle of somebody's run
		b.c.inOrder(w.order, e)
		b.c.apply(e)
	}
	if w.epoch != "" {
		b.c.stand(agui.Position{Epoch: w.epoch, Seq: w.seq})
	}
	if w.follower != nil {
		w.follower.put(e, data, w.at)
	}
	w.deliver(e, data)
	if terminal(e) {
		w.active = false
		w.rest()
	}
}

// deliver hands a counted event to the inputs whose run it belongs to.
func (w *view) deliver(e protocol.Event, data []byte) {
	started, begins := e.(*protocol.RunStarted)
	if begins {
		w.active = true
	}
	due := w.due[:0:0]
	for _, x := range w.due {
		if begins && !x.begun && started.RunID == x.of {
			x.begun = true
		}
		if !x.begun {
			due = append(due, x)
			continue
		}
		x.put(e, data, w.at)
		if terminal(e) {
			x.end()
			continue
		}
		due = append(due, x)
	}
	w.due = due
}

// rest ends the following of a thread that has caught up and is at rest.
func (w *view) rest() {
	if w.follower != nil && w.live && (!w.active || w.follower.untilLive) {
		w.follower.end()
		w.follower = nil
	}
}

// uncounted takes an event of a restatement, of a refusal or of a repeat.
func (b *bindingConn) uncounted(e protocol.Event, data []byte) {
	k, w := b.block, b.block.view
	k.left--
	if e != nil {
		b.c.inOrder(k.order, e)
		k.events, k.data = append(k.events, e), append(k.data, data)
	}
	if k.left > 0 {
		return
	}
	b.block = nil
	if len(k.events) == 0 {
		return
	}
	last := k.events[len(k.events)-1]
	started, begins := k.events[0].(*protocol.RunStarted)
	if !begins && len(k.events) != 1 {
		b.c.wrong(ruleFraming, "%d uncounted events that begin with %s", len(k.events), k.events[0].Type())
	}
	switch {
	case k.restate:
		for i, e := range k.events {
			b.c.apply(e)
			if w.follower != nil {
				w.follower.put(e, k.data[i], 0)
			}
		}
		w.order, w.active = k.order, !terminal(last)
	case k.answers != nil:
		b.answer(k, last)
	case begins && terminal(last): // an input that was cancelled while it waited
		for _, x := range w.due {
			if !x.begun && x.of == started.RunID {
				k.answers = x
				b.answer(k, last)
				break
			}
		}
	}
}

// answer gives a refusal, or a run restated, to the input that asked.
func (b *bindingConn) answer(k *block, last protocol.Event) {
	x, w := k.answers, k.view
	refused := len(k.events) == 1
	if !refused && w.order != nil {
		b.c.wasTold(k.events)
	}
	for i, e := range k.events {
		if !refused && !w.active {
			b.c.apply(e)
		}
		x.put(e, k.data[i], 0)
	}
	if terminal(last) {
		w.due = slices.DeleteFunc(w.due, func(other *exchange) bool { return other == x })
		x.end()
		return
	}
	x.begun, w.active = true, true
	if w.order == nil {
		w.order = resumed(k.events, x.of)
	}
}

// resumed is the order of a run that was restated under the name that was asked
// for, and whose live events keep its own.
func resumed(events []protocol.Event, of string) *order.Sequence {
	sequence := new(order.Sequence)
	for _, e := range events {
		if started, ok := e.(*protocol.RunStarted); ok {
			own := *started
			own.RunID = of
			e = &own
		}
		_ = sequence.Check(e) // judged already
	}
	return sequence
}
