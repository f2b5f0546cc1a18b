package server

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// plainRun is the stream of one run.
type plainRun struct {
	*plainSession
	follower follower
	key      adapter.ThreadKey
	label    string // as the client calls the run
	of       string // as the log calls it
	id       string // server-made
	position adapter.Position
	mine     bool // what comes now in the log is the run's
	begun    bool // the client has its RUN_STARTED
	ready    atomic.Bool
	failures int
	profile  protocol.Profile // what the client's version can be sent
}

// send writes an event as the client's version of AG-UI can read it, or
// nothing when it cannot. What is lost by that is logged.
func (r *plainRun) send(event []byte) error {
	if r.profile == protocol.ProfileCurrent {
		return r.write(event)
	}
	e, err := protocol.Decode(event)
	if err != nil {
		return fmt.Errorf("server: logged event: %w", err)
	}
	sent, losses := r.profile.Apply(e)
	if len(losses) > 0 {
		r.log.Warn("an event lost something for an older client", "thread", r.key.Thread, "run", r.label,
			"type", string(e.Type()), "losses", losses)
	}
	switch {
	case sent == nil:
		return nil
	case sent == e:
		return r.write(event)
	}
	if event, err = protocol.Encode(sent); err != nil {
		return fmt.Errorf("server: event for an older client: %w", err)
	}
	return r.write(event)
}

func (r *plainRun) serve(f *frame) error {
	ctx, cancel := r.call()
	admitted, err := r.srv.runs.Submit(ctx, adapter.Input{Namespace: r.identity.Namespace, Agent: r.agent, Run: f.input})
	cancel()
	if err != nil {
		r.log.Warn("submitting an input failed", "thread", f.threadID, "error", err)
		return r.refuse(outcomeUnknown())
	}
	f.input = nil
	if admitted.Disposition == adapter.Refused {
		return r.refuse(admitted.Refusal)
	}
	r.id, r.of = admitted.RunID, admitted.Of
	if admitted.Disposition != adapter.Repeat {
		r.of = r.label
	}
	if admitted.Disposition == adapter.Started {
		r.position, r.mine = admitted.Start, true
		r.follower.Seek(r.position)
		return r.stream()
	}
	if admitted.Disposition == adapter.Queued {
		r.srv.waiting.add(r.key, r.of, r.plainSession)
	}
	ctx, cancel = r.look()
	a, err := r.follower.Attach(ctx, nil)
	cancel()
	if err != nil {
		r.log.Warn("attaching failed", "thread", r.key.Thread, "error", err)
		return r.refuse(outcomeUnknown())
	}
	r.position = a.Position
	if over, err := r.resume(); over || err != nil {
		return err
	}
	return r.stream()
}

// resume writes the run as of r.position, and reports whether that was all of
// it. A run that still waits is nothing yet.
func (r *plainRun) resume() (over bool, err error) {
	ctx, cancel := r.look()
	defer cancel()
	at := r.position
	rep, err := r.srv.runs.Repeat(ctx, r.key, r.id, r.label, &at)
	if err != nil {
		r.log.Warn("restating a run failed", "thread", r.key.Thread, "error", err)
		return true, r.refuse(outcomeUnknown())
	}
	if rep.Status == adapter.RunQueued {
		r.srv.waiting.add(r.key, r.of, r.plainSession)
		return false, nil
	}
	for _, event := range rep.Events {
		if err := r.send(event); err != nil {
			return true, err
		}
	}
	r.mine = len(rep.Events) > 0
	r.begun = r.mine
	return rep.Status != adapter.RunActive, nil
}

// stream writes the run's events until its last one.
func (r *plainRun) stream() error {
	r.ready.Store(true)
	r.poke()
	retry := time.NewTimer(time.Hour)
	defer retry.Stop()
	for {
		if err := r.flush(); err != nil {
			return err
		}
		select {
		case <-r.ctx.Done():
			return context.Cause(r.ctx)
		case <-r.identity.Revoked:
			return closeExpired
		case <-r.srv.leave:
			return r.depart()
		case <-retry.C:
			r.ready.Store(true)
		case <-r.wake:
		}
		for _, debt := range r.debts.take() {
			if debt.thread == r.key.Thread && !r.begun {
				return r.owed(debt.events)
			}
		}
		over, err := r.advance(r.ctx)
		if over || err != nil {
			return err
		}
		if r.failures > 0 {
			retry.Reset(min(backoffFirst<<min(r.failures-1, 10), backoffMost))
		}
	}
}

// depart writes what the run ended with, if it did.
func (r *plainRun) depart() error {
	ctx, cancel := context.WithTimeout(r.ctx, departure)
	defer cancel()
	r.ready.Store(true)
	for r.ready.Load() && ctx.Err() == nil {
		over, err := r.advance(ctx)
		if err != nil {
			return err
		}
		if over {
			break
		}
	}
	return closeDraining
}

// advance writes one page, and reports whether the run is over.
func (r *plainRun) advance(ctx context.Context) (over bool, err error) {
	if !r.ready.Swap(false) {
		return false, nil
	}
	page, err := r.follower.Next(ctx)
	if err != nil {
		if r.ctx.Err() != nil {
			return false, context.Cause(r.ctx)
		}
		r.failures++
		r.log.Warn("following a run failed", "thread", r.key.Thread, "error", err)
		return false, nil
	}
	r.failures = 0
	if page.Restated != nil {
		r.position = page.Restated.Position
		r.ready.Store(true)
		if r.begun {
			// What was written cannot be taken back, and the rest is not to be
			// had in order. The same input again brings all of it.
			return true, r.refuse(outcomeUnknown())
		}
		return r.resume()
	}
	for _, event := range page.Events {
		r.position.Seq++
		if over, err := r.relay(event); over || err != nil {
			return over, err
		}
	}
	if !page.CaughtUp {
		if len(page.Events) == 0 {
			r.failures++
		} else {
			r.ready.Store(true)
			r.poke()
		}
	}
	return false, nil
}

// relay writes an event if it is the run's.
func (r *plainRun) relay(event []byte) (over bool, err error) {
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
	return kind == protocol.TypeRunFinished || kind == protocol.TypeRunError, r.send(event)
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
	at := r.position
	rep, err := r.srv.runs.Repeat(ctx, r.key, r.id, r.label, &at)
	if err != nil {
		if r.ctx.Err() != nil {
			return false, context.Cause(r.ctx)
		}
		return true, nil
	}
	return rep.Status != adapter.RunQueued, nil
}

func (r *plainRun) owed(events [][]byte) error {
	for _, event := range events {
		event, err := relabel(event, r.label)
		if err != nil {
			return err
		}
		if err := r.send(event); err != nil {
			return err
		}
	}
	return nil
}
