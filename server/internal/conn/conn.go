// Package conn is the connection under a socket: WebSocket messages of text
// over TCP.
//
// Output is gathered, so that many messages cost one system call (outbound.go). A peer that
// does not read holds up whoever flushes, is waited for as long as it takes something, and
// is given up when it does not (backpressure.go). While a peer says nothing, no goroutine
// waits for it (park.go).
package conn

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/unacked"
)

var (
	// ErrIdle says that all was read that the peer has sent: see Await.
	ErrIdle = errors.New("conn: the peer says nothing")
	// ErrBinary says that the peer has sent a message that is no text, and
	// ErrUTF8 one that says it is.
	ErrBinary = errors.New("conn: text messages only")
	ErrUTF8   = errors.New("conn: not UTF-8")
	// ErrTooBig says that a message is larger than Options.MaxMessage.
	ErrTooBig = errors.New("conn: the message is too large")
	// ErrSlow says that a message took too long to come, and ErrFlood that there were
	// too many control frames, or messages in too small pieces.
	ErrSlow  = errors.New("conn: the message comes too slowly")
	ErrFlood = errors.New("conn: too many small frames")

	errHidden = errors.New("conn: the connection is out of reach: each http.ResponseWriter of a middleware needs Unwrap or Hijack, and sockets need HTTP/1")
)

// pongBacklog is how many bytes may wait before pings of the peer go
// unanswered, so that a peer that pings and never reads costs nothing.
const pongBacklog = 32 << 10

// Conn is one connection. One goroutine at a time calls Read and Await, and one
// Write, Flush and Close; all else may be called concurrently.
type Conn struct {
	ws     *websocket.Conn
	out    outbound
	reader func()
	grow   func(bytes int64) error
	most   int64 // bytes of a message
	closed atomic.Bool

	parking *Parking
	number  int32       // in parking; 0: the connection cannot be watched
	known   bool        // to what is watched
	parked  atomic.Bool // the reader has left, and comes back by wake
}

// Options say how a connection is served.
type Options struct {
	// Origin is the one that the request may come from besides the server's own,
	// if not empty. Subprotocols are those that are spoken.
	Origin       string
	Subprotocols []string
	// MaxMessage bounds a message from the peer, in bytes.
	MaxMessage int64
	// Grow is asked for room before a message takes so many bytes more. It may wait; its
	// error ends Read. Nil: there is room.
	Grow func(bytes int64) error
	// SmallFrames bounds how many control frames and small pieces of messages the peer
	// may send a second, several seconds' worth at once.
	SmallFrames float64
	// OutboundBuffer bounds what the kernel holds for the peer, in bytes.
	OutboundBuffer int
	// WriteTimeout is how long the peer may take nothing of what is written.
	WriteTimeout time.Duration
	// Quiet is for how long a peer says nothing before its reader leaves: to come back for
	// each message would be dear. Control frames are nothing.
	Quiet time.Duration
	// Gathered is called when there is something to flush. It must not block.
	Gathered func()
	// Reader is called in a goroutine of its own: see Await.
	Reader func()
	// Parking watches the connection for its reader.
	Parking *Parking
}

// Accept answers the handshake of a request. After an error it has answered
// that.
func Accept(w http.ResponseWriter, r *http.Request, opts *Options) (*Conn, error) {
	if !canHijack(w) { // the WebSocket library would find out when it has said yes
		http.Error(w, errHidden.Error(), http.StatusNotImplemented)
		return nil, errHidden
	}
	c := &Conn{reader: opts.Reader, grow: opts.Grow, most: opts.MaxMessage, parking: opts.Parking}
	c.out.in.small = newAllowance(opts.SmallFrames)
	handshake := &websocket.AcceptOptions{
		Subprotocols:   opts.Subprotocols,
		OnPingReceived: func(context.Context, []byte) bool { return c.out.mayPong() },
	}
	if opts.Origin != "" {
		handshake.OriginPatterns = []string{asPattern(opts.Origin)}
	}
	ws, err := websocket.Accept(&hijacker{w, c, opts}, r, handshake)
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(-1) // who is over ours is told by who knows what to send instead
	c.ws = ws
	c.number = c.parking.register(c)
	return c, nil
}

