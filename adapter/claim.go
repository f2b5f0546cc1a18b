package adapter

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// tryClaim claims the thread once; took: there was something to claim.
func (r *Runner) tryClaim(key store.ThreadKey) (took bool) {
	ctx, cancel := context.WithTimeout(r.ctx, r.options.StoreTimeout)
	defer cancel()
	err := r.contain("claim", key, func() (err error) {
		took, err = r.claim(ctx, key)
		return err
	})
	switch tries := r.noteClaim(key, err); {
	case err == nil || r.ctx.Err() != nil:
	case !errors.Is(err, store.ErrCorrupted):
		r.log.Warn("a claim failed; the sweep tries again", "thread", key.Thread, "tries", tries, "error", err)
	case tries == 1:
		r.log.Error("a thread cannot be claimed: interrupt or delete it", "namespace", key.Namespace, "thread", key.Thread, "error", err)
	}
	return took && err == nil
}

// claim takes the thread's next activation and carries it. The caller holds a
// place for its run.
func (r *Runner) claim(ctx context.Context, key store.ThreadKey) (took bool, err error) {
	if x := r.carries(key); x != nil {
		if kept, err := x.lease.ask(ctx); err != nil || kept {
			return false, err
		}
		x.cancel(errLeaseLost)
	}
	request := store.ClaimRequest{Thread: key, Token: uuid.NewString(), Spare: r.silence.spares()}
	asked := time.Now()
	claimed, err := again(ctx, func() (store.ClaimResult, error) { return r.store.Claim(ctx, request) })
	if err != nil {
		return false, err
	}
	switch {
	case claimed.Kind == store.ClaimNothing:
		return false, nil
	case claimed.Kind == store.ClaimExpired:
		return true, r.expire(ctx, key)
	case claimed.Exhausted:
		err = r.exhausted(ctx, claimed)
	case claimed.Kind == store.ClaimQueued:
		err = r.activate(ctx, claimed, asked)
	case claimed.Kind == store.ClaimTakeover:
		err = r.resumeLost(ctx, claimed, asked)
	}
	// A record that cannot be read is no reason not to settle the claim.
	record, _ := readRecord(&store.RunState{Record: claimed.Record})
	return true, r.deliver(claimed.Claim, record.Execution, claimed.Attempts, condemned(err))
}

// activate judges a waiting input again, on the thread as it has become, and
// starts its run.
func (r *Runner) activate(ctx context.Context, claimed store.ClaimResult, asked time.Time) error {
	var waiting queuedInput
	var input protocol.RunAgentInput
	if err := readStored(claimed.Input, &waiting, "the waiting input"); err != nil {
		return err
	}
	if err := readStored(waiting.Input, &input, "the waiting input"); err != nil {
		return err
	}
	if r.agents[waiting.Agent] == nil {
		return unknownAgent(waiting.Agent, nil)
	}
	j, err := r.read(ctx, claimed.Claim.Thread, &input)
	if err != nil {
		return r.unused(claimed.Claim, err)
	}
	record, err := readRecord(&store.RunState{Record: claimed.Record})
	if err != nil {
		return err
	}
	n := beginning{judgement: j, verdict: verdict{fresh: j.freshMessages(j.heldMessages())}, agent: waiting.Agent}
	start, once, fresh, err := n.execute(record.Execution)
	if err != nil {
		return impossible(err)
	}
	a := store.Activation{Claim: claimed.Claim, Events: once.Events, Execution: record.Execution, Frozen: fresh.Frozen, Agent: fresh.Agent}
	start.claim, start.asked, start.number, start.attempts = claimed.Claim, asked, 1, claimed.Attempts
	result, err := again(ctx, func() (store.CommitResult, error) { return r.store.Activate(ctx, a) })
	if errors.Is(err, store.ErrOutcomeUnknown) {
		r.rescueActivated(a, *start, err)
	}
	if err != nil || result.Status != store.CommitOK {
		return err // the lease runs out and the sweep tries again
	}
	start.seq = result.End.Seq
	r.start(*start)
	return nil
}

// unused returns why a claim came to nothing. When the store did not answer the claim
// is given back, for a moment later: that is no lost worker, and costs no attempt.
func (r *Runner) unused(claim store.Claim, err error) error {
	if !errors.Is(err, store.ErrOutcomeUnknown) {
		return err
	}
	terminal, _ := protocol.Encode(&protocol.RunError{Code: CodeWorkerLost, Message: err.Error()})
	ctx, stop := context.WithTimeout(context.Background(), r.options.StoreTimeout)
	defer stop()
	_, _ = r.store.Nack(ctx, store.Nack{Claim: claim, Wait: r.options.Sweep, Terminal: terminal, Free: true}) // or its lease ends
	return err
}

// impossible is an error that no attempt will get past.
func impossible(err error) error {
	return &undeliverable{code: CodeAgentError, text: "the stored input cannot be carried out: " + err.Error()}
}

// unknownAgent is an error that a node with that agent will not have. j is the
// journal that it would go on from; nil: there is none.
func unknownAgent(name string, j *journal) error {
	return &undeliverable{
		code: CodeAgentError, text: "the agent " + strconv.Quote(name) + " is not known to this server",
		later: true, elsewhere: true, giveBack: j != nil && !j.final,
	}
}

// resumeLost goes on with a run whose worker was lost.
func (r *Runner) resumeLost(ctx context.Context, claimed store.ClaimResult, asked time.Time) error {
	record, err := readRecord(&store.RunState{Record: claimed.Record})
	if err != nil {
		return err
	}
	view, err := r.store.Read(ctx, claimed.Claim.Thread, store.ReadQuery{})
	if err != nil {
		return r.unused(claimed.Claim, err)
	}
	fold, err := foldView(view, -1)
	if err != nil {
		return err
	}
	if view.Active == nil || view.Active.ID != claimed.Claim.RunID {
		return nil // ended meanwhile
	}
	r.log.Info("taking over a run", "thread", claimed.Claim.Thread.Thread, "run", record.Label,
		"dispatch", claimed.Claim.RunID, "attempt", claimed.Attempts)
	r.start(begin{
		claim: claimed.Claim, asked: asked, label: record.Label, id: record.Execution, agent: record.Agent,
		view: view, fold: fold, seq: view.Seq, attempts: claimed.Attempts, takeover: true,
	})
	return nil
}
