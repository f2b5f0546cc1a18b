package redisstore

import (
	"cmp"
	"context"
	"fmt"

	"github.com/aguiws/aguiws/adapter"
)

// page reads one page of a listing: load makes the call for the hits of one
// partition, whose script answers a list for each, an empty one for what is not
// there any more; read makes an item of such a list, or drops it.
func page[T any](ctx context.Context, s *Store, l listing, q adapter.PageQuery,
	load func([]threadKeys, []hit) call, read func(hit, *reply) (T, bool)) (items []T, next string, err error) {
	if err := l.seek(q.Cursor); err != nil {
		return nil, "", err
	}
	if q.Limit < 0 {
		return nil, "", fmt.Errorf("a page of %d is not possible", q.Limit)
	}
	limit := min(cmp.Or(q.Limit, pageSize), pageLimit)
	c := s.scan(l)
	var last hit // of the full page
	for {
		want := limit + 1 - len(items)
		hits, err := c.take(ctx, want)
		if err != nil {
			return nil, "", err
		}
		answers, err := s.loadHits(ctx, hits, load)
		if err != nil {
			return nil, "", err
		}
		for i, h := range hits {
			item, ok := read(h, answers[i])
			if answers[i].err != nil {
				return nil, "", answers[i].err
			}
			if !ok {
				continue
			}
			if len(items) == limit {
				return items, l.cursor(last.member), nil
			}
			items, last = append(items, item), h
		}
		if len(hits) < want {
			return items, "", nil
		}
	}
}

// loadHits reads what hits are about, one script a partition, and returns an answer
// for each.
func (s *Store) loadHits(ctx context.Context, hits []hit, load func([]threadKeys, []hit) call) ([]*reply, error) {
	groups := map[*partition][]int{}
	var order []*partition
	for i, h := range hits {
		if groups[h.part] == nil {
			order = append(order, h.part)
		}
		groups[h.part] = append(groups[h.part], i)
	}
	calls := make([]call, len(order))
	for i, p := range order {
		var group []hit
		var keys []threadKeys
		for _, at := range groups[p] {
			group = append(group, hits[at])
			keys = append(keys, hits[at].thread())
		}
		calls[i] = load(keys, group)
	}
	answers := make([]*reply, len(hits))
	replies, errs := s.runAll(ctx, calls)
	for i, p := range order {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for _, at := range groups[p] {
			answers[at] = replies[i].list()
		}
		if replies[i].err != nil {
			return nil, replies[i].err
		}
	}
	return answers, nil
}
