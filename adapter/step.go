package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/store"
)

// StepError is what Step returns when its function failed, in the call in
// which it did and in every replay: the path after it is the same. The
// original error is kept as its text only.
type StepError struct {
	Step    string // name and ordinal
	Message string
}

func (e *StepError) Error() string { return e.Message }

// errInside is wrapped by what is refused inside a step or a branch.
var errInside = errors.New("not possible here")

// Step runs fn once in the execution and journals its result or its error:
// a replay returns the same without running fn. The result goes through JSON
// even when fn has just run; in what is any its numbers are json.Number. Steps are
// keyed by name and ordinal in the order of the calls; parallel ones need Parallel.
// A replay tells two steps of one name apart by what they are Given, and not at all
// when they are given nothing.
//
// If the worker dies after fn was started and before its result was recorded,
// fn is not silently run again: a human is asked whether it took effect
// (ReasonUncertainStep). fn's context ends when the run is cancelled or another
// worker has it; what it then returns is not recorded. Neither is a GiveBackError,
// which ends the run and gives back the answers that it carries out, nor an
// UncertainError, after which a human is asked as well.
//
// fn is called only while at least a fifth of Options.Lease is left of this worker's
// claim, looked at right before; else Step waits until the claim is renewed. A machine
// that stands still inside fn for longer than that may find that another one has the
// run. While the store does not answer Step waits with what fn returned.
func Step[T any](ctx context.Context, run *Run, name string, fn func(ctx context.Context) (T, error), options ...StepOption) (T, error) {
	return step(ctx, run, name, false, fn, options)
}

// IdempotentStep is Step for a function that may safely run again: after the
// death of a worker inside it, it simply does, if it is Given the same.
func IdempotentStep[T any](ctx context.Context, run *Run, name string, fn func(ctx context.Context) (T, error), options ...StepOption) (T, error) {
	return step(ctx, run, name, true, fn, options)
}

func step[T any](ctx context.Context, run *Run, name string, idempotent bool, fn func(ctx context.Context) (T, error), options []StepOption) (T, error) {
	var result T
	manner, err := mannerOf(idempotent, options)
	if err != nil {
		return result, fmt.Errorf("adapter: step %s: %w", name, err)
	}
	raw, err := run.step(ctx, name, manner, func(ctx context.Context) (json.RawMessage, error) {
		value, err := fn(ctx)
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("adapter: result of step %s: %w", name, err)
		}
		return raw, nil
	})
	if err != nil {
		return result, err
	}
	if len(raw) > 0 {
		if err := decode(raw, &result); err != nil {
			return result, &StepError{Step: name, Message: "adapter: recorded result of step " + name + ": " + err.Error()}
		}
	}
	return result, nil
}

func (r *Run) step(ctx context.Context, name string, as stepManner, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	x, s := r.x, r.s
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refusal(s); err != nil {
		return nil, err
	}
	if s.step != "" {
		return nil, fmt.Errorf("adapter: step %s inside step %s: %w: use Parallel for steps at once", name, s.step, errInside)
	}
	s.passPauses()
	if !as.goesOn && s.live() && (x.recorded || restartable(x.agent)) && x.presence.handsBack(x.ctx, x.named) {
		x.leaving = true
		return nil, errHandBack
	}
	if !as.goesOn {
		if err := x.pauseHere(s, ""); err != nil {
			return nil, err
		}
	}
	ref := store.StepRef{Scope: s.name, Key: s.number(name)}
	recorded := s.next()
	if recorded != nil {
		if result, known, err := x.replayed(s, recorded, ref, as); known || err != nil {
			return result, err
		}
	}
	for _, first := range as.first {
		if err := x.ahead(ctx, s, ref, first); err != nil {
			return nil, err
		}
	}
	start := &store.JournalEntry{Kind: store.EntryStart, Scope: ref.Scope, Key: ref.Key, Digest: as.given, Idempotent: as.idempotent, About: as.about}
	if !as.idempotent || as.given != "" && recorded == nil {
		// The worker that goes on with the run asks about a start, so none is stored that
		// this worker may not follow up.
		if err := x.lease.await(x.ctx); err != nil {
			return nil, x.seal(ErrStopped)
		}
		if err := x.record(s, start); err != nil {
			return nil, err
		}
		start = nil
	}
	return x.perform(ctx, s, ref, start, as.about, fn)
}

