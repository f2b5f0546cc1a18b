package conformance_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/conformance"
	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
)

// A gateway before a second server of this module is that server, to whoever talks to it,
// and so is a gateway before a gateway.
func TestGatewayIsItsUpstream(t *testing.T) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	effects := filepath.Join(t.TempDir(), "effects")
	does := script.New(script.Options{Effects: effects})
	url := serveAgents(t, map[string]adapter.Agent{"": does, "script": does})
	direct := map[string]map[string]string{}
	for _, hops := range []string{"direct", "once", "twice"} {
		if hops != "direct" {
			url = serveAgents(t, map[string]adapter.Agent{"": before(t, url+"/agui"), "script": before(t, url+"/agui/script")})
		}
		for _, over := range conformance.Transports {
			at := map[string]string{conformance.SSE: url + "/agui", conformance.CopilotKit: url + "/copilotkit"}[over]
			if at == "" {
				at = "ws" + strings.TrimPrefix(url, "http") + "/agui/ws"
			}
			target := conformance.Target{
				URL: at, Over: over, Effects: effects, Timeout: patience,
				Profile: &conformance.Profile{Name: "embedded", Lacks: []string{"durable", "restart", "drain"}},
			}
			report := conformance.Report{URL: at, Results: conformance.Run(t.Context(), target, cases, nil)}
			verdicts := map[string]string{}
			for _, r := range report.Results {
				verdicts[r.Case.Name] = string(r.Status)
			}
			if hops == "direct" {
				direct[over] = verdicts
				continue
			}
			differ := 0
			for name, verdict := range verdicts {
				if verdict != direct[over][name] {
					differ++
					t.Errorf("%s over %s through a gateway, %s: %s, directly %s", name, over, hops, verdict, direct[over][name])
				}
			}
			if differ > 0 {
				var text bytes.Buffer
				report.WriteText(&text)
				t.Errorf("over %s:\n%s", over, &text)
			}
		}
	}
}

func before(t *testing.T, url string) *gateway.Upstream {
	t.Helper()
	u, err := gateway.New(url, &gateway.Options{Idempotent: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := u.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return u
}

// serveAgents starts a server, and returns its URL.
func serveAgents(t *testing.T, agents map[string]adapter.Agent) string {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	store, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	runner, err := adapter.NewRunner(store, &adapter.Options{Agents: agents, MaxInputs: -1, MaxRunsPerUser: -1, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Shutdown(context.Background()) })
	srv, err := server.New(runner, &server.Options{Agents: []string{"script"}, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	t.Cleanup(func() {
		srv.Shutdown(context.Background())
		<-served
	})
	return "http://" + listener.Addr().String()
}
