// Package dispatch looks for what is due, and claims it.
package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// Claimer takes what is due to be carried.
type Claimer struct {
	*node.Node
	Worker    *carry.Worker
	Admission *admit.Admission
	Capacity  *carry.Capacity
	Backoff   *carry.Backoff
	Active    *carry.ActiveRuns
	Grace     *Grace
	Quotas    *carry.Quotas
	// Calls sees to a suspension that is past its time, if it waits for a call.
	Calls func(context.Context, store.ThreadKey, *store.Suspension) (bool, error)
}

// TryClaim claims the thread once; took: there was something to claim. again: it is to
// be tried again, by this node if it was delivered to it.
func (c *Claimer) TryClaim(w store.Work) (took, again bool) {
	key := w.Thread
	ctx, cancel := context.WithTimeout(c.Ctx, c.Options.StoreTimeout)
	defer cancel()
	err := c.Contain("claim", key, func() (err error) {
		took, again, err = c.claim(ctx, w)
		return err
	})
	switch tries := c.Backoff.NoteClaim(key, err); {
	case err == nil || c.Ctx.Err() != nil:
	case !errors.Is(err, store.ErrCorrupted):
		c.Log.Warn("a claim failed; the sweep tries again", "thread", key.Thread, "tries", tries, "error", err)
	case tries == 1:
		c.Log.Error("a thread cannot be claimed: interrupt or delete it", "namespace", key.Namespace, "thread", key.Thread, "error", err)
	}
	return took && err == nil, again || err != nil
}

// claim takes the thread's next activation and carries it. The caller holds a
// place for its run.
func (c *Claimer) claim(ctx context.Context, w store.Work) (took, again bool, err error) {
	key := w.Thread
	if x := c.Active.Carries(key); x != nil {
		if kept, err := x.Lease.Renew(ctx); err != nil || kept {
			return false, false, err
		}
		x.Cancel(execution.ErrLeaseLost)
	}
	request := store.ClaimRequest{Thread: key, Token: uuid.NewString(), Entry: w.Entry, Agents: c.Agents, Spare: c.Grace.spares()}
	if w.Orphan {
		if takers, err := c.Store.Takers(ctx, []string{w.Agent}); err != nil || takers[0] > 0 {
			return false, false, err // those who know its agent have no place for it
		}
		request.Agents = nil
	}
	asked := time.Now()
	claimed, err := retry.Do(ctx, func() (store.ClaimResult, error) { return c.Store.Claim(ctx, request) })
	if err != nil {
		return false, false, err
	}
	switch {
	case claimed.Kind == store.ClaimNothing:
		return false, request.Spare && w.Entry != "", nil
	case claimed.Kind == store.ClaimExpired:
		return true, false, c.expire(ctx, key)
	case claimed.Exhausted:
		err = c.exhausted(ctx, claimed)
	case claimed.Kind == store.ClaimQueued:
		err = c.activate(ctx, claimed, asked, w.Orphan)
	case claimed.Kind == store.ClaimTakeover:
		err = c.resumeLost(ctx, claimed, asked, w.Orphan)
	}
	// A record that cannot be read is no reason not to give up the claim.
	record, _ := stored.Record(&store.RunState{Record: claimed.Record})
	failed := err != nil
	err = c.Worker.Nack(claimed.Claim, record.Execution, claimed.Attempts, node.Condemned(err))
	if failed && record.Caller != nil {
		c.Worker.Calls.Look(store.ThreadKey{Namespace: key.Namespace, Thread: record.Caller.Thread})
	}
	return true, false, err
}

// activate judges a queued input again, on the thread as it has become, and
// begins its run.
func (c *Claimer) activate(ctx context.Context, claimed store.ClaimResult, asked time.Time, orphan bool) error {
	var queued store.QueuedInput
	var input protocol.RunAgentInput
	if err := stored.Decode(claimed.Input, &queued, "the queued input"); err != nil {
		return err
	}
	if err := stored.Decode(queued.Input, &input, "the queued input"); err != nil {
		return err
	}
	if c.Options.Agents[queued.Agent] == nil {
		return node.UnknownAgent(queued.Agent, orphan, false)
	}
	record, err := stored.Record(&store.RunState{Record: claimed.Record})
	if err != nil {
		return err
	}
	// Not under the run's id: under that it was taken when it came, and is given back.
	share := c.Quotas.Ask(c.Quotas.Takes(record.User, record.Tenant, claimed.Claim.RunID+"/queued"))
	defer share.Settle()
	j, err := admit.Read(ctx, c.Node, claimed.Claim.Thread, &input)
	if err != nil {
		return c.unused(claimed.Claim, err)
	}
	if over := share.TooManyRuns(); over != nil {
		return c.putOff(claimed.Claim, over.Message)
	}
	headers, err := node.HeadersIn(claimed.Headers)
	if err != nil {
		return err
	}
	n := admit.BeginBuilder{Judgement: j, Verdict: j.Accepted(), Thread: claimed.Claim.Thread, Agent: queued.Agent, User: record.User, Tenant: record.Tenant, Headers: headers, Caller: record.Caller}
	run, once, fresh, err := n.Execute(record.Execution)
	if err != nil {
		return node.Impossible(err)
	}
	a := store.Activation{Claim: claimed.Claim, Events: once.Events, Execution: record.Execution, Frozen: fresh.Frozen, Agent: fresh.Agent, User: record.User}
	run.Claim, run.Asked, run.Number, run.Attempts = claimed.Claim, asked, 1, claimed.Attempts
	if share != nil {
		run.Holding, run.Counts = share.Holding(), share.Counts()
	}
	result, err := retry.Do(ctx, func() (store.CommitResult, error) { return c.Store.Activate(ctx, a) })
	if errors.Is(err, store.ErrOutcomeUnknown) {
		c.rescueActivated(a, *run, err)
	}
	if err != nil || result.Status != store.CommitOK {
		return err // the lease runs out and the sweep tries again
	}
	run.Seq = result.End.Seq
	if share != nil {
		share.Carried = true
	}
	c.Worker.Launch(*run)
	return nil
}

