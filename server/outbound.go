package server

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

const (
	// flushAt is how many gathered bytes are worth a system call of their own.
	flushAt = 64 << 10
	// pongBacklog is how many bytes may wait before pings of the peer go
	// unanswered, so that a peer that pings and never reads costs nothing.
	pongBacklog = 32 << 10
	// waits is how long a write takes at least when the connection's buffers are
	// full: what is taken then is taken by the peer, not by the kernel.
	waits = 100 * time.Millisecond
	// farewell is how long closing waits for a peer to take the last bytes.
	farewell = time.Second
)

var (
	// errStalled reports that the peer took nothing for the whole write timeout.
	errStalled = errors.New("server: the peer does not read")
	// errAborted reports that writing was given up because the socket closes.
	errAborted = errors.New("server: writing was given up")
)

// buffers holds *[]byte of what outbounds have written. A connection that has
// nothing to say keeps none.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// outbound gathers what is written to a connection, so that many frames cost
// one system call. Write never blocks: it only gathers, and poke asks the
// goroutine that calls Flush to do so. The WebSocket library may therefore
// answer a ping or a close, from any goroutine, while a slow peer holds up the
// data. All methods may be called concurrently.
type outbound struct {
	net.Conn
	poke    func()
	writing chan struct{} // holds one token while somebody flushes

	timeout time.Duration // without progress

	mu      sync.Mutex
	buf     *[]byte
	unsent  int // bytes being written, buf not included
	err     error
	direct  bool
	until   time.Time // when writing is given up; zero: never
	slow    time.Time // when the peer last took something that it had let wait
	brought time.Time // when it last sent something
	in      incoming
}

func newOutbound(conn net.Conn, timeout time.Duration, poke func()) *outbound {
	return &outbound{Conn: conn, timeout: timeout, poke: poke, writing: make(chan struct{}, 1)}
}

// Write gathers p. The error is that of an earlier Flush.
func (o *outbound) Write(p []byte) (int, error) {
	o.mu.Lock()
	if o.err != nil {
		o.mu.Unlock()
		return 0, o.err
	}
	first := o.buf == nil
	if first {
		o.buf = buffers.Get().(*[]byte)
	}
	*o.buf = append(*o.buf, p...)
	direct := o.direct
	o.mu.Unlock()
	if direct {
		return len(p), o.Flush()
	}
	if first {
		o.poke()
	}
	return len(p), nil
}

// Flush writes what was gathered. It returns errStalled after the timeout
// without progress; a peer that reads slowly is waited for.
func (o *outbound) Flush() error {
	o.mu.Lock()
	idle, err := o.buf == nil, o.err
	o.mu.Unlock()
	if idle {
		return err
	}
	o.writing <- struct{}{}
	defer func() { <-o.writing }()
	return o.drain()
}

func (o *outbound) drain() error {
	for {
		o.mu.Lock()
		b, err := o.buf, o.err
		o.buf = nil
		o.mu.Unlock()
		if err != nil || b == nil {
			return err
		}
		err = o.writeAll(*b)
		if cap(*b) <= 2*flushAt {
			*b = (*b)[:0]
			buffers.Put(b)
		}
		if err != nil {
			o.mu.Lock()
			o.err = err
			o.mu.Unlock()
		}
	}
}

func (o *outbound) writeAll(b []byte) error {
	since := time.Now() // when the peer last took something
	for len(b) > 0 {
		// Looking several times within the timeout tells progress in time.
		// Under the lock, so that it cannot undo the deadline of giveUp.
		o.mu.Lock()
		o.unsent = len(b)
		deadline, last := time.Now().Add(o.timeout/4), false
		if !o.until.IsZero() && o.until.Before(deadline) {
			deadline, last = o.until, true
		}
		err := o.SetWriteDeadline(deadline)
		o.mu.Unlock()
		if err != nil {
			return err
		}

		began := time.Now()
		n, err := o.Conn.Write(b)
		b = b[n:]

		now := time.Now()
		o.mu.Lock()
		o.unsent = len(b)
		if n > 0 {
			since = now
			if now.Sub(began) >= waits {
				o.slow = now
			}
		}
		last = last || !o.until.IsZero() && !o.until.After(now)
		o.mu.Unlock()
		late := errors.Is(err, os.ErrDeadlineExceeded)
		switch {
		case late && last:
			return errAborted
		case late && now.Sub(since) >= o.timeout:
			return errStalled
		case err != nil && !late:
			return err
		}
	}
	return nil
}

// full reports that Flush is due before more is written.
func (o *outbound) full() bool { return o.backlog() >= flushAt }

func (o *outbound) backlog() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.buf == nil {
		return 0
	}
	return len(*o.buf)
}

// aliveSince reports whether the peer sent something since t, or is slow but
// took something that it had let wait.
func (o *outbound) aliveSince(t time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.brought.After(t) || o.slow.After(t)
}

// giveUp makes a Flush that waits for the peer return errAborted at that time.
// After finish it does nothing.
func (o *outbound) giveUp(at time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.direct {
		return
	}
	o.until = at
	if o.unsent > 0 {
		o.SetWriteDeadline(at)
	}
}

// finish makes Write write through, for the closing handshake. It fails if a
// frame was cut short before.
func (o *outbound) finish() error {
	o.mu.Lock()
	o.direct = true
	o.until = time.Now().Add(5 * farewell)
	o.mu.Unlock()
	return o.Flush()
}

// Close closes the connection after a last try to write what was gathered: the
// answer to the peer's close frame, most of all.
func (o *outbound) Close() error {
	end := time.Now().Add(farewell)
	o.mu.Lock()
	if o.until.IsZero() || o.until.After(end) {
		o.until = end
	}
	o.mu.Unlock()
	patience := time.NewTimer(farewell)
	defer patience.Stop()
	select {
	case o.writing <- struct{}{}:
		o.drain()
		<-o.writing
	case <-patience.C:
	}
	return o.Conn.Close()
}
