// Package edge bounds what the connections of an http.Server may take, whoever
// is at their other end and whatever they ask for.
//
// A request's header has headerTimeout to arrive, and its body must keep coming
// while somebody reads it and while it is thrown away (exchange.go). An answer
// must be taken piece by piece. Connections on which nobody was recognised are
// soon closed when they are idle, and do not hold up a shutdown. Their number is bounded,
// and so is that of idle ones, whosever they are (connections.go).
package edge

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	// strangerIdle is how long a connection of nobody may be idle.
	strangerIdle = 10 * time.Second
	// patience is how long a connection that holds up the end may still do so.
	patience = time.Second
	// reuse is how long a proxy keeps a connection that nobody uses, and may still ask on it:
	// docs/proxies.md says 5 s.
	reuse = 6 * time.Second
	// sendBuffer bounds what the kernel holds of an answer that is not taken. A
	// third of what it holds must go before it asks for more, within the write
	// timeout: the larger it is, the faster the slowest client must be.
	sendBuffer = 128 << 10
)

// Options say what connections may take.
type Options struct {
	// WriteTimeout is how long a client may take nothing of an answer.
	WriteTimeout time.Duration
	// Strangers is how many connections may be open without a request of somebody
	// who was recognised, and StrangersPerAddress how many of them of one address.
	// The oldest makes room for a new one. Negative: no limit.
	Strangers, StrangersPerAddress int
	// Address is what a connection counts under by whose it is; "": it is not
	// told apart.
	Address func(net.Addr) string
	// Proxy reports whether an address is that of a proxy, which asks for others on
	// connections that it keeps. nil: none is.
	Proxy func(net.Addr) bool
	// Counted is told how many such connections come (1) and go (-1), and
	// Displaced of each that had to make room. They must not block. nil: nobody is.
	Counted   func(int)
	Displaced func()
	// Log gets what net/http has to say, which it may be made to say by anybody.
	Log *slog.Logger
}

// Edge keeps the connections of any number of servers. It may be used
// concurrently.
type Edge struct {
	opts     Options
	hurrying atomic.Bool // set with strangers.mu held
	connections
}

// New is an edge for connections of whom Options say. The number of strangers is
// bounded by a quarter of the descriptors that the process may have, too.
func New(opts Options) *Edge {
	if opts.Address == nil {
		opts.Address = func(net.Addr) string { return "" }
	}
	if opts.Proxy == nil {
		opts.Proxy = func(net.Addr) bool { return false }
	}
	if opts.Counted == nil {
		opts.Counted = func(int) {}
	}
	if opts.Displaced == nil {
		opts.Displaced = func() {}
	}
	if most := descriptors() / 4; most > 0 && (opts.Strangers < 0 || opts.Strangers > most) {
		opts.Strangers = most
	}
	e := &Edge{opts: opts}
	e.connections.init()
	return e
}

// Server is a server whose connections the edge keeps. The handler must have come
// from Handler. The caller of its Shutdown calls Hurry before, and
// Settle if there are proxies.
func (e *Edge) Server(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout, // of a TLS handshake, too
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    16 << 10,
		ConnContext:       e.accepted,
		ConnState:         e.changed,
		ErrorLog:          errorLog(e.opts.Log),
	}
}

type connectionKey struct{}

// Recognise says that a request is somebody's. It does nothing if the request's server is
// none of an Edge.
func Recognise(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(*connection); ok && !c.known.Swap(true) {
		c.edge.recognised(c)
	}
}

// SetSendBuffer says how much the kernel may hold for the client of a request that
// takes it slowly. It does nothing if the request's server is none of an Edge.
func SetSendBuffer(ctx context.Context, bytes int) {
	if c, ok := ctx.Value(connectionKey{}).(*connection); ok {
		c.setSendBuffer(bytes)
	}
}
