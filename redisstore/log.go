package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// tailGroup bounds how long one script keeps the server from others.
const tailGroup = 128

// Tail implements store.Reader.
func (s *reads) Tail(ctx context.Context, keys []store.ThreadKey) ([]store.Position, error) {
	type group struct {
		call
		at []int // where the answers go
	}
	groups := make(map[int]*group)
	var all []*group
	for i, key := range keys {
		t := s.conn.keys.Thread(key)
		g := groups[t.Part.Index]
		if g == nil || len(g.at) == tailGroup {
			g = &group{call: call{script: lua.Tail, args: lua.Args{{"follow", s.conn.settings.Follow.Milliseconds()}}}}
			groups[t.Part.Index] = g
			all = append(all, g)
		}
		g.keys = append(g.keys, t.Rec(), t.Followers())
		g.rest = lua.Tail.Group(g.rest, lua.Args{{"member", t.Member}})
		g.at = append(g.at, i)
	}
	calls := make([]call, len(all))
	for i, g := range all {
		calls[i] = g.call
	}
	ends := make([]store.Position, len(keys))
	replies, errs := s.conn.runAll(ctx, calls)
	partial := s.conn.missing(errs)
	if most(partial) != nil {
		return nil, partial
	}
	for i, r := range replies {
		if errs[i] != nil {
			continue
		}
		for _, at := range all[i].at {
			ends[at] = store.Position{Epoch: r.string(), Seq: r.int()}
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return ends, partial
}

// Range implements store.Reader.
func (s *reads) Range(ctx context.Context, key store.ThreadKey, epoch string, first int64, limit int) (store.RangeResult, error) {
	if first < 1 || limit < 1 {
		return store.RangeResult{}, errors.New("redisstore: range: positions and limits begin at 1")
	}
	t := s.conn.keys.Thread(key)
	limits := s.commits.queuesOf(t.Part).small
	if err := limits.take(ctx, t.Base, 0); err != nil {
		return store.RangeResult{}, fmt.Errorf("redisstore: range: %w", err)
	}
	res, err := s.readLog(ctx, t, epoch, first, limit)
	limits.give(t.Base, 0)
	if err != nil {
		return store.RangeResult{}, err
	}
	if n := unmarked(res.Events); n > 0 {
		res.Events = res.Events[:n:n]
	} else if n < len(res.Events) {
		e, err := s.told(ctx, key, store.Position{Epoch: epoch, Seq: first}, res.Events[0])
		if err != nil {
			return store.RangeResult{}, err
		}
		if e == nil {
			res.Status, res.Events = store.RangeGone, nil
		} else {
			res.Events = append([][]byte{e}, res.Events[1:1+unmarked(res.Events[1:])]...)
		}
	}
	return res, nil
}
