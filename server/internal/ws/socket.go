package ws

import (
	"context"
	"math"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// socket is a peer on a WebSocket: a reader and a session, each of which has a
// goroutine only while there is something to do for it, where the connection
// can be watched for that.
type socket struct {
	*peer.Peer
	srv     *Sockets
	link    link
	intake  intake
	inbox   chan *frames.Frame
	frames  *budget.Account
	pending atomic.Int64  // bytes that frames hold which were not worked on
	eased   chan struct{} // pending is little again
	beat    heartbeat
	answers session
	mode    string // of the session, for the metrics

	turns atomic.Int64  // asked for since the worker last looked; below zero: there are no more
	ended atomic.Bool   // ctx has
	done  chan struct{} // closed when the connection is, and no worker runs or will

	expiry  *time.Timer // nil: the credential does not end
	unwatch func()      // stops waiting for the credential to be revoked
}

// link is the connection under a socket, a *conn.Conn.
type link interface {
	// Read returns the next message, or conn.ErrIdle when nothing is left.
	Read() ([]byte, error)
	// Await makes the reader come when there is more.
	Await()
	Write(text []byte) error // gathers
	Flush() error
	// Ping reports whether the peer is there.
	Ping(context.Context) bool
	// GiveUp makes a Flush that waits for the peer end at that time.
	GiveUp(at time.Time)
	// Close ends the connection, with the closing handshake unless code is 0.
	Close(code int, reason string)
	// Cut ends it at once, whatever it is doing.
	Cut()
}

// session answers a socket's frames and moves its cursors. One goroutine at a
// time is in it, beside the reader's in parse and received.
type session interface {
	// parse reads a text frame.
	parse(data []byte) *frames.Frame
	// received is shown each frame before it waits for its turn, and reports whether
	// that was all there was to do for it.
	received(f *frames.Frame) bool
	// turn does what there is to do, or some of it, and asks for another turn
	// by poke if there is more. It is called after every poke. An error ends
	// the socket.
	turn() error
	// end gives back what the session holds, after the last turn.
	end()
}

// work sees to it that the session takes a turn. At most one goroutine of a
// socket does; it leaves when no turn was asked for while it took the last.
func (sock *socket) work() {
	if sock.turns.Add(1) != 1 {
		return
	}
	go func() {
		for {
			asked := sock.turns.Load()
			if err := sock.guard(sock.turn); err != nil {
				_ = sock.guard(func() error { sock.answers.end(); return nil })
				sock.close(err)
				sock.turns.Store(math.MinInt64 / 2)
				close(sock.done)
				return
			}
			if sock.turns.CompareAndSwap(asked, 0) {
				return
			}
		}
	}()
}

// turn is the session's, unless the socket has ended.
func (sock *socket) turn() error {
	select {
	case <-sock.Ctx.Done():
		return context.Cause(sock.Ctx)
	case <-sock.Identity.Revoked:
		return peer.CloseExpired
	default:
		return sock.answers.turn()
	}
}

// guard turns a panic into the end of this socket alone.
func (sock *socket) guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			sock.Log.Error("panic", "value", p, "stack", string(debug.Stack()))
			err = peer.CloseFault
		}
	}()
	return f()
}

// close ends the connection, with the closing handshake if the peer may still
// be there. The session's goroutine calls it, so nothing else is being written.
func (sock *socket) close(err error) {
	c := peer.ClosingOf(err)
	if c != err {
		sock.Log.Error("socket fails", "error", err)
	}
	sock.Cancel(c)
	if sock.link == nil {
		return
	}
	sock.link.Close(c.Code, c.Reason)
	sock.srv.Metrics.Closed.WithLabelValues(strconv.Itoa(c.Code)).Inc()
	sock.Log.Debug("socket closed", "code", c.Code, "reason", c.Reason)
}

// Cut ends the connection at once.
func (sock *socket) Cut(why *peer.Closing) {
	sock.Cancel(why)
	sock.link.Cut()
}

// hurry keeps a slow peer from holding up the end of the socket.
func (sock *socket) hurry() {
	at := time.Now()
	if peer.ClosingOf(context.Cause(sock.Ctx)).Code != 0 {
		at = at.Add(conn.Farewell)
	}
	sock.link.GiveUp(at)
}

// write gathers one text frame.
func (sock *socket) write(data []byte) error {
	if err := sock.Gather(len(data), sock); err != nil {
		return err
	}
	return peer.Writing(sock.link.Write(data))
}

// Flush writes what was gathered.
func (sock *socket) Flush() error {
	err := peer.Writing(sock.link.Flush())
	sock.Out.Flushed()
	return err
}
