package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// Begun is a run that this node carries from here on, and whose RUN_STARTED is logged.
type Begun struct {
	Claim    store.Claim
	Asked    time.Time // when the claim was first asked for
	Label    string
	Id       string // execution
	Agent    string
	Frozen   store.Frozen
	Given    *conversation
	Headers  map[string]string    // of the input, by names in lower case
	Stored   *store.ExecutionView // that it goes on with; nil: it is to be read
	View     *store.ThreadView    // as read before Begin or Activate, or after a takeover's claim
	Snapshot *fold.Fold           // of the view's stored snapshot
	Fold     *fold.Fold           // of the view and the events
	Earlier  *fold.Fold           // before the run; nil: the snapshot is in its midst
	Events   []protocol.Event
	Seq      int64 // the log's end, the events included
	Number   int64 // commits of this claim so far
	Attempts int   // activations of the dispatch, this one included
	// continuing: the run answers interrupts. takeover: a worker was lost.
	// requeued: the run goes on with a dead letter's journal.
	Continuing, Takeover, Requeued bool
	// Orphan: no node knows its agent.
	Orphan bool
	// Left: there is no place for the run here, any node goes on with it.
	Left bool
	// Holding is for whom the run counts. counts: it does already. launched: this node
	// sees to that.
	Holding          store.Holding
	Counts, Launched bool
	Over             chan struct{} // closed when this node carries it no more; nil: nobody waits for that
}

// prepare brings the execution to where its agent is called: the order rules
// and the fold know the run, the journal is read, and after a takeover the
// wire is taken back to the last entry.
func (x *execution) prepare(b *Begun) error {
	var entries []json.RawMessage
	if b.Continuing || b.Takeover || b.Requeued {
		view := b.Stored
		b.Stored = nil // the run may go on for long, and keeps what was read of it
		if view == nil {
			var err error
			view, err = retry.Do(x.Ctx, func() (*store.ExecutionView, error) { return x.node.Store.Journal(x.Ctx, b.Claim) })
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
		x.agent, x.named = x.node.Options.Agents[view.Agent], view.Agent
		if err := stored.Decode(view.Frozen, &x.frozen, "the execution"); err != nil {
			return err
		}
		if x.frozen.Input == nil {
			return stored.Corrupted("the execution")
		}
		if err := x.regain(b.View); err != nil {
			return err
		}
	}
	var err error
	if x.journal, err = journal.ReadJournal(entries); err != nil {
		return err
	}
	x.node.Traces.GoesOn(x.Ctx, x.named, x.journal.Asked)
	x.main = newScope(x.journal, "", false)
	x.renames.subagents = x.journal.Renamed
	x.over = map[string]bool{}
	x.fold, x.weighed = b.Fold, int64(b.Fold.Weight())
	x.behind = int64(SizeOf(b.View.Log)) + eventWeight*int64(len(b.View.Log))
	x.recorded = x.journal.Entries > 0
	x.joiners = joiners(b.View)
	if b.Earlier != nil {
		x.sequence.SeedFold(b.Earlier)
	}
	if x.blocking() && x.journal.Entries > 0 && (b.Takeover || b.Requeued) {
		x.Parking.Dismiss(x.id) // an answer may not have come as far as to its goroutine
		return &node.ActivationError{Code: adapter.CodeWorkerLost, Text: goneWithProcess}
	}
	if b.Takeover {
		return x.takeOver(*b)
	}
	for _, e := range b.Events {
		if err := x.sequence.Check(e); err != nil {
			return fmt.Errorf("adapter: the run's own beginning: %w", err)
		}
	}
	if b.Requeued {
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
	if err := x.end(&store.End{Kind: store.EndCancel}, nil, lifecycle.Cancelled(x.Claim.Thread, x.label)); err != nil {
		return err
	}
	x.seal(adapter.ErrStopped)
	return adapter.ErrStopped
}

func (x *execution) blocking() bool { return x.node.Options.Blocking }

// call calls the agent's function and ends the run as it left it.
func (x *execution) call() {
	if x.continuing {
		x.node.Reached("resume_before_first_event")
	}
	ctx, cancel := x.limitTime(x.Ctx)
	defer cancel()
	err := panics.Contain(func() error { return x.agent.Run(ctx, adapter.NewRun(&line{x, x.main})) })
	x.finish(err)
}

func (x *execution) HandedBack() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return errors.Is(x.sealed, ErrHandBack) ||
		errors.Is(context.Cause(x.Ctx), ErrHandBack) && x.Pipe.Result().End == (store.Position{})
}
