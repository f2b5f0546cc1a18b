package copilotkit

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/sse"
)

// run answers an input with its run, as POST /agui does.
func (k *call) run() {
	k.stream(func(out *sse.Stream, f *frames.Frame) {
		in := f.Input
		if asksForSuggestions(in) {
			k.offer(out, in)
			return
		}
		w := &runWire{toldWire: toldWire{out, dialectOf(in)}, call: k, threadID: in.ThreadID, label: in.RunID}
		w.again = w.dialect.event && answersByCommand(in) && out.Reads()
		f.Commands, f.Through = true, store.ThroughCopilotKit
		out.Run(w, f, k.config.Stops(out.Agent))
	})
}

// toldWire is a stream on which the end of a run is told as the page understands it.
type toldWire struct {
	*sse.Stream
	dialect dialect
}

func (w toldWire) Emit(event []byte, at store.Position) error {
	if frames.TypeOf(event) != protocol.TypeRunFinished {
		return w.Stream.Emit(event, at)
	}
	told, err := w.dialect.tell(event)
	if err != nil {
		return err
	}
	last := len(told) - 1
	for _, before := range told[:last] {
		if err := w.Stream.Emit(before, store.Position{}); err != nil {
			return err
		}
	}
	return w.Stream.Emit(told[last], at)
}

// runWire is a stream of one run, on which a refusal may come behind what was open.
type runWire struct {
	toldWire
	*call
	threadID, label string
	again           bool // a refusal has the open question before it, until something was told
}

func (w *runWire) Emit(event []byte, at store.Position) error {
	again := w.again
	w.again = false
	if again && frames.TypeOf(event) == protocol.TypeRunError {
		if err := w.askAgain(); err != nil {
			return err
		}
	}
	return w.toldWire.Emit(event, at)
}

// askAgain writes the open question again. When it cannot be read, the refusal has to do.
func (w *runWire) askAgain() error {
	f := w.follow(w.threadID)
	defer f.Close()
	ctx, cancel := w.Look()
	defer cancel()
	a, err := w.look(ctx, f)
	if err != nil {
		w.Log.Warn("reading what is open failed", "thread", w.threadID, "error", err)
		return nil
	}
	events, err := askAgain(w.threadID, w.label, a.Interrupts)
	if err != nil {
		return err
	}
	for _, event := range events {
		if err := w.Stream.Emit(event, store.Position{}); err != nil {
			return err
		}
	}
	return nil
}
