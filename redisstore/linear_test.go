package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/alicebob/miniredis/v2"
	"github.com/anishathalye/porcupine"
	"github.com/redis/go-redis/v9"
)

// Clients on two nodes call the store at random, on links that lose replies,
// and send again what was not answered. Whatever they were told must be what
// one caller after the other could have been told. AGUIWS_SEED repeats a run,
// as far as the machine does.
func TestConcurrentCallsAreLinearizable(t *testing.T) {
	t.Run("miniredis", func(t *testing.T) {
		suite.Full(t)
		server := miniredis.NewMiniRedis()
		t.Cleanup(server.Close)
		testLinearizable(t, 40, func(context.Context, string, string) (net.Conn, error) { return server.Dial() }, nil, nil)
	})
	t.Run("redis", func(t *testing.T) {
		testLinearizable(t, 60, dialNet, redistest.Start(t, redistest.Options{TCP: true}), nil)
	})
	t.Run("cluster", func(t *testing.T) {
		testLinearizable(t, 60, dialNet, nil, redistest.Cluster(t))
	})
}

func dialNet(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}

func testLinearizable(t *testing.T, threads int, dial redistest.Dial, server *redistest.Server, cluster *redistest.Masters) {
	l := newLinearity(t)
	for node := range 2 {
		l.stores = append(l.stores, l.open(dial, server, cluster, fmt.Sprint("node-", node)))
	}
	l.losing.Store(true)
	l.storm(threads)
	l.losing.Store(false)
	history := l.history()
	happened := map[string]int{}
	for _, o := range history {
		q, a := o.Input.(*request), o.Output.(answer)
		if a.unknown {
			a.verdict = "unanswered"
		}
		happened[strings.TrimSpace(q.kind+" "+q.how)+": "+a.verdict]++
	}
	t.Logf("%d calls on %d threads: %v", len(history), threads, happened)
	for _, must := range []string{"begin new: accepted", "begin resume: accepted", "begin resume: stale", "begin resume: unanswered",
		"begin queue: accepted", "claim: nothing", "claim: queued", "claim: takeover", "claim: unanswered", "end suspend: ok", "end finish: fenced", "checkpoint: moved", "checkpoint: no"} {
		if happened[must] == 0 {
			t.Errorf("it never happened that %s", must)
		}
	}
	l.want(history, porcupine.Ok)
}

// linearity is an installation and what its callers did and were told.
type linearity struct {
	t      *testing.T
	seed   uint64
	ticks  atomic.Int64
	began  time.Time
	losing atomic.Bool
	losses atomic.Int64
	stores []store.Store

	mu      sync.Mutex
	clients []*linearClient
	chance  *rand.Rand // of a lost reply
}

const (
	linearLease = time.Second
	clientsEach = 4
	callsEach   = 25
)

func newLinearity(t *testing.T) *linearity {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("AGUIWS_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("AGUIWS_SEED: %v", err)
		}
		seed = n
	}
	t.Logf("AGUIWS_SEED=%d", seed)
	return &linearity{t: t, seed: seed, began: time.Now(), chance: rand.New(rand.NewPCG(seed, 0))}
}

func (l *linearity) open(dial redistest.Dial, server *redistest.Server, cluster *redistest.Masters, node string) *Store {
	l.t.Helper()
	lossy := redistest.Losing(dial, l.loses)
	var client redis.UniversalClient
	if cluster != nil {
		o := &redis.ClusterOptions{MaxRetries: -1, ContextTimeoutEnabled: true, DisableIdentity: true, Dialer: lossy,
			ReadTimeout: patience, WriteTimeout: patience}
		for _, s := range cluster.Servers {
			o.Addrs = append(o.Addrs, strings.TrimPrefix(s.URL(), "redis://"))
		}
		c := redis.NewClusterClient(o)
		c.OnNewNode(func(n *redis.Client) { n.AddHook(attemptHook{l}) })
		client = c
	} else {
		o := &redis.Options{MaxRetries: -1, ContextTimeoutEnabled: true, DisableIdentity: true, Dialer: lossy,
			ReadTimeout: patience, WriteTimeout: patience}
		if server != nil {
			o.Addr = strings.TrimPrefix(server.URL(), "redis://")
		}
		c := redis.NewClient(o)
		c.AddHook(attemptHook{l})
		client = c
	}
	l.t.Cleanup(func() { _ = client.Close() })
	opts := &Options{Node: node, Lease: linearLease, Timeout: patience, Partitions: 4, Clock: l.clock}
	if server == nil && cluster == nil {
		opts.volatile, opts.singly, opts.HistoryID = true, true, "miniredis"
	}
	s, err := New(context.Background(), client, opts)
	if err != nil {
		l.t.Fatal(err)
	}
	return closing(l.t, s)
}

