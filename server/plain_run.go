package server

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/downgrade"
)

// wire carries the events of one stream to a client that knows no control
// frames: a plain socket, or the answer to a POST.
type wire interface {
	// emit gathers an event. at is its position; zero for one that is in no log.
	emit(event []byte, at store.Position) error
	flush() error
	// recovered says whether a repeat is answered from where its client stopped on; by
	// the whole run else.
	recovered(there bool)
}

// plainRun is the stream of one run, over whatever wire.
type plainRun struct {
	cursor
	wire    wire
	label   string          // as the client calls the run
	of      string          // as the log calls it
	id      string          // server-made
	mine    bool            // what comes now in the log is the run's
	begun   bool            // the client has its RUN_STARTED
	behind  bool            // the client is brought up to date with the run's begin
	after   *store.Position // where the client stopped; nil: it did not say
	end     []byte          // what ends the run for the client, in the place of what the log has; nil: that
	resumed bool            // the client goes on where it said
	rests   bool            // the log has no more of the run than it has now
	debts   debts
	dialect dialect
	through store.Through
	profile downgrade.Profile // what the client's version can be sent
	aborted *atomic.Bool      // the client has no use for the run any more
	stop    stopping
}

// stopping is how far the stopping of a run is.
type stopping struct {
	done     bool
	failures int
	next     time.Time // no attempt before
}

// runPlain answers an input with its run's events. It is done with f when the run was
// asked for, so that one that takes long does not hold it. stops: the run is not to go
// on when the client leaves.
func runPlain(p *peer, w wire, f *frame, stops bool) (err error) {
	in := f.input
	f.input = nil
	r := &plainRun{wire: w, label: f.label, after: f.after, dialect: f.dialect.of(in), through: cmp.Or(f.through, store.ThroughSocket), aborted: &f.aborted}
	r.profile = r.dialect.profile(in)
	r.open(p, f.threadID)
	r.follower.Only("")
	defer func() {
		p.srv.awaiting.forget(r)
		r.close()
		if stops && err == closeGone && r.id != "" && (r.mine || !p.srv.runs.Durable()) {
			p.srv.clientLeft(p, r.key, r.id, r.of)
		}
	}()
	started, err := r.submit(in, f.commands)
	f.done()
	if !started || err != nil {
		return err
	}
	return r.stream(r)
}

// submit asks for the run, and reports whether there is more of it to come than
// what it wrote.
func (r *plainRun) submit(in *protocol.RunAgentInput, commands bool) (more bool, err error) {
	r.srv.awaiting.add(r.key, r.label, r)
	ctx, cancel := r.call()
	admitted, err := r.srv.runs.Submit(ctx, admission.Input{Namespace: r.identity.Namespace, Tenant: r.identity.Tenant, User: r.name(), Agent: r.agent, From: r.origin(r.through), Run: in,
		When: whenOf(in), Commands: commands, Sender: true, Left: r.left, Headers: r.headers})
	cancel()
	r.clears(admitted)
	if err != nil {
		r.logFailure("submitting an input", r.key.Thread, err)
		return false, refuse(r.wire, unanswered(err))
	}
	if admitted.Disposition == admission.Refused {
		return false, refuse(r.wire, admitted.Refusal)
	}
	if refused := r.mayRepeat(admitted); refused != nil {
		return false, refuse(r.wire, refused)
	}
	r.id, r.of = admitted.RunID, admitted.Of
	if admitted.Disposition != admission.Repeat {
		r.of, r.after = r.label, nil
	}
	if admitted.Disposition != admission.Repeat || admitted.Waits {
		r.follower.Only(r.id)
	} else {
		r.follower.All() // the run that answers may be another
	}
	if admitted.Disposition != admission.Queued {
		r.srv.awaiting.done(r.key, r.label, r)
		r.debts.take()
	}
	r.behind = admitted.Behind && r.reads()
	if admitted.Disposition == admission.Started {
		r.mine = true
		if !r.behind {
			r.seek(admitted.Position)
			return true, nil
		}
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
		r.logFailure("restating a run", r.key.Thread, err)
		if r.ctx.Err() != nil {
			return true, context.Cause(r.ctx)
		}
		return true, refuse(r.wire, unanswered(err))
	}
	r.seek(rep.At)
	if rep.Status == store.RunQueued {
		return false, nil
	}
	r.srv.awaiting.done(r.key, r.of, r)
	r.debts.take()
	r.of = rep.Of
	if rep.Status == store.RunActive {
		r.srv.left.keep(r.key)
	}
	at := r.stopped(rep)
	r.after, r.end = nil, nil
	r.wire.recovered(at != nil)
	if at != nil {
		r.seek(*at)
		r.mine, r.begun, r.resumed = true, at.Seq >= rep.Begins, true
		if rep.Status != store.RunActive {
			r.end = rep.Events[len(rep.Events)-1]
		}
		return r.end != nil && *at == rep.At, nil
	}
	for _, event := range rep.Events {
		if err := r.send(event, store.Position{}); err != nil {
			return true, err
		}
	}
	r.mine = len(rep.Events) > 0
	r.begun, r.behind = r.mine, r.behind && !r.mine
	return rep.Status != store.RunActive, nil
}

