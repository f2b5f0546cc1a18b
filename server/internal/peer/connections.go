package peer

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/server/internal/refusal"
)

// connection is a socket or a stream over HTTP.
type connection interface {
	// Cut ends it at once, whatever it is doing.
	Cut(why *Closing)
	// Poke makes it look around. It never blocks.
	Poke()
}

// connections are those that are open, and how many of them whoever has.
type connections struct {
	most     *Limits
	mu       sync.Mutex
	draining atomic.Bool // set with the lock held: no more are reserved
	sockets  map[connection]struct{}
	reserved int            // sockets, those in their handshake included
	users    map[string]int // sockets by user, and by address and site
	addrs    map[string]int
	handlers sync.WaitGroup
}

func newConnections(most *Limits) connections {
	return connections{most: most, sockets: map[connection]struct{}{}, users: map[string]int{}, addrs: map[string]int{}}
}

// PokeAll makes every connection look around.
func (s *connections) PokeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.sockets {
		c.Poke()
	}
}

// close lets no more come.
func (s *connections) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining.Store(true)
}

// Closed reports whether no more may come.
func (s *connections) Closed() bool { return s.draining.Load() }

// Open is how many sockets and streams there are, and how many of them are one user's.
func (s *connections) Open(user string) (all, ofUser int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reserved, s.users[user]
}

// Wait returns when all have ended. Those that are there when patience is over are cut off.
func (s *connections) Wait(ctx context.Context, patience time.Duration) error {
	closed := make(chan struct{})
	go func() {
		s.handlers.Wait()
		close(closed)
	}()
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
	}
	// Runs that do not end in time take all of ctx. Their clients are told all the same.
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-closed:
	case <-late.C:
		s.cutOff()
		<-closed
	}
	return ctx.Err()
}

// cutOff ends every connection without a farewell.
func (s *connections) cutOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sock := range s.sockets {
		sock.Cut(CloseGone)
	}
}

// Reserve counts a connection that stays open, a socket or a stream, before it
// is answered. The caller calls Unreserve in the end; Shutdown waits for that.
func (s *connections) Reserve(user, address string) *refusal.Refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := func(count map[string]int, key string, limit int) bool {
		return key != "" && limit >= 0 && count[key] >= limit
	}
	switch {
	case s.draining.Load():
		return RefuseDraining
	case s.reserved >= s.most.Sockets:
		return refuseOverload
	case over(s.users, user, s.most.SocketsPerUser):
		return refuseUser
	case over(s.addrs, address, s.most.SocketsPerAddress), over(s.addrs, siteOf(address), siteShare*s.most.SocketsPerAddress):
		return refuseAddress
	}
	s.reserved++
	s.users[user]++
	s.addrs[address]++
	if site := siteOf(address); site != "" {
		s.addrs[site]++
	}
	s.handlers.Add(1)
	return nil
}

// Begin counts work that no connection waits for. The caller calls Finish in the
// end; Shutdown waits for that. False: the server drains.
func (s *connections) Begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining.Load() {
		return false
	}
	s.handlers.Add(1)
	return true
}

// Finish ends what begin has begun.
func (s *connections) Finish() { s.handlers.Done() }

// Unreserve gives a connection back that reserve has counted.
func (s *connections) Unreserve(user, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved--
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

// Track lets the connection be poked and cut.
func (s *connections) Track(sock connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets[sock] = struct{}{}
}

// Untrack ends what Track began.
func (s *connections) Untrack(sock connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sockets, sock)
}