// clock goes from one millisecond after the leases of a tick to the next.
func (l *linearity) clock() time.Time {
	return time.UnixMilli(1_700_000_000_000).Add(time.Duration(l.ticks.Load()) * (linearLease + time.Millisecond))
}

func (l *linearity) loses() bool {
	if !l.losing.Load() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.chance.IntN(12) != 0 {
		return false
	}
	l.losses.Add(1)
	return true
}

// storm lets clients loose on threads, four threads at a time.
func (l *linearity) storm(threads int) {
	gate := make(chan struct{}, 4)
	var group sync.WaitGroup
	for i := range threads {
		gate <- struct{}{}
		board := &claimBoard{}
		name := fmt.Sprint("thread-", i)
		var callers sync.WaitGroup
		for c := range clientsEach {
			client := &linearClient{linearity: l, name: fmt.Sprintf("%d.%d", i, c), board: board, store: l.stores[c%len(l.stores)],
				key: store.ThreadKey{Namespace: "linear", Thread: name}, rand: rand.New(rand.NewPCG(l.seed, uint64(1+i*clientsEach+c)))}
			l.clients = append(l.clients, client)
			callers.Go(client.run)
		}
		group.Go(func() {
			callers.Wait()
			<-gate
		})
	}
	group.Wait()
}

func (l *linearity) history() []porcupine.Operation {
	var all []porcupine.Operation
	for _, c := range l.clients {
		all = append(all, c.ops...)
	}
	return all
}

// want judges a history.
func (l *linearity) want(history []porcupine.Operation, want porcupine.CheckResult) {
	l.t.Helper()
	began := time.Now()
	result, info := porcupine.CheckOperationsVerbose(linear(), history, time.Minute)
	l.t.Logf("%s after %v", result, time.Since(began).Round(time.Millisecond))
	if result == want {
		return
	}
	l.t.Errorf("the history is judged %s, want %s", result, want)
	for _, parts := range info.PartialLinearizationsOperations() {
		longest := slices.MaxFunc(parts, func(a, b []porcupine.Operation) int { return len(a) - len(b) })
		left := slices.DeleteFunc(slices.Clone(history), func(o porcupine.Operation) bool {
			return o.Input.(*request).thread != longest[0].Input.(*request).thread ||
				slices.ContainsFunc(longest, func(in porcupine.Operation) bool { return in.Input == o.Input })
		})
		if len(left) == 0 {
			continue
		}
		var text strings.Builder
		for _, o := range longest[max(0, len(longest)-12):] {
			fmt.Fprintf(&text, "\n%d..%d %s", o.Call, o.Return, describe(o.Input.(*request), o.Output.(answer)))
		}
		slices.SortFunc(left, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
		text.WriteString("\nand none of these can follow:")
		for _, o := range left[:min(6, len(left))] {
			fmt.Fprintf(&text, "\n%d..%d %s", o.Call, o.Return, describe(o.Input.(*request), o.Output.(answer)))
		}
		l.t.Logf("a part that is in order, its end: %s", text.String())
	}
}

// attempts are one call's commands as they went over the wire: a client of a
// Cluster sends some again by itself.
type attempts struct {
	call, end int64 // of the last that was answered
	lost      []porcupine.Operation
	q         *request
	client    int
}

type attemptsKey struct{}

type attemptHook struct{ l *linearity }

func (attemptHook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (attemptHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// ProcessHook notes when a command may have taken effect. One whose reply was
// lost did so before the connection broke; of any other that was not answered
// nothing is known, ever.
func (h attemptHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		a, _ := ctx.Value(attemptsKey{}).(*attempts)
		if a == nil {
			return next(ctx, cmd)
		}
		call := h.l.now()
		err := next(ctx, cmd)
		end := h.l.now()
		var refused redis.Error
		switch {
		case err == nil || errors.Is(err, redis.Nil):
			a.call, a.end = call, end
		case errors.As(err, &refused): // by the server: it was not carried out
		default:
			if !errors.Is(err, redistest.ErrReplyLost) {
				end = int64(1) << 62
			}
			q := *a.q
			q.late = h.l.ticks.Load()
			a.lost = append(a.lost, porcupine.Operation{ClientId: a.client, Input: &q, Call: call, Output: answer{unknown: true}, Return: end})
		}
		return err
	}
}

func (l *linearity) now() int64 { return time.Since(l.began).Nanoseconds() }
