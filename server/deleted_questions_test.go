package server

import (
	"fmt"
	"testing"
)

// No question vanishes with its thread: whoever deletes it is on record as having cancelled it.
func TestV1DeletingAThreadDecidesItsQuestions(t *testing.T) {
	for name, deletes := range map[string]func(v *v1Server){
		"itself":        func(v *v1Server) { v.call("deleteThread", 204, "/threads/asks", "") },
		"from its tree": func(v *v1Server) { v.call("deleteTree", 200, "/threads/asks/tree?children=detach", "") },
		"with the top":  func(v *v1Server) { v.call("deleteTree", 200, "/threads/top/tree?children=cascade", "") },
	} {
		t.Run(name, func(t *testing.T) { deletesQuestions(t, deletes) })
	}
}

func deletesQuestions(t *testing.T, deletes func(v *v1Server)) {
	v := newV1(t)
	v.call("createThread", 201, "/threads", `{"threadId":"top"}`)
	v.call("createThread", 201, "/threads", `{"threadId":"asks","parentThreadId":"top"}`)
	v.call("addInput", 202, "/threads/asks/input", `{"text":"/tool pay {\"to\":\"tom\"}","runId":"r1"}`)
	interrupt := v.rests("asks")["interrupts"].([]any)[0].(map[string]any)["id"]
	deletes(v)
	if got := items(v.call("listInbox", 200, "/inbox", "")); len(got) != 0 {
		t.Errorf("the inbox has %v", got)
	}
	v.fails("resolveInterrupts", 404, "thread_not_found", "/threads/asks/interrupts/resolve",
		fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"cancelled"}]}`, interrupt))
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
