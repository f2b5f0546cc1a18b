package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Stop implements store.Admission. Sent again under its request it answers as
// it did; when runs of one label wait beside each other, each request stops
// another of them, the latest first.
func (s *Store) Stop(ctx context.Context, st store.Stop) (store.StopResult, error) {
	if len(st.Terminal) == 0 && !st.QueuedOnly {
		return store.StopResult{}, errors.New("redisstore: stop: an active run ends with an event")
	}
	if st.Request == "" {
		return store.StopResult{}, errors.New("redisstore: stop: a call needs a name")
	}
	t := s.conn.keys.Thread(st.Thread)
	r, err := s.conn.run(ctx, call{script: lua.Stop, keys: t.All(), args: lua.Args{
		{"member", t.Member}, {"label", st.Label}, {"terminal", st.Terminal}, {"request", st.Request},
		{"run", st.RunID}, {"queued", st.QueuedOnly}, {"active", st.ActiveOnly}, {"unwatched", st.Unwatched},
		{"behind", st.Behind.Milliseconds()}, {"letter", st.Letter}, {"reason", cutReason(st.Reason)},
	}})
	if err != nil {
		return store.StopResult{}, err
	}
	res := store.StopResult{Stopped: r.bool(), Queued: r.bool(), RunID: r.string()}
	if owed := r.events(); len(owed) > 0 {
		res.Events = owed
	}
	res.Ready = r.bool()
	epoch, before, events := r.string(), r.int(), r.events()
	s.deliveries.logged(st.Thread, epoch, before+1, events)
	s.deliveries.cancelled(st.Thread, res.Events)
	s.deliveries.lost(st.Thread, r.string(), r.string())
	if behind := r.int(); res.Stopped && !res.Queued {
		res.Behind = behind
	}
	return res, r.err
}
