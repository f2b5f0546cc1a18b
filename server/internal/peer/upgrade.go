package peer

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// IsUpgrade reports whether a WebSocket is asked for.
func IsUpgrade(r *http.Request) bool {
	has := func(header, token string) bool {
		return slices.ContainsFunc(Tokens(r.Header, header), func(t string) bool { return strings.EqualFold(t, token) })
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(r.Header.Get("Sec-WebSocket-Key")))
	return r.Method == http.MethodGet && r.ProtoAtLeast(1, 1) && has("Connection", "upgrade") && has("Upgrade", "websocket") &&
		r.Header.Get("Sec-WebSocket-Version") == "13" && err == nil && len(key) == 16 && len(r.Header["Sec-Websocket-Key"]) == 1
}

// Tokens are the parts of a header that is a list.
func Tokens(h http.Header, name string) []string {
	var list []string
	for _, line := range h.Values(name) {
		for t := range strings.SplitSeq(line, ",") {
			if t = strings.TrimSpace(t); t != "" {
				list = append(list, t)
			}
		}
	}
	return list
}
