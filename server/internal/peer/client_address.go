package peer

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// addressOf is the address that a request counts for: that of the peer, or of
// whom a trusted proxy says that it speaks for. A loopback address counts for
// nobody: behind it is this machine, or a proxy that is not listed. An address that a proxy
// says and that cannot be read counts for the proxy, a loopback one included.
func (s *Gate) addressOf(r *http.Request) string {
	addr, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return ""
	}
	if addr.IsLoopback() && !s.trusts(addr) {
		s.warnOfProxy(r)
	}
	var hops []string
	for _, line := range r.Header.Values("X-Forwarded-For") {
		hops = append(hops, strings.Split(line, ",")...)
	}
	for ; s.trusts(addr) && len(hops) > 0; hops = hops[:len(hops)-1] {
		next, ok := parseAddress(strings.TrimSpace(hops[len(hops)-1]))
		if !ok {
			return addressKey(addr)
		}
		addr = next
	}
	if addr.IsLoopback() {
		return ""
	}
	return addressKey(addr)
}

// warnOfProxy says, once, that whoever comes through a proxy is told apart from
// nobody.
func (s *Gate) warnOfProxy(r *http.Request) {
	if r.Header.Get("X-Forwarded-For") == "" && r.Header.Get("Forwarded") == "" {
		return
	}
	s.proxyWarning.Do(func() {
		s.Options.Logger.Warn("a proxy on this machine is not listed: its clients have no limits by address. --trusted-proxies 127.0.0.1/32,::1/128 lists it, where it sets X-Forwarded-For")
	})
}

// parseAddress reads an address as peers and proxies write it: bare or in brackets,
// with a port or without, of IPv4 in IPv6, with a zone.
func parseAddress(text string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	} else if inner, ok := strings.CutPrefix(text, "["); ok {
		if text, ok = strings.CutSuffix(inner, "]"); !ok {
			return netip.Addr{}, false
		}
	}
	addr, err := netip.ParseAddr(text)
	return plainAddress(addr), err == nil
}

func plainAddress(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// 64 bits of an IPv6 address are one network's, and 48 one site's, which has networks
// without number.
const (
	networkBits = 64
	siteBits    = 48
	// siteShare is how many networks' limits a site has.
	siteShare = 8
)

// addressKey is what a plain address counts as: of IPv6, its network.
func addressKey(addr netip.Addr) string {
	if addr.Is6() {
		return netip.PrefixFrom(addr, networkBits).Masked().String()
	}
	return addr.String()
}

// siteOf is the site of a network that addressKey has returned; "" for others.
func siteOf(key string) string {
	network, err := netip.ParsePrefix(key)
	if err != nil || network.Bits() != networkBits {
		return ""
	}
	return netip.PrefixFrom(network.Addr(), siteBits).Masked().String()
}

func (s *Gate) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(s.Options.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// StrangerAddress is what a connection counts under by whose it is. A trusted
// proxy's are many clients'.
func (s *Gate) StrangerAddress(peer net.Addr) string {
	at, err := netip.ParseAddrPort(peer.String())
	if err != nil {
		return ""
	}
	addr := plainAddress(at.Addr())
	if addr.IsLoopback() || s.trusts(addr) {
		return ""
	}
	return addressKey(addr)
}

// IsProxy reports whether an address is a trusted proxy's.
func (s *Gate) IsProxy(peer net.Addr) bool {
	at, err := netip.ParseAddrPort(peer.String())
	return err == nil && s.trusts(plainAddress(at.Addr()))
}
