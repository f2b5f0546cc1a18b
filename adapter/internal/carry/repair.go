package carry

import (
	"context"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Repair stops all of a thread in which the usual way stumbles over what cannot be
// read.
func (a *ActiveRuns) Repair(ctx context.Context, key store.ThreadKey, reason string) (store.StopAllResult, error) {
	terminal, err := protocol.Encode(&protocol.RunError{Code: adapter.CodeStateCorrupted, Message: node.ToldCorrupted})
	if err != nil {
		return store.StopAllResult{}, err
	}
	i := store.StopAll{Thread: key, Request: uuid.NewString(), Reason: reason, Terminal: terminal, Repair: true}
	result, err := retry.Do(ctx, func() (store.StopAllResult, error) { return a.Store.StopAll(ctx, i) })
	if err != nil {
		return store.StopAllResult{}, err
	}
	if result.Active != "" {
		a.Fence(result.Active)
	}
	return result, nil
}
