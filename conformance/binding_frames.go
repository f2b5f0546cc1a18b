package conformance

import (
	"encoding/json"
	"slices"

	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
)

// heard takes a control frame. The lock is held.
func (b *bindingConn) heard(f *agui.Frame) {
	if f.ID != "" && !b.sent[f.ID] {
		b.c.wrong(ruleFraming, "%s answers the frame %q, and none was sent with that id", f.Type, f.ID)
		f.ID = ""
	}
	switch f.Type {
	case "ws.hello":
		if f.Binding != "agui.v1" {
			b.c.wrong(ruleFraming, "ws.hello names the binding %q", f.Binding)
		}
		b.profiles = f.Profiles
		if err := protocol.Validate("AgentCapabilities", f.Capabilities); err != nil {
			b.c.wrong(ruleShape, "the capabilities of ws.hello: %s", plainly(err))
		}
	case "ws.run":
		b.ran(f)
	case "ws.stream":
		b.stream(f)
	case "ws.attached":
		b.attached(f)
	case "ws.live":
		w := b.viewOf(f.ThreadID)
		if f.Seq != w.at {
			b.c.wrong(ruleCounting, "ws.live at %d, and the socket is at %d", f.Seq, w.at)
		}
		w.live, w.restate = true, false
		w.rest()
	case "ws.pong":
		for thread, seq := range f.Positions {
			if w := b.views[thread]; w == nil || w.at != seq {
				b.c.wrong(ruleCounting, "ws.pong has %s at %d, which is not where the socket is", thread, seq)
			}
		}
		for id, came := range b.pongs {
			if id == f.ID || f.ID == "" {
				delete(b.pongs, id)
				close(came)
			}
		}
	case "ws.error":
		if came := b.pongs[f.ID]; came != nil {
			delete(b.pongs, f.ID) // too many frames: it was heard all the same
			close(came)
			return
		}
		if x := b.answered(f.ID); x != nil {
			x.reject(map[string]any{"code": f.Code})
		}
	case "ws.cancelled", "ws.detached", "ws.messages", "ws.goaway", "ws.store":
	default:
		b.c.wrong(ruleFraming, "a control frame of the unknown type %s", f.Type)
	}
}

// answered is the input that a frame answers. An input that could not be read
// may be answered without its id: then it is the oldest.
func (b *bindingConn) answered(id string) *exchange {
	if id == "" && len(b.oldest) > 0 {
		id = b.oldest[0]
	}
	x := b.asking[id]
	delete(b.asking, id)
	b.oldest = slices.DeleteFunc(b.oldest, func(other string) bool { return other == id })
	return x
}

// asked is the id of the oldest input for the run that has no answer, "" if there is none.
func (b *bindingConn) asked(run string) string {
	for _, id := range b.oldest {
		if b.asking[id].run == run {
			return id
		}
	}
	return ""
}

// ran takes what became of an input.
func (b *bindingConn) ran(f *agui.Frame) {
	if f.ID == "" {
		f.ID = b.asked(f.Label)
		if f.ID == "" {
			return // it was sent as a bare frame
		}
		b.c.wrong(ruleFraming, "ws.run about %q is without the id %q of its input", f.Label, f.ID)
	}
	x := b.answered(f.ID)
	if x == nil {
		return // it was sent as a bare frame
	}
	w := b.viewOf(f.ThreadID)
	if f.Label != x.run {
		b.c.wrong(ruleFraming, "ws.run about %q in answer to %q", f.Label, x.run)
	}
	if (f.Disposition == "repeat") != (f.Of != "") {
		b.c.wrong(ruleFraming, "ws.run %s of %q", f.Disposition, f.Of)
	}
	x.of = x.run
	switch f.Disposition {
	case "started", "queued":
		w.due = append(w.due, x)
	case "repeat":
		// What it restates comes next, unless the run still waits.
		x.of, w.replying = f.Of, x
		w.due = append(w.due, x)
	case "refused":
		w.replying = x
	default:
		b.c.wrong(ruleFraming, "ws.run with the disposition %q", f.Disposition)
	}
}

// stream takes where the next event stands.
func (b *bindingConn) stream(f *agui.Frame) {
	w := b.viewOf(f.ThreadID)
	b.epoch(f)
	if w.placed && f.Epoch != "" && (f.Seq != w.at || f.Epoch != w.epoch) {
		b.c.wrong(ruleCounting, "ws.stream at %s %d, and the socket is at %s %d", f.Epoch, f.Seq, w.epoch, w.at)
	}
	if f.Epoch != "" {
		if !w.placed && (f.Epoch != w.epoch || f.Seq != w.seq) {
			// A new socket that did not attach: what came meanwhile is missed.
			w.held, w.order, w.active = false, nil, false
		}
		w.epoch, w.at, w.placed, w.based = f.Epoch, f.Seq, true, true
		if !w.held {
			w.held, w.seq = true, f.Seq
		}
		b.c.stand(agui.Position{Epoch: w.epoch, Seq: w.seq})
	}
	if f.Uncounted == 0 {
		w.based = true
		return
	}
	b.block = &block{left: f.Uncounted, view: w, restate: w.restate, order: new(order.Sequence), answers: w.replying}
	if w.restate {
		b.block.answers = nil
	} else {
		w.replying = nil
	}
	w.restate = false
}

// epoch holds that a server has positions if it announces resume, and none otherwise.
func (b *bindingConn) epoch(f *agui.Frame) {
	if b.profiles == nil {
		return
	}
	resumes := slices.Contains(b.profiles, "resume")
	if resumes && f.Epoch == "" && f.Uncounted == 0 {
		b.c.wrong(ruleCounting, "counted events of %s without an epoch, and ws.hello announces resume", f.ThreadID)
	}
	if !resumes && f.Epoch != "" {
		b.c.wrong(ruleCounting, "the epoch %q, and ws.hello does not announce resume", f.Epoch)
	}
}

// attached takes where the socket stands.
func (b *bindingConn) attached(f *agui.Frame) {
	w := b.viewOf(f.ThreadID)
	var raw struct{ Interrupts []json.RawMessage }
	_ = json.Unmarshal(f.Data, &raw) // it was read
	for _, i := range raw.Interrupts {
		if err := protocol.Validate("Interrupt", i); err != nil {
			b.c.wrong(ruleShape, "the interrupts of ws.attached: %s in %s", plainly(err), clip(i, 300))
		}
	}
	asked := f.ID != "" && f.ID == w.askedAs
	if f.Recovered {
		if after := w.askedFor; asked && (after == nil || after.Epoch != f.Epoch || after.Seq != f.Seq) {
			b.c.wrong(ruleCounting, "recovered at %s %d, which is not what was asked for", f.Epoch, f.Seq)
		}
		w.epoch, w.at, w.placed, w.based, w.live, w.midst = f.Epoch, f.Seq, true, false, false, true
		if !w.held {
			w.held, w.seq = true, f.Seq
		}
		w.askedAs = ""
		return
	}
	if f.Reason == "" {
		b.c.wrong(ruleFraming, "ws.attached is not recovered and gives no reason")
	}
	w.held, w.epoch, w.seq, w.at = true, f.Epoch, f.Seq, f.Seq
	w.placed, w.based, w.live = true, false, false
	w.restate, w.active, w.order, w.askedAs = true, false, nil, ""
	b.c.stand(agui.Position{Epoch: f.Epoch, Seq: f.Seq})
}
