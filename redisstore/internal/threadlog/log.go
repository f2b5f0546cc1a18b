package threadlog

import (
	"context"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// tailGroup bounds how long one script keeps the server from others.
const tailGroup = 128

// Tail implements store.Reader.
func (s *Reader) Tail(ctx context.Context, keys []store.ThreadKey) ([]store.Position, error) {
	type group struct {
		link.Call
		at []int // where the answers go
	}
	groups := make(map[int]*group)
	var all []*group
	for i, key := range keys {
		t := s.conn.Keys.Thread(key)
		g := groups[t.Part.Index]
		if g == nil || len(g.at) == tailGroup {
			g = &group{Call: link.Call{Script: lua.Tail, Args: lua.Args{{"follow", s.conn.Settings.Follow.Milliseconds()}}}}
			groups[t.Part.Index] = g
			all = append(all, g)
		}
		g.Keys = append(g.Keys, t.Rec())
		g.Rest = lua.Tail.Group(g.Rest, lua.Args{{"member", t.Member}})
		g.at = append(g.at, i)
	}
	calls := make([]link.Call, len(all))
	for i, g := range all {
		calls[i] = g.Call
	}
	ends := make([]store.Position, len(keys))
	replies, errs := s.conn.RunAll(ctx, calls)
	partial := s.conn.Missing(errs)
	if link.Most(partial) != nil {
		return nil, partial
	}
	for i, r := range replies {
		if errs[i] != nil {
			continue
		}
		for _, at := range all[i].at {
			ends[at] = store.Position{Epoch: r.Text(), Seq: r.Int()}
		}
		if r.Err != nil {
			return nil, r.Err
		}
	}
	return ends, partial
}

// Range implements store.Reader.
func (s *Reader) Range(ctx context.Context, key store.ThreadKey, epoch string, first int64, limit int) (store.RangeResult, error) {
	if first < 1 || limit < 1 {
		return store.RangeResult{}, errors.New("redisstore: range: positions and limits begin at 1")
	}
	t := s.conn.Keys.Thread(key)
	limits := s.commits.QueuesOf(t.Part).Small
	if err := limits.Take(ctx, t.Base, 0); err != nil {
		return store.RangeResult{}, fmt.Errorf("redisstore: range: %w", err)
	}
	res, err := s.readLog(ctx, t, epoch, first, limit)
	limits.Give(t.Base, 0)
	if err != nil {
		return store.RangeResult{}, err
	}
	if n := link.Unmarked(res.Events); n > 0 {
		res.Events = res.Events[:n:n]
	} else if n < len(res.Events) {
		e, err := s.told(ctx, key, store.Position{Epoch: epoch, Seq: first}, res.Events[0])
		if err != nil {
			return store.RangeResult{}, err
		}
		if e == nil {
			res.Status, res.Events = store.RangeGone, nil
		} else {
			res.Events = append([][]byte{e}, res.Events[1:1+link.Unmarked(res.Events[1:])]...)
		}
	}
	return res, nil
}
