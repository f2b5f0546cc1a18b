package conn

import (
	"net"
	"sync"
	"time"

	"github.com/aguiws/aguiws/server/internal/budget"
)

// Farewell is how long closing waits for a peer to take the last bytes.
const Farewell = time.Second

// smallBuffer is what a connection keeps for reading, and for writing. Larger
// pieces go past it.
const smallBuffer = 512

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// TakeBuffer returns an empty buffer to gather in. A connection that has nothing
// to say keeps none: GiveBuffer takes it back.
func TakeBuffer() *[]byte { return buffers.Get().(*[]byte) }

// GiveBuffer takes a buffer back.
func GiveBuffer(b *[]byte) {
	if cap(*b) <= 2*budget.FlushAt {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// outbound gathers what is written to a connection, so that many frames cost
// one system call. Write never blocks: it only gathers, and gathered asks the
// goroutine that calls Flush to do so. The WebSocket library may therefore
// answer a ping or a close, from any goroutine, while a slow peer holds up the
// data. All methods may be called concurrently.
//
// Text frames are made here (text), and control frames by the library, which hands
// each to Write in one piece. Every frame is therefore appended whole, under the lock, and
// none comes to lie within another.
type outbound struct {
	net.Conn
	gathered func()
	writing  chan struct{} // holds one token while somebody flushes

	timeout time.Duration // without progress

	mu      sync.Mutex
	buf     *[]byte
	unsent  int // bytes being written, buf not included
	err     error
	direct  bool
	closing bool      // the closing frame was gathered, or Close was called: no text may follow
	until   time.Time // when writing is given up; zero: never
	slow    time.Time // when the peer last took something that it had let wait
	brought time.Time // when it last sent something
	in      incoming
}

// open must be called before any other method.
func (o *outbound) open(network net.Conn, timeout time.Duration, gathered func()) {
	o.Conn, o.timeout, o.gathered, o.writing = network, timeout, gathered, make(chan struct{}, 1)
}

// Write gathers p, which is a control frame. The error is that of an earlier Flush.
func (o *outbound) Write(p []byte) (int, error) {
	o.mu.Lock()
	if o.err != nil {
		o.mu.Unlock()
		return 0, o.err
	}
	o.closing = o.closing || p[0] == lastFrame
	first := o.gather()
	*o.buf = append(*o.buf, p...)
	direct := o.direct
	o.mu.Unlock()
	if direct {
		return len(p), o.Flush()
	}
	if first {
		o.gathered()
	}
	return len(p), nil
}

// text gathers a text frame, unless so much was gathered already that it is to be
// flushed first. The error is that of an earlier Flush, or net.ErrClosed behind the
// closing frame.
func (o *outbound) text(p []byte) (full bool, err error) {
	o.mu.Lock()
	switch {
	case o.err != nil:
		err = o.err
	case o.closing:
		err = net.ErrClosed
	case o.buf != nil && len(*o.buf) >= budget.FlushAt:
		full = true
	}
	if full || err != nil {
		o.mu.Unlock()
		return full, err
	}
	first := o.gather()
	*o.buf = append(appendHead(*o.buf, len(p)), p...)
	o.mu.Unlock()
	if first {
		o.gathered()
	}
	return false, nil
}

// largeText writes a text frame behind what was gathered, without a copy of it. The errors
// are those of text.
func (o *outbound) largeText(p []byte) error {
	o.writing <- struct{}{}
	defer func() { <-o.writing }()
	o.mu.Lock()
	err := o.err
	if err == nil && o.closing {
		err = net.ErrClosed
	}
	if err != nil {
		o.mu.Unlock()
		return err
	}
	o.gather()
	b := o.buf
	o.buf = nil // what is gathered from here on comes behind the frame
	*b = appendHead(*b, len(p))
	o.mu.Unlock()
	err = o.writeAll(*b)
	GiveBuffer(b)
	if err == nil {
		err = o.writeAll(p)
	}
	o.note(err)
	return err
}

// gather sees to it that there is a buffer, and reports whether nothing was gathered
// before. It must be called with the lock held.
func (o *outbound) gather() (first bool) {
	if first = o.buf == nil; first {
		o.buf = TakeBuffer()
	}
	return first
}

// mayPong reports whether a ping is to be answered. The library would take its own refusal
// to write a pong behind the closing frame for the end of the closing handshake.
func (o *outbound) mayPong() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.closing && (o.buf == nil || len(*o.buf) < pongBacklog)
}

// Flush writes what was gathered. It returns unacked.ErrStalled after the timeout
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
		GiveBuffer(b)
		o.note(err)
	}
}

// note keeps the error of a write, which may have cut a frame short.
func (o *outbound) note(err error) {
	if err == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = err
}

// finish makes Write write through, for the closing handshake. It fails if a
// frame was cut short before.
func (o *outbound) finish() error {
	o.mu.Lock()
	o.direct = true
	o.until = time.Now().Add(5 * Farewell)
	o.in.small.renew() // what the peer has sent before it hears of the end is not held against it
	o.in.flooded = false
	o.arm()
	o.mu.Unlock()
	return o.Flush()
}

// Close closes the connection after a last try to write what was gathered: the
// answer to the peer's close frame, most of all.
func (o *outbound) Close() error {
	end := time.Now().Add(Farewell)
	o.mu.Lock()
	o.closing = true
	if o.until.IsZero() || o.until.After(end) {
		o.until = end
	}
	o.mu.Unlock()
	patience := time.NewTimer(Farewell)
	defer patience.Stop()
	select {
	case o.writing <- struct{}{}:
		o.drain()
		<-o.writing
	case <-patience.C:
	}
	return o.Conn.Close()
}
