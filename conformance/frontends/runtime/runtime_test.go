// Package runtime is the lane of CopilotKit's runtimeUrl: published CopilotKit, in
// Chromium, on a page of another origin, has no runtime but the command.
package runtime

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// token is ada's, at the server that wants one.
const token = "the-token-that-ada-has"

const document = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%[1]s</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/build/page.css"></head>
<body><div id="root"></div><script type="module" src="/build/page.js"></script></body></html>`

func TestCopilotKitRuntimeURL(t *testing.T) {
	suite.Full(t)
	command.Node(t, "conformance/frontends")
	browser := command.Chromium(t)
	build := t.TempDir()
	if out, err := exec.Command("node", "bundle.mjs", build).CombinedOutput(); err != nil {
		t.Fatalf("bundle.mjs: %v\n%s", err, out)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /runtime", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, document, "runtimeUrl")
	})
	mux.Handle("GET /build/", http.StripPrefix("/build/", http.FileServer(http.Dir(build))))
	page := httptest.NewServer(mux)
	t.Cleanup(page.Close)
	server := command.Start(t, command.Options{Args: []string{"--origins", page.URL}})
	guarded := command.Start(t, command.Options{Args: []string{"--origins", page.URL, "--auth", "tokens", "--tokens", `[{token: ` + token + `, user: ada}]`}})
	suggesting := suggesting(t, page.URL)

	command.NodeTests(t, []string{
		"AGUIWS_PAGES=" + page.URL,
		"AGUIWS_SERVER=" + server.URL(),
		"AGUIWS_CUTTING=" + cutting(t, server.URL()),
		"AGUIWS_SUGGESTING=" + suggesting,
		"AGUIWS_GUARDED=" + guarded.URL(),
		"AGUIWS_TOKEN=" + token,
		"AGUIWS_EFFECTS=" + server.EffectsFile(),
		"AGUIWS_BROWSER=" + browser,
		"AGUIWS_SHOTS=" + command.Artifacts(t),
	}, "runtime.test.mjs")
}

// cutting is a way to the server on which POST /cut closes whatever is open.
func cutting(t *testing.T, server string) string {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	pass.FlushInterval = -1
	pass.ErrorLog = log.New(io.Discard, "", 0)
	mux := http.NewServeMux()
	way := httptest.NewUnstartedServer(mux)
	way.Config.ErrorLog = pass.ErrorLog
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	way.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if open[conn] = true; state == http.StateClosed {
			delete(open, conn)
		}
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		// Else a stream breaks off at its beginning where the server answers before the
		// proxy has seen the end of the body: https://go.dev/issue/40747.
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			panic(err)
		}
		pass.ServeHTTP(w, r)
	})
	mux.HandleFunc("POST /cut", func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		for conn := range open {
			conn.Close()
		}
	})
	way.Start()
	t.Cleanup(way.Close)
	return way.URL
}

// suggesting is a program of its own on the library that makes suggestions.
func suggesting(t *testing.T, origin string) string {
	t.Helper()
	store, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(runs, &server.Options{
		Origins: []string{origin},
		Suggest: func(_ context.Context, _ string, in *protocol.RunAgentInput) ([]server.Suggestion, error) {
			return []server.Suggestion{{Title: "Count messages", Message: fmt.Sprintf("/say there were %d", len(in.Messages))}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		served.CloseClientConnections()
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		served.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return served.URL
}
