package edge

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// Gathering is a listener for a server of an Edge, on whose connections Push costs one
// system call: net/http hands a connection each chunk of an answer in three pieces. A
// connection that is not TCP stays as it is.
func Gathering(l net.Listener) net.Listener { return gathering{l} }

type gathering struct{ net.Listener }

func (g gathering) Accept() (net.Conn, error) {
	c, err := g.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &gatherer{network: tcp}, err
	}
	return c, err
}

// network is what others need of a *net.TCPConn.
type network interface {
	net.Conn
	syscall.Conn
	io.ReaderFrom
	SetWriteBuffer(bytes int) error
	CloseWrite() error // by which net/http lets a refusal reach who still sends its body
}

// gatherer is a connection that can hold back what is written to it.
type gatherer struct {
	network
	mu   sync.Mutex
	held *[]byte // nil: nothing is held back
}

var pieces = sync.Pool{New: func() any { b := make([]byte, 0, piece+64); return &b }}

func (g *gatherer) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held == nil {
		return g.network.Write(p)
	}
	*g.held = append(*g.held, p...)
	return len(p), nil
}

// together writes what write writes, all at once.
func (g *gatherer) together(write func() error) error {
	g.mu.Lock()
	g.held = pieces.Get().(*[]byte)
	g.mu.Unlock()
	err := write()
	g.mu.Lock()
	defer g.mu.Unlock()
	held := g.held
	g.held = nil
	if len(*held) > 0 {
		if _, failed := g.network.Write(*held); err == nil {
			err = failed
		}
	}
	*held = (*held)[:0]
	pieces.Put(held)
	return err
}

// Push writes a piece of an answer through to the network. w is what a handler of Handler
// was given, or wraps it; else it writes and flushes.
func Push(w http.ResponseWriter, p []byte) error {
	for next := w; ; {
		switch inner := next.(type) {
		case *exchange:
			return inner.push(p)
		case interface{ Unwrap() http.ResponseWriter }:
			next = inner.Unwrap()
			continue
		}
		return through(w, p)
	}
}

func (x *exchange) push(p []byte) error {
	x.answering()
	x.written += len(p)
	return x.give(func() error {
		write := func() error { return through(x.ResponseWriter, p) }
		if g, ok := x.network.(*gatherer); ok {
			return g.together(write)
		}
		return write()
	})
}

// through writes and flushes, where that can be done.
func through(w http.ResponseWriter, p []byte) error {
	if len(p) > 0 {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	if err := http.NewResponseController(w).Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
