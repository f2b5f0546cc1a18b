package server

import (
	"net/http"
	"strings"
	"testing"
)

// Pages of listed origins may use every route, with credentials; others none.
func TestPagesOfOtherOrigins(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Origins: []string{"https://app.example"}})
	for name, c := range map[string]struct {
		path, origin, method string
		status               int
	}{
		"post":         {"/agui", "https://app.example", "POST", 204},
		"agent":        {"/agui/other", "https://app.example", "POST", 204},
		"events":       {"/agui/threads/t/events", "https://app.example", "GET", 204},
		"capabilities": {"/agui/capabilities", "https://app.example", "GET", 204},
		"info":         {"/copilotkit/info", "https://app.example", "GET", 204},
		"run":          {"/copilotkit/agent/default/run", "https://app.example", "POST", 204},
		"stop":         {"/copilotkit/agent/default/stop/a%2Fb", "https://app.example", "POST", 204},
		"single":       {"/copilotkit", "https://app.example", "POST", 204},
		"connect":      {"/copilotkit/agent/a/b/connect", "https://app.example", "POST", 204},
		"own origin":   {"/agui", ts.http.URL, "POST", 204},
		"foreign":      {"/agui", "https://evil.example", "POST", 403},
		"null":         {"/agui", "null", "POST", 403},
		"no preflight": {"/agui", "", "", 204},
	} {
		t.Run(name, func(t *testing.T) {
			header := []string{"Access-Control-Request-Headers", "authorization,content-type,x-own"}
			if c.origin != "" {
				header = append(header, "Origin", c.origin)
			}
			if c.method != "" {
				header = append(header, "Access-Control-Request-Method", c.method)
			}
			resp := ts.ask(http.MethodOptions, c.path, "", header...).resp
			h := resp.Header
			allowed := c.status == 204 && c.method != ""
			if resp.StatusCode != c.status || (h.Get("Access-Control-Allow-Origin") == c.origin && c.origin != "") != allowed ||
				strings.Contains(h.Get("Access-Control-Allow-Methods"), "POST") != (allowed && c.method == "POST") ||
				(h.Get("Access-Control-Allow-Headers") == "authorization,content-type,x-own") != allowed ||
				(h.Get("Access-Control-Allow-Credentials") == "true") != allowed {
				t.Errorf("%s: %v", resp.Status, h)
			}
			if !strings.Contains(strings.Join(h.Values("Vary"), ","), "Origin") {
				t.Errorf("Vary is %v", h.Values("Vary"))
			}
		})
	}
	s := ts.ask(http.MethodPost, "/agui", "[]", "Origin", "https://app.example")
	if s.resp.Header.Get("Access-Control-Allow-Origin") != "https://app.example" || s.resp.Header.Get("Access-Control-Expose-Headers") != "Aguiws-Recovered, Aguiws-Older, Aguiws-Before, Retry-After" {
		t.Errorf("a page cannot read why it was refused: %v", s.resp.Header)
	}
	s = ts.ask(http.MethodPost, "/agui", "[]", "Origin", "https://evil.example")
	if s.resp.Header.Get("Access-Control-Allow-Origin") != "" || s.resp.StatusCode != 403 {
		t.Errorf("a foreign page is told %s %v", s.resp.Status, s.resp.Header)
	}
}
