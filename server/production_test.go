package server_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/webhook"
	"github.com/aguiws/aguiws/web"
)

// production serves others until ctx has ended, as docs/go-production.md has it.
func production(ctx context.Context, redis, secret string, auth identity.Authenticator, clerk adapter.Agent, public, private net.Listener, config *tls.Config) error {
	store, err := redisstore.Open(ctx, redis, &redisstore.Options{Prefix: "clerk", Strict: true})
	if err != nil {
		return err
	}
	defer store.Close()
	runs, err := runner.New(store, &runner.Options{
		Agents: map[string]adapter.Agent{"clerk": clerk}, Default: "clerk",
		SeparateDuties: true, // nobody approves what their own messages led to: you need an approver (below)
	})
	if err != nil {
		return err
	}
	hooks, err := telling(store, secret) // see "Telling the approver"
	if err != nil {
		return err
	}
	srv, err := server.New(runs, &server.Options{
		Auth:           auth,
		Hosts:          []string{"chat.example.com"},
		Origins:        []string{"https://chat.example.com"},                 // needed if a proxy ends TLS
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.5/32")}, // their X-Forwarded-For counts
		Store:          store,                                                // for /ops
		Ready:          store.Ready,                                          // for /readyz
		Webhooks:       hooks,
		Fallback:       web.Handler(),
	})
	if err != nil {
		return err
	}
	probes := server.Aside(srv.Probes(), nil) // /healthz, /readyz and /metrics
	ended := make(chan error, 2)
	go func() { ended <- probes.Serve(private) }() // nobody but the operator reaches it
	go func() { ended <- srv.Serve(tls.NewListener(public, config)) }()
	select {
	case err = <-ended: // a listener is gone
	case <-ctx.Done():
	}
	soon, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return errors.Join(err, srv.Shutdown(soon), hooks.Shutdown(soon), probes.Close())
}

// telling posts each question that is asked to a program, such as one that writes to a chat.
func telling(s *redisstore.Store, secret string) (*webhook.Sender, error) {
	return webhook.New(s, []webhook.Target{{
		Name: "approvers", URL: "https://hooks.example.com/aguiws", Secrets: []string{secret},
		Kinds: []store.NoticeKind{store.NoticeOpened},
	}}, &webhook.Options{PublicURL: "https://chat.example.com"}) // its links begin so
}

func TestProduction(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{AOF: "always"})
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	public, private := listening(t), listening(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- production(ctx, redis.URL(), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", signedIn{"f00d": "ann"}, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }), public, private,
			&tls.Config{Certificates: certified.TLS.Certificates})
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	defer certified.Client().CloseIdleConnections()
	for _, test := range []struct {
		address, host, session string
		status                 int
		says                   string
	}{
		{"http://" + private.Addr().String() + "/readyz", "", "", 200, ""},
		{"http://" + private.Addr().String() + "/metrics", "", "", 200, `aguiws_webhook_target_enabled{target="approvers"} 1`},
		{"https://" + public.Addr().String() + "/inbox", "chat.example.com", "", 200, ""},
		{"https://" + public.Addr().String() + "/v1/inbox", "chat.example.com", "", 401, ""},
		{"https://" + public.Addr().String() + "/v1/inbox", "chat.example.com", "f00d", 200, ""},
		{"https://" + public.Addr().String() + "/v1/inbox", "other.example.com", "f00d", 403, ""},
	} {
		r, err := http.NewRequest(http.MethodGet, test.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = test.host
		if test.session != "" {
			r.AddCookie(&http.Cookie{Name: "session", Value: test.session})
		}
		answer, err := certified.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != test.status || !strings.Contains(string(body), test.says) {
			t.Errorf("%s for %q at %q: %d %v, want %d and %s", test.address, test.session, test.host, answer.StatusCode, err, test.status, test.says)
		}
	}
}

func listening(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
