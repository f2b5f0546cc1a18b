package adapter

import (
	"context"
	"encoding/json"
	"fmt"
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
// A replay tells two steps of one name apart by what they are Given, and not at all
// when they are given nothing.
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
	replayed := true
	manner, err := mannerOf(idempotent, options)
	if err != nil {
		return result, fmt.Errorf("adapter: step %s: %w", name, err)
	}
	raw, err := run.x.Step(ctx, name, manner, func(ctx context.Context) (json.RawMessage, error) {
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
