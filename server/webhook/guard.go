package webhook

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// guard decides to which addresses connections may be made. It sees the address itself,
// at the moment of connecting: what a name has led to before, or for somebody else, says
// nothing.
type guard struct {
	private  []string // hosts that may lead anywhere but to all
	resolver *net.Resolver
	public   func(netip.Addr) error // who is on the internet
}

const dialTimeout = 5 * time.Second

var internet = ssrf.New(ssrf.WithAnyPort())

// public refuses addresses that are not on the internet: loopback, private, link-local,
// shared, multicast, reserved and unspecified ones, IPv4 inside IPv6 in all its forms, and
// those for translation (NAT64).
func public(ip netip.Addr) error { return internet.SafeAddr(ip) }

// dial is http.Transport's DialContext.
func (g *guard) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	check := g.public
	if slices.Contains(g.private, strings.ToLower(host)) {
		check = single
	}
	d := net.Dialer{Timeout: dialTimeout, Resolver: g.resolver, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return check(to.Addr())
	}}
	return d.DialContext(ctx, network, addr)
}

// single refuses addresses that are of no one host.
func single(ip netip.Addr) error {
	if ip = ip.Unmap(); ip.IsUnspecified() || ip.IsMulticast() || ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return fmt.Errorf("%s is of no one host", ip)
	}
	return nil
}
