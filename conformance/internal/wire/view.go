package wire

import (
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

// view is the thread as the tab holds it.
type view struct {
	held  bool // epoch, seq and what follows hold
	epoch string
	seq   int64 // of the last event applied
	at    int64 // of the last event on this socket: behind seq when the tab attached again meanwhile
	based bool  // ws.stream has said where the next event stands, on this socket

	fold       *protocol.Fold
	order      *protocol.Sequence
	active     bool
	interrupts []protocol.Interrupt
	runs       []Run

	live     bool
	asking   bool  // ws.attached is due
	asked    int64 // for what follows this position
	restate  bool  // the next block is a restatement
	block    block
	replying *Input // whose answer the next block is
	restated []string
	counted  []Counted
}

// block is a run of events that are not in the log.
type block struct {
	left    int
	restate bool
	order   *protocol.Sequence
	events  []protocol.Event
	input   *Input
}

func (w *view) lost() {
	w.live, w.asking, w.based, w.restate, w.block, w.replying = false, false, false, false, block{}, nil
}

func (w *view) attached(tab *Tab, f *frame) {
	w.asking = false
	if f.Recovered {
		if !w.held || f.Epoch != w.epoch || f.Seq != w.asked {
			tab.wrong("recovered at %s %d, and the tab asked for %s %d", f.Epoch, f.Seq, w.epoch, w.asked)
		}
		w.at, w.based = f.Seq, false
		if !w.active && f.Seq == w.seq {
			w.interrupts = f.Interrupts
		}
		return
	}
	if w.held {
		w.restated = append(w.restated, f.Reason)
	}
	w.held, w.epoch, w.seq, w.at, w.based = true, f.Epoch, f.Seq, f.Seq, false
	w.interrupts, w.active = f.Interrupts, false
	w.fold, w.order = protocol.NewFold(nil, nil), new(protocol.Sequence)
	w.restate = true
	if (f.ActiveRunID != "") && len(f.Interrupts) > 0 {
		tab.wrong("ws.attached with the active run %q and %d open interrupts", f.ActiveRunID, len(f.Interrupts))
	}
}

func (w *view) stream(tab *Tab, f *frame) {
	if f.Epoch != w.epoch || f.Seq != w.at {
		tab.wrong("ws.stream at %s %d, and the socket is at %s %d", f.Epoch, f.Seq, w.epoch, w.at)
	}
	w.based = true
	if f.Uncounted == 0 {
		return
	}
	w.block = block{left: f.Uncounted, restate: w.restate, order: new(protocol.Sequence), input: w.replying}
	w.restate, w.replying = false, nil
}

// event takes one event frame.
func (tab *Tab) event(data []byte) {
	w := &tab.view
	if err := protocol.ValidateEvent(data); err != nil {
		tab.wrong("%v in %.500s", err, data)
	}
	e, err := protocol.Decode(data)
	if err != nil {
		tab.wrong("%v in %.500s", err, data)
		return
	}
	if w.block.left > 0 {
		w.uncounted(tab, e)
		return
	}
	switch {
	case !w.held:
		tab.wrong("%s before the thread was attached", e.Type())
		return
	case !w.based:
		tab.wrong("%s before ws.stream said where it stands", e.Type())
	}
	w.restate = false
	if w.at++; w.at <= w.seq {
		return
	}
	w.seq = w.at
	w.counted = append(w.counted, Counted{w.seq, string(data)})
	if err := w.order.Check(e); err != nil {
		tab.wrong("%s: %v", e.Type(), err)
	}
	if err := w.fold.Apply(e); err != nil {
		tab.wrong("%s: %v", e.Type(), err)
	}
	switch e := e.(type) {
	case *protocol.RunStarted:
		w.active, w.interrupts = true, nil
		w.runs = append(w.runs, Run{ID: e.RunID, Start: w.seq})
	case *protocol.RunFinished, *protocol.RunError:
		w.ended(tab, e)
	}
}

func (w *view) ended(tab *Tab, e protocol.Event) {
	if !w.active {
		tab.wrong("a run has a second end, %s", e.Type())
		return
	}
	w.active, w.interrupts = false, Asked(e)
	id := w.runID()
	if n := len(w.runs); n > 0 && w.runs[n-1].ID == id && w.runs[n-1].End == nil {
		w.runs[n-1].End = e
	}
	tab.runEnded(id, e)
	if _, failed := e.(*protocol.RunError); failed {
		// Decisions may have been given back: only the server knows what is open.
		tab.attach()
	}
}

func (w *view) runID() string {
	_, id, _ := w.fold.Run()
	return id
}

// uncounted takes an event of a restatement or of an answer.
func (w *view) uncounted(tab *Tab, e protocol.Event) {
	b := &w.block
	b.left--
	b.events = append(b.events, e)
	if err := b.order.Check(e); err != nil {
		tab.wrong("uncounted %s: %v", e.Type(), err)
	}
	if b.restate {
		if err := w.fold.Apply(e); err != nil {
			tab.wrong("restating %s: %v", e.Type(), err)
		}
	}
	if b.left > 0 {
		return
	}
	switch started, begins := b.events[0].(*protocol.RunStarted); {
	case b.restate:
		w.restatement(tab)
	case b.input != nil:
		tab.reply(b.input, b.events)
	case begins && terminal(e):
		tab.runEnded(started.RunID, e) // it was cancelled while it waited
	}
}

// restatement ends one: the thread goes on from it.
func (w *view) restatement(tab *Tab) {
	w.order = w.block.order
	last := w.block.events[len(w.block.events)-1]
	w.active = !terminal(last)
	if !w.active {
		tab.runEnded(w.runID(), last)
	}
}

// chat is what a person would see, as JSON.
func (w *view) chat() string {
	if w.fold == nil {
		return "{}"
	}
	interrupts := w.interrupts
	if interrupts == nil {
		interrupts = []protocol.Interrupt{}
	}
	var state any
	if err := json.Unmarshal(w.fold.State(), &state); err != nil {
		state = err.Error()
	}
	text, err := json.MarshalIndent(map[string]any{"messages": w.fold.Messages(), "state": state, "interrupts": interrupts}, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func terminal(e protocol.Event) bool {
	switch e.(type) {
	case *protocol.RunFinished, *protocol.RunError:
		return true
	}
	return false
}

// Asked are the interrupts that a run's end opens.
func Asked(e protocol.Event) []protocol.Interrupt {
	if end, ok := e.(*protocol.RunFinished); ok && end.Outcome != nil && end.Outcome.Type == protocol.OutcomeInterrupt {
		return end.Outcome.Interrupts
	}
	return nil
}