// replayed is what the journal says of a step. Known: the step is not to be done again.
func (x *execution) replayed(s *scope, recorded *store.JournalEntry, ref store.StepRef, as stepManner) (result json.RawMessage, known bool, err error) {
	if (recorded.Kind != store.EntryStep && recorded.Kind != store.EntryStart) || recorded.Key != ref.Key {
		return nil, false, x.seal(&DivergedError{Journaled: recorded.String(), Replayed: "step " + ref.Key})
	}
	if journaled := x.journal.given[ref]; journaled != "" && journaled != as.given {
		return nil, false, x.seal(&DivergedError{Replayed: "step " + ref.Key + " is given something else than was journaled"})
	}
	s.cursor++
	if done := x.journal.steps[ref]; done != nil {
		if done.Failed != nil {
			return nil, true, &StepError{Step: ref.Key, Message: *done.Failed}
		}
		return done.Result, true, nil
	}
	switch said := x.journal.decided[ref]; said.Action {
	case "done":
		return json.RawMessage(said.Result), true, nil
	case "fail":
		return nil, true, &StepError{Step: ref.Key, Message: "step " + ref.Key + " was declared failed"}
	}
	if x.journal.started[ref] && !as.idempotent {
		return nil, false, x.seal(&DivergedError{Journaled: recorded.String() + " without a result", Replayed: "step " + ref.Key + " once more"})
	}
	return nil, false, nil
}

// ahead does what comes before a step's function. The execution's lock is held on entry
// and on return, not while it is done.
func (x *execution) ahead(ctx context.Context, s *scope, ref store.StepRef, first func(context.Context) error) error {
	s.step, s.stepIDs = ref.Key, 0
	defer func() { s.step = "" }()
	err := func() error {
		x.mu.Unlock()
		defer x.mu.Lock()
		ctx, cancel := x.within(inside(ctx, "step "+ref.Key))
		defer cancel()
		return first(ctx)
	}()
	switch {
	case x.sealed != nil:
		return x.sealed
	case x.ctx.Err() != nil:
		return x.seal(ErrStopped)
	}
	return err
}

// perform runs a step's function and journals its outcome. The execution's
// lock is held on entry and on return, not while fn runs. start is nil where it
// is journaled.
func (x *execution) perform(ctx context.Context, s *scope, ref store.StepRef, start *store.JournalEntry, about *store.StepAbout, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	s.step, s.stepIDs = ref.Key, 0
	defer func() { s.step = "" }()
	result, err := x.unlocked(ctx, ref, fn)
	var p *panics.Error
	if errors.As(err, &p) {
		defer panic(p)
	}
	if x.sealed != nil {
		return nil, x.sealed
	}
	if x.ctx.Err() != nil {
		return nil, x.seal(ErrStopped)
	}
	if back := (*GiveBackError)(nil); errors.As(err, &back) {
		return nil, x.seal(err)
	}
	if why := (*UncertainError)(nil); errors.As(err, &why) && x.mayAsk(s) {
		return nil, x.askWhatBecame(ref, start, about, why)
	}
	done := &store.JournalEntry{Kind: store.EntryStep, Scope: ref.Scope, Key: ref.Key, Result: result}
	if err != nil {
		text := err.Error()
		done.Failed, done.Result = &text, nil
		err = &StepError{Step: ref.Key, Message: text}
	}
	if journaled := x.record(s, done); journaled != nil {
		return nil, journaled
	}
	x.journal.ran.add(ref.Key, err != nil, time.Now())
	x.node.reached("after_record")
	return result, err
}

func (x *execution) unlocked(ctx context.Context, ref store.StepRef, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	x.mu.Unlock()
	defer x.mu.Lock()
	ctx, cancel := x.within(inside(ctx, "step "+ref.Key))
	defer cancel()
	x.node.reached("step_before_effect")
	if err := x.lease.await(ctx); err != nil {
		return nil, err
	}
	var result json.RawMessage
	err := panics.Contain(func() (err error) {
		result, err = fn(ctx)
		return err
	})
	x.node.reached("step_after_effect")
	return result, err
}

// within ties a context of the agent's to the life of the run.
func (x *execution) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(x.ctx, func() { cancel(context.Cause(x.ctx)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// record journals r behind all that was emitted before it, and waits until it
// is stored. The lock is held throughout, so that nothing slips between. Events that a
// branch holds back stay held at the start of a step: they would be final then, and the
// branch would have no entry that says so. The outcome of a step is recorded even when what
// was emitted beside it is refused.
func (x *execution) record(s *scope, r *store.JournalEntry) error {
	var it item
	var refused error
	if !s.branch || r.Kind != store.EntryStart {
		it, refused = x.flush(s)
	}
	if refused != nil && r.Kind != store.EntryStep {
		if err := x.add(it, false); err != nil {
			return err
		}
		return x.seal(refused)
	}
	if !x.blocking() {
		it.entries = []*store.JournalEntry{r}
	}
	if err := x.add(it, true); err != nil {
		return err
	}
	for _, r := range it.entries {
		x.journal.wrote(r)
	}
	x.recorded = !x.blocking()
	if refused != nil {
		return x.seal(refused)
	}
	return nil
}

// refusal is why a call on the scope is not possible now.
func (x *execution) refusal(s *scope) error {
	switch {
	case x.sealed != nil:
		return x.closed()
	case x.leaving && s.step == "":
		return errHandBack
	case x.outgrown():
		return x.outgrow()
	case s.forked:
		return fmt.Errorf("adapter: a branch of Parallel must use its own Run: %w", errInside)
	}
	return nil
}
