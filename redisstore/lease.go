package redisstore

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/redis/go-redis/v9"
)

// leases renews them, over connections of its own.
type leases struct {
	conn     *link.Connection
	renewing redis.UniversalClient
	renewals []renewals // by partition
}

func newLeases(c *link.Connection) *leases {
	s := &leases{conn: c, renewing: link.Beside(c.Client, c.Settings.Timeout), renewals: make([]renewals, len(c.Keys.Parts))}
	for i := range s.renewals {
		s.renewals[i].s = s
	}
	c.AtClose(s.closeRenewals, s.closeLeaseConnections)
	return s
}

// renewals extends the leases of a partition over connections of its own: who reads
// much must not cost others their runs. Renewals that are asked for while scripts are on
// the way go with the next ones, in one round trip.
type renewals struct {
	s *leases

	mu      sync.Mutex
	queue   []*renewal
	flowing bool // a goroutine is sending
	closed  bool
}

type renewal struct {
	call link.Call
	done chan renewed // buffered
}

type renewed struct {
	kept bool
	err  error
}

// Renew implements store.Worker. A lease that has expired unclaimed is renewed
// too: expiry permits a takeover, and only the takeover fences.
func (s *leases) Renew(ctx context.Context, c store.Claim) (bool, error) {
	t := s.conn.Keys.Thread(c.Thread)
	n := &renewal{link.RenewCall(t.Rec(), t.Part, t.Member, c, s.conn.Settings.Lease), make(chan renewed, 1)}
	q := &s.renewals[t.Part.Index]
	if err := q.add(n); err != nil {
		return false, err
	}
	select {
	case r := <-n.done:
		return r.kept, r.err
	case <-ctx.Done():
		q.withdraw(n)
		return false, fmt.Errorf("redisstore: renew: %w: %w", store.ErrOutcomeUnknown, ctx.Err())
	}
}

func (q *renewals) add(n *renewal) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return link.ErrClosed
	}
	q.queue = append(q.queue, n)
	if !q.flowing {
		q.flowing = true
		q.s.conn.Running.Go(q.flow)
	}
	return nil
}

// withdraw takes a renewal back, unless it has been sent.
func (q *renewals) withdraw(n *renewal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.queue, n); i >= 0 {
		q.queue = slices.Delete(q.queue, i, i+1)
	}
}

func (q *renewals) take() []*renewal {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := slices.Clone(q.queue)
	q.queue = nil
	q.flowing = len(taken) > 0
	return taken
}

func (q *renewals) flow() {
	for taken := q.take(); len(taken) > 0; taken = q.take() {
		calls := make([]link.Call, len(taken))
		for i, n := range taken {
			calls[i] = n.call
		}
		for i, r := range q.s.renew(calls) {
			taken[i].done <- r
		}
	}
}

func (s *leases) renew(calls []link.Call) []renewed {
	ctx, cancel := context.WithTimeout(context.Background(), s.conn.Settings.Timeout)
	defer cancel()
	replies, errs := s.conn.RunOver(ctx, s.renewing, calls)
	out := make([]renewed, len(calls))
	for i, r := range replies {
		if out[i].err = errs[i]; r != nil {
			out[i] = renewed{r.Bool(), r.Err}
		}
	}
	return out
}

// closeRenewals refuses further renewals; those that are queued are still sent.
func (s *leases) closeRenewals() {
	for i := range s.renewals {
		q := &s.renewals[i]
		q.mu.Lock()
		q.closed = true
		q.mu.Unlock()
	}
}

// closeLeaseConnections closes the connections that are not the caller's.
func (s *leases) closeLeaseConnections() error {
	if s.renewing == s.conn.Client {
		return nil
	}
	return s.renewing.Close()
}
