package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/redis/go-redis/v9"
)

// Store is a store.Store on Redis. Make one with Open, New or Embedded, and
// close it.
//
// It is put together of what its calls are about. Each part knows the connection, and
// those whose calls others hear of, the deliveries.
type Store struct {
	conn       *connection
	deliveries *deliveries
	*presence
	commits *groupCommit
	*leases
	*retention
	*reads
	*lists
	*dispatches
	*pauses
	*quotas
	*webhooks
	*notices
	*decisions
	*logins
	*payloads
	*tree

	*mailbox

	opts     *Options
	warnings []Warning
}

var (
	_ store.Store    = (*Store)(nil)
	_ store.Webhooks = (*Store)(nil)
	_ store.Logins   = (*Store)(nil)
)

// Open connects to the server that the URL names (see parseURL), checks it, and
// returns a store on it. The node channel is subscribed when Open returns.
func Open(ctx context.Context, url string, opts *Options) (*Store, error) {
	o := opts.withDefaults()
	if o.WaitReplicas > 0 {
		o.Timeout += o.WaitTimeout
	}
	client, err := connect(url, o.Timeout)
	if err != nil {
		return nil, err
	}
	s, err := New(ctx, client, opts)
	if err != nil {
		_ = client.Close()
		return nil, err
	}
	s.conn.atClose(nil, client.Close)
	return s, nil
}

// New is Open on a client of one's own, which Close leaves open. Leases are renewed
// over connections that the store makes itself, with the options of a Client or
// ClusterClient; another client renews them too. The client must
// not retry (MaxRetries -1), must heed contexts (ContextTimeoutEnabled) and, with
// WaitReplicas, wait for an answer longer than WaitTimeout.
func New(ctx context.Context, client redis.UniversalClient, opts *Options) (*Store, error) {
	o := opts.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	var warnings []Warning
	if !o.volatile {
		var err error
		if warnings, err = Check(ctx, client); err != nil {
			return nil, err
		}
		if o.Strict && len(warnings) > 0 {
			return nil, fmt.Errorf("redisstore: %s", warnings[0])
		}
		for _, w := range warnings {
			o.Logger.Warn("redis setting", "setting", w.Setting, "value", w.Value, "problem", w.Problem)
		}
	}
	c, err := dial(ctx, client, o.settings())
	if err != nil {
		return nil, err
	}
	s := assemble(c, &o)
	s.warnings = warnings
	if err := s.deliveries.open(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func assemble(c *connection, o *Options) *Store {
	p := &presence{conn: c}
	d := &deliveries{conn: c, presence: p}
	g := newGroupCommit(c, d)
	q := &quotas{conn: c, recounts: map[string]time.Time{}}
	keep := &retention{conn: c, deliveries: d, quotas: q, opts: o}
	return &Store{opts: o, conn: c, deliveries: d, presence: p, commits: g, leases: newLeases(c),
		retention: keep, mailbox: newMailbox(c, d), reads: &reads{conn: c, commits: g}, lists: &lists{c},
		dispatches: &dispatches{c}, pauses: &pauses{c}, quotas: q, webhooks: &webhooks{c, max(o.Webhooks/o.Partitions, 1)},
		notices: newNotices(c, o.NoticeAge), decisions: &decisions{c}, logins: &logins{c}, payloads: &payloads{c}, tree: &tree{c, keep}}
}

// Close waits for what is in flight and ends every goroutine of the store. Calls
// after it fail.
func (s *Store) Close() error { return s.conn.close() }

// Node implements store.Reader.
func (s *Store) Node() string { return s.opts.Node }

// Durable implements store.Reader.
func (s *Store) Durable() bool { return !s.opts.volatile }

// Listen implements store.Reader.
func (s *Store) Listen(f func(store.Delivery)) { s.deliveries.Listen(f) }

// Warnings returns what the start-up checks found.
func (s *Store) Warnings() []Warning { return s.warnings }