// putOff gives a claim back for which its owner has no place: that is no lost worker,
// costs no attempt, and leaves the thread's queue as it is.
func (c *Claimer) putOff(claim store.Claim, why string) error {
	c.Backoff.PutOff(claim.Thread)
	terminal, _ := protocol.Encode(&protocol.RunError{Code: adapter.CodeTooManyRuns, Message: why})
	ctx, stop := context.WithTimeout(context.Background(), c.Options.StoreTimeout)
	defer stop()
	_, _ = c.Store.Nack(ctx, store.Nack{Claim: claim, Error: why, Terminal: terminal, Free: true}) // or its lease ends
	return nil
}

// unused returns why a claim came to nothing. When the store did not answer the claim
// is given back, for a moment later: that is no lost worker, and costs no attempt.
func (c *Claimer) unused(claim store.Claim, err error) error {
	if !errors.Is(err, store.ErrOutcomeUnknown) {
		return err
	}
	terminal, _ := protocol.Encode(&protocol.RunError{Code: adapter.CodeWorkerLost, Message: "the store did not answer when the run was to go on"})
	ctx, stop := context.WithTimeout(context.Background(), c.Options.StoreTimeout)
	defer stop()
	_, _ = c.Store.Nack(ctx, store.Nack{Claim: claim, Wait: c.Options.Sweep, Terminal: terminal, Free: true}) // or its lease ends
	return err
}

// resumeLost goes on with a run whose worker was lost.
func (c *Claimer) resumeLost(ctx context.Context, claimed store.ClaimResult, asked time.Time, orphan bool) error {
	record, err := stored.Record(&store.RunState{Record: claimed.Record})
	if err != nil {
		return err
	}
	view, err := c.Store.Read(ctx, claimed.Claim.Thread, store.ReadQuery{})
	if err != nil {
		return c.unused(claimed.Claim, err)
	}
	if view.Active == nil || view.Active.ID != claimed.Claim.RunID {
		return nil // ended meanwhile
	}
	headers, err := node.HeadersIn(claimed.Headers)
	if err != nil {
		return err
	}
	snapshot, held, err := stored.Folds(view)
	if err != nil {
		return err
	}
	var earlier *fold.Fold
	if view.Snapshot.At < view.Active.RunStarted {
		if earlier, err = stored.Fold(view, view.Active.RunStarted-1); err != nil {
			return err
		}
	}
	c.Log.Info("taking over a run", "thread", claimed.Claim.Thread.Thread, "label", record.Label,
		"dispatch", claimed.Claim.RunID, "attempt", claimed.Attempts)
	c.Worker.Launch(execution.Begun{
		Claim: claimed.Claim, Asked: asked, Label: record.Label, Id: record.Execution, Agent: record.Agent,
		View: view, Snapshot: snapshot, Earlier: earlier, Fold: held, Seq: view.Seq, Attempts: claimed.Attempts, Takeover: true, Orphan: orphan,
		Holding: carry.HoldingOfRecord(record, claimed.Claim.RunID), Headers: headers,
	})
	return nil
}

// exhausted is what becomes of a run whose workers were all lost.
func (c *Claimer) exhausted(ctx context.Context, claimed store.ClaimResult) error {
	u := &node.ActivationError{Code: adapter.CodeWorkerLost, Text: fmt.Sprintf("the worker of the run was lost %d times", claimed.Attempts-1)}
	if claimed.Kind == store.ClaimTakeover {
		view, err := c.Store.Journal(ctx, claimed.Claim)
		if errors.Is(err, store.ErrClaimLost) {
			return nil
		}
		if err != nil {
			return c.unused(claimed.Claim, err)
		}
		// Decisions that nobody can read on from would come back for ever.
		j, err := journal.ReadJournal(view.Journal)
		var other *node.ActivationError
		if errors.As(err, &other) {
			return other // who can read it knows what is to be given back
		}
		u.GiveBack = err == nil && j.Answered != nil && !j.Final
	}
	return u
}

// rescueActivated is rescueBegun for a dispatch that was claimed from the queue.
// Its sender was told that it is accepted: sent again, Activate may make it active.
func (c *Claimer) rescueActivated(a store.Activation, run execution.Begun, why error) {
	c.Worker.Rescue(a.Claim.Thread, run.Label, why, func(ctx context.Context) (bool, error) {
		result, err := c.Store.Activate(ctx, a)
		if err == nil && result.Status == store.CommitOK {
			run.Seq = result.End.Seq
			err = c.Worker.GoOnWith(ctx, a.Claim, func(asked time.Time) {
				run.Asked = asked
				c.Worker.Launch(run)
			})
		}
		return true, err
	})
}
