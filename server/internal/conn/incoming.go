package conn

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"time"
)

// emptyMessage is a text message of a client without a text.
var emptyMessage = []byte{0x81, 0x80, 0, 0, 0, 0}

// incoming is what an outbound knows of what it reads. A reader that may leave
// is told of an empty message when the peer has nothing more to say: park.go
// says why.
type incoming struct {
	frames framing
	early  bool // something had come before the connection was ours
	leave  bool // the reader may leave
	moved  bool // the peer has sent something since the reader came
	left   bool // the reader was told of an empty message that is none

	began time.Time // when what is under way was; zero: nothing is
	armed bool      // the connection has a deadline for reading
	small allowance
}

// A message, or a control frame, must be there after messageTime and a second for each
// slowest bytes of it.
const (
	messageTime = 30 * time.Second
	slowest     = 32 << 10
)

// begin is called when a reader comes for the next message, of which something may be
// there. Until then nobody read, which is not the peer's fault.
func (o *outbound) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.in.began.IsZero() {
		o.in.began = time.Now()
	}
}

// waited adds to the time that what is under way has.
func (o *outbound) waited(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.in.began.IsZero() {
		o.in.began = o.in.began.Add(d)
	}
}

// arm sets the deadline of the next reading. It must be called with the lock held.
func (o *outbound) arm() {
	var until time.Time
	switch {
	case o.direct: // the library waits for the rest of a message before the closing handshake
		until = o.until
	case !o.in.began.IsZero():
		until = o.in.began.Add(messageTime + time.Duration(o.in.frames.text)*time.Second/slowest)
	}
	if o.in.armed || !until.IsZero() {
		_ = o.Conn.SetReadDeadline(until) // a connection that is closed says so when it is read
		o.in.armed = !until.IsZero()
	}
}

// follow looks at what was read. It must be called with the lock held.
func (o *outbound) follow(p []byte) error {
	in := &o.in
	in.frames.pass(p)
	in.moved = in.moved || len(p) > 0
	switch {
	case in.frames.atRest():
		in.began = time.Time{}
	case in.began.IsZero():
		in.began = time.Now()
	}
	n := in.frames.small
	if in.frames.small = 0; n > 0 && !in.small.take(n, o.brought) {
		return ErrFlood
	}
	return nil
}

// reader returns a reader of the connection that begins with what r has read of
// it already.
func (o *outbound) reader(r *bufio.Reader) *bufio.Reader {
	early, _ := r.Peek(r.Buffered())
	small := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(early), o), max(smallBuffer, len(early)))
	_, _ = small.Peek(len(early)) // there they are
	_ = o.follow(early)           // too many would be more than fits
	o.in.early = len(early) > 0
	return small
}

// mayLeave says that a reader has come that may leave when the peer has nothing
// more to say.
func (o *outbound) mayLeave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.in.leave, o.in.moved, o.in.left, o.in.early = true, o.in.early, false, false
}

// hasLeft reports whether the message that was read is none: the reader leaves.
func (o *outbound) hasLeft() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.in.left
}

// mayGo must be called with the lock held. While the connection closes, only what
// the peer really says is read.
func (o *outbound) mayGo() bool {
	return o.in.leave && o.in.moved && !o.direct && o.in.frames.atRest()
}

// Read reads from the connection.
func (o *outbound) Read(p []byte) (int, error) {
	o.mu.Lock()
	if len(p) >= len(emptyMessage) && o.mayGo() {
		o.in.leave, o.in.left = false, true
		o.mu.Unlock()
		return copy(p, emptyMessage), nil
	}
	o.arm()
	o.mu.Unlock()
	n, err := o.Conn.Read(p)
	o.mu.Lock()
	o.brought = time.Now()
	flood := o.follow(p[:n])
	closing := o.direct
	o.mu.Unlock()
	if flood != nil && !closing {
		return 0, flood
	}
	return n, err
}

var _ net.Conn = (*outbound)(nil)
