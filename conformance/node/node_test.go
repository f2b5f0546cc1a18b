// Package node is the lane of the real client: @ag-ui/client drives the command
// through the WebSocketAgent of web/client, in Node.
package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// gate are the tests that the gate runs, by their files. The full suite runs all tests.
var gate = map[string][]string{
	"interrupt.test.mjs": {
		"an answer given twice is carried out once",
		"a socket that drops around an answer executes it once",
	},
	"outage.test.mjs": {"a stop in an outage reaches the server when it is over: one's own run"},
	"stream.test.mjs": {
		"a page that is reloaded in mid-stream goes on",
		"a run that is cancelled ends, and what it said stays",
		"a socket that drops 4 times in mid-stream is invisible",
	},
}

func TestRealClient(t *testing.T) {
	suite.Gate(t)
	command.NodeLane(t)
	t.Run("embedded", func(t *testing.T) {
		suite.Full(t)
		t.Parallel()
		server := command.Start(t, command.Options{})
		runLane(t, server)
	})
	t.Run("two servers on one Redis", func(t *testing.T) {
		t.Parallel()
		redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
		a := command.Start(t, command.Options{Redis: redis.URL()})
		b := command.Start(t, command.Options{Redis: redis.URL(), Effects: a.EffectsFile()})
		runLane(t, a, b)
	})
}

func runLane(t *testing.T, servers ...*command.Server) {
	t.Helper()
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.Socket())
	}
	env := []string{"AGUIWS_URLS=" + strings.Join(urls, ","), "AGUIWS_EFFECTS=" + servers[0].EffectsFile(), command.Frames(t)}
	if !suite.IsFull() {
		command.NodeChosen(t, env, gate)
		return
	}
	tests, err := filepath.Glob("*.test.mjs")
	if err != nil || len(tests) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	command.NodeTests(t, env, tests...)
}
