// Package browser is the lane of the chat page: Chromium, driven by
// playwright-core, uses it as a person does while the servers behind it die.
package browser

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
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

var only = flag.String("only", "", "run only tests of the page whose names match this regular expression")

// stopping are the files whose tests kill servers, have a store stand still, or use
// what does: beside the other files they would disturb them, and by themselves they
// take about as long as those.
var stopping = []string{"crash.test.mjs", "keyboard.test.mjs", "operator.test.mjs", "outage.test.mjs", "page.test.mjs"}

// gate are the tests that the gate runs, by their files. The full suite runs all tests.
var gate = map[string][]string{
	"chat.test.mjs": {
		"text streams, and stays after a reload and in a second tab",
		"a form is filled in",
		"a run is stopped, a failure is shown, and the chat goes on",
		"a message that waits is shown to both tabs",
	},
	"crash.test.mjs": {
		"a question outlives its server, and is approved in the same tab",
		"two servers on one Redis, a tab on each",
	},
	"asking.test.mjs": {"a question without a schema takes a yes, a no, options, a text, JSON and a cancel"},
	"haste.test.mjs":  {"two clicks on one of several questions neither take the answer back nor give another"},
	"inbox.test.mjs":  {"questions come, are filtered and are answered where all threads' are"},
}

// TestChatPage runs the tests of this folder's *.test.mjs, in two halves beside each
// other: each has servers, stores and a browser of its own. The gate runs only gate.
func TestChatPage(t *testing.T) {
	suite.Gate(t)
	command.NodeLane(t)
	browser := command.Chromium(t)
	if !suite.IsFull() && *only == "" {
		runPage(t, browser, nil)
		return
	}
	others, err := filepath.Glob("*.test.mjs")
	if err != nil || len(others) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, name := range stopping {
		at := slices.Index(others, name)
		if at < 0 {
			t.Fatalf("there is no %s", name)
		}
		others = slices.Delete(others, at, at+1)
	}
	t.Run("servers that are stopped", func(t *testing.T) {
		t.Parallel()
		runPage(t, browser, stopping)
	})
	t.Run("servers that go on", func(t *testing.T) {
		t.Parallel()
		runPage(t, browser, others)
	})
}

// runPage runs these files, or gate where there are none.
func runPage(t *testing.T, browser string, tests []string) {
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	// Short, so that what a killed server leaves is soon taken over; no shorter, so that one that is only slow keeps it.
	options := command.Options{Redis: redis.URL(), Lease: 3 * time.Second}
	a := command.Start(t, options)
	options.Effects = a.EffectsFile()
	b := command.Start(t, options)
	// Its own Redis: nobody else may take over what it leaves.
	options.Redis = redistest.Start(t, redistest.Options{AOF: "everysec"}).URL()
	options.CrashAt = "step_after_effect"
	doomed := command.Start(t, options)
	embedded := command.Start(t, command.Options{})
	guarded := command.Start(t, command.Options{Effects: a.EffectsFile(), Args: []string{"--auth", "tokens", "--tokens", tokens}})
	steps := stepper(t)
	control := httptest.NewServer(controlOf(t, redis, a, b, doomed, embedded))
	t.Cleanup(control.Close)

	// One file after another: they share the servers.
	args := []string{"--test-concurrency=1"}
	env := []string{
		"AGUIWS_URLS=" + strings.Join([]string{a.URL(), b.URL(), doomed.URL(), embedded.URL(), guarded.URL(), steps, gateway(t).URL(), provided(t)}, ","),
		"AGUIWS_CONTROL=" + control.URL,
		"AGUIWS_BROWSER=" + browser,
		"AGUIWS_SHOTS=" + command.Artifacts(t),
	}
	if *only != "" {
		args = append(args, "--test-name-pattern="+*only)
	} else {
		env = append(env, command.Frames(t))
	}
	if len(tests) == 0 {
		command.NodeChosen(t, env, gate, args...)
		return
	}
	command.NodeTests(t, env, append(args, tests...)...)
}

// tokens let people into the server that asks who comes: one of them answers and operates,
// one answers alone, and of two who share their chats one only reads.
const tokens = `[{token: the-token-of-ann-0123456789, user: ann, scopes: [read, run, approver, admin]},` +
	` {token: the-token-of-bob-0123456789, user: bob},` +
	` {token: the-token-of-eve-0123456789, user: eve, scopes: [read, approver]},` +
	` {token: the-token-of-fay-0123456789, user: fay, namespace: team},` +
	` {token: the-token-of-dan-0123456789, user: dan, namespace: team, scopes: [read]}]`

// controlOf lets the tests kill and restart the servers they talk to, and have the
// Redis of the first of them stand still.
func controlOf(t *testing.T, redis *redistest.Server, servers ...*command.Server) http.Handler {
	var one sync.Mutex
	server := func(do func(*command.Server)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			one.Lock()
			defer one.Unlock()
			n, err := strconv.Atoi(r.FormValue("server"))
			if err != nil || n < 0 || n >= len(servers) {
				http.Error(w, "no such server", http.StatusBadRequest)
				return
			}
			do(servers[n])
			_, _ = w.Write([]byte("{}"))
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /kill", server((*command.Server).Kill))
	mux.HandleFunc("POST /restart", server((*command.Server).Restart))
	store := func(do func()) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			one.Lock()
			defer one.Unlock()
			do()
			_, _ = w.Write([]byte("{}"))
		}
	}
	mux.HandleFunc("POST /freeze", store(redis.Freeze))
	mux.HandleFunc("POST /thaw", store(redis.Thaw))
	mux.HandleFunc("POST /effects", func(w http.ResponseWriter, _ *http.Request) {
		// As texts: numbers of JavaScript would be others.
		type effect struct {
			Tool string `json:"tool"`
			Args string `json:"args"`
		}
		effects := []effect{}
		for _, e := range command.Effects(t, servers[0].EffectsFile()) {
			effects = append(effects, effect{e.Tool, string(e.Args)})
		}
		_ = json.NewEncoder(w).Encode(effects)
	})
	return mux
}
