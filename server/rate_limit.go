package server

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxLimiters bounds a table of limiters. Whoever fills it with addresses drops
// the longest unused first.
const maxLimiters = 16_384

// limiters is a token bucket a key, for the keys used last. A nil one limits
// nothing, and nobody ("") is not limited. It may be used concurrently.
type limiters struct {
	rate  rate.Limit
	burst int

	mu    sync.Mutex
	byKey map[string]*list.Element
	used  list.List // of *limiter, the last used in front
}

type limiter struct {
	key string
	*rate.Limiter
}

// newLimiters returns nil where the rate is negative: no limit.
func newLimiters(perSecond float64, burst int) *limiters {
	if perSecond < 0 {
		return nil
	}
	return &limiters{rate: rate.Limit(perSecond), burst: burst, byKey: map[string]*list.Element{}}
}

// take takes a token of the key's, or says how long until there is one.
func (l *limiters) take(key string) time.Duration {
	if l == nil || key == "" {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.byKey[key]
	if e == nil {
		if len(l.byKey) >= maxLimiters {
			last := l.used.Back()
			delete(l.byKey, last.Value.(*limiter).key)
			l.used.Remove(last)
		}
		e = l.used.PushFront(&limiter{key, rate.NewLimiter(l.rate, l.burst)})
		l.byKey[key] = e
	} else {
		l.used.MoveToFront(e)
	}
	return reserve(e.Value.(*limiter).Limiter)
}

// reserve takes a token, or says how long until there is one.
func reserve(limit *rate.Limiter) time.Duration {
	r := limit.Reserve()
	d := r.Delay()
	if d > 0 {
		r.Cancel()
	}
	return d
}
