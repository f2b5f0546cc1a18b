package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimitersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiters(1, 2)
		for i, want := range []time.Duration{0, 0, time.Second} {
			if got := l.take("a"); got != want {
				t.Errorf("take %d: wait %v, want %v", i, got, want)
			}
		}
		for _, key := range []string{"b", "", "", ""} {
			if l.take(key) != 0 {
				t.Errorf("%q waits", key)
			}
		}
		time.Sleep(time.Second)
		for i, want := range []time.Duration{0, time.Second} {
			if got := l.take("a"); got != want {
				t.Errorf("take %d after a second: wait %v, want %v", i, got, want)
			}
		}
		for i := range maxLimiters {
			l.take("a") // stays among the last used
			l.take(fmt.Sprint(i))
		}
		if len(l.byKey) != maxLimiters || l.used.Len() != maxLimiters {
			t.Errorf("%d keys, %d in order", len(l.byKey), l.used.Len())
		}
		if l.take("a") == 0 {
			t.Error("a key in use was forgotten")
		}
		if none := newLimiters(-1, 1); none != nil || none.take("a") != 0 {
			t.Error("a negative rate limits")
		}
	})
}

func TestAddresses(t *testing.T) {
	s, err := newServer(newFake(), &Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"192.0.2.1:99", "", "192.0.2.1"},
		{"192.0.2.1:99", "198.51.100.7", "192.0.2.1"}, // not a proxy of ours: it may say anything
		{"10.1.1.1:99", "198.51.100.7", "198.51.100.7"},
		{"10.1.1.1:99", "203.0.113.9, 198.51.100.7", "198.51.100.7"}, // what came before the last is hearsay
		{"10.1.1.1:99", "203.0.113.9, 10.2.2.2", "203.0.113.9"},
		{"10.1.1.1:99", "nonsense", "10.1.1.1"},
		{"10.1.1.1:99", "", "10.1.1.1"},
		{"127.0.0.1:99", "", ""},
		{"127.0.0.1:99", "198.51.100.7", "198.51.100.7"},
		{"[::1]:99", "198.51.100.7", ""},
		{"[2001:db8:1:2:3::4]:99", "", "2001:db8:1:2::/64"},
		{"[::ffff:192.0.2.1]:99", "", "192.0.2.1"},
		{"[fe80::1%eth0]:99", "", "fe80::/64"},
		{"@", "", ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := s.addressOf(r); got != c.want {
			t.Errorf("%s for %q: %q, want %q", c.peer, c.forwarded, got, c.want)
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
	eventually(t, "the address is given back", func() bool {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		return len(ts.addrs) == 0 && len(ts.users) == 0
	})
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
