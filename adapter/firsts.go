package adapter

import "sync"

// maxFirsts bounds how much is known to have been met.
const maxFirsts = 1000

// firsts knows what was met before, so that the log tells of it once. Beyond
// maxFirsts nothing is new any more.
type firsts[K comparable] struct {
	mu  sync.Mutex
	met map[K]bool
}

func (f *firsts[K]) first(k K) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.met[k] || len(f.met) >= maxFirsts {
		return false
	}
	if f.met == nil {
		f.met = map[K]bool{}
	}
	f.met[k] = true
	return true
}

func (f *firsts[K]) forget(k K) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.met, k)
}
