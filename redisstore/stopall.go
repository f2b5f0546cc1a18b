package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
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
	t := s.conn.keys.Thread(i.Thread)
	r, err := s.conn.run(ctx, call{script: lua.StopAll, keys: t.All(), args: lua.Args{
		{"member", t.Member}, {"request", i.Request}, {"active", i.Active}, {"terminal", i.Terminal},
		{"reason", cutReason(i.Reason)}, {"keep", s.opts.Keep.Milliseconds()},
		{"repair", i.Repair},
	}})
	if err != nil {
		return store.StopAllResult{}, err
	}
	res := store.StopAllResult{Stale: r.bool(), Epoch: r.int(), Active: r.string()}
	superseded, owed := r.list(), r.list()
	for superseded.more() {
		res.Superseded = append(res.Superseded, superseded.string())
		events := owed.events()
		if len(events) == 0 {
			events = nil
		}
		res.Owed = append(res.Owed, events)
	}
	r.join(superseded)
	r.join(owed)
	s.deliveries.logged(i.Thread, r.string(), r.int()+1, r.events())
	for _, events := range res.Owed {
		s.deliveries.cancelled(i.Thread, events)
	}
	s.deliveries.lost(i.Thread, r.string(), r.string())
	if behind := r.int(); res.Active != "" {
		res.Behind = behind
	}
	return res, r.err
}
