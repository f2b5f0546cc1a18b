// Package origin knows where a page is from, as browsers say it in the Origin
// header, and which pages a setting means.
package origin

import (
	"net/netip"
	"strconv"
	"strings"
)

// Origin is where a page is from. Two of one page are equal.
type Origin struct {
	scheme string
	host   string // lower case, without brackets and without the dot of the root
	port   uint16 // 0: the scheme has no default
}

// longest is the length of a text that can be an origin: a host has 253 letters.
const longest = 300

// Parse reads an Origin header. It is false for "null" and for what no browser
// sends.
func Parse(header string) (Origin, bool) {
	if len(header) > longest {
		return Origin{}, false
	}
	scheme, rest, found := strings.Cut(header, "://")
	if !found || !isScheme(scheme) {
		return Origin{}, false
	}
	host, digits, found := cutPort(rest)
	o := Origin{scheme: strings.ToLower(scheme)}
	var ok bool
	if o.host, ok = parseHost(host); !ok {
		return Origin{}, false
	}
	if !found || digits == "" {
		o.port = defaultPort(o.scheme)
		return o, true
	}
	port, err := strconv.ParseUint(digits, 10, 16)
	o.port = uint16(port)
	return o, err == nil && port > 0
}

// Of is the origin of the pages that are served over the scheme under the Host.
func Of(scheme, host string) (Origin, bool) { return Parse(scheme + "://" + host) }

// String is the origin as a browser writes it.
func (o Origin) String() string {
	host := o.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.port == defaultPort(o.scheme) {
		return o.scheme + "://" + host
	}
	return o.scheme + "://" + host + ":" + strconv.Itoa(int(o.port))
}

// Scheme is http or https, or another one of what has pages.
func (o Origin) Scheme() string { return o.scheme }

// Host is the name or the address, without brackets.
func (o Origin) Host() string { return o.host }

// Local reports whether the page was served over HTTP by the machine that shows it.
func (o Origin) Local() bool {
	return (o.scheme == "http" || o.scheme == "https") && Loopback(o.host)
}

// Secure reports whether nobody on its way could have changed the page.
func (o Origin) Secure() bool { return o.scheme != "http" || Loopback(o.host) }

// Loopback reports whether a host without port and brackets is this machine to
// whoever asks for it, whatever a name server says. Names below localhost are
// not: some browsers ask a name server for them.
func Loopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// cutPort cuts what is behind the colon that follows a host.
func cutPort(hostport string) (host, port string, found bool) {
	if i := strings.LastIndexByte(hostport, ':'); i > strings.LastIndexByte(hostport, ']') {
		return hostport[:i], hostport[i+1:], true
	}
	return hostport, "", false
}

// parseHost returns the one spelling of a host that has several.
func parseHost(host string) (string, bool) {
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		inner, closed := strings.CutSuffix(inner, "]")
		ip, err := netip.ParseAddr(inner)
		return ip.String(), closed && err == nil && ip.Is6() && ip.Zone() == ""
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, c := range []byte(host) {
		if !isLetter(c) && !isDigit(c) && c != '.' && c != '-' && c != '_' {
			return "", false
		}
	}
	if host == "" || strings.HasPrefix(host, ".") || strings.Contains(host, "..") {
		return "", false
	}
	// A browser takes what ends in a number for an address, and writes it in one way.
	if last := host[strings.LastIndexByte(host, '.')+1:]; isNumber(last) {
		ip, err := netip.ParseAddr(host)
		return host, err == nil && ip.Is4()
	}
	return host, true
}

func isNumber(label string) bool {
	if hex, found := strings.CutPrefix(label, "0x"); found {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		if !isLetter(c) && (i == 0 || !isDigit(c) && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func defaultPort(scheme string) uint16 {
	switch scheme {
	case "http":
		return 80
	case "https":
		return 443
	default:
		return 0
	}
}
