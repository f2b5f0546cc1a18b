package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// hostAllowed checks the name that the client used for this server. A page of
// a foreign name that resolves to us must not be served: its origin would look
// like our own.
func hostAllowed(r *http.Request, hosts []string) bool {
	host, port := splitHost(r.Host)
	if host == "" {
		return false
	}
	if isLoopback(host) {
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

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// originAllowed checks a present Origin by scheme, host and port: it must be
// the server's own or a listed one.
func originAllowed(r *http.Request, origin string, origins []string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	if sameOrigin(u, &url.URL{Scheme: scheme, Host: r.Host}) {
		return true
	}
	return slices.ContainsFunc(origins, func(allowed string) bool {
		a, err := url.Parse(allowed)
		return err == nil && sameOrigin(u, a)
	})
}

// foreignPage says that a request without an Origin was made by a page of another
// origin: as an image, a script or a link, whose answer it cannot read and which
// would cost us all the same. What is no browser says nothing.
func foreignPage(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return strings.EqualFold(site, "cross-site") || strings.EqualFold(site, "same-site")
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}
