// Package retry sends calls of a store again whose outcome is not known.
package retry

import (
	"context"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Do sends a call until its outcome is known, or ctx ends: each writing call
// recognises itself.
func Do[T any](ctx context.Context, call func() (T, error)) (T, error) {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		result, err := call()
		if !errors.Is(err, store.ErrOutcomeUnknown) {
			return result, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return result, err
		case <-timer.C:
		}
	}
}
