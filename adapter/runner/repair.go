package runner

import (
	"context"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// repair stops all of a thread in which the usual way stumbles over what cannot be
// read.
func (a *activeRuns) repair(ctx context.Context, key store.ThreadKey, reason string) (store.StopAllResult, error) {
	terminal, err := protocol.Encode(&protocol.RunError{Code: adapter.CodeStateCorrupted, Message: toldCorrupted})
	if err != nil {
		return store.StopAllResult{}, err
	}
	i := store.StopAll{Thread: key, Request: uuid.NewString(), Reason: reason, Terminal: terminal, Repair: true}
	result, err := retry.Do(ctx, func() (store.StopAllResult, error) { return a.store.StopAll(ctx, i) })
	if err != nil {
		return store.StopAllResult{}, err
	}
	if result.Active != "" {
		a.fence(result.Active)
	}
	return result, nil
}
