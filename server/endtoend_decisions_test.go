package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	agui "github.com/aguiws/aguiws/client"
)

// Whatever way an answer takes, the record has it once, with who gave it, through what
// and in which run, and nothing of those that were refused but their number.
func TestEndToEndDecisions(t *testing.T) {
	v := newV1(t)
	bearing := []string{"Authorization", "Bearer " + annsToken}
	yes := `{"approved":true}`
	ways := []struct {
		name, through string
		answer        func(run, interrupt string)
	}{
		{"a socket", "socket", func(run, interrupt string) {
			c := v.ts.connect("/agui/ws", &agui.DialOptions{Header: http.Header{"Authorization": {"Bearer " + annsToken}}})
			c.expect("ws.hello")
			tb := newTab(c)
			tb.send(resumes(run, resolved(interrupt, yes)))
			wantSuccess(t, tb.until())
		}},
		{"a socket without the binding", "socket", func(run, interrupt string) {
			c := v.ts.connect("/agui/ws", bearer(annsToken))
			c.send(resumes(run, resolved(interrupt, yes)))
			for kindOf(c.expectAny()) != "RUN_FINISHED" {
			}
		}},
		{"POST", "post", func(run, interrupt string) {
			if _, last := v.ts.post(resumes(run, resolved(interrupt, yes)), bearing...).rest(); kindOf(last) != "RUN_FINISHED" {
				t.Errorf("POST ends with %v", last)
			}
		}},
		{"CopilotKit", "copilotkit", func(run, interrupt string) {
			if _, last := v.ts.copilotkit("run", resumes(run, resolved(interrupt, yes)), bearing...).opened().rest(); kindOf(last) != "RUN_FINISHED" {
				t.Errorf("CopilotKit's route ends with %v", last)
			}
		}},
		{"the thread's interrupts", "inbox", func(run, interrupt string) {
			v.call("resolveInterrupts", 200, "/threads/t/interrupts/resolve", fmt.Sprintf(`{"runId":%q,"entries":[%s]}`, run, resolved(interrupt, yes)))
		}},
		{"the inbox", "inbox", func(run, interrupt string) {
			v.call("resolveInbox", 200, "/inbox/resolve", fmt.Sprintf(`{"idempotencyKey":%q,"items":[{"threadId":"t","entries":[%s]}]}`, run, resolved(interrupt, yes)))
		}},
	}
	interruptOf := map[string]string{}
	for i, way := range ways {
		asks, run := fmt.Sprint("asks-", i), fmt.Sprint("answers-", i)
		v.call("addInput", 202, "/threads/t/input", fmt.Sprintf(`{"text":%q,"runId":%q}`, fmt.Sprintf(`/tool task_%d {"by":%q}`, i, way.name), asks))
		interrupt := v.rests("t")["interrupts"].([]any)[0].(map[string]any)["id"].(string)
		v.fails("resolveInterrupts", 422, "interrupt_payload_invalid", "/threads/t/interrupts/resolve", fmt.Sprintf(`{"entries":[%s]}`, resolved(interrupt, `{"approved":"no"}`)))
		way.answer(run, interrupt)
		v.rests("t")
		interruptOf[run] = interrupt
	}
	record := items(v.call("listDecisions", 200, "/decisions", ""))
	if len(record) != len(ways) {
		t.Fatalf("%d decisions, not %d", len(record), len(ways))
	}
	slices.Reverse(record) // the latest is the first
	for i, way := range ways {
		d := record[i]
		want := map[string]any{
			"status": "resolved", "user": "ann", "credential": "ann", "through": way.through, "tenant": "acme", "namespace": "acme/user/ann", "threadId": "t",
			"interruptId": interruptOf[fmt.Sprint("answers-", i)], "reason": "tool_call", "tool": fmt.Sprint("task_", i), "refused": 1.0,
			"arguments": map[string]any{"by": way.name}, "payload": map[string]any{"approved": true},
		}
		for name, value := range want {
			if fmt.Sprint(d[name]) != fmt.Sprint(value) {
				t.Errorf("%s: %s is %v, not %v", way.name, name, d[name], value)
			}
		}
		asked, answered := d["askedBy"].(map[string]any), d["answeredBy"].(map[string]any)
		if asked["runId"] != fmt.Sprint("asks-", i) || asked["id"] == answered["id"] || way.name != "the inbox" && answered["runId"] != fmt.Sprint("answers-", i) {
			t.Errorf("%s: asked by %v, answered by %v", way.name, asked, answered)
		}
		if d["toolCallId"] == "" || d["argumentsDigest"] == "" || d["cut"] != nil {
			t.Errorf("%s: %v", way.name, d)
		}
	}
	ofThread, _ := json.Marshal(v.call("listThreadDecisions", 200, "/threads/t/decisions", ""))
	all, _ := json.Marshal(v.call("listDecisions", 200, "/decisions", ""))
	if string(ofThread) != string(all) {
		t.Errorf("the thread's record is %s, not %s", ofThread, all)
	}
}
