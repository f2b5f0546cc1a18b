package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestBase(t *testing.T) {
	s, err := newServer(newFake(), nil, &Options{Base: "/some/agents", Fallback: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.RequestURI())
	})})
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/some/agents/inbox?x=1": "/inbox?x=1", "/inbox?x=1": "/inbox?x=1", "/some/agents/": "/", "/": "/",
		"/some/agentsx": "/some/agentsx", "/some": "/some", "/some/agents/a%2Fb": "/a%2Fb",
	} {
		r, w := httptest.NewRequest("GET", target, nil), httptest.NewRecorder()
		r.Host = "localhost"
		s.Handler().ServeHTTP(w, r)
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %q, want %q", target, w.Code, w.Body, want)
		}
	}
	r, w := httptest.NewRequest("GET", "/some/agents?thread=a", nil), httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	if to := w.Header().Get("Location"); w.Code != 308 || to != "/some/agents/?thread=a" {
		t.Errorf("the base: %d to %q", w.Code, to)
	}
	for base, want := range map[string]string{"/agents/": "without a slash", "agents": "without a slash", "/a b": "without a slash", "/agui/x": "own"} {
		if _, err := newServer(newFake(), nil, &Options{Base: base}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", base, err, want)
		}
	}
}
