package server

import (
	"net/http"
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
		path = strings.NewReplacer("{agent}", "script", "{thread}", "t", "{", "", "}", "").Replace(path)
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
