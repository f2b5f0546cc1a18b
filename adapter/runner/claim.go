package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// claimer takes what is due to be carried.
type claimer struct {
	*node
	worker    *worker
	admission *admission
	capacity  *capacity
	backoff   *backoff
	active    *activeRuns
	grace     *grace
	quotas    *quotas
}

// tryClaim claims the thread once; took: there was something to claim. again: it is to
// be tried again, by this node if it was delivered to it.
func (c *claimer) tryClaim(w store.Work) (took, again bool) {
	key := w.Thread
	ctx, cancel := context.WithTimeout(c.ctx, c.options.StoreTimeout)
	defer cancel()
	err := c.contain("claim", key, func() (err error) {
		took, again, err = c.claim(ctx, w)
		return err
	})
	switch tries := c.backoff.noteClaim(key, err); {
	case err == nil || c.ctx.Err() != nil:
	case !errors.Is(err, store.ErrCorrupted):
		c.log.Warn("a claim failed; the sweep tries again", "thread", key.Thread, "tries", tries, "error", err)
	case tries == 1:
		c.log.Error("a thread cannot be claimed: interrupt or delete it", "namespace", key.Namespace, "thread", key.Thread, "error", err)
	}
	return took && err == nil, again || err != nil
}

// claim takes the thread's next activation and carries it. The caller holds a
// place for its run.
func (c *claimer) claim(ctx context.Context, w store.Work) (took, again bool, err error) {
	key := w.Thread
	if x := c.active.carries(key); x != nil {
		if kept, err := x.lease.renew(ctx); err != nil || kept {
			return false, false, err
		}
		x.cancel(errLeaseLost)
	}
	request := store.ClaimRequest{Thread: key, Token: uuid.NewString(), Entry: w.Entry, Agents: c.agents, Spare: c.grace.spares()}
	if w.Orphan {
		if takers, err := c.store.Takers(ctx, []string{w.Agent}); err != nil || takers[0] > 0 {
			return false, false, err // those who know its agent have no place for it
		}
		request.Agents = nil
	}
	asked := time.Now()
	claimed, err := retry.Do(ctx, func() (store.ClaimResult, error) { return c.store.Claim(ctx, request) })
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
	return true, false, c.worker.nack(claimed.Claim, record.Execution, claimed.Attempts, condemned(err))
}

// activate judges a queued input again, on the thread as it has become, and
// begins its run.
func (c *claimer) activate(ctx context.Context, claimed store.ClaimResult, asked time.Time, orphan bool) error {
	var queued store.QueuedInput
	var input protocol.RunAgentInput
	if err := stored.Decode(claimed.Input, &queued, "the queued input"); err != nil {
		return err
	}
	if err := stored.Decode(queued.Input, &input, "the queued input"); err != nil {
		return err
	}
	if c.options.Agents[queued.Agent] == nil {
		return unknownAgent(queued.Agent, orphan, false)
	}
	record, err := stored.Record(&store.RunState{Record: claimed.Record})
	if err != nil {
		return err
	}
	// Not under the run's id: under that it was taken when it came, and is given back.
	share := c.quotas.ask(c.quotas.takes(record.User, record.Tenant, claimed.Claim.RunID+"/queued"))
	defer share.settle()
	j, err := read(ctx, c.node, claimed.Claim.Thread, &input)
	if err != nil {
		return c.unused(claimed.Claim, err)
	}
	if over := share.tooManyRuns(); over != nil {
		return c.putOff(claimed.Claim, over.Message)
	}
	headers, err := headersIn(claimed.Headers)
	if err != nil {
		return err
	}
	n := beginBuilder{Judgement: j, Verdict: j.Accepted(), thread: claimed.Claim.Thread, agent: queued.Agent, user: record.User, headers: headers}
	run, once, fresh, err := n.execute(record.Execution)
	if err != nil {
		return impossible(err)
	}
	a := store.Activation{Claim: claimed.Claim, Events: once.Events, Execution: record.Execution, Frozen: fresh.Frozen, Agent: fresh.Agent, User: record.User}
	run.claim, run.asked, run.number, run.attempts = claimed.Claim, asked, 1, claimed.Attempts
	if share != nil {
		run.holding, run.counts = share.holding(), share.counts()
	}
	result, err := retry.Do(ctx, func() (store.CommitResult, error) { return c.store.Activate(ctx, a) })
	if errors.Is(err, store.ErrOutcomeUnknown) {
		c.rescueActivated(a, *run, err)
	}
	if err != nil || result.Status != store.CommitOK {
		return err // the lease runs out and the sweep tries again
	}
	run.seq = result.End.Seq
	if share != nil {
		share.carried = true
	}
	c.worker.launch(*run)
	return nil
}

