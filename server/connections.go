package server

import (
	"sync"
	"sync/atomic"

	"github.com/aguiws/aguiws/server/internal/refusal"
)

// connection is a socket or a stream over HTTP.
type connection interface {
	// cut ends it at once, whatever it is doing.
	cut(why *closing)
	// poke makes it look around. It never blocks.
	poke()
}

// connections are those that are open, and how many of them whoever has.
type connections struct {
	mu       sync.Mutex
	draining atomic.Bool // set with the lock held: no more are reserved
	sockets  map[connection]struct{}
	open     int            // sockets, those in their handshake included
	users    map[string]int // sockets by user, and by address and site
	addrs    map[string]int
	handlers sync.WaitGroup
}

func (s *connections) pokeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.sockets {
		c.poke()
	}
}

// cutOff ends every connection without a farewell.
func (s *connections) cutOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sock := range s.sockets {
		sock.cut(closeGone)
	}
}

// reserve counts a connection that stays open, a socket or a stream, before it
// is answered. The caller calls unreserve in the end; Shutdown waits for that.
func (s *connections) reserve(user, address string, most *Options) *refusal.Refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := func(count map[string]int, key string, limit int) bool {
		return key != "" && limit >= 0 && count[key] >= limit
	}
	switch {
	case s.draining.Load():
		return refuseDraining
	case s.open >= most.Sockets:
		return refuseOverload
	case over(s.users, user, most.SocketsPerUser):
		return refuseUser
	case over(s.addrs, address, most.SocketsPerAddress), over(s.addrs, siteOf(address), siteShare*most.SocketsPerAddress):
		return refuseAddress
	}
	s.open++
	s.users[user]++
	s.addrs[address]++
	if site := siteOf(address); site != "" {
		s.addrs[site]++
	}
	s.handlers.Add(1)
	return nil
}

// begin counts work that no connection waits for. The caller calls handlers.Done in the
// end; Shutdown waits for that. False: the server drains.
func (s *connections) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining.Load() {
		return false
	}
	s.handlers.Add(1)
	return true
}

func (s *connections) unreserve(user, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.users[user]--; s.users[user] == 0 {
		delete(s.users, user)
	}
	if s.addrs[address]--; s.addrs[address] == 0 {
		delete(s.addrs, address)
	}
	if site := siteOf(address); site != "" {
		if s.addrs[site]--; s.addrs[site] == 0 {
			delete(s.addrs, site)
		}
	}
	s.handlers.Done()
}

func (s *connections) track(sock connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets[sock] = struct{}{}
}

func (s *connections) untrack(sock connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sockets, sock)
}
