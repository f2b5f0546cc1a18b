package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/redis/go-redis/v9"
)

const (
	relistField    = "inbox" // of the meta hash: how the inbox lists what is open
	relistByPlace  = "2"     // by namespace, too
	relistLooks    = 500     // members that one call looks at
	relistTogether = 64      // threads of a script
)

// relisting lists what is open as the inbox has it by now: a release before this one
// has listed it for its tenant alone. It is done once for the data.
type relisting struct {
	*connection
	mu    sync.Mutex
	part  int
	after string // the member last looked at
}

// relist goes on with it, and reports whether there may be more.
func (s *relisting) relist(ctx context.Context) (more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.relisted.Load() {
		return false, nil
	}
	for left := relistLooks; left > 0; {
		if s.part == len(s.keys.parts) {
			err := s.client.HSet(ctx, metaKey(s.opts.Prefix), relistField, relistByPlace).Err()
			if err != nil {
				return false, storeError("note how the inbox is listed", err)
			}
			s.relisted.Store(true)
			return false, nil
		}
		members, err := s.relistPage(ctx, &s.keys.parts[s.part], left)
		if err != nil {
			return false, fmt.Errorf("redisstore: list what is open: %w", err)
		}
		if len(members) == left {
			s.after = members[left-1]
			return true, nil
		}
		left -= len(members) + 1 // a partition is looked at, too
		s.part, s.after = s.part+1, ""
	}
	return true, nil
}

func (s *relisting) relistPage(ctx context.Context, p *partition, limit int) ([]string, error) {
	from := "-"
	if s.after != "" {
		from = "(" + s.after
	}
	cmd := redis.NewStringSliceCmd(ctx, "zrangebylex", p.inbox, from, "+", "limit", 0, limit)
	if err := errors.Join(ask(ctx, s.connection, []*redis.StringSliceCmd{cmd})...); err != nil {
		return nil, err
	}
	var threads []threadKeys
	for _, m := range cmd.Val() {
		// That for any reason is enough.
		if len(m) == 2*digestSize+stampSize+hashSize && m[digestSize:2*digestSize] == anyOne {
			threads = append(threads, hit{p, m[2*digestSize:]}.thread())
		}
	}
	for group := range slices.Chunk(threads, relistTogether) {
		c := call{script: relistScript}
		for _, t := range group {
			c.keys = append(c.keys, t.rec(), t.journal(), p.inbox)
		}
		if _, err := s.run(ctx, c); err != nil {
			return nil, err
		}
	}
	return cmd.Val(), nil
}
