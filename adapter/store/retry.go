package store

import (
	"context"
	"time"
)

// Retries is how a claim is given up without an end.
type Retries interface {
	// HandBack gives an active claim up without an end, so that any node may
	// claim it at once as a takeover; the attempt is not counted. A dispatch that
	// was not activated waits again, at the head of its thread.
	HandBack(ctx context.Context, c Claim) error
	// Nack gives a claim back because the activation failed and may succeed
	// later: the dispatch is queued again, at the head of its thread, and waits
	// for n.Wait. A claim that was the last of its attempts becomes a dead letter
	// instead, as by Bury. A lost claim changes nothing (NackLost). Sent again
	// it answers as it did the first time.
	Nack(ctx context.Context, n Nack) (NackResult, error)
	// Bury makes a dead letter of a claimed dispatch, whatever attempts it has
	// left, and ends its run with n.Terminal. Its execution and journal stay
	// until the thread begins another execution, so that Requeue may go
	// on with them.
	Bury(ctx context.Context, n Nack) (NackResult, error)
}

// Nack gives a claim back.
type Nack struct {
	Claim Claim
	Wait  time.Duration // how long it is not claimed unless by id; in milliseconds. 0, or less: at once
	Error string        // kept with the dispatch
	Free  bool          // of Nack: the attempt does not count, so that it is never the last
	// Terminal is the RUN_ERROR to log when the dispatch becomes a dead letter,
	// after what Batch.Closing said. A run that was never activated gets its
	// RUN_STARTED from Enqueue.Cancelled before it.
	Terminal []byte
	// GiveBack is End.GiveBack for a dispatch that becomes a dead letter.
	GiveBack bool
}

// NackResult answers Nack and Bury.
type NackResult struct {
	State    DispatchState // DispatchQueued or DispatchDeadLetter; or NackLost
	Ready    bool          // as CommitResult
	GaveBack bool
}

// NackLost is NackResult.State for a claim that is not held any more.
const NackLost DispatchState = ""
