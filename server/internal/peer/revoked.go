package peer

import "sync"

// revocations makes connections look around when their credential is revoked.
// It has one goroutine a credential, not one a connection, and none for
// identities that cannot be revoked.
type revocations struct {
	mu      sync.Mutex
	by      map[<-chan struct{}]*revocation
	Running sync.WaitGroup // ends when every watch is stopped
}

// poked is a connection that looks around when it is poked. Poking never blocks.
type poked interface{ Poke() }

type revocation struct {
	held map[poked]struct{}
	over chan struct{} // closed when nobody holds it
}

// Watch pokes c when revoked is closed, until the function that it returns is
// called.
func (r *revocations) Watch(revoked <-chan struct{}, c poked) (stop func()) {
	if revoked == nil {
		return func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.by[revoked]
	if of == nil {
		of = &revocation{held: map[poked]struct{}{}, over: make(chan struct{})}
		if r.by == nil {
			r.by = map[<-chan struct{}]*revocation{}
		}
		r.by[revoked] = of
		r.Running.Go(func() {
			select {
			case <-revoked:
				r.mu.Lock()
				defer r.mu.Unlock()
				for c := range of.held {
					c.Poke()
				}
			case <-of.over:
			}
		})
	}
	of.held[c] = struct{}{}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if delete(of.held, c); len(of.held) == 0 {
			delete(r.by, revoked)
			close(of.over)
		}
	}
}
