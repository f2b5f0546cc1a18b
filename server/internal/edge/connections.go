package edge

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// connections are those that are open, but for hijacked ones.
type connections struct {
	mu        sync.Mutex
	open      map[net.Conn]*connection
	strangers list.List // of *connection, the oldest in front
	of        map[string]*list.List
	hurried   time.Time     // when Hurry was called; zero: it was not
	gone      chan struct{} // closed when the next connection of a proxy is gone; nil: nobody waits
}

// connection is one that was accepted.
type connection struct {
	net.Conn
	edge    *Edge
	address string
	proxy   bool
	known   atomic.Bool // somebody was recognised for the request that is under way

	// These are the edge's, under its lock.
	among, own *list.Element // of the strangers, and of those of its address; nil: it is none
	end        *time.Timer   // nil: there was none yet
	ends       time.Time     // zero: it may stay
	receiving  *exchange     // whose body is not at its end
}

func (e *connections) init() {
	e.open, e.of = map[net.Conn]*connection{}, map[string]*list.List{}
}

// accepted takes a new connection in, for which others may have to make room.
func (e *Edge) accepted(ctx context.Context, network net.Conn) context.Context {
	c := &connection{Conn: network, edge: e, address: e.opts.Address(network.RemoteAddr()), proxy: e.opts.Proxy(network.RemoteAddr())}
	c.setSendBuffer(sendBuffer)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open[network] = c
	e.stranger(c)
	if e.hurrying.Load() {
		c.endIn(e.patience(c))
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

// stranger must be called with the lock held.
func (e *Edge) stranger(c *connection) {
	c.among = e.strangers.PushBack(c)
	if c.address != "" {
		own := e.of[c.address]
		if own == nil {
			own = list.New()
			e.of[c.address] = own
		}
		c.own = own.PushBack(c)
	}
	e.opts.Counted(1)
	e.displace(e.of[c.address], e.opts.StrangersPerAddress)
	e.displace(&e.strangers, e.opts.Strangers)
}

func (e *Edge) displace(l *list.List, most int) {
	if most < 0 || l == nil || l.Len() <= most {
		return
	}
	oldest := l.Front().Value.(*connection)
	e.noStranger(oldest)
	e.opts.Displaced()
	oldest.sever()
}

// changed follows what a connection is doing.
func (e *Edge) changed(network net.Conn, state http.ConnState) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.open[network]
	if c == nil {
		return
	}
	switch state {
	case http.StateActive:
		if !e.hurrying.Load() {
			c.stay()
		}
	case http.StateIdle:
		// A client that was recognised may be idle for longer, but not on any number of
		// connections.
		if !c.known.Swap(false) {
			c.endIn(strangerIdle)
		} else {
			e.stranger(c)
		}
	case http.StateHijacked, http.StateClosed:
		delete(e.open, network)
		e.noStranger(c)
		c.stay()
		if c.proxy && e.gone != nil {
			close(e.gone)
			e.gone = nil
		}
	}
}

func (e *Edge) recognised(c *connection) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.noStranger(c)
	c.stay()
}

// noStranger must be called with the lock held.
func (e *Edge) noStranger(c *connection) {
	if c.among == nil {
		return
	}
	e.strangers.Remove(c.among)
	if own := e.of[c.address]; c.own != nil {
		if own.Remove(c.own); own.Len() == 0 {
			delete(e.of, c.address)
		}
	}
	c.among, c.own = nil, nil
	e.opts.Counted(-1)
}

// Settle waits until the proxies have closed the connections that they keep, or have had
// the time for it since Hurry. A request that meets the end of its connection would get
// the proxy's own 502.
func (e *Edge) Settle(ctx context.Context) {
	e.mu.Lock()
	over := time.NewTimer(time.Until(e.hurried.Add(reuse)))
	e.mu.Unlock()
	defer over.Stop()
	for {
		gone := e.nextGone()
		if gone == nil {
			return
		}
		select {
		case <-gone:
		case <-over.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// nextGone is closed when the next connection of a proxy is gone; nil: none is open.
func (e *Edge) nextGone() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.open {
		if c.proxy {
			if e.gone == nil {
				e.gone = make(chan struct{})
			}
			return e.gone
		}
	}
	return nil
}

// patience is how long a connection of nobody may hold up the end. The lock must be held.
func (e *Edge) patience(c *connection) time.Duration {
	if c.proxy {
		return max(patience, time.Until(e.hurried.Add(reuse)))
	}
	return patience
}

// Hurry is for who shuts down: connections of nobody, and those whose request is
// still arriving, have patience to come to an end. It holds for those that come,
// too. Each answer ends its connection from now on.
func (e *Edge) Hurry() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hurried = time.Now()
	e.hurrying.Store(true)
	for _, c := range e.open {
		if !c.known.Load() {
			c.endIn(e.patience(c))
		}
		if c.receiving != nil {
			c.receiving.hurry()
		}
	}
}

// receives notes whose body is arriving on the connection; nil: none is.
func (e *Edge) receives(c *connection, x *exchange) {
	if c == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c.receiving = x
	if x != nil && e.hurrying.Load() {
		x.hurry()
	}
}

// endIn closes the connection then, unless stay is called or that moved. The edge's
// lock must be held.
func (c *connection) endIn(d time.Duration) {
	if at := time.Now().Add(d); c.ends.IsZero() || at.Before(c.ends) || !c.edge.hurrying.Load() {
		c.ends = at
	}
	if c.end == nil {
		c.end = time.AfterFunc(d, c.over)
		return
	}
	c.end.Reset(time.Until(c.ends))
}

func (c *connection) stay() {
	c.ends = time.Time{}
	if c.end != nil {
		c.end.Stop()
	}
}

func (c *connection) over() {
	c.edge.mu.Lock()
	due := !c.ends.IsZero() && !time.Now().Before(c.ends)
	c.edge.mu.Unlock()
	if due {
		c.sever()
	}
}

// network is the connection below TLS.
func (c *connection) network() net.Conn {
	if secured, ok := c.Conn.(*tls.Conn); ok {
		return secured.NetConn()
	}
	return c.Conn
}

// sever ends the connection at once. TLS would say goodbye first, and wait for
// somebody to listen.
func (c *connection) sever() { c.network().Close() }

func (c *connection) setSendBuffer(bytes int) {
	if tcp, ok := c.network().(interface{ SetWriteBuffer(int) error }); ok {
		tcp.SetWriteBuffer(bytes)
	}
}
