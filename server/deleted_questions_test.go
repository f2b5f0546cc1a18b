package server

import (
	"fmt"
	"testing"
)

// No question vanishes with its thread: whoever deletes it is on record as having cancelled it.
func TestV1DeletingAThreadDecidesItsQuestions(t *testing.T) {
	v := newV1(t)
	v.call("createThread", 201, "/threads", `{"threadId":"top"}`)
	v.call("createThread", 201, "/threads", `{"threadId":"asks","parentThreadId":"top"}`)
	v.call("addInput", 202, "/threads/asks/input", `{"text":"/tool pay {\"to\":\"tom\"}","runId":"r1"}`)
	interrupt := v.rests("asks")["interrupts"].([]any)[0].(map[string]any)["id"]
	v.call("deleteTree", 200, "/threads/top/tree?children=cascade", "")
	record := items(v.call("listThreadDecisions", 200, "/threads/asks/decisions", ""))
	if len(record) != 1 {
		t.Fatalf("on record are %v", record)
	}
	d := record[0]
	for name, want := range map[string]any{"interruptId": interrupt, "status": "cancelled", "user": "ann", "credential": "ann", "through": "operator",
		"tool": "pay", "reason": "tool_call", "arguments": map[string]any{"to": "tom"}, "answeredBy": nil} {
		if fmt.Sprint(d[name]) != fmt.Sprint(want) {
			t.Errorf("%s is %v, not %v", name, d[name], want)
		}
	}
	if asked, _ := d["askedBy"].(map[string]any); asked["runId"] != "r1" {
		t.Errorf("asked by %v", asked)
	}
}
