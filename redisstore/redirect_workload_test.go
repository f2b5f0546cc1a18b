package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/redis/go-redis/v9"
)

// wire counts what servers answer instead of doing what they are told, before
// the client library acts on it.
type wire struct {
	mu       sync.Mutex
	refusals map[string]int // by the first word
	commands int
}

func (w *wire) count(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commands++
	var refused redis.Error
	if errors.As(err, &refused) && !errors.Is(err, redis.Nil) {
		word, _, _ := strings.Cut(refused.Error(), " ")
		w.refusals[word]++
	}
}

func (w *wire) saw(refusal string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refusals[refusal]
}

func (w *wire) DialHook(next redis.DialHook) redis.DialHook { return next }

func (w *wire) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		w.count(err)
		return err
	}
}

func (w *wire) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		for _, cmd := range cmds {
			w.count(cmd.Err())
		}
		return err
	}
}

// workload is callers who do all that a thread can go through, one a thread,
// and who send again what was not answered. In the end each log must hold what
// was acknowledged, once, and nothing else; and the version the decisions.
type workload struct {
	t       *testing.T
	store   *Store
	wire    *wire
	unknown atomic.Int64 // calls that were not answered
	stopped atomic.Bool
	running sync.WaitGroup
	callers []*caller
}

const (
	workloadPatience   = time.Minute // of a call, through all that happens to the servers
	workloadPartitions = 4
)

// startWorkload opens a store and lets callers run cycles of all decisions, and
// streams of commits. Each partition gets its share of both.
func startWorkload(t *testing.T, url string, cycles, streams int) *workload {
	t.Helper()
	w := &workload{t: t, wire: &wire{refusals: map[string]int{}}}
	opts := &Options{Node: "worker", Lease: time.Hour, Partitions: workloadPartitions}
	client, err := link.Connect(url, opts.withDefaults().Timeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	switch c := client.(type) {
	case *redis.ClusterClient:
		c.OnNewNode(func(n *redis.Client) { n.AddHook(w.wire) })
	case *redis.Client:
		c.AddHook(w.wire)
	}
	if w.store, err = New(context.Background(), client, opts); err != nil {
		t.Fatal(err)
	}
	closing(t, w.store)
	for i := range cycles + streams {
		c := &caller{w: w, key: w.threadIn(i % workloadPartitions)}
		w.callers = append(w.callers, c)
		w.running.Go(func() {
			if i < cycles {
				for !w.stopped.Load() && c.cycle() {
				}
			} else {
				c.stream()
			}
		})
	}
	t.Cleanup(func() { // before the store closes, whatever happens
		w.stopped.Store(true)
		w.running.Wait()
	})
	return w
}

// threadIn makes up a thread of a partition.
func (w *workload) threadIn(partition int) store.ThreadKey {
	for n := 0; ; n++ {
		key := store.ThreadKey{Namespace: "workload", Thread: fmt.Sprintf("thread-%d-%d", len(w.callers), n)}
		if w.store.conn.Keys.Thread(key).Part.Index == partition {
			return key
		}
	}
}

// streams are the callers that stream.
func (w *workload) streams() []*caller {
	return slices.DeleteFunc(slices.Clone(w.callers), func(c *caller) bool { return !c.streams.Load() })
}

// commandsSeen is how many commands have gone over the wire.
func (w *wire) commandsSeen() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.commands
}

// advance waits until every caller has been answered a few times more.
func (w *workload) advance(calls int64) {
	w.t.Helper()
	for _, c := range w.callers {
		from := c.acknowledged.Load()
		await(w.t, "every caller is answered", func() bool { return w.t.Failed() || c.acknowledged.Load() >= from+calls })
	}
}

