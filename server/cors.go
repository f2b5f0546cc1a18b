package server

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/sse"
)

// preflightAge is for how many seconds a browser remembers a preflight.
const preflightAge = "600"

var refuseMethod = refusal.New(http.StatusMethodNotAllowed, "method_not_allowed", "that method means nothing here: see the Allow header")

// path is what the routes of one path have in common: what pages of other
// origins may do with it, and what is answered to methods that it lacks.
type path struct {
	srv      *Server
	byMethod map[string]http.HandlerFunc // "" is any method
}

// byPath gathers the routes by their path.
func (s *Server) byPath() map[string]path {
	paths := map[string]path{}
	for _, r := range s.routes() {
		method, at, found := strings.Cut(r.pattern, " ")
		if !found {
			method, at = "", r.pattern
		}
		if _, known := paths[at]; !known {
			paths[at] = path{s, map[string]http.HandlerFunc{}}
		}
		paths[at].byMethod[method] = r.serve
	}
	return paths
}

func (p path) serve(w http.ResponseWriter, r *http.Request) {
	if serve := p.byMethod[""]; serve != nil {
		serve(w, r)
		return
	}
	allowed := p.admit(w, r)
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if serve := p.byMethod[method]; serve != nil {
		serve(w, r)
		return
	}
	methods := append(slices.Sorted(maps.Keys(p.byMethod)), http.MethodOptions)
	w.Header().Set("Allow", strings.Join(methods, ", "))
	switch {
	case r.Method != http.MethodOptions:
		refuseMethod.Write(w)
	case r.Header.Get("Access-Control-Request-Method") == "":
		w.WriteHeader(http.StatusNoContent)
	case !allowed:
		p.srv.gate.RefusePage(r).Write(w)
	default:
		p.preflight(w, r, methods)
	}
}

// admit lets pages of an allowed origin read the answer, whatever it is. Those
// of others are refused where it is decided whom a request is from.
func (p path) admit(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" || !p.srv.gate.Pages.Allow(r, origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Expose-Headers", strings.Join([]string{sse.RecoveredHeader, sse.OlderHeader, sse.BeforeHeader, "Retry-After"}, ", "))
	return true
}

// preflight tells a browser what a page may send. There is no credential in
// its question, and none is needed for the answer.
func (p path) preflight(w http.ResponseWriter, r *http.Request, methods []string) {
	h := w.Header()
	h.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
	// * is no wildcard with credentials: what was asked for is named.
	if headers := r.Header.Values("Access-Control-Request-Headers"); len(headers) > 0 {
		h.Set("Access-Control-Allow-Headers", strings.Join(headers, ", "))
	}
	h.Set("Access-Control-Max-Age", preflightAge)
	w.WriteHeader(http.StatusNoContent)
}
