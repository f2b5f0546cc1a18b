package server

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// A balancer's probes have limits of their own: what its clients do leaves them be.
func TestProbesAreLimited(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RequestsPerAddress: 0.01, RequestBurst: 2})
	ask := func(path string, want int) {
		t.Helper()
		if status, _, _ := ts.get(path, behind("192.0.2.1"), ""); status != want {
			t.Errorf("%s: %d, not %d", path, status, want)
		}
	}
	for _, want := range []int{404, 404, 429} {
		ask("/nothing", want)
	}
	ask("/healthz", 200)
	ask("/readyz", 200)
	ask("/healthz", 429)
	ask("/readyz", 429)
	if status, _, _ := ts.get("/healthz", behind("192.0.2.2"), ""); status != 200 {
		t.Errorf("another address got %d", status)
	}
	for range 10 {
		if status, _, _ := ts.get("/healthz", nil, ""); status != 200 {
			t.Errorf("this machine got %d", status)
		}
	}
}

// behind asks as a client of a proxy.
func behind(address string, extra ...string) http.Header {
	return upgrade(append([]string{"X-Forwarded-For", address}, extra...)...)
}

func TestRequestLimits(t *testing.T) {
	auth := byToken{"a": {User: "a"}, "b": {User: "b"}}
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	t.Run("address", func(t *testing.T) {
		ts := newTestServer(t, newFake(), &Options{Auth: auth, TrustedProxies: proxies, RequestsPerAddress: 0.01, RequestsPerUser: -1, RequestBurst: 2})
		for range 2 {
			if status, _, _ := ts.get("/nothing", behind("192.0.2.1"), ""); status != 404 {
				t.Errorf("got %d", status)
			}
		}
		status, header, body := ts.get("/agui/capabilities", behind("192.0.2.1", "Authorization", "Bearer a"), "")
		if status != 429 || body["code"] != "rate_limited" || header.Get("Retry-After") != "100" {
			t.Errorf("got %d %v %v", status, header, body)
		}
		if status, _, _ := ts.get("/agui/capabilities", behind("192.0.2.2", "Authorization", "Bearer a"), ""); status != 200 {
			t.Errorf("another address got %d", status)
		}
		if status, _, _ := ts.get("/healthz", behind("192.0.2.1"), ""); status != 200 {
			t.Errorf("a probe got %d", status)
		}
	})
	t.Run("user", func(t *testing.T) {
		ts := newTestServer(t, newFake(), &Options{Auth: auth, RequestsPerUser: 0.01, RequestBurst: 2})
		ts.connect("/agui/ws", bearer("a"))
		if status, _, _ := ts.get("/agui/capabilities", upgrade("Authorization", "Bearer a"), ""); status != 200 {
			t.Errorf("got %d", status)
		}
		for _, path := range []string{"/agui/capabilities", "/agui/ws"} {
			if status, header, body := ts.get(path, upgrade("Authorization", "Bearer a"), ""); status != 429 || body["code"] != "rate_limited" || header.Get("Retry-After") == "" {
				t.Errorf("%s: got %d %v", path, status, body)
			}
		}
		if status, _, _ := ts.get("/agui/capabilities", upgrade("Authorization", "Bearer b"), ""); status != 200 {
			t.Errorf("another user got %d", status)
		}
	})
}

func TestSocketsPerAddress(t *testing.T) {
	auth := byToken{"a": {User: "a"}, "b": {User: "b"}}
	ts := newTestServer(t, newFake(), &Options{Auth: auth, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, SocketsPerAddress: 1})
	opts := bearer("a")
	opts.Header.Set("X-Forwarded-For", "192.0.2.1")
	c := ts.connect("/agui/ws", opts)
	status, header, body := ts.get("/agui/ws", behind("192.0.2.1", "Authorization", "Bearer b"), "")
	if status != 429 || body["code"] != "too_many_sockets" || header.Get("Retry-After") == "" {
		t.Errorf("got %d %v", status, body)
	}
	c.ws.CloseNow()
	eventually(t, "the address is given back", func() bool { return ts.openSockets() == 0 })
	opts.Header.Set("Authorization", "Bearer b")
	ts.connect("/agui/ws", opts)
}

// The inputs of one user count together, whichever sockets they come by.
func TestInputLimit(t *testing.T) {
	b := newFake()
	b.submit = refusedWith("thread_busy")
	ts := newTestServer(t, b, &Options{Auth: byToken{"a": {User: "a"}, "b": {User: "b"}}, InputsPerMinute: 1, InputBurst: 2})
	code := func(token string) any {
		c := ts.connect("/agui/ws", bearer(token))
		defer c.ws.CloseNow()
		c.send(input("t", "r"))
		f := c.expect("RUN_ERROR")
		if f["code"] == "rate_limited" {
			details, _ := f["metadata"].(map[string]any)["aguiws"].(map[string]any)
			if ms, ok := details["retryAfterMs"].(float64); !ok || ms < 1000 {
				t.Errorf("no hint when to retry: %v", f)
			}
		}
		return f["code"]
	}
	for i, c := range []struct{ token, want string }{{"a", "thread_busy"}, {"a", "thread_busy"}, {"a", "rate_limited"}, {"b", "thread_busy"}} {
		if got := code(c.token); got != c.want {
			t.Errorf("%d: %v, want %s", i, got, c.want)
		}
	}
}

// Everything that is answered says that it is data, or leaves that to the page.
func TestSecurityHeaders(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Auth: byToken{}, Fallback: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "of the page")
	})})
	for path, want := range map[string]string{
		"/healthz": "default-src 'none'; frame-ancestors 'none'", "/agui/capabilities": "default-src 'none'; frame-ancestors 'none'",
		"/agui/ws": "default-src 'none'; frame-ancestors 'none'", "/": "of the page",
	} {
		_, h, _ := ts.get(path, nil, "")
		if h.Get("Content-Security-Policy") != want || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: %v", path, h)
		}
	}
	_, h, _ := ts.get("/", nil, "evil.example")
	if h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("a refusal: %v", h)
	}
}

// A loopback peer that speaks for others and is not listed is told of, once.
func TestUnlistedProxyIsToldOf(t *testing.T) {
	for _, c := range []struct {
		peer, header string
		trusted      bool
		lines        int
	}{
		{"127.0.0.1:9", "X-Forwarded-For", false, 1},
		{"[::1]:9", "Forwarded", false, 1},
		{"127.0.0.1:9", "X-Forwarded-For", true, 0},
		{"127.0.0.1:9", "X-Other", false, 0},
		{"192.0.2.1:9", "X-Forwarded-For", false, 0},
	} {
		var log bytes.Buffer
		opts := &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		if c.trusted {
			opts.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		}
		s, err := newServer(newFake(), nil, opts)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
			r.RemoteAddr = c.peer
			r.Header.Set(c.header, "192.0.2.7")
			s.Handler().ServeHTTP(httptest.NewRecorder(), r)
		}
		if n := strings.Count(log.String(), "--trusted-proxies 127.0.0.1/32"); n != c.lines {
			t.Errorf("%+v: %d lines: %s", c, n, &log)
		}
	}
}
