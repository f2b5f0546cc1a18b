package redisstore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// pauses keeps the wish that a thread's run suspends.
type pauses struct{ conn *link.Connection }

// Pause implements store.Control.
func (s *pauses) Pause(ctx context.Context, key store.ThreadKey, w store.Wish) (bool, error) {
	is, _, err := s.pause(ctx, key, pausing{how: "wish", note: string(w.Note)})
	return is, err
}

// Unpause implements store.Control.
func (s *pauses) Unpause(ctx context.Context, key store.ThreadKey, request string) (bool, error) {
	if request == "" {
		return false, errors.New("redisstore: unpause: a call needs a name")
	}
	is, _, err := s.pause(ctx, key, pausing{how: "back", request: request})
	return is, err
}

// TakePause implements store.Worker.
func (s *pauses) TakePause(ctx context.Context, c store.Claim) (*store.Wish, error) {
	is, note, err := s.pause(ctx, c.Thread, pausing{how: "take", claim: c})
	if err != nil || !is {
		return nil, err
	}
	return &store.Wish{Note: note}, nil
}

// pausing is what is asked of pause.lua, which says what each way needs.
type pausing struct {
	how     string
	request string
	claim   store.Claim
	note    string
}

func (s *pauses) pause(ctx context.Context, key store.ThreadKey, p pausing) (bool, json.RawMessage, error) {
	t := s.conn.Keys.Thread(key)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Pause, Keys: []string{t.Rec(), t.Disp()}, Args: lua.Args{
		{"how", p.how}, {"request", p.request}, {"run", p.claim.RunID}, {"token", p.claim.Token}, {"depoch", p.claim.DispatchEpoch},
		{"note", p.note}}})
	if err != nil {
		return false, nil, err
	}
	is := r.Bool()
	note := json.RawMessage(r.Text())
	if len(note) == 0 {
		note = nil
	}
	return is, note, r.Err
}
