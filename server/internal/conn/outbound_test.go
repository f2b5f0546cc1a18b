package conn

import (
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/server/internal/unacked"
)

func newOutbound(network net.Conn, timeout time.Duration, gathered func()) *outbound {
	o := &outbound{}
	o.open(network, timeout, gathered)
	return o
}

// tally is a connection that counts writes.
type tally struct {
	net.Conn
	mu     sync.Mutex
	writes int
	bytes  strings.Builder
	fails  error
}

func (c *tally) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fails != nil {
		return 0, c.fails
	}
	c.writes++
	return c.bytes.Write(p)
}

func (c *tally) SetWriteDeadline(time.Time) error { return nil }

func (c *tally) SetReadDeadline(time.Time) error { return nil }
func (c *tally) Close() error                    { return nil }

func TestOutboundGathers(t *testing.T) {
	pokes := 0
	conn := &tally{}
	o := newOutbound(conn, time.Second, func() { pokes++ })
	for range 100 {
		if _, err := io.WriteString(o, "frame "); err != nil {
			t.Fatal(err)
		}
	}
	if pokes != 1 || conn.writes != 0 || o.backlog() != 600 {
		t.Errorf("%d pokes, %d writes, %d bytes wait", pokes, conn.writes, o.backlog())
	}
	if err := o.Flush(); err != nil {
		t.Fatal(err)
	}
	if conn.writes != 1 || conn.bytes.String() != strings.Repeat("frame ", 100) || o.backlog() != 0 {
		t.Errorf("%d writes of %q", conn.writes, conn.bytes.String())
	}
	if err := o.Flush(); err != nil || conn.writes != 1 {
		t.Errorf("an empty flush: %v, %d writes", err, conn.writes)
	}
	if err := o.finish(); err != nil {
		t.Fatal(err)
	}
	if io.WriteString(o, "bye"); conn.writes != 2 {
		t.Error("what is written last is not written through")
	}
}

func TestOutboundKeepsItsError(t *testing.T) {
	broken := errors.New("broken")
	conn := &tally{fails: broken}
	o := newOutbound(conn, time.Second, func() {})
	io.WriteString(o, "x")
	if err := o.Flush(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	conn.fails = nil
	if _, err := io.WriteString(o, "y"); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if err := o.finish(); !errors.Is(err, broken) || conn.writes != 0 {
		t.Errorf("a frame was cut short, but %v", err)
	}
}

// Closing lets the peer have the last bytes, and does not wait for one that
// takes nothing.
func TestOutboundClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		o := newOutbound(far, time.Minute, func() {})
		io.WriteString(o, "bye")
		closed := make(chan error, 1)
		go func() { closed <- o.Close() }()
		got, err := io.ReadAll(near)
		if string(got) != "bye" || err != nil || <-closed != nil {
			t.Errorf("got %q, %v", got, err)
		}

		_, far = net.Pipe()
		o = newOutbound(far, time.Minute, func() {})
		io.WriteString(o, "bye")
		flushed := make(chan error, 1)
		go func() { flushed <- o.Flush() }()
		synctest.Wait()
		began := time.Now()
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 2*Farewell {
			t.Errorf("closing took %v", took)
		}
		if err := <-flushed; err == nil {
			t.Error("nothing was taken, yet flushing succeeded")
		}
	})
}

func TestOutboundGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, far := net.Pipe()
		defer far.Close()
		o := newOutbound(far, time.Minute, func() {})
		io.WriteString(o, "x")
		flushed := make(chan error, 1)
		go func() { flushed <- o.Flush() }()
		synctest.Wait()
		began := time.Now()
		o.giveUp(began.Add(time.Second))
		if err := <-flushed; !errors.Is(err, errAborted) || time.Since(began) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
}

// A peer that took all of what it had let wait is there, also when nothing waits
// for it just then. That a connection's buffer took something says nothing.
func TestOutboundKnowsASlowPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		for _, c := range []struct {
			conn  net.Conn
			after time.Duration
			alive bool
		}{
			{far, time.Second, true},
			{&tally{}, 0, false},
		} {
			o := newOutbound(c.conn, time.Minute, func() {})
			io.WriteString(o, "words")
			began := time.Now()
			time.Sleep(time.Millisecond)
			flushed := make(chan error, 1)
			go func() { flushed <- o.Flush() }()
			if c.after > 0 {
				time.Sleep(c.after)
				io.ReadFull(near, make([]byte, 5))
			}
			if err := <-flushed; err != nil || o.aliveSince(began) != c.alive {
				t.Errorf("after %v: %v, alive %t", c.after, err, o.aliveSince(began))
			}
		}
	})
}

// The kernel says what the peer has not taken.
func TestQueued(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	if runtime.GOOS != "linux" {
		t.Skip("this system does not say what is queued")
	}
	written := make(chan error, 1)
	go func() {
		_, err := far.Write(make([]byte, 32<<20)) // more than both kernel buffers hold
		written <- err
	}()
	for unacked.Bytes(far) == 0 { // until something waits
		runtime.Gosched()
	}
	go io.Copy(io.Discard, near)
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	for unacked.Bytes(far) > 0 { // until everything is taken
		runtime.Gosched()
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if unacked.Bytes(a) != 0 {
		t.Error("a pipe has no kernel queue")
	}
}

// backlog is how many bytes are gathered.
func (o *outbound) backlog() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.buf == nil {
		return 0
	}
	return len(*o.buf)
}
