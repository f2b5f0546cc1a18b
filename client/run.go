package client

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/protocol"
)

// Run is an input on its way: sent, sent again until it is answered, and followed to
// the end of the run that answers it. The client's lock holds it.
type Run struct {
	t     *Thread
	label string
	input []byte // without its brace

	sent        bool // on this socket
	putOff      bool // until a time that the server gave
	disposition Disposition
	of          string
	begun       bool // its events are under way

	done chan struct{}
	last protocol.Event
	err  error
}

// Say sends a user's message.
func (t *Thread) Say(text string) *Run {
	return t.Send(protocol.RunAgentInput{Messages: protocol.Messages{{
		ID: uuid.NewString(), Role: protocol.RoleUser, Content: protocol.Text(text),
	}}})
}

// Answer answers interrupts: all that are open, or none is accepted.
func (t *Thread) Answer(entries ...protocol.ResumeEntry) *Run {
	return t.Send(protocol.RunAgentInput{Resume: entries})
}

// Resolve is an answer with a payload, which is JSON; "" is none.
func Resolve(i protocol.Interrupt, payload string) protocol.ResumeEntry {
	entry := protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeResolved}
	if payload != "" {
		entry.Payload = protocol.Any(payload)
	}
	return entry
}

// Withdraw is an answer that takes the question back.
func Withdraw(i protocol.Interrupt) protocol.ResumeEntry {
	return protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeCancelled}
}

// Send asks for a run, or answers interrupts. It does not wait; the input is sent as
// soon as the thread is live, again when its answer may have been lost, and, with the
// delay that the server wants, when the server or its store was not there.
//
// ThreadID is filled in, and so are an empty RunID, which is the label, with a new one
// and an empty ProtocolVersion. The same input under the same label is executed once,
// however often it is sent. Messages that the thread holds need not be among the
// input's; docs/binding/history.md says when leaving some out rewinds the thread. State is sent
// as it is.
func (t *Thread) Send(input protocol.RunAgentInput) *Run {
	input.ThreadID = t.id
	or(&input.RunID, uuid.NewString())
	or(&input.ProtocolVersion, protocol.Version10)
	r := &Run{t: t, label: input.RunID, done: make(chan struct{})}
	data, err := json.Marshal(input)
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.runs = append(t.runs, r)
	switch {
	case err != nil:
		r.end(nil, err)
	case t.err != nil:
		r.end(nil, t.err)
	default:
		r.input = data
		t.flush()
	}
	return r
}

// ClientRunID is the run's name, as the client gave it.
func (r *Run) ClientRunID() string { return r.label }

// Done is closed when the run has ended, was refused or will not be heard of.
func (r *Run) Done() <-chan struct{} { return r.done }

// End is the event that ended the run; nil before, and of one that never began.
func (r *Run) End() protocol.Event {
	r.t.c.mu.Lock()
	defer r.t.c.mu.Unlock()
	return r.last
}

// Wait waits until the run has ended, which it may have done with questions: see
// Asked. A run that failed gives a *FailedError, an input that was refused a
// *RefusedError. When ctx ends the input is on its way as before.
func (r *Run) Wait(ctx context.Context) (*protocol.RunFinished, error) {
	select {
	case <-r.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if r.err != nil {
		return nil, r.err
	}
	if failed, ok := r.last.(*protocol.RunError); ok {
		return nil, &FailedError{Code: failed.Code, Message: failed.Message, Event: failed}
	}
	return r.last.(*protocol.RunFinished), nil
}

// Accepted waits until the server has said what became of the input. The label of a repeat
// is that of the run that answers it.
func (r *Run) Accepted(ctx context.Context) (d Disposition, of string, err error) {
	err = r.t.c.await(ctx, func() (bool, error) {
		d, of = r.disposition, r.of
		return d != "", r.err
	})
	return d, of, err
}

// Cancel is Thread.Cancel with the run's label.
func (r *Run) Cancel(ctx context.Context) (stopped bool, err error) { return r.t.Cancel(ctx, r.label) }

// known is the label under which the log has the run.
func (r *Run) known() string {
	if r.of != "" {
		return r.of
	}
	return r.label
}

// unsure makes it be sent again.
func (r *Run) unsure() { r.sent, r.putOff = false, false }

// lost is what the loss of the socket leaves: of what was accepted the log tells.
func (r *Run) lost() {
	if r.disposition != Started && r.disposition != Queued && !r.begun {
		r.unsure()
	}
}

// missing reports whether it was accepted and is nowhere.
func (r *Run) missing() bool {
	_, label, active := r.t.fold.Run()
	return r.disposition != "" && !(active && label == r.known()) &&
		!slices.ContainsFunc(r.t.queued, func(q QueuedInput) bool { return q.Label == r.known() })
}

func (r *Run) submit() {
	if r.sent || r.putOff {
		return
	}
	r.sent = true
	c := r.t.c
	id := c.id()
	// The frame's id stands beside the members of the input.
	frame := []byte(`{"id":` + strconv.Quote(id) + `,` + strings.TrimPrefix(string(r.input), "{"))
	if most := c.status.MaxFrameBytes; most > 0 && int64(len(frame)) > most {
		r.end(nil, ErrTooLarge)
		return
	}
	c.answers[id] = r.answered
	c.send(frame)
}

// answered takes what became of the input.
func (r *Run) answered(f *Frame) {
	if f.Type == "ws.error" {
		r.refused(refusedFrame(f))
		return
	}
	r.of = f.Of
	switch f.Disposition {
	case Refused:
		r.t.replying = r
		return // the reason comes next
	case Repeated:
		r.t.replying = r
	case Queued:
		r.t.queued = append(r.t.queued[:len(r.t.queued):len(r.t.queued)], QueuedInput{Label: r.label, Messages: r.messages()})
	}
	r.disposition = f.Disposition
}

func (r *Run) messages() protocol.Messages {
	var in struct{ Messages protocol.Messages }
	_ = json.Unmarshal(r.input, &in) // it was made from one
	return in.Messages
}

// refused ends the run, or puts it off.
func (r *Run) refused(why *RefusedError) {
	if !why.passes() {
		r.disposition = Refused
		r.end(nil, why)
		return
	}
	r.t.c.opts.Logger.Info("an input was refused for now", "thread", r.t.id, "run", r.label, "code", why.Code)
	r.sent, r.putOff = false, true
	r.t.c.later(max(why.RetryAfter, r.t.c.opts.BackoffMin), func() {
		r.putOff = false
		r.t.flush()
	})
}

func (r *Run) ended(e protocol.Event) { r.end(e, nil) }

// end tells who waits.
func (r *Run) end(last protocol.Event, err error) {
	for i, other := range r.t.runs {
		if other == r {
			r.t.runs = append(r.t.runs[:i:i], r.t.runs[i+1:]...)
			r.last, r.err = last, err
			close(r.done)
			r.t.c.change()
			return
		}
	}
}
