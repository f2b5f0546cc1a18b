package server

import (
	"iter"
	"net/http"
	"strings"

	"github.com/aguiws/aguiws/server/internal/controlapi"
)

// route is one path that the server answers itself. Handler is built from the
// table of routes alone, so that a test can walk all of them.
type route struct {
	pattern string // of http.ServeMux
	serve   http.HandlerFunc
}

// probes are answered whatever the Host and whoever asks: load balancers know
// neither.
func (s *Server) probes() []route {
	return []route{
		{"GET /healthz", s.serveHealth},
		{"GET /readyz", s.serveReady},
	}
}

// routes are answered to a Host that is allowed. Each decides itself who asks,
// by enter, by the handshake, or by the cookie of a login.
func (s *Server) routes() []route {
	routes := s.bindingRoutes()
	mount := func(others iter.Seq2[string, http.HandlerFunc]) {
		for pattern, serve := range others {
			routes = append(routes, route{pattern, serve})
		}
	}
	mount(s.copilotkit().Routes())
	routes = append(append(withSlash(routes), s.loginRoutes()...), s.signInRoutes()...)
	if s.control != nil {
		mount(s.v1Routes())
	}
	return routes
}

// v1Routes are the control API's. Notices are told by streams as well.
func (s *Server) v1Routes() iter.Seq2[string, http.HandlerFunc] {
	return func(yield func(string, http.HandlerFunc) bool) {
		for pattern, serve := range s.controlAPI().Routes() {
			if pattern == controlapi.NoticesPattern {
				serve = s.noticesOver(serve)
			}
			if !yield(pattern, serve) {
				return
			}
		}
	}
}

// slash is what the pattern of a route has behind that of the same route without one.
const slash = "/{$}"

// withSlash adds each route with a slash behind its path, which people set their
// clients to. A redirect would not do: many clients do not follow one with a POST.
func withSlash(routes []route) []route {
	for _, r := range routes {
		if !strings.HasSuffix(r.pattern, "...}") {
			routes = append(routes, route{r.pattern + slash, r.serve})
		}
	}
	return routes
}

func (s *Server) bindingRoutes() []route {
	return []route{
		{"/agui/ws", s.sockets.ServeSocket},
		{"/agui/{agent}/ws", s.sockets.ServeSocket},
		{"POST /agui", s.streams.ServePost},
		{"POST /agui/{agent}", s.streams.ServePost},
		{"GET /agui/threads/{thread}/events", s.streams.ServeEvents},
		{"POST /agui/threads/{thread}/runs/{run}/stop", s.streams.ServeStop},
		{"GET /metrics", s.serveMetrics},
		{"GET /agui/capabilities", s.serveCapabilities},
		{"GET /agui/{agent}/capabilities", s.serveCapabilities},
	}
}

// Handler serves the paths that the package comment lists. Bodies must keep coming
// and answers must be taken, or the request ends; a server that is not Serve's
// bounds headers and idle connections itself, by http.Server's ReadHeaderTimeout
// and IdleTimeout, and how many connections there are by a listener.
func (s *Server) Handler() http.Handler {
	inner := http.NewServeMux()
	for path, methods := range s.byPath() {
		inner.Handle(path, sealed(methods.serve))
	}
	inner.Handle("/", s.opts.Fallback)

	outer := http.NewServeMux()
	for _, r := range s.probes() {
		outer.Handle(r.pattern, sealed(r.serve))
	}
	outer.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if refused := s.gate.CheckAddress(r); refused != nil {
			refused.Write(w)
			return
		}
		if refused := s.gate.SlowDown(r); refused != nil {
			refused.Write(w)
			return
		}
		inner.ServeHTTP(w, r)
	})
	return below(s.opts.Base, s.edge.Handler(guarded(countRequests(s.gate.Metrics, outer))))
}

// Probes serves /healthz, /readyz and /metrics to whoever asks, for a listener
// that only the operator reaches.
func (s *Server) Probes() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.probes() {
		mux.Handle(r.pattern, sealed(r.serve))
	}
	mux.Handle("GET /metrics", s.opts.Metrics.Handler())
	return s.edge.Handler(guarded(mux))
}

// guarded sets what every answer says, a fallback's too: it may replace it.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if r.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// sealed is for answers that are data: nothing in them may run or load
// anything, whatever opens them.
func sealed(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		next(w, r)
	})
}
