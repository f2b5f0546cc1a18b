package redisstore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/redis/go-redis/v9"
)

// leases renews them, over connections of its own.
type leases struct {
	conn     *connection
	renewing redis.UniversalClient
	renewals []renewals // by partition
}

func newLeases(c *connection) *leases {
	s := &leases{conn: c, renewing: beside(c.client, c.settings.Timeout), renewals: make([]renewals, len(c.keys.Parts))}
	for i := range s.renewals {
		s.renewals[i].s = s
	}
	c.atClose(s.closeRenewals, s.closeLeaseConnections)
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
	call call
	done chan renewed // buffered
}

type renewed struct {
	kept bool
	err  error
}

// Renew implements store.Worker. A lease that has expired unclaimed is renewed
// too: expiry permits a takeover, and only the takeover fences.
func (s *leases) Renew(ctx context.Context, c store.Claim) (bool, error) {
	t := s.conn.keys.Thread(c.Thread)
	n := &renewal{renewCall(t.Rec(), t.Part, t.Member, c, s.conn.settings.Lease), make(chan renewed, 1)}
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

func renewCall(rec string, p *keyspace.Partition, member string, c store.Claim, lease time.Duration) call {
	return call{script: lua.Renew, keys: []string{rec, p.Leases, p.Ready, p.Work}, args: lua.Args{
		{"member", member}, {"run", c.RunID}, {"token", c.Token}, {"depoch", c.DispatchEpoch}, {"lease", lease.Milliseconds()},
	}}
}

func (q *renewals) add(n *renewal) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	q.queue = append(q.queue, n)
	if !q.flowing {
		q.flowing = true
		q.s.conn.running.Go(q.flow)
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
		calls := make([]call, len(taken))
		for i, n := range taken {
			calls[i] = n.call
		}
		for i, r := range q.s.renew(calls) {
			taken[i].done <- r
		}
	}
}

func (s *leases) renew(calls []call) []renewed {
	ctx, cancel := context.WithTimeout(context.Background(), s.conn.settings.Timeout)
	defer cancel()
	replies, errs := make([]*reply, len(calls)), make([]error, len(calls))
	if len(calls) > 1 && !s.conn.settings.Singly {
		s.conn.pipeline(ctx, s.renewing, calls, replies, errs)
	} else {
		for i, c := range calls {
			cmd := s.conn.command(ctx, c)
			process(ctx, s.renewing, cmd, c.script)
			replies[i], errs[i] = answered(c, cmd)
		}
	}
	out := make([]renewed, len(calls))
	for i, r := range replies {
		if out[i].err = errs[i]; r != nil {
			out[i] = renewed{r.bool(), r.err}
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
	if s.renewing == s.conn.client {
		return nil
	}
	return s.renewing.Close()
}
