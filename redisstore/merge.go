package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/redis/go-redis/v9"
)

// merge reads a listing's partitions as one. Each is asked for its likely share of what
// is wanted, and again when it turns out to hold more of it. Those whose master does
// not answer are left out, and come first on the next page.
type merge struct {
	s        *lists
	l        listing
	parts    []source
	answered bool  // one of them at least
	err      error // of one that did not
}

// source is one partition of a merge.
type source struct {
	part   *partition
	at     string // the last member that was gone through
	after  string // the last one that was read
	ahead  []string
	done   bool // ahead is all there is
	silent bool // its master does not answer: nothing is ahead
}

func (s *lists) merge(l listing) *merge {
	c := &merge{s: s, l: l}
	for i := range s.keys.parts {
		from, late := l.late[i]
		if !late {
			from = l.after
		}
		c.parts = append(c.parts, source{part: &s.keys.parts[i], at: from, after: from, done: l.over && !late})
	}
	return c
}

// silence leaves a partition that has not answered to the next page, and out of all pages
// one whose index is none. On one server, or when the error is another answer, it returns
// the error.
func (c *merge) silence(p *partition, err error) error {
	if errors.Is(err, store.ErrCorrupted) {
		c.parts[p.index].done, c.parts[p.index].ahead, c.answered = true, nil, true
		c.err = cmp.Or(c.err, err)
		return nil
	}
	if _, several := c.s.client.(*redis.ClusterClient); !several || !errors.Is(err, store.ErrOutcomeUnknown) {
		return err
	}
	c.parts[p.index].silent, c.parts[p.index].ahead = true, nil
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
func (c *merge) through(h hit) { c.parts[h.part.index].at = h.member }

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
func (c *merge) take(ctx context.Context, n int) ([]hit, error) {
	var hits []hit
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
			hits = append(hits, hit{p.part, p.ahead[0]})
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
		from, to := "["+c.l.prefix+c.l.from, c.l.end()
		if p.after != "" {
			from = "(" + c.l.prefix + p.after
		}
		asked = append(asked, p)
		cmds = append(cmds, redis.NewStringSliceCmd(ctx, "zrangebylex", c.l.key(p.part), from, to, "limit", 0, count))
	}
	errs := ask(ctx, c.s.connection, cmds)
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
			p.after = m[len(c.l.prefix):]
			if len(p.after) < stampSize+hashSize {
				c.s.opts.Logger.Warn("an index holds a value that is no member; the value is passed over", "key", c.l.key(p.part), "member", m)
				p.after = cmp.Or(p.after, "\x00") // what comes first of all begins with it
				continue
			}
			p.ahead = append(p.ahead, p.after)
		}
	}
	return nil
}

// ask sends commands to any partitions, in one round trip where the
// connection allows it and not to those whose master is silent, and returns the error of
// each.
func ask[C redis.Cmder](ctx context.Context, s *connection, cmds []C) []error {
	keys := make([]string, len(cmds))
	for i, cmd := range cmds {
		keys[i] = cmd.Args()[1].(string)
	}
	return askAt(ctx, s, keys, cmds)
}

// askAt is ask for commands of which it is told where they go.
func askAt[C redis.Cmder](ctx context.Context, s *connection, keys []string, cmds []C) []error {
	errs := make([]error, len(cmds))
	if err := s.usable(); err != nil {
		for i := range errs {
			errs[i] = err
		}
		return errs
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	one := func(cmd C) {
		cmd.SetErr(nil)
		_ = s.client.Process(ctx, cmd)
	}
	pipeline := func(client redis.UniversalClient, at []int) {
		pipe := client.Pipeline()
		for _, i := range at {
			_ = pipe.Process(ctx, cmds[i])
		}
		_, _ = pipe.Exec(ctx) // each command has its own error
	}
	_, several := s.client.(*redis.ClusterClient)
	s.perMaster(keys, func(master *redis.Client, at []int) {
		switch {
		case several && s.silences.has(master):
			for _, i := range at {
				cmds[i].SetErr(errSilent)
			}
		case len(cmds) == 1 || s.opts.singly || several && master == nil:
			for _, i := range at {
				one(cmds[i])
			}
		case several:
			pipeline(master, at)
			for _, i := range at {
				if redirected(cmds[i].Err()) {
					one(cmds[i])
				}
			}
		default:
			pipeline(s.client, at)
		}
	})
	for i, cmd := range cmds {
		if err := cmd.Err(); err != nil {
			errs[i] = storeError(cmd.Name(), err)
			s.unheard(s.master(keys[i]), errs[i])
			if wrongType(err) {
				s.wrongKey(keys[i])
			}
		}
	}
	return errs
}
