package adapter

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// ReasonPaused is the reason of the interrupt with which a run suspends that an
// operator has paused. Resolving it, with any payload or none, goes on; cancelling it
// ends the execution as cancelled.
const ReasonPaused = "aguiws:paused"

// pauseKey numbers the asks of operators, outside the agent's own.
const pauseKey = "pause"

// Pause asks the thread's active run to suspend before its next step (of the
// agent's function itself, not of a branch of Parallel), with an interrupt of
// ReasonPaused. False: no run is active. A run that ends first was not paused,
// and in ModeBlocking none is.
func (r *Runner) Pause(ctx context.Context, key ThreadKey) (bool, error) {
	return again(ctx, func() (bool, error) { return r.store.Pause(ctx, key, true) })
}

// Unpause goes on with what Pause stopped: it answers the interrupt, or takes
// the wish back if the run has not come to it. False: there was nothing to do.
func (r *Runner) Unpause(ctx context.Context, key ThreadKey, tenant, label string) (bool, error) {
	if active, err := again(ctx, func() (bool, error) { return r.store.Pause(ctx, key, false) }); err != nil || active {
		return active, err
	}
	thread, err := r.Thread(ctx, key)
	if err != nil || thread == nil || thread.Open == nil {
		return false, err
	}
	for _, it := range thread.Open.Interrupts {
		var shown protocol.Interrupt
		if err := json.Unmarshal(it.Interrupt, &shown); err != nil {
			return false, err
		}
		if shown.Reason != ReasonPaused {
			continue
		}
		answered, err := r.Answer(ctx, key, tenant, label, []protocol.ResumeEntry{{InterruptID: it.ID, Status: protocol.ResumeResolved}})
		return err == nil && answered.Admitted.Disposition != Refused, err
	}
	return false, nil
}

// pauseHere suspends the run if an operator wishes it and the call is one at which
// a replay finds itself again.
func (x *execution) pauseHere(s *scope) error {
	if x.blocking() || !s.live() || s.branch || x.forks > 0 || s.next() != nil || !x.pipe.pausing() {
		return nil
	}
	// The wish is as old as the last commit, and may have been taken back since.
	view, err := x.runner.store.Read(x.ctx, x.claim.Thread, ReadQuery{})
	if err != nil || !view.Paused {
		return nil // without an answer the next step asks again
	}
	return x.suspend(&record{
		Kind: recordAsk, Scope: systemScope, Key: ordinalKey(pauseKey, x.journal.asks+1),
	}, []protocol.Interrupt{{Reason: ReasonPaused, Message: "The run was paused by an operator. Go on?"}})
}

// stopsAtPause reports whether an answer says that a paused execution ends.
func stopsAtPause(ask, answer *record) bool {
	return ask.Scope == systemScope && strings.HasPrefix(ask.Key, pauseKey+"#") &&
		len(answer.Entries) == 1 && answer.Entries[0].Status == protocol.ResumeCancelled
}
