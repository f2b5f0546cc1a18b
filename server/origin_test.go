package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What a foreign page makes a browser fetch, without an Origin, reaches no route; the
// page itself may be linked to.
func TestForeignPagesFetchNothing(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Origins: []string{"https://app.example"}, Fallback: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})})
	for _, r := range ts.routes() {
		method, path, found := strings.Cut(r.pattern, " ")
		if !found || method != http.MethodGet {
			continue
		}
		path = strings.NewReplacer("{$}", "", "{agent}", "script", "{thread}", "t", "{", "", "}", "").Replace(path)
		for _, site := range []string{"cross-site", "same-site", "Cross-Site"} {
			status, _, body := ts.get(path, http.Header{"Sec-Fetch-Site": {site}, "Sec-Fetch-Mode": {"no-cors"}}, "")
			if status != http.StatusForbidden || body["code"] != "origin_not_allowed" && body["error"] != "origin_not_allowed" {
				t.Errorf("%s, %s: %d %v", r.pattern, site, status, body)
			}
		}
	}
	for _, h := range []http.Header{
		{"Sec-Fetch-Site": {"same-origin"}}, {"Sec-Fetch-Site": {"none"}}, {},
		{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://app.example"}},
	} {
		if status, _, body := ts.get("/agui/capabilities", h, ""); status != http.StatusOK {
			t.Errorf("%v: %d %v", h, status, body)
		}
	}
	if status, _, _ := ts.get("/", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}}, ""); status != http.StatusTeapot {
		t.Errorf("a link to the page: %d", status)
	}
}

// Where nobody is authenticated and no origin is named, pages that this machine serves
// on any port may use the server by a loopback name: no page of anywhere else, by no
// other name, and nobody where one of the two is said.
func TestLocalPages(t *testing.T) {
	listed := []string{"https://app.example", "http://localhost:3000"}
	auth := byToken{"good": {User: "u"}}
	const host = "127.0.0.1:8080"
	for name, c := range map[string]struct {
		opts         Options
		host, origin string
		allowed      bool
	}{
		"another port":             {host: host, origin: "http://127.0.0.1:5173", allowed: true},
		"another name":             {host: host, origin: "http://localhost:5173", allowed: true},
		"our port, another name":   {host: host, origin: "http://localhost:8080", allowed: true},
		"IPv6":                     {host: "[::1]:8080", origin: "https://[::1]:5173", allowed: true},
		"upper case":               {host: "LOCALHOST.:8080", origin: "http://LocalHost.:1", allowed: true},
		"a site":                   {host: host, origin: "https://evil.example"},
		"a site on our port":       {host: host, origin: "http://evil.example:8080"},
		"a site that looks local":  {host: host, origin: "http://localhost.evil.example:5173"},
		"a name below localhost":   {host: host, origin: "http://evil.localhost:5173"},
		"another machine":          {host: host, origin: "http://192.168.0.7:5173"},
		"every address":            {host: host, origin: "http://0.0.0.0:5173"},
		"no origin":                {host: host, origin: "null"},
		"an extension":             {host: host, origin: "chrome-extension://localhost"},
		"rebound":                  {host: "evil.example:8080", origin: "http://evil.example:8080"},
		"rebound, local page":      {host: "evil.example:8080", origin: "http://localhost:5173"},
		"by a configured name":     {opts: Options{Hosts: []string{"chat.example"}}, host: "chat.example", origin: "http://localhost:5173"},
		"its own by that name":     {opts: Options{Hosts: []string{"chat.example"}}, host: "chat.example", origin: "http://chat.example", allowed: true},
		"named, another":           {opts: Options{Origins: listed}, host: host, origin: "http://localhost:5173"},
		"named":                    {opts: Options{Origins: listed}, host: host, origin: "http://localhost:3000", allowed: true},
		"named, by another name":   {opts: Options{Origins: listed}, host: host, origin: "http://[::1]:3000", allowed: true},
		"authenticated":            {opts: Options{Auth: auth}, host: host, origin: "http://localhost:5173"},
		"authenticated, named":     {opts: Options{Auth: auth, Origins: []string{"http://localhost:*"}}, host: host, origin: "http://127.0.0.1:5173", allowed: true},
		"authenticated, our own":   {opts: Options{Auth: auth}, host: host, origin: "http://127.0.0.1:8080", allowed: true},
		"authenticated, our other": {opts: Options{Auth: auth}, host: host, origin: "http://localhost:8080"},
	} {
		t.Run(name, func(t *testing.T) {
			ts := newTestServer(t, newFake(), &c.opts)
			for _, r := range []*http.Request{
				httptest.NewRequest(http.MethodPost, "/agui", strings.NewReader("[]")),
				httptest.NewRequest(http.MethodGet, "/agui/capabilities", nil),
				httptest.NewRequest(http.MethodGet, "/agui/ws", nil),
				httptest.NewRequest(http.MethodOptions, "/agui", nil),
			} {
				r.Host = c.host
				r.Header.Set("Origin", c.origin)
				r.Header.Set("Authorization", "Bearer good")
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Access-Control-Request-Method", "POST")
				// To a browser all ports of a name are one site.
				r.Header.Set("Sec-Fetch-Site", "same-site")
				w := httptest.NewRecorder()
				ts.Handler().ServeHTTP(w, r)
				code := fmt.Sprint(w.Code, w.Body)
				if refused := strings.Contains(code, "origin_not_allowed") || strings.Contains(code, "host_not_allowed"); refused == c.allowed || refused != (w.Code == 403) {
					t.Errorf("%s %s: %s", r.Method, r.URL, code)
				}
				if readable := w.Header().Get("Access-Control-Allow-Origin"); readable != "" && !c.allowed {
					t.Errorf("%s %s can be read by %s", r.Method, r.URL, readable)
				}
			}
		})
	}
	t.Run("without an Origin", func(t *testing.T) {
		ts := newTestServer(t, newFake(), nil)
		for _, site := range []string{"same-site", "cross-site"} {
			status, _, body := ts.get("/agui/capabilities", http.Header{"Sec-Fetch-Site": {site}}, "localhost:8080")
			if status != http.StatusForbidden || !strings.Contains(fmt.Sprint(body["message"]), "fetch") {
				t.Errorf("%s: %d %v", site, status, body)
			}
		}
	})
}

// An origin that could never match is no option of a server that starts.
func TestOriginsAreChecked(t *testing.T) {
	for text, says := range map[string]string{"*": "must be named", "localhost:5173": "did you mean http://localhost:5173?", "https://app.example/chat": "did you mean https://app.example?", "null": "null"} {
		if _, err := newServer(newFake(), nil, &Options{Origins: []string{text}}); err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "server: origins: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