// putOff gives a claim back for which its owner has no place: that is no lost worker,
// costs no attempt, and leaves the thread's queue as it is.
func (c *claimer) putOff(claim store.Claim, why string) error {
	c.backoff.putOff(claim.Thread)
	terminal, _ := protocol.Encode(&protocol.RunError{Code: adapter.CodeTooManyRuns, Message: why})
	ctx, stop := context.WithTimeout(context.Background(), c.options.StoreTimeout)
	defer stop()
	_, _ = c.store.Nack(ctx, store.Nack{Claim: claim, Error: why, Terminal: terminal, Free: true}) // or its lease ends
	return nil
}

// unused returns why a claim came to nothing. When the store did not answer the claim
// is given back, for a moment later: that is no lost worker, and costs no attempt.
func (c *claimer) unused(claim store.Claim, err error) error {
	if !errors.Is(err, store.ErrOutcomeUnknown) {
		return err
	}
	terminal, _ := protocol.Encode(&protocol.RunError{Code: adapter.CodeWorkerLost, Message: "the store did not answer when the run was to go on"})
	ctx, stop := context.WithTimeout(context.Background(), c.options.StoreTimeout)
	defer stop()
	_, _ = c.store.Nack(ctx, store.Nack{Claim: claim, Wait: c.options.Sweep, Terminal: terminal, Free: true}) // or its lease ends
	return err
}

// resumeLost goes on with a run whose worker was lost.
func (c *claimer) resumeLost(ctx context.Context, claimed store.ClaimResult, asked time.Time, orphan bool) error {
	record, err := stored.Record(&store.RunState{Record: claimed.Record})
	if err != nil {
		return err
	}
	view, err := c.store.Read(ctx, claimed.Claim.Thread, store.ReadQuery{})
	if err != nil {
		return c.unused(claimed.Claim, err)
	}
	if view.Active == nil || view.Active.ID != claimed.Claim.RunID {
		return nil // ended meanwhile
	}
	headers, err := headersIn(claimed.Headers)
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
	c.log.Info("taking over a run", "thread", claimed.Claim.Thread.Thread, "label", record.Label,
		"dispatch", claimed.Claim.RunID, "attempt", claimed.Attempts)
	c.worker.launch(begun{
		claim: claimed.Claim, asked: asked, label: record.Label, id: record.Execution, agent: record.Agent,
		view: view, snapshot: snapshot, earlier: earlier, fold: held, seq: view.Seq, attempts: claimed.Attempts, takeover: true, orphan: orphan,
		holding: holdingOfRecord(record, claimed.Claim.RunID), headers: headers,
	})
	return nil
}

// exhausted is what becomes of a run whose workers were all lost.
func (c *claimer) exhausted(ctx context.Context, claimed store.ClaimResult) error {
	u := &activationError{code: adapter.CodeWorkerLost, text: fmt.Sprintf("the worker of the run was lost %d times", claimed.Attempts-1)}
	if claimed.Kind == store.ClaimTakeover {
		view, err := c.store.Journal(ctx, claimed.Claim)
		if errors.Is(err, store.ErrClaimLost) {
			return nil
		}
		if err != nil {
			return c.unused(claimed.Claim, err)
		}
		// Decisions that nobody can read on from would come back for ever.
		j, err := readJournal(view.Journal)
		var other *activationError
		if errors.As(err, &other) {
			return other // who can read it knows what is to be given back
		}
		u.giveBack = err == nil && !j.final
	}
	return u
}

// rescueActivated is rescueBegun for a dispatch that was claimed from the queue.
// Its sender was told that it is accepted: sent again, Activate may make it active.
func (c *claimer) rescueActivated(a store.Activation, run begun, why error) {
	c.worker.rescue(a.Claim.Thread, run.label, why, func(ctx context.Context) (bool, error) {
		result, err := c.store.Activate(ctx, a)
		if err == nil && result.Status == store.CommitOK {
			run.seq = result.End.Seq
			err = c.worker.goOnWith(ctx, a.Claim, func(asked time.Time) {
				run.asked = asked
				c.worker.launch(run)
			})
		}
		return true, err
	})
}
