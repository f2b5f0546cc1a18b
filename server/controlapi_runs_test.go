package server

import (
	"net/url"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
)

// /v1 tells of a run why it came to be, what it ran and what it has used, and finds runs by
// what it tells.
func TestV1FindsRuns(t *testing.T) {
	v := newV1(t)
	v.call("addInput", 202, "/threads/t/input", say("/confirm sure?"))
	thread := v.rests("t")
	open := thread["interrupts"].([]any)[0].(map[string]any)["id"].(string)
	if thread["openRun"] == nil || thread["openRun"] != thread["latestRun"] || thread["activeRun"] != nil {
		t.Errorf("%v", thread)
	}
	v.call("resolveInterrupts", 200, "/threads/t/interrupts/resolve", `{"entries":[{"interruptId":"`+open+`","status":"resolved","payload":{"approved":true}}]}`)
	v.rests("t")
	v.call("addInput", 202, "/threads/t2/input", say("hello"))
	v.rests("t2")
	all := items(v.call("findRuns", 200, "/runs", ""))
	if len(all) != 3 || all[0]["threadId"] != "t2" || all[0]["origin"] != "operator" || all[1]["origin"] != "resume" || all[2]["id"] != thread["openRun"] {
		t.Fatalf("%v", all)
	}
	for query, want := range map[string]string{
		"origin=resume": all[1]["id"].(string), "thread=t2": all[0]["id"].(string), "id=" + all[2]["id"].(string)[:20]: all[2]["id"].(string),
		"runId=" + url.QueryEscape(all[1]["runId"].(string)): all[1]["id"].(string), "thread=t2&origin=resume": "", "state=dead_letter": "",
		"title=HELLO": all[0]["id"].(string), "title=bye": "", "from=2999-01-01T00:00:00Z": "", "to=" + url.QueryEscape(all[1]["createdAt"].(string)): all[2]["id"].(string),
	} {
		got := items(v.call("findRuns", 200, "/runs?"+query, ""))
		if want == "" && len(got) != 0 || want != "" && (len(got) != 1 || got[0]["id"] != want) {
			t.Errorf("%s: %v", query, got)
		}
	}
	page := v.call("listRuns", 200, "/threads/t/runs?limit=1", "")
	next, _ := page["next"].(string)
	if got := items(page); len(got) != 1 || got[0]["id"] != all[1]["id"] || next == "" {
		t.Fatalf("%v", page)
	}
	if got := items(v.call("listRuns", 200, "/threads/t/runs?limit=1&cursor="+next, "")); len(got) != 1 || got[0]["id"] != all[2]["id"] {
		t.Errorf("%v", got)
	}
	if listed := items(v.call("listThreads", 200, "/threads", "")); listed[0]["latestRun"] != all[0]["id"] || listed[0]["activeRun"] != nil {
		t.Errorf("%v", listed)
	}
	for _, path := range []string{"/threads/t/runs?origin=user&cursor=" + next, "/threads/t/runs?offset=0&origin=user", "/threads/t/runs?origin=god", "/threads/t/runs?cursor=x"} {
		v.fails("listRuns", 400, "invalid_input", path, "")
	}
	for _, query := range []string{"limit=201", "from=today", "thread=t&title=hello"} {
		v.fails("findRuns", 400, "invalid_input", "/runs?"+query, "")
	}
	if got := items(v.as("0123456789abcdef-elsewhere").call("findRuns", 200, "/runs?thread=t", "")); len(got) != 0 {
		t.Errorf("elsewhere: %v", got)
	}
}

// A run tells the trace of the input that began it, which is the caller's if it brings one.
func TestV1TellsTheTraceOfARun(t *testing.T) {
	const traceID = "0af7651916cd43dd8448eb211c80319c"
	r := newRunner(t, embedded(t), &runner.Options{
		Agents: map[string]adapter.Agent{"script": script.New(script.Options{})}, Default: "script", Traces: sdk.NewTracerProvider(),
	})
	v := newV1On(t, r, &Options{PassHeaders: []string{"traceparent"}})
	if status, body, _ := v.send("POST", "/threads/t/input", say("hello"), map[string]string{"Traceparent": "00-" + traceID + "-b7ad6b7169203331-01"}); status != 202 {
		t.Fatalf("%d %s", status, body)
	}
	v.rests("t")
	if runs := items(v.call("findRuns", 200, "/runs", "")); len(runs) != 1 || runs[0]["traceId"] != traceID {
		t.Errorf("%v", runs)
	}
}

func TestV1PurgesRuns(t *testing.T) {
	v := newV1(t)
	for range 2 {
		v.call("addInput", 202, "/threads/t/input", say("hello"))
		v.rests("t")
	}
	v.call("addInput", 202, "/threads/t/input", say("/confirm sure?"))
	asked := v.rests("t")["openRun"]
	for _, bad := range []string{"yesterday", "-1h", "5"} {
		v.fails("purgeRuns", 400, "invalid_input", "/threads/t/runs/purge", `{"olderThan":"`+bad+`"}`)
	}
	v.as("0123456789abcdef-elsewhere").fails("purgeRuns", 404, "thread_not_found", "/threads/t/runs/purge", `{}`)
	if got := v.call("purgeRuns", 200, "/threads/t/runs/purge", `{"olderThan":"1h"}`); got["purged"] != 0. {
		t.Errorf("of the last hour: %v", got)
	}
	if got := v.call("purgeRuns", 200, "/threads/t/runs/purge", `{}`); got["purged"] != 2. {
		t.Errorf("all: %v", got)
	}
	if left := items(v.call("listRuns", 200, "/threads/t/runs", "")); len(left) != 1 || left[0]["id"] != asked || left[0]["waits"] != true {
		t.Errorf("left: %v", left)
	}
	if told := items(v.call("listMessages", 200, "/threads/t/messages", "")); len(told) < 4 {
		t.Errorf("messages: %v", told)
	}
}

// The highest priority is 0, and an input that names none has 128.
func TestV1Priorities(t *testing.T) {
	v := newV1(t)
	for body, want := range map[string]float64{`{"text":"/say x","priority":0}`: 0, `{"text":"/say x"}`: 128} {
		id := v.call("addInput", 202, "/threads/t/input", body)["id"].(string)
		if run := v.call("getRun", 200, "/threads/t/runs/"+id, ""); run["priority"] != want {
			t.Errorf("%s: %v", body, run["priority"])
		}
		v.rests("t")
	}
}
