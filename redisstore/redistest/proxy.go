package redistest

import (
	"bytes"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Proxy stands between a client and a Server and loses what it is told to lose:
// a command, or, which matters more, the reply to one that was carried out.
type Proxy struct {
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	target string // unix socket, or host:port
	conns  map[net.Conn]bool
	marker []byte
	unsent bool // the marked command is lost, and not its reply
	lost   int
	closed bool
}

// StartProxy starts a proxy before a server; it ends with the test.
func StartProxy(t testing.TB, s *Server) *Proxy {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(s.dir, "p"))
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{target: s.address(), listener: l, conns: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		_ = l.Close()
		p.Cut()
		p.running.Wait()
	})
	return p
}

// URL returns the proxy's address for redisstore.Open.
func (p *Proxy) URL() string { return "unix://" + p.listener.Addr().String() }

// LoseReplyTo loses the reply to the next command that contains the marker, and
// the connection with it.
func (p *Proxy) LoseReplyTo(marker string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marker, p.unsent = []byte(marker), false
}

// LoseCommand loses the next command that contains the marker, and the connection
// with it: the server never gets it.
func (p *Proxy) LoseCommand(marker string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marker, p.unsent = []byte(marker), true
}

// Lost returns how many commands and replies were lost.
func (p *Proxy) Lost() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

// Turn sends what comes from now on to another server, and cuts what there is:
// as an address does that a fail-over moves.
func (p *Proxy) Turn(s *Server) {
	p.mu.Lock()
	p.target = s.address()
	p.mu.Unlock()
	p.Cut()
}

// Cut breaks every connection.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		target := p.target
		p.mu.Unlock()
		network := "unix"
		if !strings.HasPrefix(target, "/") {
			network = "tcp"
		}
		server, err := net.Dial(network, target)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !p.keep(client, server) {
			return
		}
		losing := make(chan struct{}, 1)
		p.running.Go(func() { p.pipe(server, client, func(b []byte) bool { return p.look(b, losing) }) })
		p.running.Go(func() {
			p.pipe(client, server, func([]byte) bool {
				select {
				case <-losing:
					p.mu.Lock()
					p.lost++
					p.mu.Unlock()
					return false
				default:
					return true
				}
			})
		})
	}
}

func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		if p.closed {
			_ = c.Close()
		} else {
			p.conns[c] = true
		}
	}
	return !p.closed
}

// look marks the connection when a command has the marker in it, and reports whether the
// server is to get it.
func (p *Proxy) look(b []byte, losing chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.marker == nil || !bytes.Contains(b, p.marker) {
		return true
	}
	p.marker = nil
	if p.unsent {
		p.lost++
		return false
	}
	select {
	case losing <- struct{}{}:
	default: // it loses one already
	}
	return true
}

// pipe copies until either end breaks or pass says no, and breaks both.
func (p *Proxy) pipe(to, from net.Conn, pass func([]byte) bool) {
	defer func() {
		_ = to.Close()
		_ = from.Close()
		p.mu.Lock()
		delete(p.conns, to)
		delete(p.conns, from)
		p.mu.Unlock()
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if n > 0 && !pass(b[:n]) {
			return
		}
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
