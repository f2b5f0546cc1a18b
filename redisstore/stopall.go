package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// StopAll implements store.Control.
func (s *Store) StopAll(ctx context.Context, i store.StopAll) (store.StopAllResult, error) {
	if i.Request == "" {
		return store.StopAllResult{}, errors.New("redisstore: stop all: a call needs a name")
	}
	if (i.Active != "" || i.Repair) && len(i.Terminal) == 0 {
		return store.StopAllResult{}, errors.New("redisstore: stop all: an active run ends with an event")
	}
	t := s.conn.Keys.Thread(i.Thread)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.StopAll, Keys: t.All(), Args: lua.Args{
		{"member", t.Member}, {"request", i.Request}, {"active", i.Active}, {"terminal", i.Terminal},
		{"reason", cutReason(i.Reason)}, {"by", cutReason(i.By)}, {"instead", i.Instead}, {"keep", s.opts.Keep.Milliseconds()},
		{"repair", i.Repair},
	}})
	if err != nil {
		return store.StopAllResult{}, err
	}
	res := store.StopAllResult{Stale: r.Bool(), Epoch: r.Int(), Active: r.Text()}
	superseded, owed := r.List(), r.List()
	for superseded.More() {
		res.Superseded = append(res.Superseded, superseded.Text())
		events := owed.Events()
		if len(events) == 0 {
			events = nil
		}
		res.Owed = append(res.Owed, events)
	}
	r.Join(superseded)
	r.Join(owed)
	s.deliveries.Logged(i.Thread, r.Text(), r.Int()+1, r.Events())
	for _, events := range res.Owed {
		s.deliveries.Cancelled(i.Thread, events)
	}
	s.deliveries.Lost(i.Thread, r.Text(), r.Text())
	if behind := r.Int(); res.Active != "" {
		res.Behind = behind
	}
	return res, r.Err
}
