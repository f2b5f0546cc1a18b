package origin

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Allowed is an origin that a setting names: one, or one with every port.
type Allowed struct {
	Origin
	AnyPort bool
}

// Set is what a setting names.
type Set []Allowed

// ParseSet reads a setting. Its error says what was meant where that can be told.
func ParseSet(texts []string) (Set, error) {
	var set Set
	for _, text := range texts {
		a, err := parseAllowed(text)
		if err != nil {
			return nil, err
		}
		set = append(set, a)
	}
	return set, nil
}

// Allows reports whether a page of the origin is meant. The names of loopback,
// such as localhost, 127.0.0.1 and [::1], are one.
func (s Set) Allows(o Origin) bool {
	return slices.ContainsFunc(s, func(a Allowed) bool {
		return a.scheme == o.scheme && (a.AnyPort || a.port == o.port) && (a.host == o.host || a.Local() && o.Local())
	})
}

// String is the origin as a setting writes it.
func (a Allowed) String() string {
	if !a.AnyPort {
		return a.Origin.String()
	}
	host := a.Origin
	host.port = defaultPort(host.scheme)
	return host.String() + ":*"
}

// parseAllowed reads one entry: as Parse does, with a slash behind it as in an
// address bar, or with * for the port.
func parseAllowed(text string) (Allowed, error) {
	entry := strings.TrimSuffix(text, "/")
	if entry, anyPort := strings.CutSuffix(entry, ":*"); anyPort {
		// An entry that has a port before it would be one host with two ports.
		if o, ok := Parse(entry + ":1"); ok && !foreignScheme(o.scheme) {
			return Allowed{o, true}, nil
		}
	} else if o, ok := Parse(entry); ok && !foreignScheme(o.scheme) {
		return Allowed{o, false}, nil
	}
	return Allowed{}, fmt.Errorf("%q: %w", text, whyNot(text))
}

// foreignScheme is for what has pages, of which no page is from.
func foreignScheme(scheme string) bool {
	return scheme == "ws" || scheme == "wss" || scheme == "file"
}

// whyNot says what is wrong with an entry that would match no page.
func whyNot(text string) error {
	scheme, host, found := strings.Cut(text, "://")
	if !found {
		scheme, host = "", strings.TrimPrefix(text, "//")
	}
	switch {
	case text == "*":
		return errors.New("every origin must be named, such as https://app.example.com; http://localhost:* is every page of the machine itself")
	case text == "null" || strings.EqualFold(scheme, "file"):
		return errors.New("a page from a file, or in a sandboxed frame, has the origin null, which a page of any site can take on: serve the page over HTTP, and name that")
	}
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		host = "[" + host + "]"
	}
	name, port, _ := cutPort(host)
	switch {
	case strings.Contains(name, "*"):
		return errors.New("only the port may be *: each host must be named")
	case strings.IndexFunc(name, func(r rune) bool { return r > '~' }) >= 0:
		return errors.New("browsers send a host in ASCII: write it as xn--…")
	}
	if port == "*" {
		port = "1"
	}
	o, ok := Of("http", name+":"+port)
	meant := func(scheme, why string) error {
		return fmt.Errorf("%s (did you mean %s://%s?)", why, scheme, host)
	}
	switch {
	case !ok:
		return errors.New("not an origin: expected a scheme, a host and maybe a port, such as https://app.example.com or http://localhost:5173")
	case strings.EqualFold(scheme, "ws"):
		return meant("http", "a page is not served over a WebSocket")
	case strings.EqualFold(scheme, "wss"):
		return meant("https", "a page is not served over a WebSocket")
	case isScheme(scheme):
		return meant(scheme, "an origin is a scheme, a host and a port, and ends there")
	case Loopback(o.host):
		return meant("http", "an origin begins with a scheme")
	default:
		return meant("https", "an origin begins with a scheme")
	}
}
