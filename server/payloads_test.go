package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
)

// payloadServer has an agent that puts value as the result of a call, in the thread t, and
// again when it is told to.
func payloadServer(t *testing.T, value string, options adapter.PayloadOptions) (s *testServer, ref string, forward func(time.Duration)) {
	ahead := make(chan time.Duration, 1)
	ahead <- 0
	st, err := redisstore.Embedded(&redisstore.Options{Clock: func() time.Time {
		d := <-ahead
		ahead <- d
		return time.Now().Add(d)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	put := make(chan error, 1)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		p, err := run.PutPayload(ctx, strings.NewReader(value), options)
		if err == nil {
			err = run.SetState(map[string]any{"report": p})
		}
		put <- err
		return err
	})
	r := newRunner(t, st, &runner.Options{Agents: map[string]adapter.Agent{"": agent}})
	s = newTestServer(t, running(r), nil)
	if _, err := r.Inject(t.Context(), operate.Injection{Namespace: "local", Tenant: "local", Thread: "t", Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if err := <-put; err != nil {
		t.Fatal(err)
	}
	eventually(t, "the run's end", func() bool {
		thread, err := r.Thread(t.Context(), store.ThreadKey{Namespace: "local", Thread: "t"})
		return err == nil && thread != nil && thread.Active == ""
	})
	sum := sha256.Sum256([]byte(value))
	return s, base64.RawURLEncoding.EncodeToString([]byte("t")) + "." + fmt.Sprintf("%x", sum), func(d time.Duration) { ahead <- <-ahead + d }
}

func (s *testServer) fetch(t *testing.T, method, path string, header map[string]string) (*http.Response, string) {
	t.Helper()
	r := newRequest(t, t.Context(), method, s.http.URL+path, nil)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := s.http.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestPayloadsAreServed(t *testing.T) {
	value := strings.Repeat("<script>alert(1)</script>\n", 30_000) // three pieces
	s, ref, forward := payloadServer(t, value, adapter.PayloadOptions{MediaType: "text/html", Name: "../a \"b\"\nc.html", Keep: time.Hour})
	at := "/v1/payloads/" + ref
	all, body := s.fetch(t, "GET", at, nil)
	if all.StatusCode != 200 || body != value {
		t.Fatalf("%d, %d of %d bytes", all.StatusCode, len(body), len(value))
	}
	for name, want := range map[string]string{
		"Content-Type": "text/html", "X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-cache", "Accept-Ranges": "bytes",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox", "Content-Length": fmt.Sprint(len(value)),
	} {
		if got := all.Header.Get(name); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
	if d := all.Header.Get("Content-Disposition"); !strings.HasPrefix(d, "attachment;") || strings.ContainsAny(d, "\n/") {
		t.Errorf("it is to be saved: %q", d)
	}
	tag := all.Header.Get("ETag")
	last := fmt.Sprint(len(value) - 1)
	for name, tt := range map[string]struct {
		method string
		header map[string]string
		status int
		body   string
	}{
		"head":              {"HEAD", nil, 200, ""},
		"known":             {"GET", map[string]string{"If-None-Match": tag}, 304, ""},
		"a range":           {"GET", map[string]string{"Range": "bytes=5-9"}, 206, value[5:10]},
		"over two pieces":   {"GET", map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", store.PayloadPiece-3, store.PayloadPiece+2)}, 206, value[store.PayloadPiece-3 : store.PayloadPiece+3]},
		"the end":           {"GET", map[string]string{"Range": "bytes=-7"}, 206, value[len(value)-7:]},
		"the last byte":     {"GET", map[string]string{"Range": "bytes=" + last + "-"}, 206, value[len(value)-1:]},
		"of this one":       {"GET", map[string]string{"Range": "bytes=0-3", "If-Range": tag}, 206, value[:4]},
		"of another":        {"GET", map[string]string{"Range": "bytes=0-3", "If-Range": `"x"`}, 200, value},
		"several":           {"GET", map[string]string{"Range": "bytes=0-3,8-9"}, 200, value},
		"behind the end":    {"GET", map[string]string{"Range": fmt.Sprintf("bytes=%d-", len(value))}, 416, "invalid range: failed to overlap\n"},
		"no range at all":   {"GET", map[string]string{"Range": "bytes=x"}, 416, "invalid range\n"},
		"head of the range": {"HEAD", map[string]string{"Range": "bytes=5-9"}, 206, ""},
	} {
		got, body := s.fetch(t, tt.method, at, tt.header)
		if got.StatusCode != tt.status || body != tt.body {
			t.Errorf("%s: %d and %d bytes, not %d and %d", name, got.StatusCode, len(body), tt.status, len(tt.body))
		}
	}
	for name, other := range map[string]string{
		"unknown":            strings.Replace(ref, ".", ".0", 1)[:len(ref)],
		"of another thread":  base64.RawURLEncoding.EncodeToString([]byte("u")) + ref[strings.Index(ref, "."):],
		"no reference":       "x.y",
		"in another writing": strings.ToUpper(ref),
	} {
		want := 404
		if name == "no reference" || name == "in another writing" {
			want = 400
		}
		if got, body := s.fetch(t, "GET", "/v1/payloads/"+other, nil); got.StatusCode != want {
			t.Errorf("%s: %d %s", name, got.StatusCode, body)
		}
	}
	forward(time.Hour)
	if got, body := s.fetch(t, "GET", at, nil); got.StatusCode != 410 || !strings.Contains(body, "ask the agent") {
		t.Errorf("expired: %d %s", got.StatusCode, body)
	}
}
