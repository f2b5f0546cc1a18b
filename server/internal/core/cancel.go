package core

import (
	"context"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
)

// Stop cancels the runs of a label, and tells whoever waits for one of them here.
func (s *Core) Stop(ctx context.Context, key store.ThreadKey, label string, by admission.Actor) (bool, error) {
	cancelled, err := s.Runs.Cancel(ctx, key, label, by)
	if err != nil {
		return false, err
	}
	if len(cancelled.Owed) > 0 {
		s.Awaiting.Pay(key, label, cancelled.Owed)
	}
	return cancelled.Stopped, nil
}
