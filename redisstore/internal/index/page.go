package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
)

// Lists are the calls that go across threads, by the indexes, and what people set there.
type Lists struct{ conn *link.Connection }

// NewLists lists over a connection.
func NewLists(c *link.Connection) *Lists { return &Lists{c} }

// Page reads one page of a listing. load makes the call for some hits, whose script answers
// a list for each, an empty one for what is not there any more. read makes an item of such
// a list, or drops it. Items of masters of a Cluster that do not answer are missing on the
// page, and come on a later one; the error says so by store.ErrPartial.
func Page[T any](ctx context.Context, s *link.Connection, l Listing, q store.PageQuery,
	load func([]keyspace.Thread, []Hit) link.Call, read func(Hit, *link.Reply) (T, bool)) (items []T, next string, err error) {
	if err := l.seek(q.Cursor, len(s.Keys.Parts)); err != nil {
		return nil, "", err
	}
	if q.Limit < 0 {
		return nil, "", fmt.Errorf("a page of %d is not possible", q.Limit)
	}
	limit := min(cmp.Or(q.Limit, PageSize), PageLimit)
	c := newMerge(s, l)
	var last Hit // of the full page
	for looked := 0; ; {
		want := limit + 1 - len(items)
		if l.Looks > 0 {
			want = min(max(want, PageSize, looked), l.Looks-looked) // few of them are wanted
			looked += want
		}
		hits, err := c.take(ctx, want)
		if err != nil {
			return nil, "", err
		}
		answers, err := c.loadHits(ctx, hits, load)
		if err != nil {
			return nil, "", err
		}
		for i, h := range hits {
			if answers[i] == nil {
				continue // its master does not answer
			}
			item, ok := read(h, answers[i])
			if answers[i].Err != nil {
				return nil, "", answers[i].Err
			}
			if ok && len(items) == limit {
				return items, c.next(last.Member, true), c.missing()
			}
			c.through(h)
			if ok {
				items, last = append(items, item), h
			}
		}
		if len(hits) < want {
			if c.err != nil && !c.answered {
				return nil, "", c.err
			}
			return items, c.next("", false), c.missing()
		}
		if looked == l.Looks && looked > 0 {
			return items, c.next(hits[len(hits)-1].Member, true), c.missing()
		}
	}
}

// loadHits reads what hits are about, some of them in a script, and returns an answer for
// each: nil where the master does not answer.
func (c *merge) loadHits(ctx context.Context, hits []Hit, load func([]keyspace.Thread, []Hit) link.Call) ([]*link.Reply, error) {
	groups := inScripts(c.s, hits)
	calls := make([]link.Call, len(groups))
	for i, group := range groups {
		of := make([]Hit, len(group))
		keys := make([]keyspace.Thread, len(group))
		for j, at := range group {
			of[j], keys[j] = hits[at], hits[at].thread()
		}
		calls[i] = load(keys, of)
	}
	answers := make([]*link.Reply, len(hits))
	replies, errs := c.s.RunAll(ctx, calls)
	for i, group := range groups {
		if link.RefusedWith(errs[i], "CROSSSLOT") && !c.s.Apart.Swap(true) {
			return c.loadHits(ctx, hits, load) // a script a partition, from now on
		}
		if errs[i] != nil {
			if err := c.silence(hits[group[0]].Part, errs[i]); err != nil {
				return nil, err
			}
			continue
		}
		for _, at := range group {
			answers[at] = replies[i].List()
		}
		if replies[i].Err != nil {
			return nil, replies[i].Err
		}
	}
	return answers, nil
}

// inScripts shares hits out, by their places. Those of a partition have a script; if the
// server is no part of a Cluster, those of all partitions have one together. A script has
// as many at a time as keep it from others for no longer than a group of batches does.
func inScripts(s *link.Connection, hits []Hit) (groups [][]int) {
	if s.OneSlot() {
		all := make([]int, len(hits))
		for i := range all {
			all[i] = i
		}
		return slices.Collect(slices.Chunk(all, link.ScriptRuns))
	}
	at := map[*keyspace.Partition]int{}
	for i, h := range hits {
		group, known := at[h.Part]
		if !known {
			group = len(groups)
			at[h.Part] = group
			groups = append(groups, nil)
		}
		groups[group] = append(groups[group], i)
	}
	return groups
}
