package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// begun is a run that this node carries from here on, and whose RUN_STARTED is logged.
type begun struct {
	claim    store.Claim
	asked    time.Time // when the claim was first asked for
	label    string
	id       string // execution
	agent    string
	frozen   store.Frozen
	given    *conversation
	headers  map[string]string    // of the input, by names in lower case
	stored   *store.ExecutionView // that it goes on with; nil: it is to be read
	view     *store.ThreadView    // as read before Begin or Activate, or after a takeover's claim
	snapshot *fold.Fold           // of the view's stored snapshot
	fold     *fold.Fold           // of the view and the events
	earlier  *fold.Fold           // before the run; nil: the snapshot is in its midst
	events   []protocol.Event
	seq      int64 // the log's end, the events included
	number   int64 // commits of this claim so far
	attempts int   // activations of the dispatch, this one included
	// continuing: the run answers interrupts. takeover: a worker was lost.
	// requeued: the run goes on with a dead letter's journal.
	continuing, takeover, requeued bool
	// orphan: no node knows its agent.
	orphan bool
	// left: there is no place for the run here, any node goes on with it.
	left bool
	// holding is for whom the run counts. counts: it does already. launched: this node
	// sees to that.
	holding          store.Holding
	counts, launched bool
	over             chan struct{} // closed when this node carries it no more; nil: nobody waits for that
}

// prepare brings the execution to where its agent is called: the order rules
// and the fold know the run, the journal is read, and after a takeover the
// wire is taken back to the last entry.
func (x *execution) prepare(b *begun) error {
	var entries []json.RawMessage
	if b.continuing || b.takeover || b.requeued {
		view := b.stored
		b.stored = nil // the run may go on for long, and keeps what was read of it
		if view == nil {
			var err error
			view, err = retry.Do(x.ctx, func() (*store.ExecutionView, error) { return x.node.store.Journal(x.ctx, b.claim) })
			if errors.Is(err, store.ErrClaimLost) {
				return adapter.ErrStopped
			}
			if err != nil {
				return fmt.Errorf("adapter: journal: %w", err)
			}
		}
		entries = view.Journal
		x.before = view.Active
		if view.Undo != nil {
			x.undo = new(store.Undo)
			if err := stored.Decode(view.Undo, x.undo, "what undoes a checkpoint"); err != nil {
				return err
			}
		}
		x.agent, x.named = x.node.options.Agents[view.Agent], view.Agent
		if err := stored.Decode(view.Frozen, &x.frozen, "the execution"); err != nil {
			return err
		}
		if x.frozen.Input == nil {
			return stored.Corrupted("the execution")
		}
		if err := x.regain(b.view); err != nil {
			return err
		}
	}
	var err error
	if x.journal, err = readJournal(entries); err != nil {
		return err
	}
	x.main = newScope(x.journal, "", false)
	x.renames.subagents = x.journal.renamed
	x.over = map[string]bool{}
	x.fold, x.weighed = b.fold, int64(b.fold.Weight())
	x.behind = int64(sizeOf(b.view.Log)) + eventWeight*int64(len(b.view.Log))
	x.recorded = x.journal.entries > 0
	x.joiners = joiners(b.view)
	if b.earlier != nil {
		x.sequence.SeedFold(b.earlier)
	}
	if x.blocking() && x.journal.entries > 0 && (b.takeover || b.requeued) {
		x.parking.dismiss(x.id) // an answer may not have come as far as to its goroutine
		return &activationError{code: adapter.CodeWorkerLost, text: goneWithProcess}
	}
	if b.takeover {
		return x.takeOver(*b)
	}
	for _, e := range b.events {
		if err := x.sequence.Check(e); err != nil {
			return fmt.Errorf("adapter: the run's own beginning: %w", err)
		}
	}
	if b.requeued {
		return x.goOn(*b)
	}
	x.recordHere()
	return nil
}

// refuse ends the run in an error before its agent was called, and gives back
// the decisions that it cannot carry out.
func (x *execution) refuse(code, text string) error { return x.endEarly(code, text, true) }

// giveUp is refuse for decisions that are final.
func (x *execution) giveUp(code, text string) error { return x.endEarly(code, text, false) }

func (x *execution) endEarly(code, text string, giveBack bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.fail(code, text, giveBack); err != nil {
		return err
	}
	x.seal(adapter.ErrStopped)
	return adapter.ErrStopped
}

// stopHere ends the execution as cancelled before its agent was called.
func (x *execution) stopHere() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.end(&store.End{Kind: store.EndCancel}, nil, lifecycle.Cancelled(x.claim.Thread, x.label)); err != nil {
		return err
	}
	x.seal(adapter.ErrStopped)
	return adapter.ErrStopped
}

func (x *execution) blocking() bool { return x.node.options.Blocking }

// call calls the agent's function and ends the run as it left it.
func (x *execution) call() {
	if x.continuing {
		x.node.reached("resume_before_first_event")
	}
	ctx, cancel := x.limitTime(x.ctx)
	defer cancel()
	err := panics.Contain(func() error { return x.agent.Run(ctx, adapter.NewRun(&line{x, x.main})) })
	x.finish(err)
}

func (x *execution) handedBack() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return errors.Is(x.sealed, errHandBack) ||
		errors.Is(context.Cause(x.ctx), errHandBack) && x.pipe.result().End == (store.Position{})
}
