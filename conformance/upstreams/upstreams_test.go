package upstreams

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

var (
	only = flag.String("only", "", "run only tests whose names match this regular expression")
	with = flag.String("with", "httpagent,page,copilotkit", "the clients that are tried")
)

func TestUpstreams(t *testing.T) {
	suite.Full(t)
	all := chosen(t)
	command.NodeLane(t)
	browser := command.Chromium(t)
	pages := pages(t)
	for _, each := range all {
		t.Run(each.name, func(t *testing.T) {
			effects := filepath.Join(t.TempDir(), "effects")
			url := each.start(t, effects)
			redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
			options := command.Options{
				Redis: redis.URL(),
				// Short, so that what a killed gateway leaves is soon taken over; no shorter, so that one that is only slow keeps it.
				Lease: 3 * time.Second,
				Args: []string{
					"--upstreams", each.upstream(url),
					"--origins", pages,
					"--on-expiry", "fail",
				},
			}
			a, b := command.Start(t, options), command.Start(t, options)
			control := httptest.NewServer(controlOf(t, effects, a, b))
			t.Cleanup(control.Close)
			env := []string{
				"AGUIWS_TARGET=" + each.name,
				"AGUIWS_IN_TURN=" + strconv.FormatBool(each.inTurn),
				"AGUIWS_EXPIRES=" + strconv.FormatBool(each.expires),
				"AGUIWS_STEPS=" + strconv.FormatBool(each.steps),
				"AGUIWS_STOPS=" + strconv.FormatBool(each.stops),
				"AGUIWS_URLS=" + a.URL() + "," + b.URL(),
				"AGUIWS_CONTROL=" + control.URL,
				"AGUIWS_EFFECTS=" + effects,
				"AGUIWS_PAGES=" + pages,
				"AGUIWS_BROWSER=" + browser,
				"AGUIWS_SHOTS=" + command.Artifacts(t),
			}
			for _, client := range strings.Split(*with, ",") {
				// One after the other: they share the gateways that one of them kills.
				t.Run(client, func(t *testing.T) {
					args := []string{client + ".test.mjs"}
					if *only != "" {
						args = append([]string{"--test-name-pattern=" + *only}, args...)
					}
					command.NodeTests(t, env, args...)
				})
			}
		})
	}
}

// pages serves the page that conformance/frontends/runtime has of CopilotKit.
func pages(t *testing.T) string {
	t.Helper()
	frontends := filepath.Join("..", "frontends")
	command.Node(t, "conformance/frontends")
	build := t.TempDir()
	if out, err := exec.Command("node", filepath.Join(frontends, "runtime", "bundle.mjs"), build).CombinedOutput(); err != nil {
		t.Fatalf("bundle.mjs: %v\n%s", err, out)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /runtime", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(document))
	})
	mux.Handle("GET /build/", http.StripPrefix("/build/", http.FileServer(http.Dir(build))))
	served := httptest.NewServer(mux)
	t.Cleanup(served.Close)
	return served.URL
}

const document = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>runtimeUrl</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/build/page.css"></head>
<body><div id="root"></div><script type="module" src="/build/page.js"></script></body></html>`

// controlOf lets the tests kill and restart the gateways, and look at what the target has
// done.
func controlOf(t *testing.T, effects string, gateways ...*command.Server) http.Handler {
	var one sync.Mutex
	gateway := func(do func(*command.Server)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			one.Lock()
			defer one.Unlock()
			n, err := strconv.Atoi(r.FormValue("server"))
			if err != nil || n < 0 || n >= len(gateways) {
				http.Error(w, "no such gateway", http.StatusBadRequest)
				return
			}
			do(gateways[n])
			_, _ = w.Write([]byte("{}"))
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /kill", gateway((*command.Server).Kill))
	mux.HandleFunc("POST /restart", gateway((*command.Server).Restart))
	mux.HandleFunc("POST /effects", func(w http.ResponseWriter, _ *http.Request) {
		type effect struct {
			Tool string `json:"tool"`
			Args string `json:"args"`
		}
		all := []effect{}
		for _, e := range command.Effects(t, effects) {
			all = append(all, effect{e.Tool, string(e.Args)})
		}
		_ = json.NewEncoder(w).Encode(all)
	})
	return mux
}
