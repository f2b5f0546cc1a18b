package server

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/aguiws/aguiws/server/internal/refusal"
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

// slowDown refuses a request of an address that sends too many.
func (s *Server) slowDown(r *http.Request) *refusal.Refusal {
	if wait := s.byAddress.take(s.addressOf(r)); wait > 0 {
		return refuseRate.After(wait)
	}
	return nil
}

// addressOf is the address that a request counts for: that of the peer, or of
// whom a trusted proxy says that it speaks for. A loopback address counts for
// nobody: behind it is this machine, or a proxy that is not listed. Of IPv6,
// 64 bits are one network's.
func (s *Server) addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return ""
	}
	var hops []string
	for _, line := range r.Header.Values("X-Forwarded-For") {
		hops = append(hops, strings.Split(line, ",")...)
	}
	for addr = addr.Unmap().WithZone(""); s.trusts(addr) && len(hops) > 0; hops = hops[:len(hops)-1] {
		next, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1]))
		if err != nil {
			break
		}
		addr = next.Unmap().WithZone("")
	}
	if addr.IsLoopback() {
		return ""
	}
	if addr.Is6() {
		if prefix, err := addr.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return addr.String()
}

func (s *Server) trusts(addr netip.Addr) bool {
	for _, p := range s.opts.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
