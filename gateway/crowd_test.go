package gateway

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
)

var crowdRuns = flag.Int("crowd", 300, "how many runs TestThousandRuns has at once; a thousand take three times as long, and as much each")

// far is an agent at the other end of connections in memory, which have neither goroutines
// nor buffers: what is counted is what this end takes.
type far struct {
	says string // to each request, at once
	// more is asked for what comes behind that; nil, and when it returns nothing: silence.
	more func() []byte

	mu    sync.Mutex
	conns []*farConn
	over  bool // all that are asked from here on end
	open  atomic.Int64
	taken atomic.Int64 // bytes
}

func (f *far) dial(context.Context, string, string) (net.Conn, error) {
	c := &farConn{far: f, come: make(chan []byte, 1), closed: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conns = append(f.conns, c)
	f.open.Add(1)
	return c, nil
}

// end ends the answers that are under way, and those that are asked for from here on.
func (f *far) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	for _, c := range f.conns {
		if c.asked.Load() {
			c.end()
		}
	}
}

// made is how many connections there were.
func (f *far) made() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.conns)
}

type farConn struct {
	far    *far
	asked  atomic.Bool
	come   chan []byte
	left   []byte
	ended  sync.Once
	close  sync.Once
	closed chan struct{}
}

func (c *farConn) end() {
	c.ended.Do(func() { go func() { c.come <- []byte("data: " + done + "\n\n"); close(c.come) }() })
}

func (c *farConn) Write(p []byte) (int, error) {
	if c.asked.Swap(true) {
		return len(p), nil
	}
	c.come <- []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + c.far.says)
	c.far.mu.Lock()
	defer c.far.mu.Unlock()
	if c.far.over {
		c.end()
	}
	return len(p), nil
}

func (c *farConn) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		if c.asked.Load() && len(c.come) == 0 && c.far.more != nil {
			c.left = c.far.more()
		}
		for len(c.left) == 0 {
			var ok bool
			select {
			case c.left, ok = <-c.come:
				if !ok {
					return 0, io.EOF
				}
			case <-c.closed:
				return 0, net.ErrClosed
			}
		}
	}
	n := copy(p, c.left)
	c.left = c.left[n:]
	c.far.taken.Add(int64(n))
	return n, nil
}

func (c *farConn) Close() error {
	c.close.Do(func() {
		close(c.closed)
		c.far.open.Add(-1)
	})
	return nil
}

func (*farConn) LocalAddr() net.Addr              { return &net.UnixAddr{} }
func (*farConn) RemoteAddr() net.Addr             { return &net.UnixAddr{} }
func (*farConn) SetDeadline(time.Time) error      { return nil }
func (*farConn) SetReadDeadline(time.Time) error  { return nil }
func (*farConn) SetWriteDeadline(time.Time) error { return nil }

func data(events ...string) (stream string) {
	for _, e := range events {
		stream += "data: " + e + "\n\n"
	}
	return stream
}

// crowd is a runner before upstreams, in a bubble of synctest.
type crowd struct {
	t      *testing.T
	runner *runner.Runner
	close  func() error
	ups    []*Upstream
}

