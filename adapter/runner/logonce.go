package runner

import "sync"

// maxLoggedOnce bounds how much is known to have been met.
const maxLoggedOnce = 1000

// logOnce knows what was met before, so that the log tells of it once. Beyond
// maxLoggedOnce nothing is new any more.
type logOnce[K comparable] struct {
	mu  sync.Mutex
	met map[K]bool
}

func (f *logOnce[K]) first(k K) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.met[k] || len(f.met) >= maxLoggedOnce {
		return false
	}
	if f.met == nil {
		f.met = map[K]bool{}
	}
	f.met[k] = true
	return true
}

func (f *logOnce[K]) forget(k K) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.met, k)
}
