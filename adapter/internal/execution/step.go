package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/store"
)

// errInside is wrapped by what is refused inside a step or a branch.
var errInside = errors.New("not possible here")

func (l *line) Step(ctx context.Context, name string, options adapter.StepOptions, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	input := ""
	if options.Input != nil {
		var err error
		if input, err = canonical.Digest(options.Input); err != nil {
			return nil, fmt.Errorf("the input of step %s: %w", name, err)
		}
	}
	x, s := l.x, l.s
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refusal(s); err != nil {
		return nil, err
	}
	if s.step != "" {
		return nil, fmt.Errorf("adapter: step %s inside step %s: %w: use Parallel for steps at once", name, s.step, errInside)
	}
	s.passPauses()
	if !options.KeepOnDrain && s.live() && (x.recorded || restartable(x.agent)) && x.HandsBack(x.Ctx, x.named) {
		x.leaving = true
		return nil, ErrHandBack
	}
	if !options.KeepOnDrain {
		if err := x.pauseHere(s, ""); err != nil {
			return nil, err
		}
	}
	ref := store.StepRef{Scope: s.name, Key: s.number(name)}
	recorded := s.next()
	if recorded != nil {
		if result, known, err := x.replayed(s, recorded, ref, options.Idempotent, input); known || err != nil {
			return result, err
		}
	}
	if options.Before != nil {
		if err := x.ahead(ctx, s, ref, options.Before); err != nil {
			return nil, err
		}
	}
	about := aboutOf(options.About)
	start := &store.JournalEntry{Kind: store.EntryStart, Scope: ref.Scope, Key: ref.Key, Digest: input, Idempotent: options.Idempotent, About: about}
	if !options.Idempotent || input != "" && recorded == nil {
		// The worker that goes on with the run asks about a start, so none is stored that
		// this worker may not follow up.
		if err := x.Lease.await(x.Ctx); err != nil {
			return nil, x.seal(adapter.ErrStopped)
		}
		if err := x.record(s, start); err != nil {
			return nil, err
		}
		start = nil
	}
	return x.perform(ctx, s, ref, start, about, fn)
}

// replayed is what the journal says of a step. Known: the step is not to be done again.
func (x *execution) replayed(s *scope, recorded *store.JournalEntry, ref store.StepRef, idempotent bool, input string) (result json.RawMessage, known bool, err error) {
	if (recorded.Kind != store.EntryStep && recorded.Kind != store.EntryStart) || recorded.Key != ref.Key {
		return nil, false, x.seal(&adapter.DivergedError{Journaled: recorded.String(), Replayed: "step " + ref.Key})
	}
	if journaled := x.journal.Inputs[ref]; journaled != "" && journaled != input {
		return nil, false, x.seal(&adapter.DivergedError{Replayed: "step " + ref.Key + " has another input than was journaled"})
	}
	s.cursor++
	if done := x.journal.Steps[ref]; done != nil {
		if done.Failed != nil {
			return nil, true, &adapter.StepError{Step: ref.Key, Message: *done.Failed}
		}
		return done.Result, true, nil
	}
	switch said := x.journal.Decided[ref]; said.Action {
	case "done":
		return json.RawMessage(said.Result), true, nil
	case "fail":
		return nil, true, &adapter.StepError{Step: ref.Key, Message: "step " + ref.Key + " was declared failed"}
	}
	if x.journal.Started[ref] && !idempotent {
		return nil, false, x.seal(&adapter.DivergedError{Journaled: recorded.String() + " without a result", Replayed: "step " + ref.Key + " once more"})
	}
	return nil, false, nil
}

// ahead does what comes before a step's function. The execution's lock is held on entry
// and on return, not while it is done.
func (x *execution) ahead(ctx context.Context, s *scope, ref store.StepRef, before func(context.Context) error) error {
	s.step, s.stepIDs = ref.Key, 0
	defer func() { s.step = "" }()
	err := func() error {
		x.mu.Unlock()
		defer x.mu.Lock()
		ctx, cancel := x.within(inside(ctx, "step "+ref.Key))
		defer cancel()
		return before(ctx)
	}()
	switch {
	case x.sealed != nil:
		return x.sealed
	case x.Ctx.Err() != nil:
		return x.seal(adapter.ErrStopped)
	}
	return err
}

