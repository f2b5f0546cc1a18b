package adapter

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/protocol"
)

// retireEvery is how often what is past its retention is looked for.
const retireEvery = time.Minute

// sweep claims what is due, verifies what is followed and retires what is old,
// until Shutdown.
func (r *Runner) sweep() {
	tick := time.NewTicker(r.options.Sweep)
	defer tick.Stop()
	var retired time.Time
	more := false
	for {
		r.sweepOnce()
		if more || time.Since(retired) >= retireEvery {
			more = r.retire()
			retired = time.Now()
		}
		select {
		case <-r.quiet:
			return
		case <-tick.C:
		}
	}
}

func (r *Runner) sweepOnce() {
	ctx, cancel := context.WithTimeout(r.ctx, r.options.StoreTimeout)
	defer cancel()
	due, err := r.store.Due(ctx, 100)
	if err != nil && ctx.Err() == nil {
		r.log.Warn("the sweep could not read what is due", "error", err)
	}
	for _, key := range due {
		r.claimLater(key)
	}
	if err := r.hub.verify(ctx); err != nil && ctx.Err() == nil {
		r.log.Warn("followed threads could not be verified", "error", err)
	}
}

// retire lets the store forget what is past its retention. True: there is more.
func (r *Runner) retire() bool {
	ctx, cancel := context.WithTimeout(r.ctx, r.options.StoreTimeout)
	defer cancel()
	more, err := r.store.Retire(ctx)
	if err != nil && ctx.Err() == nil {
		r.log.Warn("what is past its retention could not be retired", "error", err)
	}
	return more
}

// claimLater claims the thread's next activation, once at a time.
func (r *Runner) claimLater(key ThreadKey) {
	if r.draining() || r.leaves(key) || r.holds(key) || r.rests(key) {
		return
	}
	r.mu.Lock()
	busy := r.claims[key] > 0
	r.claims[key] = min(r.claims[key]+1, 2)
	r.mu.Unlock()
	if busy {
		return
	}
	r.background(func() {
		for again := true; again; again = r.claimed(key) {
			ctx, cancel := context.WithTimeout(r.ctx, r.options.StoreTimeout)
			if err := r.claim(ctx, key); errors.Is(err, ErrCorrupted) {
				r.spoils(key, err)
			} else if err != nil && ctx.Err() == nil {
				r.log.Warn("a claim failed; the sweep tries again", "thread", key.Thread, "error", err)
			}
			cancel()
		}
	})
}

// claimed ends a claim; true when another was asked for meanwhile.
func (r *Runner) claimed(key ThreadKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claims[key]--
	if r.claims[key] > 0 && !r.draining() {
		return true
	}
	delete(r.claims, key)
	return false
}

// claim takes the thread's next activation and carries it.
func (r *Runner) claim(ctx context.Context, key ThreadKey) error {
	request := ClaimRequest{Thread: key, Token: uuid.NewString()}
	claimed, err := again(ctx, func() (ClaimResult, error) { return r.store.Claim(ctx, request) })
	if err != nil {
		return err
	}
	switch {
	case claimed.Kind == ClaimNothing:
		return nil
	case claimed.Kind == ClaimExpired:
		return r.expire(ctx, key)
	case claimed.Exhausted:
		err = r.exhausted(ctx, claimed)
	case claimed.Kind == ClaimQueued:
		err = r.activate(ctx, claimed)
	case claimed.Kind == ClaimTakeover:
		err = r.resumeLost(ctx, claimed)
	}
	// A record that cannot be read is no reason not to settle the claim.
	record, _ := readRecord(&RunState{Record: claimed.Record})
	return r.deliver(claimed.Claim, record.Execution, claimed.Attempts, condemned(err))
}

// activate judges a waiting input again, on the thread as it has become, and
// starts its run.
func (r *Runner) activate(ctx context.Context, claimed ClaimResult) error {
	var waiting queuedInput
	var input protocol.RunAgentInput
	if err := readStored(claimed.Input, &waiting, "the waiting input"); err != nil {
		return err
	}
	if err := readStored(waiting.Input, &input, "the waiting input"); err != nil {
		return err
	}
	if r.agents[waiting.Agent] == nil {
		return unknownAgent(waiting.Agent)
	}
	j, err := r.read(ctx, claimed.Claim.Thread, &input)
	if err != nil {
		return err
	}
	b := Begin{Thread: claimed.Claim.Thread, Label: input.RunID, Agent: waiting.Agent}
	record, err := readRecord(&RunState{Record: claimed.Record})
	if err != nil {
		return err
	}
	b.Execution = record.Execution
	start, err := beginning(&b, j, verdict{fresh: j.freshMessages(j.heldMessages())})
	if err != nil {
		return impossible(err)
	}
	a := Activation{Claim: claimed.Claim, Events: b.Events, Execution: b.Execution, Frozen: b.Frozen, Agent: b.Agent}
	start.claim, start.number, start.attempts = claimed.Claim, 1, claimed.Attempts
	result, err := again(ctx, func() (CommitResult, error) { return r.store.Activate(ctx, a) })
	if errors.Is(err, ErrOutcomeUnknown) {
		r.rescueActivated(a, *start)
	}
	if err != nil || result.Status != CommitOK {
		return err // the lease runs out and the sweep tries again
	}
	start.seq = result.End.Seq
	r.start(*start)
	return nil
}

// impossible is an error that no attempt will get past.
func impossible(err error) error {
	return &undeliverable{code: CodeAgentError, text: "the stored input cannot be carried out: " + err.Error()}
}

// unknownAgent is an error that a node with that agent will not have.
func unknownAgent(name string) error {
	return &undeliverable{code: CodeAgentError, text: "the agent " + strconv.Quote(name) + " is not known to this server", later: true, elsewhere: true}
}

// resumeLost goes on with a run whose worker was lost.
func (r *Runner) resumeLost(ctx context.Context, claimed ClaimResult) error {
	record, err := readRecord(&RunState{Record: claimed.Record})
	if err != nil {
		return err
	}
	view, err := r.store.Read(ctx, claimed.Claim.Thread, ReadQuery{})
	if err != nil {
		return err
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
		claim: claimed.Claim, label: record.Label, id: record.Execution, agent: record.Agent,
		view: view, fold: fold, seq: view.Seq, attempts: claimed.Attempts, takeover: true,
	})
	return nil
}