// asPattern makes a pattern for the WebSocket library that matches one origin
// and nothing else.
func asPattern(origin string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(origin)
}

// canHijack looks at the innermost writer: wrappers that have Hijack ask that one.
func canHijack(w http.ResponseWriter) bool {
	for {
		inner, wraps := w.(interface{ Unwrap() http.ResponseWriter })
		if !wraps {
			_, can := w.(http.Hijacker)
			return can
		}
		w = inner.Unwrap()
	}
}

// hijacker puts the connection's outbound between the WebSocket library and the
// network.
type hijacker struct {
	http.ResponseWriter
	c    *Conn
	opts *Options
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	network, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	if tcp, ok := network.(interface{ SetWriteBuffer(int) error }); ok {
		tcp.SetWriteBuffer(h.opts.OutboundBuffer)
	}
	out := &h.c.out
	out.open(network, h.opts.WriteTimeout, h.opts.Gathered)
	out.in.quiet = h.opts.Quiet
	return out, bufio.NewReadWriter(out.reader(rw.Reader), bufio.NewWriterSize(out, smallBuffer)), nil
}

// Read returns the peer's next message, or ErrIdle. After another error there
// is nothing more to read.
func (c *Conn) Read() ([]byte, error) {
	c.out.begin()
	// A context that ended here would cut the connection off before anybody
	// could say why.
	kind, body, err := c.ws.Reader(context.Background())
	if err != nil {
		return nil, readError(err)
	}
	if kind != websocket.MessageText {
		return nil, ErrBinary
	}
	text, err := budget.ReadAll(io.LimitReader(body, c.most+1), c.room)
	if err != nil {
		return nil, readError(err)
	}
	if int64(len(text)) > c.most {
		return nil, ErrTooBig
	}
	if c.out.hasLeft() {
		return nil, ErrIdle
	}
	if !utf8.Valid(text) {
		return nil, ErrUTF8
	}
	return text, nil
}

// room asks for it. The peer has the more time for its message.
func (c *Conn) room(bytes int64) error {
	if c.grow == nil {
		return nil
	}
	began := time.Now()
	err := c.grow(bytes)
	c.out.waited(time.Since(began))
	return err
}

func readError(err error) error {
	switch {
	case errors.Is(err, ErrFlood):
		return ErrFlood
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ErrSlow
	}
	return err
}

// Write gathers one message, which must be UTF-8. It flushes first when much was
// gathered already. A large message is written at once, as Flush would.
func (c *Conn) Write(text []byte) error {
	if len(text) >= budget.FlushAt {
		return c.out.largeText(text)
	}
	for {
		full, err := c.out.text(text)
		if !full {
			return err
		}
		if err := c.Flush(); err != nil {
			return err
		}
	}
}

// Flush writes what was gathered. It returns unacked.ErrStalled when the peer took
// nothing of it for the write timeout, and waits for one that reads slowly.
func (c *Conn) Flush() error { return c.out.Flush() }

// Ping reports whether the peer is there: whether it answers before ctx ends,
// or data has moved meanwhile. A slow peer may not have come to the ping yet,
// or be in the middle of a long message.
func (c *Conn) Ping(ctx context.Context) bool {
	began, before := time.Now(), unacked.Bytes(c.out.Conn)
	if c.ws.Ping(ctx) == nil {
		return true
	}
	after := unacked.Bytes(c.out.Conn)
	return c.out.aliveSince(began) || after > 0 && after < before
}

// GiveUp makes a Flush that waits for the peer end at that time, so that a slow
// peer does not hold up the end of the connection. Once Close was called it does
// nothing.
func (c *Conn) GiveUp(at time.Time) { c.out.giveUp(at) }

// Close writes what was gathered, and ends the connection with the closing
// handshake, or without where code is 0. The reader comes once more, to see it.
func (c *Conn) Close(code int, reason string) {
	if code == 0 || c.out.finish() != nil {
		c.ws.CloseNow()
	} else {
		c.ws.Close(websocket.StatusCode(code), reason)
	}
	c.parking.forget(c.number)
	c.closed.Store(true)
	c.wake()
}

// Cut ends the connection at once, whatever it is doing. Close is still to be
// called. The library's own CloseNow would wait for a closing handshake that is
// under way.
func (c *Conn) Cut() { c.out.Conn.Close() }
