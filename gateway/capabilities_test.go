package gateway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answers(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// What the agent declares is asked for by one for all, and kept; so is that it failed, for
// less long.
func TestCapabilities(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		fails  bool
		none   bool
		fresh  time.Duration
	}{
		"declared":  {200, `{"identity":{"name":"x"},"later":1}`, false, false, capabilitiesFresh},
		"none":      {404, "", false, true, capabilitiesFresh},
		"by POST":   {405, "", false, true, capabilitiesFresh},
		"no method": {501, "", false, true, capabilitiesFresh}, // Python's http.server, of a handler without do_GET
		"refused":   {401, "secret", true, true, capabilitiesRetry},
		"failed":    {500, "", true, true, capabilitiesRetry},
		"a page":    {200, "<html>", true, true, capabilitiesRetry},
		"malformed": {200, `{"identity":1}`, true, true, capabilitiesRetry},
		"too large": {200, `{"custom":{"x":"` + strings.Repeat("x", maxCapabilities) + `"}}`, true, true, capabilitiesRetry},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u, err := New("http://host/agent/?k=v", &Options{Header: http.Header{"X-Key": {"k"}}})
				if err != nil {
					t.Fatal(err)
				}
				var asked atomic.Int64
				u.client.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
					asked.Add(1)
					if r.Method != http.MethodGet || r.URL.String() != "http://host/agent/capabilities?k=v" || r.Header.Get("X-Key") != "k" {
						t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
					}
					time.Sleep(time.Second) // of the bubble's clock
					return answers(test.status, test.body), nil
				})
				var all sync.WaitGroup
				for range 10 {
					all.Go(func() {
						c, err := u.Capabilities(t.Context())
						if (err != nil) != test.fails || (c == nil) != test.none || c != nil && c.Identity.Name != "x" {
							t.Errorf("%+v %v", c, err)
						}
					})
				}
				all.Wait()
				time.Sleep(test.fresh - time.Second)
				u.Capabilities(t.Context())
				if n := asked.Load(); n != 1 {
					t.Errorf("asked %d times", n)
				}
				time.Sleep(2 * time.Second)
				u.Capabilities(t.Context())
				if n := asked.Load(); n != 2 {
					t.Errorf("asked %d times", n)
				}
				hurried, cancel := context.WithCancel(t.Context())
				cancel()
				time.Sleep(test.fresh)
				if _, err := u.Capabilities(hurried); err != context.Canceled {
					t.Error(err)
				}
				if err := u.Close(t.Context()); err != nil {
					t.Error(err)
				}
				time.Sleep(test.fresh)
				if _, err := u.Capabilities(t.Context()); err == nil {
					t.Error("a closed one is asked")
				}
			})
		})
	}
}
