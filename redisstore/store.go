package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
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
	*connection
	*deliveries
	*presence
	*groupCommit
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

	warnings []Warning

	closeOnce sync.Once
	release   []func() error // what Close closes, in order
}

var (
	_ store.Store    = (*Store)(nil)
	_ store.Webhooks = (*Store)(nil)
	_ store.Logins   = (*Store)(nil)
)

// Options of a Store. The zero value of each field is the default it names.
type Options struct {
	Prefix     string        // of every key and channel; "aguiws"
	Partitions int           // fixed when the prefix is first used, refused if it differs later; 64
	Node       string        // this process's id, unique among all that share the prefix; random
	Lease      time.Duration // of a claim; 10 s
	Follow     time.Duration // for which a node follows a thread after Read, Tail or Begin; 60 s
	Keep       time.Duration // of labels and answers, after the thread's last end; 30 days
	Retain     int           // events in a log at rest, never fewer than those after its snapshot; 10,000
	// RetainBytes and RetainAge bound a log as Retain does: 8 MiB, and 7 days. In
	// a thread that is in use events may stay half of RetainAge longer.
	RetainBytes int
	RetainAge   time.Duration
	// ThreadTTL is for how long a thread is kept in which nothing goes on, since
	// its last input or end; 0 is for ever.
	ThreadTTL time.Duration
	// NoticeCount is how many notices are kept in all, each partition having its share of
	// them, and NoticeAge for how long: 100,000, and 7 days. Both are approximate.
	NoticeCount int
	NoticeAge   time.Duration
	// KeepDecisions is for how long a decision is on record; 365 days.
	KeepDecisions time.Duration
	LargeEvent    int           // bytes from which on an event is stored outside the log's list; 64 KiB
	Timeout       time.Duration // of one call; 2 s
	// WaitReplicas is how many replicas must have a write before it is
	// acknowledged; 0. If there are fewer, the outcome is unknown after WaitTimeout, which
	// comes on top of Timeout. A store opens when there are so many, and is ready (Ready)
	// while there are. Not with an embedded store.
	WaitReplicas int
	WaitTimeout  time.Duration // 1 s
	Strict       bool          // a Warning of the start-up checks is an error
	Logger       *slog.Logger  // slog.Default()

	// HistoryID stands for master_replid where the server has none. Data that
	// outlived a change of it is treated as restored by another server.
	HistoryID string
	// Clock stands for the server's clock. For tests of exact times: all stores
	// on a prefix must share it.
	Clock func() time.Time

	// Webhooks is how many of them may wait for one target, and how many dead ones are
	// kept of it, at most; 65,536.
	Webhooks int

	volatile bool // the data dies with the process
	singly   bool // the connection cannot hold more than one command
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	or(&d.Prefix, "aguiws")
	or(&d.Partitions, 64)
	or(&d.Node, newID())
	or(&d.Lease, 10*time.Second)
	or(&d.Follow, 60*time.Second)
	or(&d.Keep, 30*24*time.Hour)
	or(&d.Retain, 10_000)
	or(&d.RetainBytes, 8<<20)
	or(&d.RetainAge, 7*24*time.Hour)
	or(&d.NoticeCount, 100_000)
	or(&d.NoticeAge, 7*24*time.Hour)
	or(&d.KeepDecisions, 365*24*time.Hour)
	or(&d.LargeEvent, 64<<10)
	or(&d.Webhooks, 64<<10)
	or(&d.Timeout, 2*time.Second)
	or(&d.WaitTimeout, time.Second)
	or(&d.Logger, slog.Default())
	return d
}

func or[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

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
	s.release = append(s.release, client.Close)
	return s, nil
}

