package server

import (
	"context"
	"fmt"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// wire carries the events of one stream to a client that knows no control
// frames: a plain socket, or the answer to a POST.
type wire interface {
	// emit gathers an event. at is its position; zero for one that is in no log.
	emit(event []byte, at store.Position) error
	flush() error
}

// plainRun is the stream of one run, over whatever wire.
type plainRun struct {
	cursor
	wire    wire
	label   string // as the client calls the run
	of      string // as the log calls it
	id      string // server-made
	mine    bool   // what comes now in the log is the run's
	begun   bool   // the client has its RUN_STARTED
	debts   debts
	profile protocol.Profile // what the client's version can be sent
}

// runPlain answers an input with its run's events. It takes the input out of f,
// so that a run that takes long does not hold it.
func runPlain(p *peer, w wire, f *frame) error {
	in := f.input
	f.input = nil
	r := &plainRun{wire: w, label: f.label, profile: protocol.ProfileOf(in.ProtocolVersion)}
	r.open(p, f.threadID)
	defer r.close()
	defer p.srv.awaiting.forget(r)
	started, err := r.submit(in)
	if !started || err != nil {
		return err
	}
	return r.stream(r)
}

// submit asks for the run, and reports whether there is more of it to come than
// what it wrote.
func (r *plainRun) submit(in *protocol.RunAgentInput) (more bool, err error) {
	r.srv.awaiting.add(r.key, r.label, r)
	ctx, cancel := r.call()
	admitted, err := r.srv.runs.Submit(ctx, adapter.Input{Namespace: r.identity.Namespace, Tenant: r.identity.Tenant, User: r.name(), Agent: r.agent, Run: in})
	cancel()
	if err != nil {
		r.log.Warn("submitting an input failed", "thread", r.key.Thread, "error", err)
		return false, refuse(r.wire, unanswered(err))
	}
	if admitted.Disposition == adapter.Refused {
		return false, refuse(r.wire, admitted.Refusal)
	}
	r.id, r.of = admitted.RunID, admitted.Of
	if admitted.Disposition != adapter.Repeat {
		r.of = r.label
	}
	if admitted.Disposition != adapter.Queued {
		r.srv.awaiting.done(r.key, r.label, r)
		r.debts.take()
	}
	if admitted.Disposition == adapter.Started {
		r.mine = true
		r.seek(admitted.Position)
		return true, nil
	}
	over, err := r.resume()
	return !over, err
}

// resume writes the run as it is and puts the cursor there, and reports whether
// that was all of it. A run that still waits is nothing yet.
func (r *plainRun) resume() (over bool, err error) {
	ctx, cancel := r.look()
	defer cancel()
	r.srv.awaiting.add(r.key, r.of, r)
	rep, err := r.srv.runs.Repeat(ctx, r.key, r.id, r.label)
	if err != nil {
		r.log.Warn("restating a run failed", "thread", r.key.Thread, "error", err)
		return true, refuse(r.wire, unanswered(err))
	}
	r.seek(rep.At)
	if rep.Status == store.RunQueued {
		return false, nil
	}
	r.srv.awaiting.done(r.key, r.of, r)
	r.debts.take()
	for _, event := range rep.Events {
		if err := r.send(event, store.Position{}); err != nil {
			return true, err
		}
	}
	r.mine = len(rep.Events) > 0
	r.begun = r.mine
	return rep.Status != store.RunActive, nil
}

// send writes an event as the client's version of AG-UI can read it.
func (r *plainRun) send(event []byte, at store.Position) error {
	event, err := r.lowered(r.profile, r.key.Thread, r.label, event)
	if err != nil || event == nil {
		return err
	}
	return r.wire.emit(event, at)
}

func (r *plainRun) flush() error { return r.wire.flush() }

func (r *plainRun) restated(*follow.Attached, bool) (over bool, err error) {
	if r.begun {
		// What was written cannot be taken back, and the rest is not to be had in
		// order. The same input again brings all of it.
		return true, refuse(r.wire, outcomeUnknown())
	}
	return r.resume()
}

// event writes an event if it is the run's.
func (r *plainRun) event(event []byte) (over bool, err error) {
	kind := typeOf(event)
	if !r.mine {
		if kind != protocol.TypeRunStarted {
			return false, nil
		}
		if r.mine, err = r.isMine(event); !r.mine || err != nil {
			return false, err
		}
	}
	r.begun = true
	// A repeat may be answered by a run of another label.
	if event, err = relabel(event, r.label); err != nil {
		return false, err
	}
	return kind == protocol.TypeRunFinished || kind == protocol.TypeRunError, r.send(event, r.position)
}

// isMine tells the RUN_STARTED of the run from those of other runs under the
// same label: a label names the latest of them only.
func (r *plainRun) isMine(event []byte) (bool, error) {
	e, err := protocol.Decode(event)
	if err != nil {
		return false, fmt.Errorf("server: log: %w", err)
	}
	started, ok := e.(*protocol.RunStarted)
	if !ok || started.RunID != r.of {
		return false, nil
	}
	ctx, cancel := r.look()
	defer cancel()
	rep, err := r.srv.runs.Repeat(ctx, r.key, r.id, r.label)
	if err != nil {
		if r.ctx.Err() != nil {
			return false, context.Cause(r.ctx)
		}
		return true, nil
	}
	return rep.Status != store.RunQueued, nil
}

func (r *plainRun) atEnd() (over bool, err error) { return false, nil }

func (r *plainRun) failed(error) error { return nil }

// owe makes the run end for its client, who waits for its turn, with these
// events.
func (r *plainRun) owe(_ string, events [][]byte) {
	r.debts.add(r.key.Thread, events)
	r.poke()
}

func (r *plainRun) owed() (over bool, err error) {
	for _, debt := range r.debts.take() {
		if r.begun {
			continue
		}
		for _, event := range debt.events {
			if event, err = relabel(event, r.label); err != nil {
				return true, err
			}
			if err := r.send(event, store.Position{}); err != nil {
				return true, err
			}
		}
		return true, nil
	}
	return false, nil
}

// refuse is a whole stream, or the end of one that breaks off: one RUN_ERROR.
func refuse(w wire, why *protocol.RunError) error {
	event, err := protocol.Encode(why)
	if err != nil {
		return fmt.Errorf("server: refusal: %w", err)
	}
	return w.emit(event, store.Position{})
}
