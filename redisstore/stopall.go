package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
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
	var log threadlog.Sound
	for range repairTries {
		if i.Repair {
			ok, err := log.Look(ctx, s.conn, s.conn.Keys.Thread(i.Thread))
			if err != nil {
				return store.StopAllResult{}, err
			}
			if !ok {
				log = threadlog.Sound{}
				continue
			}
		}
		r, err := s.stopAll(ctx, i, log)
		if err != nil {
			return store.StopAllResult{}, err
		}
		if verdict := r.Int(); verdict != verdictMoved {
			return s.stopped(i, r, verdict)
		}
	}
	return store.StopAllResult{}, fmt.Errorf("redisstore: stop all: %w: the log moves on while it is looked at", store.ErrMoved)
}

// A repair that finds its log longer looks at what is new in it, and so often.
const repairTries = 100

// verdictMoved is the answer of stopall.lua to a repair whose log is another by now.
const verdictMoved = 2

func (s *Store) stopAll(ctx context.Context, i store.StopAll, log threadlog.Sound) (*link.Reply, error) {
	t := s.conn.Keys.Thread(i.Thread)
	return s.conn.Run(ctx, link.Call{Script: lua.StopAll, Keys: t.All(), Args: lua.Args{
		{"member", t.Member}, {"request", i.Request}, {"active", i.Active}, {"terminal", i.Terminal},
		{"reason", cutReason(i.Reason)}, {"by", cutReason(i.By)}, {"instead", i.Instead}, {"keep", s.opts.Keep.Milliseconds()},
		{"repair", i.Repair}, {"seen", log.Seen}, {"tail", log.Tail}, {"left", log.Left},
		{"first", log.First}, {"behind", log.Behind}, {"last", log.Last}, {"bytes", log.Bytes},
	}})
}

// stopped reads the script's answer behind its verdict, and tells of what was stopped.
func (s *Store) stopped(i store.StopAll, r *link.Reply, verdict int64) (store.StopAllResult, error) {
	res := store.StopAllResult{Stale: verdict != 0, Epoch: r.Int(), Active: r.Text()}
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
