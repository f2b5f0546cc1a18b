package peer

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/internal/origin"
	"github.com/aguiws/aguiws/server/identity"
)

// hostAllowed checks the name that the client used for this server. A page of
// a foreign name that resolves to us must not be served: its origin would look
// like our own.
func hostAllowed(r *http.Request, hosts []string) bool {
	host, port := splitHost(r.Host)
	if host == "" {
		return false
	}
	if origin.Loopback(host) {
		return true
	}
	return slices.ContainsFunc(hosts, func(allowed string) bool {
		name, only := splitHost(allowed)
		return strings.EqualFold(name, host) && (only == "" || only == port)
	})
}

func splitHost(hostport string) (host, port string) {
	if h, p, err := net.SplitHostPort(hostport); err == nil {
		return strings.TrimSuffix(h, "."), p
	}
	return strings.TrimSuffix(strings.Trim(hostport, "[]"), "."), ""
}

// pages are the pages that may use the server besides its own.
type pages struct {
	listed origin.Set
	// local pages are those that the machine itself serves, on any port. SECURITY.md
	// says why they may where nobody is authenticated and nothing else is said.
	local bool
}

func newPages(opts *Options) (pages, error) {
	listed, err := origin.ParseSet(opts.Origins)
	_, none := opts.Auth.(identity.None)
	return pages{listed, none && len(listed) == 0}, err
}

// Allow judges a present Origin by scheme, host and port.
func (p pages) Allow(r *http.Request, header string) bool {
	page, ok := origin.Parse(header)
	if !ok {
		return false
	}
	if own, ok := ownOrigin(r); ok && page == own || p.listed.Allows(page) {
		return true
	}
	host, _ := splitHost(r.Host)
	return p.local && page.Local() && origin.Loopback(host)
}

// ownOrigin is the origin that pages have which the server serves under the Host.
func ownOrigin(r *http.Request) (origin.Origin, bool) {
	if r.TLS != nil {
		return origin.Of("https", r.Host)
	}
	return origin.Of("http", r.Host)
}

// foreignPage says that a request without an Origin was made by a page of another
// origin: as an image, a script or a link, whose answer it cannot read and which
// would cost us all the same. A client that is no browser says nothing.
func foreignPage(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return strings.EqualFold(site, "cross-site") || strings.EqualFold(site, "same-site")
}
