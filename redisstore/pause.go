package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
)

// pauses keeps the wish that a thread's run suspends.
type pauses struct{ *connection }

// Pause implements store.Control.
func (s *pauses) Pause(ctx context.Context, key store.ThreadKey) (bool, error) {
	return s.pause(ctx, key, "wish", "", store.Claim{})
}

// Unpause implements store.Control.
func (s *pauses) Unpause(ctx context.Context, key store.ThreadKey, request string) (bool, error) {
	if request == "" {
		return false, errors.New("redisstore: unpause: a call needs a name")
	}
	return s.pause(ctx, key, "back", request, store.Claim{})
}

// TakePause implements store.Worker.
func (s *pauses) TakePause(ctx context.Context, c store.Claim) (bool, error) {
	return s.pause(ctx, c.Thread, "take", "", c)
}

func (s *pauses) pause(ctx context.Context, key store.ThreadKey, how, request string, c store.Claim) (bool, error) {
	r, err := s.run(ctx, call{script: pauseScript, keys: []string{s.keys.thread(key).rec()}, args: args{
		{"how", how}, {"request", request}, {"run", c.RunID}, {"token", c.Token}, {"depoch", c.DispatchEpoch},
	}})
	if err != nil {
		return false, err
	}
	return r.bool(), r.err
}