// perform runs a step's function and journals its outcome. The execution's
// lock is held on entry and on return, not while fn runs. start is nil where it
// is journaled.
func (x *execution) perform(ctx context.Context, s *scope, ref store.StepRef, start *store.JournalEntry, about *store.StepAbout, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	s.step, s.stepIDs, s.told = ref.Key, 0, false
	defer func() { s.step = "" }()
	begun := time.Now()
	result, err := x.unlocked(ctx, ref, fn)
	took := time.Since(begun)
	var p *panics.Error
	if errors.As(err, &p) {
		defer panic(p)
	}
	if x.sealed != nil {
		return nil, x.sealed
	}
	if x.Ctx.Err() != nil {
		return nil, x.seal(adapter.ErrStopped)
	}
	if back := (*adapter.GiveBackError)(nil); errors.As(err, &back) {
		return nil, x.seal(err)
	}
	if why := (*adapter.UncertainError)(nil); errors.As(err, &why) && x.mayAsk(s) {
		if s.told {
			return nil, x.breakOff(s, ref, about, why)
		}
		return nil, x.askWhatBecame(ref, start, about, why)
	}
	done := &store.JournalEntry{Kind: store.EntryStep, Scope: ref.Scope, Key: ref.Key, Result: result}
	if err != nil {
		text := err.Error()
		done.Failed, done.Result = &text, nil
		err = &adapter.StepError{Step: ref.Key, Message: text}
	}
	if journaled := x.record(s, done); journaled != nil {
		return nil, journaled
	}
	x.journal.Ran.Add(ref.Key, err != nil, time.Now(), took)
	x.node.Reached("after_record")
	return result, err
}

func (x *execution) unlocked(ctx context.Context, ref store.StepRef, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	x.mu.Unlock()
	defer x.mu.Lock()
	ctx, cancel := x.within(inside(ctx, "step "+ref.Key))
	defer cancel()
	x.node.Reached("step_before_effect")
	if err := x.Lease.await(ctx); err != nil {
		return nil, err
	}
	ctx, span := x.node.Traces.Step(ctx, x.Ctx, ref.Key)
	var result json.RawMessage
	err := panics.Contain(func() (err error) {
		result, err = fn(ctx)
		return err
	})
	span.End(err != nil)
	x.node.Reached("step_after_effect")
	return result, err
}

// within ties a context of the agent's to the life of the run.
func (x *execution) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(x.Ctx, func() { cancel(context.Cause(x.Ctx)) })
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
		x.journal.Wrote(r)
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
		return ErrHandBack
	case x.outgrown():
		return x.outgrow()
	case s.forked:
		return fmt.Errorf("adapter: a branch of Parallel must use its own Run: %w", errInside)
	}
	return nil
}

// insideKey marks the context handed to steps and branches.
type insideKey struct{}

func inside(ctx context.Context, what string) context.Context {
	return context.WithValue(ctx, insideKey{}, what)
}

// inside names what a caller is inside of where only a whole run may call; "": of
// nothing. The execution's lock is held.
func (x *execution) inside(ctx context.Context, s *scope) string {
	what, _ := ctx.Value(insideKey{}).(string)
	switch {
	case what != "":
		return what
	case s.step != "":
		return "step " + s.step
	case s.branch || x.forks > 0:
		return "a branch of Parallel"
	}
	return ""
}

// maxAbout bounds the arguments that are kept of what a step is about, in bytes.
const maxAbout = 4 << 10

// aboutOf is what the journal keeps of what a step is about.
func aboutOf(about *store.StepAbout) *store.StepAbout {
	if about == nil || len(about.Args) <= maxAbout && json.Valid(about.Args) {
		return about
	}
	kept := *about
	kept.Args = nil
	return &kept
}
