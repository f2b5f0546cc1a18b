package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/mailbox"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/redis/go-redis/v9"
)

// Store is a store.Store on Redis. Make one with Open, New or Embedded, and
// close it.
//
// It is put together of what its calls are about. Each part knows the connection. A part
// whose calls others hear of knows the deliveries too.
type Store struct {
	conn       *link.Connection
	deliveries *link.Deliveries
	commits    *link.GroupCommit
	cache      *threadlog.Cache
	rooms
	*leases
	*retention
	*pauses
	*quotas
	*webhooks
	*notices
	*decisions
	*logins
	*payloads
	*tree

	opts     *Options
	warnings []Warning
}

// rooms are the parts that lie in packages of their own.
type rooms struct {
	*link.Presence
	*threadlog.Reader
	*index.Lists
	*mailbox.Mailbox
	*mailbox.Records
}

var (
	_ store.Store    = (*Store)(nil)
	_ store.Webhooks = (*Store)(nil)
	_ store.Logins   = (*Store)(nil)
)

// Open connects to the server that the URL names, checks it, and returns a store on it. The
// node channel is subscribed when Open returns. The URL has one of these forms:
//
//	redis://[user:password@]host[:port][/db]      one server; rediss:// with TLS
//	unix://path                                   one server
//	redis+sentinel://host,host,…/master[/db]      the master that Sentinel names
//	redis+cluster://host,host,…                   Cluster
func Open(ctx context.Context, url string, opts *Options) (*Store, error) {
	o := opts.withDefaults()
	if o.WaitReplicas > 0 {
		o.Timeout += o.WaitTimeout
	}
	client, err := link.Connect(url, o.Timeout)
	if err != nil {
		return nil, err
	}
	s, err := New(ctx, client, opts)
	if err != nil {
		_ = client.Close()
		return nil, err
	}
	s.conn.AtClose(nil, client.Close)
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
	c, err := link.Dial(ctx, client, o.settings())
	if err != nil {
		return nil, err
	}
	s := assemble(c, &o)
	s.warnings = warnings
	if err := s.deliveries.Subscribe(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func assemble(c *link.Connection, o *Options) *Store {
	p := link.NewPresence(c)
	d := link.NewDeliveries(c, p)
	g := link.NewGroupCommit(c, d)
	q := &quotas{conn: c, recounts: map[string]time.Time{}, renewed: map[string]time.Time{}}
	keep := &retention{conn: c, deliveries: d, quotas: q, opts: o}
	kept := &threadlog.Cache{}
	return &Store{conn: c, deliveries: d, commits: g, cache: kept, opts: o,
		rooms:  rooms{p, threadlog.NewReader(c, g, kept), index.NewLists(c), mailbox.New(c, d), mailbox.NewRecords(c)},
		leases: newLeases(c), retention: keep, pauses: &pauses{c}, quotas: q, webhooks: &webhooks{c, max(o.Webhooks/o.Partitions, 1)},
		notices: newNotices(c, o.NoticeAge), decisions: &decisions{c}, logins: &logins{c}, payloads: &payloads{c}, tree: &tree{c, keep}}
}

// Close waits for what is in flight and ends every goroutine of the store. Calls
// after it fail.
func (s *Store) Close() error { return s.conn.Close() }

// Lease implements store.Reader.
func (s *Store) Lease() time.Duration { return s.opts.Lease }

// Node implements store.Reader.
func (s *Store) Node() string { return s.opts.Node }

// Durable implements store.Reader.
func (s *Store) Durable() bool { return !s.opts.volatile }

// Secret implements store.Reader.
func (s *Store) Secret() []byte { return s.conn.Secret }

// Listen implements store.Reader.
func (s *Store) Listen(f func(store.Delivery)) { s.deliveries.Listen(f) }

// Warnings returns what the start-up checks found.
func (s *Store) Warnings() []Warning { return s.warnings }

// Servers asks each master for what it says of itself, by one command each. If not all
// masters of a Cluster answer, it returns the others, beside an error that wraps
// store.ErrPartial.
func (s *Store) Servers(ctx context.Context) ([]store.Server, error) { return s.conn.Servers(ctx) }

// Ready asks each master that has a partition whether it answers and has the replicas that
// writes wait for. Its error wraps store.ErrPartial when some of a Cluster's masters do not
// answer.
func (s *Store) Ready(ctx context.Context) error { return s.conn.Ready(ctx) }

// Keys names the keys that hold one thread alone and are there, for people who look into
// Redis.
func (s *Store) Keys(ctx context.Context, key store.ThreadKey) ([]string, error) {
	var there []string
	var asked []*redis.IntCmd
	own := s.conn.Keys.Thread(key).Own()
	for _, name := range own {
		asked = append(asked, redis.NewIntCmd(ctx, "exists", name))
	}
	for i, err := range link.Ask(ctx, s.conn, asked) {
		if err != nil {
			return nil, fmt.Errorf("redisstore: keys: %w", err)
		}
		if asked[i].Val() > 0 {
			there = append(there, own[i])
		}
	}
	return there, nil
}
