package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// ErrWaitCancelled is what Run.Sleep and Event.Wait return if the wait was cancelled.
var ErrWaitCancelled = errors.New("the wait was cancelled")

// Sleep suspends the run as Ask does until a time of the store's clock, to the millisecond.
// It returns ErrSuspended, which the agent must return: nothing of the agent stays in memory.
// At that time, or soon after, the agent is called again and the same Sleep returns nil. A
// time that has passed suspends the run too. Clients see an interrupt of ReasonTimer, which
// nobody can resolve. If it is cancelled, Sleep is ErrWaitCancelled.
//
// A replay must come to the same time: count it from Run.Now or from a step's result. Sleep
// is called where Ask may be, outside of a Step and of a branch of Parallel.
func (r *Run) Sleep(ctx context.Context, until time.Time) error {
	if until.IsZero() {
		return errors.New("adapter: Sleep until the zero time, which never comes: give a time")
	}
	at := until.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
	answer, err := r.x.Sleep(ctx, OnExpiry(protocol.Interrupt{
		Reason: ReasonTimer, Message: fmt.Sprintf("The run waits until %s.", at), ExpiresAt: at,
	}, Expiry{Answer: json.RawMessage("null")}))
	if err != nil {
		return err
	}
	if a := answersOf(answer).Of[0]; !a.Expired() {
		return ErrWaitCancelled
	}
	return nil
}
