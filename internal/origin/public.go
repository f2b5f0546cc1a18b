package origin

import (
	"errors"
	"net/url"
	"path"
	"strings"
)

// Public is where browsers find a server: at an origin, and there below a base.
type Public struct {
	// URL has no slash at its end, and its scheme in lower case.
	URL string
	// Base is the URL's path: "" at the root of the host, or one such as "/agents".
	Base string
	// Port is the one that the URL names; "": its scheme's.
	Port string
}

// ParsePublic reads the address of a server. It does not judge the scheme.
func ParsePublic(address string) (Public, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return Public{}, err
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return Public{}, errors.New("the URL must have no query and no fragment")
	}
	base := strings.TrimSuffix(u.EscapedPath(), "/")
	if !IsBase(base) {
		return Public{}, errors.New("the URL's path must be one such as /agents: names of letters, digits, -, . and _, with a slash between them")
	}
	return Public{URL: u.Scheme + "://" + u.Host + base, Base: base, Port: u.Port()}, nil
}

// IsBase reports whether a server may stand below the path: "" is the root of the host. A
// base needs no escaping in a URL, in HTML or in a cookie's name once its slashes are gone.
func IsBase(base string) bool {
	if base == "" {
		return true
	}
	odd := func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/-._", c))
	}
	return base[0] == '/' && base != "/" && path.Clean(base) == base && !strings.ContainsFunc(base, odd)
}
