package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// reasonSize is what is kept of a dispatch's error. Reading a run reads it too.
const reasonSize = 1024

func cutReason(text string) string { return link.Cut(text, reasonSize) }

// HandBack implements store.Retries. A claim that is already lost is no error.
func (s *Store) HandBack(ctx context.Context, c store.Claim) error {
	_, err := s.giveUp(ctx, "back", store.Nack{Claim: c})
	return err
}

// Nack implements store.Retries.
func (s *Store) Nack(ctx context.Context, n store.Nack) (store.NackResult, error) {
	if len(n.Terminal) == 0 {
		return store.NackResult{}, errors.New("redisstore: nack: a dispatch without attempts left ends with an event")
	}
	how := "nack"
	if n.Free {
		how = "back"
	}
	return s.giveUp(ctx, how, n)
}

// Bury implements store.Retries.
func (s *Store) Bury(ctx context.Context, n store.Nack) (store.NackResult, error) {
	if len(n.Terminal) == 0 {
		return store.NackResult{}, errors.New("redisstore: bury: a run ends with an event")
	}
	return s.giveUp(ctx, "bury", n)
}

func (s *Store) giveUp(ctx context.Context, how string, n store.Nack) (store.NackResult, error) {
	c := n.Claim
	t := s.conn.Keys.Thread(c.Thread)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Nack, Keys: t.All(), Args: lua.Args{
		{"member", t.Member}, {"run", c.RunID}, {"token", c.Token}, {"depoch", c.DispatchEpoch}, {"how", how},
		{"wait", max(n.Wait.Milliseconds(), 0)}, {"error", cutReason(n.Error)}, {"terminal", n.Terminal},
		{"giveback", n.GiveBack}, {"keep", s.opts.Keep.Milliseconds()},
	}})
	if err != nil {
		return store.NackResult{}, err
	}
	res := store.NackResult{State: store.DispatchState(r.Text()), Ready: r.Bool(), GaveBack: r.Bool()}
	s.deliveries.Logged(c.Thread, r.Text(), r.Int()+1, r.Events())
	return res, r.Err
}
