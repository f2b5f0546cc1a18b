package server

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// refusing is a server's handler, and what its log has said since it was read last.
type refusing struct {
	handler http.Handler
	log     bytes.Buffer
}

func newRefusing(t *testing.T, opts Options) *refusing {
	f := &refusing{}
	opts.Logger = slog.New(slog.NewTextHandler(&f.log, nil))
	f.handler = newTestServer(t, newFake(), &opts).Handler()
	return f
}

// ask returns the answer's body and what was logged meanwhile.
func (f *refusing) ask(t *testing.T, method, path string, header ...string) (body, logged string) {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.Host = "127.0.0.1:8080"
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), `"code":"origin_not_allowed"`) || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("got %d %s %v", w.Code, w.Body, w.Header())
	}
	defer f.log.Reset()
	return w.Body.String(), f.log.String()
}

// The log has the origin and the setting that would allow it, the answer too; and what
// a proxy has done where that is why.
func TestRefusedPagesAreTold(t *testing.T) {
	const proxy, maybe, tls, nothing = "made the Host 127.0.0.1:8080", "if a proxy is between them", "ends TLS", ""
	auth := byToken{"good": {User: "u"}}
	for name, c := range map[string]struct {
		listed       []string
		header       []string
		setting, why string
	}{
		"direct":              {nil, []string{"Origin", "http://localhost:5173", "Sec-Fetch-Site", "cross-site"}, `setting="--origins http://localhost:5173"`, nothing},
		"beside others":       {[]string{"https://app.example/", "http://localhost:*"}, []string{"Origin", "https://b.example"}, `setting="--origins 'https://app.example/,http://localhost:*,https://b.example'"`, nothing},
		"IPv6":                {nil, []string{"Origin", "http://[::1]:5173"}, `setting="--origins 'http://[::1]:5173'"`, maybe},
		"through a proxy":     {nil, []string{"Origin", "http://localhost:5173", "Sec-Fetch-Site", "same-origin"}, `setting="--origins http://localhost:5173"`, proxy},
		"by what it says":     {nil, []string{"Origin", "http://localhost:5173", "X-Forwarded-Host", "localhost:5173"}, `setting="--origins http://localhost:5173"`, proxy},
		"it says another":     {nil, []string{"Origin", "http://localhost:5173", "X-Forwarded-Host", "localhost:5174"}, `setting="--origins http://localhost:5173"`, maybe},
		"TLS ended":           {nil, []string{"Origin", "https://chat.example", "Host", "chat.example"}, `setting="--origins https://chat.example"`, tls},
		"TLS ended, local":    {nil, []string{"Origin", "https://localhost:5173", "Host", "localhost:5173", "Sec-Fetch-Site", "same-origin"}, `setting="--origins https://localhost:5173"`, tls},
		"null":                {nil, []string{"Origin", "null"}, "origin=null", "sandboxed frame"},
		"malformed":           {nil, []string{"Origin", "http://a.example/\x1b[31m" + strings.Repeat("x", 9000)}, "origin=malformed", "none that a browser sends"},
		"a Host with no port": {nil, []string{"Origin", "https://b.example", "Host", "localhost:" + strings.Repeat("x", 9000)}, "host=malformed", nothing},
		"longer than a log":   {[]string{"https://" + strings.Repeat("a", 250), "https://" + strings.Repeat("b", 250)}, []string{"Origin", "https://c.example"}, `setting="--origins …,https://c.example"`, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			f := newRefusing(t, Options{Auth: auth, Hosts: []string{"chat.example"}, Origins: c.listed})
			origin := c.header[1]
			for i, path := range []string{"/agui/ws", "/agui", "/agui/capabilities"} {
				body, logged := f.ask(t, []string{"GET", "OPTIONS", "GET"}[min(i, 2)], path, append(c.header, "Access-Control-Request-Method", "POST")...)
				if strings.Contains(c.setting, "--origins") && (!strings.Contains(body, "pages of the origin "+origin+" ") || !strings.Contains(body, "--origins")) {
					t.Errorf("%s answers %s", path, body)
				}
				if strings.Contains(body, "app.example") {
					t.Errorf("%s tells what is listed: %s", path, body)
				}
				if !strings.Contains(body, c.why) || c.why == nothing && strings.Contains(body, ";") {
					t.Errorf("%s answers %s", path, body)
				}
				if told := strings.Count(logged, "\n"); i == 0 != (told == 1) {
					t.Errorf("%s: the log has %q", path, logged)
				}
				if i == 0 && (!strings.Contains(logged, "level=WARN") || !strings.Contains(logged, c.setting) || !strings.Contains(logged, c.why) || len(logged) > 1500 || strings.Contains(logged, "\x1b")) {
					t.Errorf("%s: the log has %q", path, logged)
				}
			}
		})
	}
}

// A page that comes by a name which is not the server's is told of, such as that of a
// dev server's machine in its network. What is no page is not.
func TestRefusedNamesAreTold(t *testing.T) {
	f := newRefusing(t, Options{Hosts: []string{"chat.example"}})
	for _, c := range []struct{ host, origin, says string }{
		{"192.168.0.7:5173", "", ""},
		{"192.168.0.7:5173", "http://192.168.0.7:5173", `host=192.168.0.7 setting="--hosts chat.example,192.168.0.7"`},
		{"192.168.0.7:5173", "http://192.168.0.7:5173", ""},
		{"bad host", "http://192.168.0.7:5173", ""},
		{"[fe80::7]:5173", "http://[fe80::7]:5173", `host=fe80::7 setting="--hosts chat.example,fe80::7"`},
	} {
		r := httptest.NewRequest(http.MethodGet, "/agui/ws", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		f.handler.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "--hosts") {
			t.Errorf("%s: %d %s", c.host, w.Code, w.Body)
		}
		if logged := f.log.String(); !strings.Contains(logged, c.says) || (logged == "") != (c.says == "") {
			t.Errorf("%s: the log has %q", c.host, logged)
		}
		f.log.Reset()
	}
}
