package adapter

import (
	"context"
	"encoding/json"
	"fmt"

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

// Step runs fn once in the execution and journals its result or its error:
// a replay returns the same without running fn. The result goes through JSON
// even when fn has just run; in what is any its numbers are json.Number. Steps are
// keyed by name and ordinal in the order of the calls; parallel ones need Parallel.
// A recorded result that does not fit T any more is a DivergedError.
//
// If the worker dies after fn was started and before its result was recorded,
// fn is not silently run again: a human is asked whether it took effect
// (ReasonUncertainStep). If they say that it was done and give no result, Step returns T's zero
// value and no error: check for it where you use the result. fn's context ends when the run is cancelled or another
// worker has it; what it then returns is not recorded. Neither is a GiveBackError,
// which ends the run and gives back the answers that it carries out, nor an
// UncertainError, after which a human is asked as well.
//
// fn is called only while at least a fifth of runner.Options.Lease is left of this worker's
// claim, looked at right before; else Step waits until the claim is renewed. A machine
// that stands still inside fn for longer than that may find that another one has the
// run. While the store does not answer Step waits with what fn returned.
func Step[T any](ctx context.Context, run *Run, name string, fn func(ctx context.Context) (T, error)) (T, error) {
	return StepWith(ctx, run, name, StepOptions{}, fn)
}

// StepOptions say more about a step. The zero value is a step of Step.
type StepOptions struct {
	// Idempotent says that the step's function may safely run again. After the death of a
	// worker inside it, it simply does, if Input is the same, and no human is asked.
	Idempotent bool
	// Input is what the function depends on, in a value that json.Marshal accepts. Its digest
	// is journaled before the function is called. A replay that comes to the step with another
	// input is a DivergedError. Inputs are the same that are equal as JSON, whatever the order
	// of their members. nil: a replay compares nothing.
	Input any
	// Before is called before the function, and before the step's start is journaled: it waits
	// for what the function needs, and has no effect. It is not called if the function is not.
	// A worker that dies in it has begun nothing. Its error, such as a GiveBackError, is what
	// StepWith returns, and nothing is recorded of the step.
	Before func(ctx context.Context) error
	// KeepOnDrain says that the step goes on with something that this worker has and another
	// one could not have, such as an open connection. A worker that drains does not hand the
	// run back before such a step, nor does an operator's pause take effect there.
	KeepOnDrain bool
	// About is for a human who is asked what became of the step: see ReasonUncertainStep.
	// Arguments of more than 4 KiB are left out. nil: the step's name has to do.
	About *StepAbout
}

// StepAbout is what a step is about. Its fields: go doc store.StepAbout.
type StepAbout = store.StepAbout

// StepWith is Step with options.
func StepWith[T any](ctx context.Context, run *Run, name string, options StepOptions, fn func(ctx context.Context) (T, error)) (T, error) {
	var result T
	replayed := true
	raw, err := run.x.Step(ctx, name, options, func(ctx context.Context) (json.RawMessage, error) {
		replayed = false
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
			if replayed { // T has changed since: the answers that led here are not to be lost
				return result, &DivergedError{Replayed: "the recorded result of step " + name + " does not fit its type: " + err.Error()}
			}
			return result, &StepError{Step: name, Message: "adapter: recorded result of step " + name + ": " + err.Error()}
		}
	}
	return result, nil
}
