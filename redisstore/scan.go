package redisstore

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/redis/go-redis/v9"
)

// scan merges a listing's partitions. Each is asked for its likely share of what
// is wanted, and again when it turns out to hold more of it.
type scan struct {
	s     *Store
	l     listing
	parts []scanned
}

type scanned struct {
	part  *partition
	after string
	ahead []string
	done  bool // ahead is all there is
}

func (s *Store) scan(l listing) *scan {
	c := &scan{s: s, l: l}
	for i := range s.keys.parts {
		c.parts = append(c.parts, scanned{part: &s.keys.parts[i], after: l.after})
	}
	return c
}

// take returns the next members in order, fewer than n only at the end.
func (c *scan) take(ctx context.Context, n int) ([]hit, error) {
	var hits []hit
	for len(hits) < n {
		if err := c.fill(ctx, n-len(hits)); err != nil {
			return nil, err
		}
		for len(hits) < n {
			first := -1
			for i := range c.parts {
				p := &c.parts[i]
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
		if !slices.ContainsFunc(c.parts, func(p scanned) bool { return !p.done || len(p.ahead) > 0 }) {
			break
		}
	}
	return hits, nil
}

// fill asks the partitions of which nothing is ahead for their share of n, and
// for three deviations more, so that one round is nearly always enough.
func (c *scan) fill(ctx context.Context, n int) error {
	share := float64(n) / float64(len(c.parts))
	count := min(n, int(share+3*math.Sqrt(share))+3)
	var asked []*scanned
	var cmds []*redis.StringSliceCmd
	for i := range c.parts {
		p := &c.parts[i]
		if len(p.ahead) > 0 || p.done {
			continue
		}
		from, to := "["+c.l.prefix, "+"
		if p.after != "" {
			from = "(" + c.l.prefix + p.after
		}
		if b := beyond(c.l.prefix); b != "" {
			to = "(" + b
		}
		asked = append(asked, p)
		cmds = append(cmds, redis.NewStringSliceCmd(ctx, "zrangebylex", c.l.key(p.part), from, to, "limit", 0, count))
	}
	if err := ask(ctx, c.s, cmds); err != nil {
		return err
	}
	for i, p := range asked {
		members := cmds[i].Val()
		p.done = len(members) < count
		for _, m := range members {
			if len(m) < len(c.l.prefix)+stampSize+hashSize {
				return fmt.Errorf("redisstore: %s holds what is no member", c.l.key(p.part))
			}
			p.after = m[len(c.l.prefix):]
			p.ahead = append(p.ahead, p.after)
		}
	}
	return nil
}

// ask sends reading commands to any partitions, in one round trip where the
// connection allows it.
func ask[C redis.Cmder](ctx context.Context, s *Store, cmds []C) error {
	if err := s.usable(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	if len(cmds) == 1 || s.opts.singly {
		for _, cmd := range cmds {
			_ = s.client.Process(ctx, cmd)
		}
	} else if len(cmds) > 1 {
		pipe := s.client.Pipeline()
		for _, cmd := range cmds {
			_ = pipe.Process(ctx, cmd)
		}
		_, _ = pipe.Exec(ctx) // each command has its own error
	}
	for _, cmd := range cmds {
		if err := cmd.Err(); err != nil {
			return storeError("read an index", err)
		}
	}
	return nil
}
