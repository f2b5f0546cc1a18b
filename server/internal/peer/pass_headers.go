package peer

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/server/login"
	"github.com/aguiws/aguiws/server/signin"
)

// ofConnection are headers that mean something between two ends of a connection, and nothing
// to who is behind one of them.
var ofConnection = []string{
	"Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// tokenMarks are what a header's name may have beside letters and digits.
const tokenMarks = "!#$%&'*+-.^_`|~"

// passable are the canonical names of headers that may go along.
func passable(names []string) ([]string, error) {
	var list []string
	for _, name := range names {
		foreign := func(c rune) bool {
			return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(tokenMarks, c)
		}
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case name == "" || strings.ContainsFunc(name, foreign):
			return nil, fmt.Errorf("%q is no name of a header", name)
		case slices.Contains(ofConnection, canonical) || strings.HasPrefix(canonical, "Sec-Websocket-"):
			return nil, fmt.Errorf("%s is about the connection and cannot go along", canonical)
		case !slices.Contains(list, canonical):
			list = append(list, canonical)
		}
	}
	return list, nil
}

// passed are the headers of a request that go along with its inputs, by names in lower
// case; nil: there are none. A header that came several times is one list.
func (s *Gate) passed(r *http.Request) map[string]string {
	var headers map[string]string
	for _, name := range s.passes {
		values := r.Header[name]
		separator := ", "
		if name == "Cookie" {
			separator = "; "
			values = withoutOwn(values)
		}
		if len(values) == 0 {
			continue
		}
		if headers == nil {
			headers = make(map[string]string, len(s.passes))
		}
		headers[strings.ToLower(name)] = strings.Join(values, separator)
	}
	return headers
}

// withoutOwn are Cookie headers without the server's own cookies: those of logins, which
// bind a browser to what its user has begun, and of who is signed in. They are no upstream's
// business.
func withoutOwn(values []string) []string {
	var kept []string
	for _, value := range values {
		var pairs []string
		for pair := range strings.SplitSeq(value, ";") {
			name, _, _ := strings.Cut(pair, "=")
			name = strings.TrimSpace(name)
			if pair = strings.TrimSpace(pair); pair != "" && !login.IsCookie(name) && !signin.IsCookie(name) {
				pairs = append(pairs, pair)
			}
		}
		if len(pairs) > 0 {
			kept = append(kept, strings.Join(pairs, "; "))
		}
	}
	return kept
}
