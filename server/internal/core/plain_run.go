package core

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
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// Wire carries the events of one stream to a client that knows no control
// frames: a plain socket, or the answer to a POST.
type Wire interface {
	// Emit gathers an event. at is its position; zero for one that is in no log.
	Emit(event []byte, at store.Position) error
	Flush() error
	// Recovered says whether a repeat is answered from where its client stopped on; by
	// the whole run else.
	Recovered(there bool)
}

// plainRun is the stream of one run, over whatever wire.
type plainRun struct {
	Cursor
	wire    Wire
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
	debts   Debts
	dialect frames.Dialect
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

// RunPlain answers an input with its run's events. It is done with f when the run was
// asked for, so that one that takes long does not hold it. stops: the run is not to go
// on when the client leaves.
func (s *Core) RunPlain(p *peer.Peer, w Wire, f *frames.Frame, stops bool) (err error) {
	in := f.Input
	f.Input = nil
	r := &plainRun{wire: w, label: f.Label, after: f.After, dialect: f.Dialect.Of(in), through: cmp.Or(f.Through, store.ThroughSocket), aborted: &f.Aborted}
	r.profile = r.dialect.Profile(in)
	r.Open(s, p, f.ThreadID)
	r.Follower.Only("")
	defer func() {
		s.Awaiting.Forget(r)
		r.Close()
		if stops && err == peer.CloseGone && r.mine {
			s.ClientLeft(p, r.Key, r.id, r.of)
		}
	}()
	started, err := r.submit(in, f.Commands)
	f.Done()
	if !started || err != nil {
		return err
	}
	return r.Stream(r)
}

// submit asks for the run, and reports whether there is more of it to come than
// what it wrote.
func (r *plainRun) submit(in *protocol.RunAgentInput, commands bool) (more bool, err error) {
	r.srv.Awaiting.Add(r.Key, r.label, r)
	ctx, cancel := r.Call()
	admitted, err := r.srv.Runs.Submit(ctx, admission.Input{Namespace: r.Identity.Namespace, Tenant: r.Identity.Tenant, User: r.Name(), Agent: r.Agent, From: r.Origin(r.through), Run: in,
		When: frames.WhenOf(in), Commands: commands, Sender: true, Left: r.Left, Headers: r.Headers})
	cancel()
	r.Clears(admitted)
	if err != nil {
		r.LogFailure("submitting an input", r.Key.Thread, err)
		return false, Refuse(r.wire, peer.Unanswered(err))
	}
	if admitted.Disposition == admission.Refused {
		return false, Refuse(r.wire, admitted.Refusal)
	}
	if refused := r.srv.MayRepeat(r.Peer, admitted); refused != nil {
		return false, Refuse(r.wire, refused)
	}
	r.id, r.of = admitted.RunID, admitted.Of
	if admitted.Disposition != admission.Repeat {
		r.of, r.after = r.label, nil
	}
	if admitted.Disposition != admission.Repeat || admitted.Waits {
		r.Follower.Only(r.id)
	} else {
		r.Follower.All() // the run that answers may be another
	}
	if admitted.Disposition != admission.Queued {
		r.srv.Awaiting.Done(r.Key, r.label, r)
		r.debts.Take()
	}
	r.behind = admitted.Behind && r.Reads()
	if admitted.Disposition == admission.Started {
		r.mine = true
		if !r.behind {
			r.Seek(admitted.Position)
			return true, nil
		}
	}
	over, err := r.resume()
	return !over, err
}

// resume writes the run as it is and puts the cursor there, and reports whether
// that was all of it. A run that still waits is nothing yet.
func (r *plainRun) resume() (over bool, err error) {
	ctx, cancel := r.Look()
	defer cancel()
	r.srv.Awaiting.Add(r.Key, r.of, r)
	rep, err := r.srv.Runs.Repeat(ctx, r.Key, r.id, r.label)
	if err != nil {
		r.LogFailure("restating a run", r.Key.Thread, err)
		if r.Ctx.Err() != nil {
			return true, context.Cause(r.Ctx)
		}
		return true, Refuse(r.wire, peer.Unanswered(err))
	}
	r.Seek(rep.At)
	if rep.Status == store.RunQueued {
		return false, nil
	}
	r.srv.Awaiting.Done(r.Key, r.of, r)
	r.debts.Take()
	r.of = rep.Of
	at := r.stopped(rep)
	r.after, r.end = nil, nil
	r.wire.Recovered(at != nil)
	if at != nil {
		r.Seek(*at)
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
	if !r.Reads() && !frames.Tells(event) {
		return nil
	}
	event, err := frames.Lowered(r.Log, r.profile, r.Key.Thread, r.label, event)
	if err == nil && event != nil {
		event, err = r.dialect.Told(event)
	}
	if err != nil || event == nil {
		return err
	}
	return r.wire.Emit(event, at)
}

func (r *plainRun) Flush() error { return r.wire.Flush() }

func (r *plainRun) Restated(*follow.Attached, bool) (over bool, err error) {
	if r.begun {
		// Events that were written cannot be taken back, and the rest is not to be had in
		// order. The same input again brings all of it.
		return true, Refuse(r.wire, peer.OutcomeUnknown())
	}
	return r.resume()
}

// Event writes an event if it is the run's.
func (r *plainRun) Event(event []byte) (over bool, err error) {
	kind := frames.TypeOf(event)
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
		r.LookAgain()
		return false, nil
	}
	r.begun = true
	ends := kind == protocol.TypeRunFinished || kind == protocol.TypeRunError
	if ends && r.end != nil {
		event = r.end
	}
	// A repeat may be answered by a run of another label.
	if event, err = frames.Relabel(event, r.label); err != nil {
		return false, err
	}
	return ends, r.send(event, r.Position)
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
	begun := r.HasBegun(r.id, r.label)
	if r.Ctx.Err() != nil {
		return false, context.Cause(r.Ctx)
	}
	return begun, nil
}

func (r *plainRun) AtEnd() (over bool, err error) { return r.rests, nil }

func (r *plainRun) Failed(error) error { return nil }

// Owe makes the run end for its client, who waits for its turn, with these
// events.
func (r *plainRun) Owe(_ string, events [][]byte) {
	r.debts.Add(r.Key.Thread, events)
	r.Poke()
}

// obey stops the run if its client says so. The effect of that is in the log, or owed.
func (r *plainRun) obey() {
	s := &r.stop
	if !r.aborted.Load() || s.done || time.Now().Before(s.next) {
		return
	}
	ctx, cancel := r.Call()
	defer cancel()
	if _, err := r.srv.Stop(ctx, r.Key, r.of, r.Actor(r.through)); err != nil {
		s.failures++
		wait := min(backoffFirst<<min(s.failures-1, 10), backoffMost)
		s.next = time.Now().Add(wait)
		time.AfterFunc(wait, r.Poke)
		r.Log.Warn("cancelling failed", "thread", r.Key.Thread, "error", err)
		return
	}
	s.done = true
}

func (r *plainRun) Owed() (over bool, err error) {
	r.obey()
	for _, debt := range r.debts.Take() {
		if r.begun {
			continue
		}
		for _, event := range debt.Events {
			if event, err = frames.Relabel(event, r.label); err != nil {
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

// Refuse is a whole stream, or the end of one that breaks off: one RUN_ERROR.
func Refuse(w Wire, why *protocol.RunError) error {
	event, err := protocol.Encode(why)
	if err != nil {
		return fmt.Errorf("server: refusal: %w", err)
	}
	return w.Emit(event, store.Position{})
}
