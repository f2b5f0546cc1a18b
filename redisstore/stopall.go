package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
)

// Interrupt implements store.Control.
func (s *Store) Interrupt(ctx context.Context, i store.Interruption) (store.InterruptResult, error) {
	if i.Request == "" {
		return store.InterruptResult{}, errors.New("redisstore: interrupt: a call needs a name")
	}
	if (i.Active != "" || i.Repair) && len(i.Terminal) == 0 {
		return store.InterruptResult{}, errors.New("redisstore: interrupt: an active run ends with an event")
	}
	t := s.keys.thread(i.Thread)
	r, err := s.run(ctx, call{script: interruptScript, keys: t.all(), args: args{
		{"member", t.member}, {"request", i.Request}, {"active", i.Active}, {"terminal", i.Terminal},
		{"reason", cutReason(i.Reason)}, {"keep", s.opts.Keep.Milliseconds()}, {"repair", i.Repair},
	}})
	if err != nil {
		return store.InterruptResult{}, err
	}
	res := store.InterruptResult{Stale: r.bool(), Epoch: r.int(), Active: r.string()}
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
	s.logged(i.Thread, r.string(), r.int()+1, r.events())
	for _, events := range res.Owed {
		s.withdrawn(i.Thread, events)
	}
	s.lost(i.Thread, r.string(), r.string())
	return res, r.err
}
