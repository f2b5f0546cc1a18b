package peer

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxLimiters bounds a table of limiters. A client that fills it with addresses drops
	// the longest unused first.
	maxLimiters = 16_384
	// maxOfSite is how many of them networks of one site may have, so that a site
	// drops its own.
	maxOfSite = 64
	// ThreadsOfRequest is how many threads of a tree the store can look at, or move, in the
	// time that a request takes it.
	ThreadsOfRequest = 20
)

// limiters is a token bucket a key, for the keys used last. A nil one limits
// nothing, and nobody ("") is not limited. It may be used concurrently.
type limiters struct {
	rate  rate.Limit
	burst int
	sites *limiters // what the sites of IPv6 networks may take together, under this lock; nil: keys have none

	mu    sync.Mutex
	byKey map[string]*limiter
	used  list.List             // of *limiter, the last used in front
	of    map[string]*list.List // by site, the same
}

type limiter struct {
	key, site       string
	among, siblings *list.Element // siblings: nil without a site
	*rate.Limiter
}

// newLimiters returns nil where the rate is negative: no limit.
func newLimiters(perSecond float64, burst int) *limiters {
	if perSecond < 0 {
		return nil
	}
	return &limiters{rate: rate.Limit(perSecond), burst: burst, byKey: map[string]*limiter{}, of: map[string]*list.List{}}
}

// bySite says that keys are addresses, whose sites are limited, too.
func (l *limiters) bySite() {
	if l != nil {
		l.sites = newLimiters(float64(l.rate)*siteShare, l.burst*siteShare)
	}
}

// Take takes a token of the key's, or says how long until there is one.
func (l *limiters) Take(key string) time.Duration {
	if l == nil || key == "" {
		return 0
	}
	site := ""
	if l.sites != nil {
		site = siteOf(key)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.limiter(key, site)
	if site == "" {
		return Reserve(own.Limiter)
	}
	// A caller that may not take from one leaves the other's tokens to others.
	whole := l.sites.limiter(site, "")
	if whole.Tokens() < 1 {
		return Reserve(whole.Limiter)
	}
	wait := Reserve(own.Limiter)
	if wait == 0 {
		whole.Allow()
	}
	return wait
}

// Charge takes so many tokens of a key's more for what was done, whether or not there are
// as many: then the key has to wait for them.
func (l *limiters) Charge(key string, tokens int) {
	if l == nil || key == "" || tokens <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for own := l.limiter(key, ""); tokens > 0; tokens -= l.burst {
		own.ReserveN(time.Now(), min(tokens, l.burst))
	}
}

// limiter must be called with the lock held.
func (l *limiters) limiter(key, site string) *limiter {
	if one := l.byKey[key]; one != nil {
		l.used.MoveToFront(one.among)
		if one.siblings != nil {
			l.of[site].MoveToFront(one.siblings)
		}
		return one
	}
	siblings := l.of[site]
	switch {
	case siblings != nil && siblings.Len() >= maxOfSite:
		l.drop(siblings.Back().Value.(*limiter))
	case len(l.byKey) >= maxLimiters:
		l.drop(l.used.Back().Value.(*limiter))
	}
	one := &limiter{key: key, site: site, Limiter: rate.NewLimiter(l.rate, l.burst)}
	l.byKey[key], one.among = one, l.used.PushFront(one)
	if site != "" {
		if siblings = l.of[site]; siblings == nil {
			siblings = list.New()
			l.of[site] = siblings
		}
		one.siblings = siblings.PushFront(one)
	}
	return one
}

func (l *limiters) drop(one *limiter) {
	delete(l.byKey, one.key)
	l.used.Remove(one.among)
	if one.siblings != nil {
		if l.of[one.site].Remove(one.siblings); l.of[one.site].Len() == 0 {
			delete(l.of, one.site)
		}
	}
}

// Reserve takes a token, or says how long until there is one.
func Reserve(limit *rate.Limiter) time.Duration {
	r := limit.Reserve()
	d := r.Delay()
	if d > 0 {
		r.Cancel()
	}
	return d
}