// finish lets the callers finish, and fails the test for what is not as they
// were told.
func (w *workload) finish() {
	w.t.Helper()
	for _, wrong := range w.finishAll() {
		w.t.Error(wrong)
	}
	var total int64
	for _, c := range w.callers {
		total += c.acknowledged.Load()
	}
	w.wire.mu.Lock()
	defer w.wire.mu.Unlock()
	w.t.Logf("%d calls acknowledged, %d left unknown and asked again, %d commands; refused: %v",
		total, w.unknown.Load(), w.wire.commands, w.wire.refusals)
}

// finishAll lets the callers finish, and says what is not as they were told.
func (w *workload) finishAll() (wrong []string) {
	w.stopped.Store(true)
	w.running.Wait()
	for _, c := range w.callers {
		var v *store.ThreadView
		if w.t.Failed() || !c.call(func() (err error) {
			v, err = w.store.Read(context.Background(), c.key, store.ReadQuery{})
			return err
		}) {
			return nil // the failure is told
		}
		got := make([]string, len(v.Log))
		for i, e := range v.Log {
			got[i] = string(e)
		}
		if !slices.Equal(got, c.log) {
			wrong = append(wrong, fmt.Sprintf("%s: the log is\n%s\nacknowledged was\n%s", c.key.Thread, got, c.log))
		}
		if v.Version != c.version || v.Seq != int64(len(c.log)) {
			wrong = append(wrong, fmt.Sprintf("%s: version %d at %d after %d decisions and %d events", c.key.Thread, v.Version, v.Seq, c.version, len(c.log)))
		}
	}
	return wrong
}

// caller is the only one on its thread, so that every answer is foreseen.
type caller struct {
	w            *workload
	key          store.ThreadKey
	acknowledged atomic.Int64
	streams      atomic.Bool // a run is open and its keys exist

	version int64
	log     []string
	runs    int
}

// call sends a call until it is answered. Any other failure fails the test.
func (c *caller) call(f func() error) bool {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(workloadPatience); ; <-tick.C {
		err := f()
		if err == nil {
			c.acknowledged.Add(1)
			return true
		}
		if !errors.Is(err, store.ErrOutcomeUnknown) || time.Now().After(deadline) {
			c.w.t.Errorf("%s: %v", c.key.Thread, err)
			return false
		}
		c.w.unknown.Add(1)
	}
}

// decided notes a decision that logged these events.
func (c *caller) decided(events ...[]byte) bool {
	c.version++
	return c.logged(events)
}

func (c *caller) logged(events [][]byte) bool {
	for _, e := range events {
		c.log = append(c.log, string(e))
	}
	return true
}

func (c *caller) seq() int64 { return int64(len(c.log)) }

func (c *caller) next(how string) store.Begin {
	c.runs++
	run := fmt.Sprint("r", c.runs)
	b := inline(c.version, run)
	switch how {
	case "resume":
		b = answering(c.version, run, fmt.Sprint("xr", c.runs-1))
	case "queue":
		b = queued(c.version, run)
	}
	b.Thread = c.key
	return b
}

func (c *caller) begin(b store.Begin) (claim store.Claim, ok bool) {
	ok = c.call(func() error {
		res, err := c.w.store.Begin(context.Background(), b)
		if err == nil && (res.Status != store.BeginAccepted || res.Position.Seq != c.seq() || b.Claimed() != nil && res.Claim.Token == "") {
			err = fmt.Errorf("begin %s at %d: %+v", b.RunID, c.seq(), res)
		}
		claim = res.Claim
		return err
	})
	if now := b.Claimed(); now != nil {
		return claim, ok && c.decided(now.Events...)
	}
	return claim, ok && c.decided()
}

func (c *caller) commit(claim store.Claim, number int64, end *store.End) bool {
	b := store.Batch{Claim: claim, Number: number, Expect: c.seq(), End: end, Entries: []json.RawMessage{json.RawMessage("1")},
		Events: [][]byte{fmt.Appendf(nil, "%s:%d:a", claim.RunID, number), fmt.Appendf(nil, "%s:%d:b", claim.RunID, number)}}
	ok := c.call(func() error {
		res, err := c.w.store.Commit(context.Background(), b)
		if err == nil && (res.Status != store.CommitOK || res.End.Seq != c.seq()+2) {
			err = fmt.Errorf("commit %d of %s at %d: %+v", number, claim.RunID, c.seq(), res)
		}
		return err
	})
	if end == nil {
		return ok && c.logged(b.Events)
	}
	return ok && c.decided(b.Events...)
}

