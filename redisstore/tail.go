package redisstore

import (
	"context"

	"github.com/aguiws/aguiws/adapter/store"
)

// tailGroup bounds how long one script keeps the server from others.
const tailGroup = 128

// Tail implements store.Reader.
func (s *Store) Tail(ctx context.Context, keys []store.ThreadKey) ([]store.Position, error) {
	type group struct {
		keys []string
		args []any
		at   []int // where the answers go
	}
	groups := make(map[int]*group)
	var all []*group
	for i, key := range keys {
		t := s.keys.thread(key)
		g := groups[t.part.index]
		if g == nil || len(g.at) == tailGroup {
			g = &group{args: []any{s.opts.Follow.Milliseconds()}}
			groups[t.part.index] = g
			all = append(all, g)
		}
		g.keys = append(g.keys, t.rec(), t.followers())
		g.args = append(g.args, t.member)
		g.at = append(g.at, i)
	}
	calls := make([]call, len(all))
	for i, g := range all {
		calls[i] = call{tailScript, g.keys, g.args}
	}
	ends := make([]store.Position, len(keys))
	replies, errs := s.runAll(ctx, calls)
	partial := s.missing(errs)
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
