package server_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/web"
)

// production serves others until ctx has ended, as docs/go-production.md has it.
func production(ctx context.Context, redis string, auth identity.Authenticator, clerk adapter.Agent, public, private net.Listener, config *tls.Config) error {
	store, err := redisstore.Open(ctx, redis, &redisstore.Options{Prefix: "clerk", Strict: true})
	if err != nil {
		return err
	}
	defer store.Close()
	runs, err := runner.New(store, &runner.Options{
		Agents: map[string]adapter.Agent{"clerk": clerk}, Default: "clerk", SeparateDuties: true,
	})
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
		Fallback:       web.Handler(),
	})
	if err != nil {
		return err
	}
	probes := server.Aside(srv.Probes(), nil) // /healthz, /readyz and /metrics
	go probes.Serve(private)                  // nobody but the operator reaches it
	go srv.Serve(tls.NewListener(public, config))
	<-ctx.Done()
	return errors.Join(srv.Shutdown(context.Background()), probes.Close())
}

func TestProduction(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{AOF: "always"})
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	public, private := listening(t), listening(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- production(ctx, redis.URL(), signedIn{"f00d": "ann"}, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }), public, private,
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
	}{
		{"http://" + private.Addr().String() + "/readyz", "", "", 200},
		{"http://" + private.Addr().String() + "/metrics", "", "", 200},
		{"https://" + public.Addr().String() + "/inbox", "chat.example.com", "", 200},
		{"https://" + public.Addr().String() + "/v1/inbox", "chat.example.com", "", 401},
		{"https://" + public.Addr().String() + "/v1/inbox", "chat.example.com", "f00d", 200},
		{"https://" + public.Addr().String() + "/v1/inbox", "other.example.com", "f00d", 403},
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
		answer.Body.Close()
		if answer.StatusCode != test.status {
			t.Errorf("%s for %q at %q: %d, want %d", test.address, test.session, test.host, answer.StatusCode, test.status)
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
