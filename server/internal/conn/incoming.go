package conn

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// emptyMessage is a text message of a client without a text.
var emptyMessage = []byte{0x81, 0x80, 0, 0, 0, 0}

// incoming is what an outbound knows of what it reads. A reader that may leave
// is told of an empty message when the peer has nothing more to say: park.go
// says why.
type incoming struct {
	frames framing
	early  bool // the reader is to come at once: something came with the request, or is likely to follow
	leave  bool // the reader may leave
	moved  bool // the peer has sent something since the reader came
	left   bool // the reader was told of an empty message that is none

	quiet time.Duration // for which a peer says no more before its reader leaves
	spoke time.Time     // when it last sent some of a message

	began    time.Time // when what is under way was; zero: nothing is
	deadline time.Time // for reading; zero: there is none
	lingers  bool      // it is for the reader to leave, and not for the peer
	small    allowance
	flooded  bool // more were sent than that, which the reader is to be told
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
	in := &o.in
	var until time.Time
	switch {
	case o.direct: // the library waits for the rest of a message before the closing handshake
		until = o.until
	case !in.began.IsZero():
		until = in.began.Add(messageTime + time.Duration(in.frames.text)*time.Second/slowest)
	case o.atRest():
		now := time.Now()
		if in.lingers && in.deadline.After(now) {
			return // it comes too early, and is looked at then: a deadline a message would be dear
		}
		if until = in.spoke.Add(in.quiet); until.After(now) {
			o.setDeadline(until)
			in.lingers = true
			return
		}
		until = time.Time{}
	}
	in.lingers = false
	if !until.Equal(in.deadline) {
		o.setDeadline(until)
	}
}

func (o *outbound) setDeadline(until time.Time) {
	o.in.deadline = until
	_ = o.Conn.SetReadDeadline(until) // a connection that is closed says so when it is read
}

// tooEarly reports that an error of reading is a deadline's that meant nobody but us.
// It must be called with the lock held.
func (o *outbound) tooEarly(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	in := &o.in
	early := in.lingers || in.deadline.IsZero() || in.deadline.After(time.Now())
	if early {
		o.setDeadline(time.Time{})
		in.lingers = false
	}
	return early
}

// follow looks at what was read. It must be called with the lock held.
func (o *outbound) follow(p []byte) {
	in := &o.in
	in.frames.pass(p)
	in.moved = in.moved || len(p) > 0
	if in.frames.said {
		in.frames.said, in.spoke = false, o.brought
	}
	switch {
	case in.frames.atRest():
		in.began = time.Time{}
	case in.began.IsZero():
		in.began = time.Now()
	}
	n := in.frames.small
	if in.frames.small = 0; n > 0 && !in.small.take(n, o.brought) {
		in.flooded = true
	}
}

// reader returns a reader of the connection that begins with what r has read of
// it already.
func (o *outbound) reader(r *bufio.Reader) *bufio.Reader {
	early, _ := r.Peek(r.Buffered())
	small := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(early), o), max(smallBuffer, len(early)))
	_, _ = small.Peek(len(early)) // there they are
	o.brought = time.Now()
	o.follow(early)
	o.in.spoke = o.brought
	o.in.early = len(early) > 0 || o.in.quiet > 0
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

// atRest reports whether a reader may leave that has waited for long enough. It must be
// called with the lock held. While the connection closes, only what the peer really says
// is read.
func (o *outbound) atRest() bool {
	return o.in.leave && o.in.moved && !o.direct && o.in.frames.atRest()
}

// mayGo must be called with the lock held.
func (o *outbound) mayGo() bool {
	return o.atRest() && (o.in.quiet <= 0 || time.Since(o.in.spoke) >= o.in.quiet)
}

// Read reads from the connection.
func (o *outbound) Read(p []byte) (int, error) {
	for {
		o.mu.Lock()
		if o.in.flooded {
			// Between two frames, so that the peer's closing frame is found behind them.
			if o.in.frames.between() {
				o.in.flooded = false
				o.mu.Unlock()
				return 0, ErrFlood
			}
			p = p[:min(int64(len(p)), max(o.in.frames.left, 1))]
		}
		if len(p) >= len(emptyMessage) && o.mayGo() {
			o.in.leave, o.in.left = false, true
			o.mu.Unlock()
			return copy(p, emptyMessage), nil
		}
		o.arm()
		o.mu.Unlock()
		n, err := o.Conn.Read(p)
		o.mu.Lock()
		if n == 0 && o.tooEarly(err) {
			o.mu.Unlock()
			continue
		}
		o.brought = time.Now()
		o.follow(p[:n])
		o.mu.Unlock()
		return n, err
	}
}

var _ net.Conn = (*outbound)(nil)
