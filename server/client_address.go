package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// addressOf is the address that a request counts for: that of the peer, or of
// whom a trusted proxy says that it speaks for. A loopback address counts for
// nobody: behind it is this machine, or a proxy that is not listed. Of IPv6,
// 64 bits are one network's.
func (s *core) addressOf(r *http.Request) string {
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

func (s *core) trusts(addr netip.Addr) bool {
	for _, p := range s.opts.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
