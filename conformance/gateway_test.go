package conformance_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/conformance"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/server"
)

// A gateway before a second server of this module is that server, to whoever talks to it:
// it keeps to every case as TestOurServer does. So does a gateway before a gateway.
func TestGatewayIsItsUpstream(t *testing.T) {
	suite.Full(t)
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	effects := filepath.Join(t.TempDir(), "effects")
	does := script.New(script.Options{Effects: effects})
	url := serveAgents(t, map[string]adapter.Agent{"": does, "script": does})
	// An event and a call end a wait at the upstream alone. A time ends it at both, and the
	// upstream refuses the gateway's word for it if that comes first.
	waits := []string{"event", "call", "sleep"}
	hops := [][]string{conformance.Transports, {conformance.Binding}}
	if command.Race {
		hops = [][]string{{conformance.SSE}, {conformance.Binding}}
	}
	for n, transports := range hops {
		url = serveAgents(t, map[string]adapter.Agent{"": before(t, url+"/agui"), "script": before(t, url+"/agui/script")})
		for _, over := range transports {
			t.Run(fmt.Sprintf("%d over %s", n+1, over), func(t *testing.T) {
				judge(t, conformance.Target{
					URL: addressAt(url, over), Over: over, Effects: effects, Timeout: patience,
					Profile: &conformance.Profile{Name: "embedded", Lacks: slices.Concat(waits, []string{"durable", "restart", "drain"})},
				}, cases, []string{"follow: " + over, "position: " + over, "cancel: " + over, "durable:", "restart:", "drain:", "/event:", "/call:", "/sleep:"})
			})
		}
	}
}

// So it is when the gateway's process dies or is replaced: what waits is in its store, and a
// run that was under way is asked for again, because this upstream knows it.
func TestGatewayOutlivesItsProcess(t *testing.T) {
	suite.Full(t)
	all, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	cases, err := conformance.Select(all, []string{"faults/*"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	far := command.Start(t, command.Options{})
	next := far
	for n, over := range []string{conformance.SSE, conformance.Binding} {
		next = command.Start(t, command.Options{
			Redis: redistest.Start(t, redistest.Options{AOF: "everysec"}).URL(), Lease: 2 * time.Second, Effects: far.EffectsFile(),
			Args: []string{"--upstreams", fmt.Sprintf("[{name: far, url: '%s/agui', idempotent: true, own-metadata: true}]", next.URL())},
		})
		t.Run(fmt.Sprintf("%d over %s", n+1, over), func(t *testing.T) { holdTo(t, next, over, true, cases) })
	}
}

func addressAt(url, over string) string {
	switch over {
	case conformance.SSE:
		return url + "/agui"
	case conformance.CopilotKit:
		return url + "/copilotkit"
	}
	return "ws" + strings.TrimPrefix(url, "http") + "/agui/ws"
}

func before(t *testing.T, url string) *gateway.Upstream {
	t.Helper()
	u, err := gateway.New(url, &gateway.Options{Idempotent: true, OwnMetadata: true})
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
	runs, err := runner.New(store, &runner.Options{Agents: agents, MaxInputs: -1, MaxRunsPerUser: -1, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runs.Shutdown(context.Background()) })
	named := slices.DeleteFunc(slices.Collect(maps.Keys(agents)), func(name string) bool { return name == "" })
	srv, err := server.New(runs, &server.Options{Agents: named, Logger: quiet})
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
