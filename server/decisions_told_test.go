package server

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Who follows a thread is told who of their tenant has answered in the inbox, by the name
// that users have among themselves, live and restated; and what a run came from.
func TestFollowersAreToldWhoDecided(t *testing.T) {
	v := newV1(t)
	op := v.as("0123456789abcdef-operator")
	open := v.asked("pay", `/tool pay {"amount":200}`)
	id := open["id"].(string)
	follow := func() *sseStream {
		return v.ts.ask("GET", "/agui/threads/pay/events?follow=1", "", "Authorization", "Bearer "+annsToken)
	}
	check := func(s *sseStream, restated bool) {
		t.Helper()
		for {
			e, ok := s.next()
			if !ok {
				t.Fatal("the stream has ended")
			}
			if e.data == "" {
				continue // a position
			}
			event, err := protocol.Decode([]byte(e.data))
			if err != nil {
				t.Fatalf("%v in %s", err, e.data)
			}
			started, begins := event.(*protocol.RunStarted)
			var says struct {
				Restated  bool
				Decisions []struct{ InterruptID, By, Through string }
			}
			if !begins || started.RunID != "answer" {
				continue
			}
			if err := json.Unmarshal(started.Metadata["aguiws"], &says); err != nil {
				t.Fatalf("%v in %s", err, e.data)
			}
			if d := says.Decisions; len(d) != 1 || d[0].InterruptID != id || d[0].By != "op" || d[0].Through != string(store.ThroughInbox) || says.Restated != restated {
				t.Errorf("told %s", e.data)
			}
			return
		}
	}
	live := follow()
	op.call("resolveInterrupts", 200, "/threads/pay/interrupts/resolve?namespace=acme/user/ann",
		fmt.Sprintf(`{"runId":"answer","entries":[{"interruptId":%q,"status":"resolved","payload":{"approved":true,"editedArgs":{"amount":150}}}]}`, id))
	check(live, false)
	v.rests("pay")
	check(follow(), true)
	answer := items(v.call("listRuns", 200, "/threads/pay/runs?runId=answer", ""))[0]
	run := v.call("getRun", 200, fmt.Sprintf("/threads/pay/runs/%s", answer["id"]), "")
	if run["user"] != "op" || run["begunBy"] != "ann" || run["title"] == nil || run["title"] != v.call("getThread", 200, "/threads/pay", "")["title"] {
		t.Errorf("the run of the answer is %v", run)
	}
}

// What a run came from, and with which message, stands among the runs of its thread.
func TestV1RunsHaveWhatTheyCameFrom(t *testing.T) {
	v := newV1(t)
	s := v.ts.ask("POST", "/agui", `{"threadId":"t","runId":"r1","parentRunId":"r0","messages":[{"id":"m0","role":"user","content":"oh"},{"id":"m1","role":"user","content":"hello"}]}`, "Authorization", "Bearer "+annsToken)
	for more := true; more; {
		_, more = s.next()
	}
	v.rests("t")
	runs := items(v.call("listRuns", 200, "/threads/t/runs", ""))
	if len(runs) != 1 || runs[0]["parentRunId"] != "r0" || runs[0]["messageId"] != "m1" {
		t.Fatalf("%v", runs)
	}
	if run := v.call("getRun", 200, fmt.Sprintf("/threads/t/runs/%s", runs[0]["id"]), ""); run["parentRunId"] != "r0" {
		t.Errorf("%v", run)
	}
	v.call("addInput", 202, "/threads/t/input", `{"after":"m1","runId":"again"}`)
	v.rests("t")
	if again := items(v.call("listRuns", 200, "/threads/t/runs?runId=again", ""))[0]; again["answersAnew"] != "m1" || again["asked"] != runs[0]["asked"] {
		t.Errorf("what is answered anew is %v", again)
	}
}
