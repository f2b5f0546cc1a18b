package execution

import (
	"errors"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
)

// settleCalls ends what the execution has called and does not wait for any more, before
// anything else is done. False: it was called itself, and nobody waits for it.
func (x *execution) settleCalls(b *Begun) (bool, error) {
	var left []string
	switch {
	case x.journal.Stopped && x.journal.Called != nil:
		left = []string{x.journal.Called.Thread}
	case x.journal.Entries == 0:
		left = x.frozen.LeftCalls
	}
	by := x.frozen.User
	if x.journal.Answered != nil {
		by = x.journal.Answered.User
	}
	for _, child := range left {
		if err := x.endCall(child, by); err != nil {
			return false, err
		}
	}
	if x.frozen.Caller == nil || b.Continuing || b.Requeued || x.journal.Entries > 0 {
		return true, nil
	}
	return retry.Do(x.Ctx, func() (bool, error) {
		return x.Calls.Waits(x.Ctx, x.Claim.Thread.Namespace, x.frozen.Caller)
	})
}

func (x *execution) endCall(child, by string) error {
	_, err := retry.Do(x.Ctx, func() (struct{}, error) {
		return struct{}{}, x.Calls.End(x.Ctx, x.Claim.Thread, child, by)
	})
	return err
}

// Tells is the thread whose call is to be looked at when this activation is over: its own if it
// has called, or that of its caller if it has ended.
func (x *execution) Tells() (thread store.ThreadKey, is bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	thread = x.Claim.Thread
	switch {
	case x.called:
		return thread, true
	case x.frozen.Caller == nil || errors.Is(x.sealed, adapter.ErrSuspended):
		return thread, false
	}
	thread.Thread = x.frozen.Caller.Thread
	return thread, true
}