// stopped is where the client goes on with the run, if the log has all that it still
// needs: where it said it was, or before the run.
func (r *plainRun) stopped(rep follow.Repeated) *store.Position {
	if r.after == nil || rep.Begins == 0 || r.after.Epoch != rep.At.Epoch || r.after.Seq > rep.At.Seq {
		return nil
	}
	at := &store.Position{Epoch: rep.At.Epoch, Seq: max(r.after.Seq, rep.Begins-1)}
	if at.Seq+1 < rep.Retained {
		return nil
	}
	return at
}

// send writes an event as the client's version of AG-UI can read it, if it is for who
// may not read.
func (r *plainRun) send(event []byte, at store.Position) error {
	if !r.reads() && !tells(event) {
		return nil
	}
	event, err := r.lowered(r.profile, r.key.Thread, r.label, event)
	if err == nil && event != nil {
		event, err = r.dialect.told(event)
	}
	if err != nil || event == nil {
		return err
	}
	return r.wire.emit(event, at)
}

func (r *plainRun) flush() error { return r.wire.flush() }

func (r *plainRun) restated(*follow.Attached, bool) (over bool, err error) {
	if r.begun {
		// Events that were written cannot be taken back, and the rest is not to be had in
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
	} else if kind == protocol.TypeRunStarted && r.begun && r.resumed {
		return true, nil // the client had stopped behind the end
	}
	if r.behind {
		// A run that begins is told with all that the thread holds, instead of this.
		r.lookAgain()
		return false, nil
	}
	r.begun = true
	ends := kind == protocol.TypeRunFinished || kind == protocol.TypeRunError
	if ends && r.end != nil {
		event = r.end
	}
	// A repeat may be answered by a run of another label.
	if event, err = relabel(event, r.label); err != nil {
		return false, err
	}
	return ends, r.send(event, r.position)
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
	begun := r.hasBegun(r.id, r.label)
	if r.ctx.Err() != nil {
		return false, context.Cause(r.ctx)
	}
	return begun, nil
}

func (r *plainRun) atEnd() (over bool, err error) { return r.rests, nil }

func (r *plainRun) failed(error) error { return nil }

// owe makes the run end for its client, who waits for its turn, with these
// events.
func (r *plainRun) owe(_ string, events [][]byte) {
	r.debts.add(r.key.Thread, events)
	r.poke()
}

// obey stops the run if its client says so. The effect of that is in the log, or owed.
func (r *plainRun) obey() {
	s := &r.stop
	if !r.aborted.Load() || s.done || time.Now().Before(s.next) {
		return
	}
	ctx, cancel := r.call()
	defer cancel()
	if _, err := r.srv.stop(ctx, r.key, r.of, r.actor(r.through)); err != nil {
		s.failures++
		wait := min(backoffFirst<<min(s.failures-1, 10), backoffMost)
		s.next = time.Now().Add(wait)
		time.AfterFunc(wait, r.poke)
		r.log.Warn("cancelling failed", "thread", r.key.Thread, "error", err)
		return
	}
	s.done = true
}

func (r *plainRun) owed() (over bool, err error) {
	r.obey()
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
	if r.behind && r.mine {
		return r.resume()
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
