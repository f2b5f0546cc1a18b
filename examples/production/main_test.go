package main

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/server/identity"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProduction(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{AOF: "always"})
	const token = "0123456789abcdef"
	tokens, err := identity.NewTokens([]identity.Token{{Token: token, User: "ann"}})
	if err != nil {
		t.Fatal(err)
	}
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	public, private := listening(t), listening(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- production(ctx, redis.URL(), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", tokens, adapter.AgentFunc(refunds), public, private,
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
		address, host, token string
		status               int
		says                 string
	}{
		{"http://" + private.Addr().String() + "/readyz", "", "", 200, ""},
		{"http://" + private.Addr().String() + "/metrics", "", "", 200, `aguiws_webhook_target_enabled{target="approvers"} 1`},
		{"https://" + public.Addr().String() + "/inbox", "chat.example.com", "", 200, ""},
		{"https://" + public.Addr().String() + "/v1/inbox", "chat.example.com", "", 401, ""},
		{"https://" + public.Addr().String() + "/v1/inbox", "chat.example.com", token, 200, ""},
		{"https://" + public.Addr().String() + "/v1/inbox", "other.example.com", token, 403, ""},
	} {
		r, err := http.NewRequest(http.MethodGet, test.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = test.host
		if test.token != "" {
			r.Header.Set("Authorization", "Bearer "+test.token)
		}
		answer, err := certified.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != test.status || !strings.Contains(string(body), test.says) {
			t.Errorf("%s for %q at %q: %d %v, want %d and %s", test.address, test.token, test.host, answer.StatusCode, err, test.status, test.says)
		}
	}
}

// An early end leaves nothing running, which TestMain looks for.
func TestSecretThatIsNone(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{AOF: "always"})
	if err := production(t.Context(), redis.URL(), "none", nil, adapter.AgentFunc(refunds), listening(t), listening(t), nil); err == nil {
		t.Error("it ends without an error")
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
