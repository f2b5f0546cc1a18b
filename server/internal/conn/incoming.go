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
}

// reader returns a reader of the connection that begins with what r has read of
// it already.
func (o *outbound) reader(r *bufio.Reader) *bufio.Reader {
	early, _ := r.Peek(r.Buffered())
	small := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(early), o), max(smallBuffer, len(early)))
	_, _ = small.Peek(len(early)) // there they are
	o.in.frames.pass(early)
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
	o.mu.Unlock()
	n, err := o.Conn.Read(p)
	o.mu.Lock()
	o.brought = time.Now()
	o.in.frames.pass(p[:n])
	o.in.moved = o.in.moved || n > 0
	o.mu.Unlock()
	return n, err
}

var _ net.Conn = (*outbound)(nil)