// holds renews a claim, and looks for what it has journaled.
func (c *caller) holds(claim store.Claim, entries int) bool {
	return c.call(func() error {
		held, err := c.w.store.Renew(context.Background(), claim)
		if err == nil && !held {
			err = fmt.Errorf("renew: the claim of %s is lost", claim.RunID)
		}
		return err
	}) && c.call(func() error {
		x, err := c.w.store.Journal(context.Background(), claim)
		if err == nil && len(x.Journal) != entries {
			err = fmt.Errorf("journal of %s: %d records, want %d", claim.RunID, len(x.Journal), entries)
		}
		return err
	})
}

// cycle takes the thread through a suspension and its answer, the queue, and a
// stop. False: it failed.
func (c *caller) cycle() bool {
	ctx, finish := context.Background(), &store.End{Kind: store.EndFinish}
	suspend := &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage(`"open"`), Interrupts: []string{"int"}}
	claim, ok := c.begin(c.next("new"))
	if !ok || !c.commit(claim, 2, nil) || !c.holds(claim, 1) || !c.commit(claim, 3, nil) || !c.commit(claim, 4, suspend) {
		return false
	}
	if claim, ok = c.begin(c.next("resume")); !ok || !c.commit(claim, 2, nil) || !c.commit(claim, 3, finish) {
		return false
	}
	queued := c.next("queue")
	if _, ok = c.begin(queued); !ok {
		return false
	}
	ok = c.call(func() error {
		res, err := c.w.store.Claim(ctx, store.ClaimRequest{Thread: c.key, Token: "claim-" + queued.RunID})
		if err == nil && (res.Kind != store.ClaimQueued || res.Claim.RunID != queued.RunID) {
			err = fmt.Errorf("claim of %s: %+v", queued.RunID, res)
		}
		claim = res.Claim
		return err
	}) && c.decided()
	start := store.Activation{Claim: claim, Execution: queued.Execution, Frozen: json.RawMessage("{}"), Events: claimedAs(queued.RunID).Events}
	ok = ok && c.call(func() error {
		res, err := c.w.store.Activate(ctx, start)
		if err == nil && (res.Status != store.CommitOK || res.End.Seq != c.seq()+1) {
			err = fmt.Errorf("activate %s at %d: %+v", queued.RunID, c.seq(), res)
		}
		return err
	}) && c.decided(start.Events...)
	if !ok || !c.commit(claim, 2, finish) {
		return false
	}
	stopped := c.next("new")
	if claim, ok = c.begin(stopped); !ok {
		return false
	}
	terminal := []byte(stopped.RunID + ":stopped")
	return c.call(func() error {
		res, err := c.w.store.Stop(ctx, store.Stop{Thread: c.key, Request: "stop-" + stopped.RunID, Label: stopped.Label, Terminal: terminal})
		if err == nil && (!res.Stopped || res.RunID != stopped.RunID) {
			err = fmt.Errorf("stop of %s: %+v", stopped.RunID, res)
		}
		return err
	}) && c.decided(terminal)
}

// stream commits to one run, until the workload stops.
func (c *caller) stream() {
	if !c.call(func() error {
		_, err := c.w.store.Read(context.Background(), c.key, store.ReadQuery{Follower: true})
		return err
	}) {
		return
	}
	claim, ok := c.begin(c.next("new"))
	for n := int64(2); ok; n++ {
		if c.w.stopped.Load() {
			c.commit(claim, n, &store.End{Kind: store.EndFinish})
			return
		}
		ok = c.commit(claim, n, nil)
		c.streams.Store(ok)
	}
}
