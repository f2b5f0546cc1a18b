package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
)

// Whether an input names the default agent or none, whichever way it comes, the agent has one
// name: in records, lists, notices, decisions, streams and metrics, and in what they are
// searched by.
func TestTheDefaultAgentHasOneName(t *testing.T) {
	r := newRunner(t, embedded(t), &runner.Options{
		Agents:  map[string]adapter.Agent{"main": script.New(script.Options{}), "other": script.New(script.Options{})},
		Default: "main",
	})
	v := newV1On(t, r, &Options{FrameBurst: 1000, InputBurst: 1000, RequestBurst: 10_000, OnDisconnect: map[string]Disconnect{"main": DisconnectFinish}})
	before, _, _ := v.ts.Page("", annsToken)
	bearing := []string{"Authorization", "Bearer " + annsToken}
	socket := func(path string) func(thread string) {
		return func(thread string) {
			c := v.ts.connect(path, bearer(annsToken))
			c.send(inputOn(thread, "/tool pay {}"))
			for kindOf(c.expectAny()) != "RUN_FINISHED" {
			}
		}
	}
	ways := map[string]func(thread string){
		"socket":       socket("/agui/ws"),
		"named-socket": socket("/agui/main/ws"),
		"v1":           func(thread string) { v.call("addInput", 202, "/threads/"+thread+"/input", `{"text":"/tool pay {}"}`) },
		"named-v1": func(thread string) {
			v.call("addInput", 202, "/threads/"+thread+"/input", `{"text":"/tool pay {}","agent":"main"}`)
		},
	}
	for name, path := range map[string]string{"post": "/agui", "named-post": "/agui/main", "copilotkit": "/copilotkit/agent/default/run", "named-copilotkit": "/copilotkit/agent/main/run"} {
		ways[name] = func(thread string) {
			v.ts.ask(http.MethodPost, path, inputOn(thread, "/tool pay {}"), bearing...).opened().rest()
		}
	}
	for name, send := range ways {
		send(name)
		v.rests(name)
		all := items(v.call("listRuns", 200, "/threads/"+name+"/runs", ""))
		if len(all) != 1 || all[0]["agent"] != "main" {
			t.Errorf("%s: the record has %v", name, all)
		}
	}
	for list, path := range map[string]string{"listThreads": "/threads?agent=main", "listInbox": "/inbox?agent=main"} {
		for _, path := range []string{path, strings.Replace(path, "agent=main", "limit=100", 1)} {
			found := items(v.call(list, 200, path, ""))
			for _, it := range found {
				if it["agent"] != "main" {
					t.Errorf("%s has the agent %v", path, it["agent"])
				}
			}
			if len(found) != len(ways) {
				t.Errorf("%s finds %d of %d", path, len(found), len(ways))
			}
		}
	}
	if found := items(v.call("listThreads", 200, "/threads?agent=", "")); len(found) != len(ways) {
		t.Errorf("of the default agent are %d of %d", len(found), len(ways))
	}
	for _, query := range []string{"agent=main", "agent="} {
		page, status, text := v.ts.Page("?after="+before.Next+"&"+query, annsToken)
		if status != http.StatusOK || len(page.Items) == 0 {
			t.Errorf("notices of %s: %d %s", query, status, text)
		}
		if n := strings.Count(text, `"agent":"main"`); n != len(page.Items) {
			t.Errorf("%d notices of %s are of the agent: %s", n, query, text)
		}
		if e, ok := v.ts.watch("?after="+before.Next+"&"+query, annsToken).next(); !ok || !strings.Contains(e.data, `"agent":"main"`) {
			t.Errorf("watching %s: %+v", query, e)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	work, err := r.WorkStats(ctx)
	if err != nil || len(work) != 2 || work[0].Agent != "main" || work[1].Agent != "other" {
		t.Errorf("what waits for workers is told of %+v, %v", work, err)
	}
	for _, path := range []string{"/agui/capabilities", "/agui/main/capabilities"} {
		caps, err := io.ReadAll(v.ts.ask(http.MethodGet, path, "", bearing...).resp.Body)
		if err != nil || !strings.Contains(string(caps), `"/agui":"finish"`) {
			t.Errorf("%s: %s %v", path, caps, err)
		}
	}
}

// New refuses the name of an agent that the runner lacks.
func TestAgentThatTheRunnerLacks(t *testing.T) {
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"main": script.New(script.Options{})}, Default: "main"})
	defer r.Shutdown(context.Background())
	if _, err := New(r, &Options{Agents: []string{"drafts"}}); err == nil || !strings.Contains(err.Error(), `"drafts"`) {
		t.Errorf("%v, want a refusal of drafts", err)
	}
}

// inputOn is an input that says something on a thread.
func inputOn(thread, text string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":"r1","messages":[{"id":"m1","role":"user","content":%q}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, thread, text)
}
