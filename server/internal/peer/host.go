package peer

import (
	"net"
	"net/http"

	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// CheckAddress refuses requests that came by a name or an address that must
// not be served.
func (s *Gate) CheckAddress(r *http.Request) *refusal.Refusal {
	if !hostAllowed(r, s.Options.Hosts) {
		return s.refuseName(r)
	}
	if _, none := s.Options.Auth.(identity.None); none {
		if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && Public(local) {
			return refusePublic
		}
	}
	return nil
}

// Public reports whether an address can be reached from other machines. An address of
// another kind, such as a Unix socket, cannot.
func Public(addr net.Addr) bool {
	if addr == nil {
		return false
	}
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && !ip.IsLoopback()
}
