package node

import "sync"

// maxLoggedOnce bounds how much is known to have been met.
const maxLoggedOnce = 1000

// LogOnce knows what was met before, so that the log tells of it once. Beyond
// maxLoggedOnce nothing is new any more.
type LogOnce[K comparable] struct {
	mu  sync.Mutex
	met map[K]bool
}

func (f *LogOnce[K]) First(k K) bool {
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

func (f *LogOnce[K]) Forget(k K) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.met, k)
}
