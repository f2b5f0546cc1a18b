package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/redis/go-redis/v9"
)

// merge reads a listing's partitions as one. Each is asked for its likely share of what
// is wanted, and again when it turns out to hold more of it. Those whose master does
// not answer are left out, and come first on the next page.
type merge struct {
	s        *link.Connection
	l        Listing
	parts    []source
	answered bool  // one of them at least
	err      error // of one that did not
}

// source is one partition of a merge.
type source struct {
	part   *keyspace.Partition
	at     string // the last member that was gone through
	after  string // the last one that was read
	ahead  []string
	done   bool // ahead is all there is
	silent bool // its master does not answer: nothing is ahead
}

func newMerge(s *link.Connection, l Listing) *merge {
	c := &merge{s: s, l: l}
	for i := range s.Keys.Parts {
		from, late := l.late[i]
		if !late {
			from = l.after
		}
		c.parts = append(c.parts, source{part: &s.Keys.Parts[i], at: from, after: from, done: l.over && !late})
	}
	return c
}

// silence leaves a partition that has not answered to the next page, and out of all pages
// one whose index is none. On one server, or when the error is another answer, it returns
// the error.
func (c *merge) silence(p *keyspace.Partition, err error) error {
	if errors.Is(err, store.ErrCorrupted) {
		c.parts[p.Index].done, c.parts[p.Index].ahead, c.answered = true, nil, true
		c.err = cmp.Or(c.err, err)
		return nil
	}
	if _, several := c.s.Client.(*redis.ClusterClient); !several || !errors.Is(err, store.ErrOutcomeUnknown) {
		return err
	}
	c.parts[p.Index].silent, c.parts[p.Index].ahead = true, nil
	if c.err == nil {
		c.err = err
	}
	return nil
}

// missing is an error that wraps store.ErrPartial when something is missing.
func (c *merge) missing() error {
	if c.err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", store.ErrPartial, c.err)
}

// through notes that a hit was gone through.
func (c *merge) through(h Hit) { c.parts[h.Part.Index].at = h.Member }

// next is the cursor of the page behind a full one, which ends with a member, or behind
// all that has answered.
func (c *merge) next(last string, full bool) string {
	l := c.l
	l.late = map[int]string{}
	if full {
		l.after = max(l.after, last)
	} else {
		l.over = true
	}
	for i := range c.parts {
		p := &c.parts[i]
		from, late := c.l.late[i]
		switch {
		case p.silent:
			l.late[i] = p.at
		case full && late && (l.over || max(from, last) < l.after):
			l.late[i] = max(from, last)
		}
	}
	if !full && len(l.late) == 0 {
		return ""
	}
	return l.cursor()
}

// take returns the next members in order, fewer than n only at the end.
func (c *merge) take(ctx context.Context, n int) ([]Hit, error) {
	var hits []Hit
	for len(hits) < n {
		if err := c.fill(ctx, n-len(hits)); err != nil {
			return nil, err
		}
		for len(hits) < n {
			first := -1
			for i := range c.parts {
				p := &c.parts[i]
				if p.silent {
					continue
				}
				if len(p.ahead) == 0 {
					if !p.done {
						first = -1
						break
					}
					continue
				}
				if first < 0 || p.ahead[0] < c.parts[first].ahead[0] {
					first = i
				}
			}
			if first < 0 {
				break
			}
			p := &c.parts[first]
			hits = append(hits, Hit{p.part, p.ahead[0]})
			p.ahead = p.ahead[1:]
		}
		if !slices.ContainsFunc(c.parts, func(p source) bool { return !p.silent && (!p.done || len(p.ahead) > 0) }) {
			break
		}
	}
	return hits, nil
}

// fill asks the partitions of which nothing is ahead, or little, for their share of n,
// and for three deviations more, so that one round is nearly always enough.
func (c *merge) fill(ctx context.Context, n int) error {
	share := float64(n) / float64(len(c.parts))
	count := min(n, int(share+3*math.Sqrt(share))+3)
	var asked []*source
	var cmds []*redis.StringSliceCmd
	for i := range c.parts {
		p := &c.parts[i]
		if len(p.ahead) >= (count+1)/2 || p.done || p.silent {
			continue
		}
		from, to := "["+c.l.Prefix+c.l.From, c.l.end()
		if p.after != "" {
			from = "(" + c.l.Prefix + p.after
		}
		asked = append(asked, p)
		cmds = append(cmds, redis.NewStringSliceCmd(ctx, "zrangebylex", c.l.Key(p.part), from, to, "limit", 0, count))
	}
	errs := link.Ask(ctx, c.s, cmds)
	for i, p := range asked {
		if errs[i] != nil {
			if err := c.silence(p.part, errs[i]); err != nil {
				return err
			}
			continue
		}
		c.answered = true
		members := cmds[i].Val()
		p.done = len(members) < count
		for _, m := range members {
			p.after = m[len(c.l.Prefix):]
			if len(p.after) < StampSize+HashSize {
				c.s.Settings.Logger.Warn("an index holds a value that is no member; the value is passed over", "key", c.l.Key(p.part), "member", m)
				p.after = cmp.Or(p.after, "\x00") // what comes first of all begins with it
				continue
			}
			p.ahead = append(p.ahead, p.after)
		}
	}
	return nil
}
