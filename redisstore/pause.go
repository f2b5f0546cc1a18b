package redisstore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
)

// pauses keeps the wish that a thread's run suspends.
type pauses struct{ *connection }

// Pause implements store.Control.
func (s *pauses) Pause(ctx context.Context, key store.ThreadKey, w store.Wish) (bool, error) {
	if w.Grace < 0 {
		return false, errors.New("redisstore: pause: a wish is not over before it is made")
	}
	is, _, err := s.pause(ctx, key, args{{"how", "wish"}, {"request", ""}, {"run", ""}, {"token", ""}, {"depoch", 0},
		{"note", string(w.Note)}, {"grace", w.Grace.Milliseconds()}})
	return is, err
}

// Unpause implements store.Control.
func (s *pauses) Unpause(ctx context.Context, key store.ThreadKey, request string) (bool, error) {
	if request == "" {
		return false, errors.New("redisstore: unpause: a call needs a name")
	}
	is, _, err := s.pause(ctx, key, args{{"how", "back"}, {"request", request}, {"run", ""}, {"token", ""}, {"depoch", 0},
		{"note", ""}, {"grace", 0}})
	return is, err
}

// TakePause implements store.Worker.
func (s *pauses) TakePause(ctx context.Context, c store.Claim) (*store.Wish, error) {
	is, note, err := s.pause(ctx, c.Thread, args{{"how", "take"}, {"request", ""}, {"run", c.RunID}, {"token", c.Token}, {"depoch", c.DispatchEpoch},
		{"note", ""}, {"grace", 0}})
	if err != nil || !is {
		return nil, err
	}
	return &store.Wish{Note: note}, nil
}

func (s *pauses) pause(ctx context.Context, key store.ThreadKey, with args) (bool, json.RawMessage, error) {
	t := s.keys.thread(key)
	r, err := s.run(ctx, call{script: pauseScript, keys: []string{t.rec(), t.disp()}, args: args{
		{"how", with[0].value}, {"request", with[1].value}, {"run", with[2].value}, {"token", with[3].value}, {"depoch", with[4].value}, {"note", with[5].value}, {"grace", with[6].value}}})
	if err != nil {
		return false, nil, err
	}
	is := r.bool()
	note := json.RawMessage(r.string())
	if len(note) == 0 {
		note = nil
	}
	return is, note, r.err
}
