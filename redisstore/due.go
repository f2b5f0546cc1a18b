package redisstore

import (
	"context"
	"math/rand/v2"

	"github.com/aguiws/aguiws/adapter/store"
)

// maxTurn is beyond the pages that any partition has due.
const maxTurn = 1 << 30

// Due implements store.Sweep. Partitions take turns at coming first, and half of
// the calls look beyond the threads that have waited longest, so that a small limit
// starves none.
func (s *Store) Due(ctx context.Context, limit int) ([]store.ThreadKey, error) {
	n := len(s.keys.parts)
	from := int(s.dueFrom.Add(1) % uint64(n))
	turn := max(rand.IntN(2*maxTurn)-maxTurn, 0)
	calls := make([]call, n)
	for i := range calls {
		p := s.keys.parts[(from+i)%n]
		calls[i] = call{script: dueScript, keys: []string{p.leases, p.ready}, args: args{{"limit", limit}, {"turn", turn}}}
	}
	replies, errs := s.runAll(ctx, calls)
	partial := s.missing(errs)
	if most(partial) != nil {
		return nil, partial
	}
	var due []store.ThreadKey
	seen := map[store.ThreadKey]bool{}
	for i, r := range replies {
		if errs[i] != nil {
			continue
		}
		for r.more() && len(due) < limit {
			key, ok := threadOf(r.string())
			if ok && !seen[key] { // what is no thread hides none
				seen[key] = true
				due = append(due, key)
			}
		}
	}
	return due, partial
}