func newCrowd(t *testing.T, wrap func(store.Store) store.Store, agents map[string]adapter.Agent) *crowd {
	t.Helper()
	st, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{t: t, close: st.Close}
	kept := store.Store(st)
	if wrap != nil {
		kept = wrap(st)
	}
	for _, a := range agents {
		if u, ok := a.(*Upstream); ok {
			c.ups = append(c.ups, u)
		}
	}
	c.runner, err = runner.New(kept, &runner.Options{Agents: agents, MaxRunsPerUser: -1, MaxRunsPerTenant: -1, Sweep: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// leave ends all that the bubble has.
func (c *crowd) leave() {
	c.t.Helper()
	shutdown(c.runner)
	for _, u := range c.ups {
		if err := u.Close(context.Background()); err != nil {
			c.t.Error(err)
		}
	}
	if err := c.close(); err != nil {
		c.t.Error(err)
	}
}

func (c *crowd) begin(agent, thread string) {
	c.t.Helper()
	in := user("go")
	in.ThreadID, in.RunID = thread, "run"
	a, err := c.runner.Submit(context.Background(), admission.Input{Namespace: "test", Agent: agent, Run: in})
	if err != nil || a.Disposition != admission.Started {
		c.t.Fatalf("%v %s %+v", err, a.Disposition, a.Refusal)
	}
}

func (c *crowd) cancel(thread string) {
	c.t.Helper()
	if r, err := c.runner.Cancel(context.Background(), store.ThreadKey{Namespace: "test", Thread: thread}, "run", admission.Actor{}); err != nil || !r.Stopped {
		c.t.Fatalf("%v %+v", err, r)
	}
}

// alone has one processor carry the process: the store's connections, and their goroutines,
// are as many on all machines. And the timers of a bubble share one context of the race
// detector, which two that find some due would corrupt.
func alone(t *testing.T) {
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

func newFar(t *testing.T, f *far, o Options) *Upstream {
	t.Helper()
	o.dial = f.dial
	u, err := New("http://agent/", &o)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// used is what the process has now: goroutines, and bytes of the heap and of stacks.
func used() (goroutines int, bytes int64) {
	runtime.GC()
	runtime.GC() // what finalizers and pools kept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), int64(m.HeapAlloc + m.StackInuse)
}

// What a thousand runs of one agent take while it says nothing: so many goroutines and bytes
// each, a place each and no more, nothing of anybody else's, and nothing when they are over.
func TestThousandRuns(t *testing.T) {
	const (
		perRun     = 5 // the run, its pipeline, its lease, and two of the connection's
		perWaiting = 3
		bytes      = 96 << 10 // with what the store has, in this process
		stored     = 56 << 10
		few        = 100 // of the store's connections
	)
	n := *crowdRuns
	if race {
		n = min(n, 100)
	}
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		still, next := &far{says: data(began, open, word)}, &far{says: data(began, open, word, shut), over: true}
		up, other := newFar(t, still, Options{Name: "still", Concurrency: n}), newFar(t, next, Options{Name: "other"})
		var own atomic.Int64
		c := newCrowd(t, nil, map[string]adapter.Agent{"": up, "other": other, "own": adapter.AgentFunc(func(context.Context, *adapter.Run) error {
			own.Add(1)
			return nil
		})})
		defer c.leave()
		stands := func(inFlight, waiting int) {
			t.Helper()
			synctest.Wait()
			if s := up.Status(); s.InFlight != inFlight || s.Waiting != waiting || int(still.open.Load()) != inFlight {
				t.Fatalf("%+v with %d connections, not %d in flight and %d waiting", s, still.open.Load(), inFlight, waiting)
			}
		}
		// What is there from the first run on is no run's.
		c.begin("", "first")
		stands(1, 0)
		c.cancel("first")
		stands(0, 0)
		goroutines, heap := used()

		for i := range n {
			c.begin("", fmt.Sprint("thread-", i))
		}
		stands(n, 0)
		g, h := used()
		each := (h - heap) / int64(n)
		t.Logf("a run has %.2f goroutines and %d bytes", float64(g-goroutines)/float64(n), each)
		if g-goroutines > perRun*n+few {
			t.Errorf("%d goroutines of %d runs", g-goroutines, n)
		}
		if each > bytes && !race {
			t.Errorf("%d bytes for each of %d runs", each, n)
		}

		// Those beyond wait, without a connection.
		for i := range 10 {
			c.begin("", fmt.Sprint("more-", i))
		}
		stands(n, 10)
		if more, _ := used(); more-g > perWaiting*10+few {
			t.Errorf("%d goroutines of 10 runs that wait", more-g)
		}
		c.begin("own", "own")
		c.begin("other", "other")
		stands(n, 10)
		if s := other.Status(); own.Load() != 1 || s.Requests != 1 || s.Failed != 0 {
			t.Errorf("%d runs of our own agent, %+v", own.Load(), s)
		}
		// One that is cancelled leaves the line, or its place to the next.
		c.cancel("more-9")
		stands(n, 9)
		c.cancel("thread-0")
		stands(n, 8)
		if made := still.made(); made != n+2 {
			t.Errorf("%d connections were made", made)
		}

		still.end()
		stands(0, 0)
		if s := up.Status(); s.Requests != int64(n+10) || s.Failed != 0 {
			t.Errorf("%+v", s)
		}
		g, h = used()
		t.Logf("when they are over: %d goroutines, %d bytes a run, which the store has", g-goroutines, (h-heap)/int64(n))
		if g-goroutines > few {
			t.Errorf("%d goroutines are left", g-goroutines)
		}
		if after := (h - heap) / int64(n); after > stored && !race {
			t.Errorf("%d bytes of %d are left of each run", after, each)
		}
	})
}

// An answer that does not end behind its run's end is closed after a while, and the run ends
// as the agent has said.
func TestAnswersThatDoNotEnd(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		const places, rounds = 4, 3
		f := &far{says: data(began, done)}
		up := newFar(t, f, Options{Concurrency: places})
		c := newCrowd(t, nil, map[string]adapter.Agent{"": up})
		defer c.leave()
		for i := range rounds * places {
			c.begin("", fmt.Sprint("thread-", i))
		}
		for n := range int64(rounds) {
			synctest.Wait()
			if s := up.Status(); s.InFlight != places || s.Requests != n*places || s.Failed != 0 || f.open.Load() != places {
				t.Errorf("%d connections, %+v", f.open.Load(), s)
			}
			time.Sleep(defaultAfterEnd)
		}
		synctest.Wait()
		if s := up.Status(); s.InFlight != 0 || s.Requests != rounds*places || s.Failed != 0 || f.open.Load() != 0 {
			t.Errorf("%d connections, %+v", f.open.Load(), s)
		}
	})
}
