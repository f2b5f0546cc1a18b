package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
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
	t := s.conn.Keys.Thread(st.Thread)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Stop, Keys: t.All(), Args: lua.Args{
		{"member", t.Member}, {"label", st.Label}, {"terminal", st.Terminal}, {"request", st.Request},
		{"run", st.RunID}, {"queued", st.QueuedOnly}, {"active", st.ActiveOnly}, {"unwatched", st.Unwatched},
		{"behind", st.Behind.Milliseconds()}, {"letter", st.Letter}, {"reason", cutReason(st.Reason)}, {"by", cutReason(st.By)},
	}})
	if err != nil {
		return store.StopResult{}, err
	}
	res := store.StopResult{Stopped: r.Bool(), Queued: r.Bool(), RunID: r.Text()}
	if owed := r.Events(); len(owed) > 0 {
		res.Events = owed
	}
	res.Ready = r.Bool()
	epoch, before, events := r.Text(), r.Int(), r.Events()
	s.deliveries.Logged(st.Thread, epoch, before+1, events)
	s.deliveries.Cancelled(st.Thread, res.Events)
	s.deliveries.Lost(st.Thread, r.Text(), r.Text())
	if behind := r.Int(); res.Stopped && !res.Queued {
		res.Behind = behind
	}
	return res, r.Err
}