// New is Open on a client of one's own, which Close leaves open. Leases are renewed
// over connections that the store makes itself, with the options of a Client or
// ClusterClient; another client renews them too. The client must
// not retry (MaxRetries -1), must heed contexts (ContextTimeoutEnabled) and, with
// WaitReplicas, wait for an answer longer than WaitTimeout.
func New(ctx context.Context, client redis.UniversalClient, opts *Options) (*Store, error) {
	s := assemble(client, opts.withDefaults())
	s.release = append(s.release, s.connection.asked.close)
	if err := s.opts.check(); err != nil {
		return nil, err
	}
	if !s.opts.volatile {
		warnings, err := Check(ctx, client)
		if err != nil {
			return nil, err
		}
		if s.opts.Strict && len(warnings) > 0 {
			return nil, fmt.Errorf("redisstore: %s", warnings[0])
		}
		for _, w := range warnings {
			s.opts.Logger.Warn("redis setting", "setting", w.Setting, "value", w.Value, "problem", w.Problem)
		}
		s.warnings = warnings
	}
	if err := s.awaitReplicas(ctx); err != nil {
		return nil, err
	}
	s.keys = newKeyspace(s.opts.Prefix, s.opts.Partitions)
	if err := s.recordLayout(ctx); err != nil {
		return nil, err
	}
	if !s.opts.volatile { // miniredis parses every script that it is given, each time
		if err := s.load(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.checkHistory(ctx); err != nil {
		return nil, err
	}
	s.openRenewals()
	s.release = append(s.release, s.closeLeaseConnections)
	s.openWaiting()
	s.release = append(s.release, s.closeWaiting)
	if err := s.listen(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// check refuses options that cannot work. The defaults are filled in before.
func (o *Options) check() error {
	if o.Partitions < 1 || o.Partitions > 1024 {
		return fmt.Errorf("redisstore: %d partitions: 1 to 1024 are possible", o.Partitions)
	}
	if o.Lease < time.Millisecond || o.Follow < time.Millisecond || o.Keep < time.Millisecond ||
		o.Retain < 1 || o.RetainBytes < 1 || o.RetainAge < time.Millisecond || o.LargeEvent < 2 || o.ThreadTTL < 0 {
		return errors.New("redisstore: the lease and the times to follow, to keep and to retain are a millisecond at least, an event and a byte are retained at least, a large event has two bytes, and a thread is kept for no negative time")
	}
	if o.NoticeCount < 1 || o.NoticeAge < time.Millisecond || o.KeepDecisions < time.Millisecond {
		return errors.New("redisstore: a notice is kept at least, and notices and decisions for a millisecond")
	}
	if o.WaitReplicas < 0 || o.WaitTimeout < time.Millisecond {
		return errors.New("redisstore: WaitReplicas is 0 at least, WaitTimeout a millisecond")
	}
	return nil
}

func assemble(client redis.UniversalClient, opts Options) *Store {
	c := &connection{servers: servers{client, opts}, closing: make(chan struct{})}
	p := &presence{connection: c}
	d := &deliveries{connection: c, presence: p}
	g := &groupCommit{connection: c, deliveries: d}
	q := &quotas{connection: c, recounts: map[string]time.Time{}}
	keep := &retention{connection: c, deliveries: d, quotas: q}
	return &Store{connection: c, deliveries: d, presence: p, groupCommit: g, leases: &leases{connection: c},
		retention: keep, mailbox: &mailbox{connection: c, deliveries: d, awaits: awaits{turn: make(chan struct{}, 1)}}, reads: &reads{connection: c, groupCommit: g}, lists: &lists{c},
		dispatches: &dispatches{c}, pauses: &pauses{c}, quotas: q, webhooks: &webhooks{c}, notices: &notices{connection: c}, decisions: &decisions{c}, logins: &logins{c}, payloads: &payloads{c}, tree: &tree{c, keep}}
}

// checkHistory runs a script that needs the history's name: where it cannot be
// read, a fail-over that loses writes would go unnoticed. Any master that answers will
// do.
func (s *connection) checkHistory(ctx context.Context) error {
	if s.opts.HistoryID != "" {
		return nil
	}
	var err error
	for i := range s.keys.parts {
		p := &s.keys.parts[i]
		if i > 0 && (!errors.Is(err, store.ErrOutcomeUnknown) && !errors.Is(err, store.ErrCorrupted) || ctx.Err() != nil || s.sameMaster(p, &s.keys.parts[i-1])) {
			continue
		}
		if _, err = s.run(ctx, renewCall(p.base+"probe", p, "", store.Claim{}, time.Millisecond)); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w (scripts must be able to run INFO replication)", err)
}

// Close waits for what is in flight and ends every goroutine of the store. Calls
// after it fail.
func (s *Store) Close() error {
	var err error
	s.closeOnce.Do(func() {
		close(s.closing)
		s.closeCommitters()
		s.silences.close()
		s.closeRenewals()
		s.closeAwaits()
		s.running.Wait()
		s.closeAwait()
		for _, f := range s.release {
			err = errors.Join(err, f())
		}
	})
	return err
}

var errClosed = errors.New("redisstore: closed")

func (s *connection) usable() error {
	select {
	case <-s.closing:
		return errClosed
	default:
		return nil
	}
}

// Node implements store.Reader.
func (s *connection) Node() string { return s.opts.Node }

// Durable implements store.Reader.
func (s *connection) Durable() bool { return !s.opts.volatile }

// Warnings returns what the start-up checks found.
func (s *Store) Warnings() []Warning { return s.warnings }

// now is the time that scripts are told; 0 leaves it to the server.
func (s *connection) now() int64 {
	if s.opts.Clock == nil {
		return 0
	}
	return s.opts.Clock().UnixMilli()
}

func newID() string { return rand.Text() }

// newEpoch is 80 random bits: each thread keeps one.
func newEpoch() string { return rand.Text()[:16] }

// Keys names the keys that hold one thread, whether there is something in them or not, for
// people who look into Redis.
func (s *Store) Keys(key store.ThreadKey) []string { return s.keys.thread(key).own() }
