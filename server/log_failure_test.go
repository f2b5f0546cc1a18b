package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/ws"
)

// logged is a log that a test reads while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// awaits waits until the log says something.
func (l *logged) awaits(t *testing.T, what string) {
	t.Helper()
	eventually(t, "the log says "+what, func() bool { return strings.Contains(l.String(), what) })
}

// moody is a store, and an authenticator, of which some calls take until whoever asks
// has gone, or fail.
type moody struct {
	store.Store
	mu      sync.Mutex
	which   func(store.ReadQuery) bool // nil: none; set for the authenticator, too
	failure error                      // nil: they take until whoever asks has gone
	asked   chan struct{}
}

func (m *moody) become(which func(store.ReadQuery) bool, failure error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.which, m.failure = which, failure
}

func (m *moody) wait(ctx context.Context, q store.ReadQuery) (err error, affected bool) {
	m.mu.Lock()
	which, failure := m.which, m.failure
	m.mu.Unlock()
	switch {
	case which == nil || !which(q):
		return nil, false
	case failure != nil:
		return failure, true
	}
	select {
	case m.asked <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return fmt.Errorf("redisstore: read: %w: %w", store.ErrOutcomeUnknown, ctx.Err()), true
}

func (m *moody) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	if err, affected := m.wait(ctx, q); affected {
		return nil, err
	}
	return m.Store.Read(ctx, key, q)
}

func (m *moody) Authenticate(ctx context.Context, c identity.Credential) (identity.Identity, error) {
	if c.Bearer == "moody" {
		if err, affected := m.wait(ctx, store.ReadQuery{Label: "moody"}); affected {
			return identity.Identity{}, err
		}
	}
	return identity.Identity{Namespace: "local", Scopes: []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeAdmin}}, nil
}

// TestClientsThatGoAreNoFailures tells what a client does itself, by closing its
// connection in the middle of a call, from a store or an authenticator that fails: the
// one is for who debugs, the other is a warning, or an error.
func TestClientsThatGoAreNoFailures(t *testing.T) {
	reading := func(q store.ReadQuery) bool { return q.Label == "" && q.RunID == "" }
	repeating := func(q store.ReadQuery) bool { return q.RunID != "" }
	authenticating := func(q store.ReadQuery) bool { return q.Label == "moody" }
	request := func(method, path, body, token string) func(ts *testServer) (leave func()) {
		return func(ts *testServer) func() {
			ctx, cancel := context.WithCancel(t.Context())
			r := newRequest(t, ctx, method, ts.http.URL+path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+token)
			over := make(chan struct{})
			go func() {
				defer close(over)
				if resp, err := ts.http.Client().Do(r); err == nil {
					var rest bytes.Buffer
					_, _ = rest.ReadFrom(resp.Body)
					resp.Body.Close()
				}
			}()
			return func() {
				cancel()
				<-over
			}
		}
	}
	socket := func(plain bool, frames ...string) func(ts *testServer) func() {
		return func(ts *testServer) func() {
			opts := bearer("good", ws.Subprotocol)
			if plain {
				opts = bearer("good")
			}
			c := ts.connect("/agui/ws", opts)
			if !plain {
				c.expect("ws.hello")
			}
			c.send(frames...)
			return func() { c.ws.CloseNow() }
		}
	}
	for _, test := range []struct {
		name  string
		which func(store.ReadQuery) bool
		call  func(ts *testServer) (leave func())
		doing string // of the message
	}{
		{"following over HTTP", reading, request("GET", "/agui/threads/t/events", "", "good"), "attaching"},
		{"a POST that repeats", repeating, request("POST", "/agui", says("r1", "/say hello"), "good"), "restating a run"},
		{"CopilotKit's run that repeats", repeating, request("POST", "/copilotkit/agent/default/run", says("r1", "/say hello"), "good"), "restating a run"},
		{"CopilotKit's connect", reading, request("POST", "/copilotkit/agent/default/connect", opening, "good"), "attaching"},
		{"the control API", reading, request("GET", "/v1/threads/t", "", "good"), "operation=getThread"},
		{"a request's credential", authenticating, request("GET", "/agui/capabilities", "", "moody"), "authenticating"},
		{"ws.attach", reading, socket(false, `{"type":"ws.attach","threadId":"t"}`), "attaching"},
		{"an input that repeats on a socket", repeating, socket(false, `{"type":"ws.attach","threadId":"t"}`, says("r1", "/say hello")), "submitting an input"},
		{"an input that repeats in plain mode", repeating, socket(true, says("r1", "/say hello")), "restating a run"},
	} {
		for _, fails := range []bool{false, true} {
			name := test.name + " and the client goes"
			if fails {
				name = test.name + " fails"
			}
			t.Run(name, func(t *testing.T) {
				var log logged
				logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				m := &moody{Store: embedded(t), asked: make(chan struct{}, 1)}
				agent := script.New(script.Options{})
				r := newRunner(t, m, &runner.Options{Agents: map[string]adapter.Agent{"": agent}, Logger: logger})
				ts := newTestServer(t, running(r), &Options{Auth: m, Logger: logger})
				ts.ask(http.MethodPost, "/agui", says("r1", "/say hello"), "Authorization", "Bearer good").opened().rest()
				if fails {
					m.become(test.which, errors.New("the store is broken"))
					leave := test.call(ts)
					log.awaits(t, "the store is broken")
					leave()
					m.become(nil, nil)
					if said := log.String(); !strings.Contains(said, "level=WARN") && !strings.Contains(said, "level=ERROR") || !strings.Contains(said, test.doing) {
						t.Errorf("the log says %s", said)
					}
					return
				}
				m.become(test.which, nil)
				leave := test.call(ts)
				select {
				case <-m.asked:
				case <-time.After(patience):
					t.Fatal("nobody asks")
				}
				leave()
				log.awaits(t, "meanwhile")
				m.become(nil, nil)
				ts.stop()
				said := log.String()
				if strings.Contains(said, "level=WARN") || strings.Contains(said, "level=ERROR") || !strings.Contains(said, test.doing) {
					t.Errorf("the log says %s", said)
				}
			})
		}
	}
}
