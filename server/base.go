package server

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/aguiws/aguiws/internal/origin"
)

// checkBase refuses a base that requests could not be told by.
func (s *Server) checkBase() error {
	base := s.opts.Base
	if !origin.IsBase(base) {
		return fmt.Errorf("server: the base %q: expected a path such as /agents, without a slash at its end", base)
	}
	first := func(path string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		return name
	}
	for path := range s.byPath() {
		if base != "" && first(base) == first(path) {
			return fmt.Errorf("server: the base %q: paths of the server's own begin so, choose another one", base)
		}
	}
	return nil
}

// below serves requests that come with the base, and those from which a proxy has taken it.
func below(base string, next http.Handler) http.Handler {
	if base == "" {
		return next
	}
	stripped := http.StripPrefix(base, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == base:
			to := base + "/"
			if r.URL.RawQuery != "" {
				to += "?" + r.URL.RawQuery
			}
			http.Redirect(w, r, to, http.StatusPermanentRedirect)
		case strings.HasPrefix(path, base+"/"):
			stripped.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
