package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
)

// Lists leave out what a rule says; who opens the question sees all of what is approved.
func TestV1InboxIsRedacted(t *testing.T) {
	const secret = "4111-1111"
	asks := func(tool, args string) adapter.Agent {
		return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.CallTools(ctx, run, adapter.ToolCall{ID: "call", Name: tool, Args: []byte(args)})
			return err
		})
	}
	paying := `{"amount":12.50,"card":{"number":"` + secret + `","name":"Ann"}}`
	r := newRunner(t, embedded(t), &runner.Options{
		Agents:      map[string]adapter.Agent{"": asks("pay", paying), "script": asks("show", paying)},
		RedactLists: []adapter.Redaction{{Tool: "pay", Pointer: "/card/number"}, {Pointer: "/password"}},
	})
	v := newV1On(t, r, &Options{})
	v.asked("paying", "go")
	v.call("addInput", 202, "/threads/showing/input", `{"text":"go","agent":"script"}`)
	v.rests("showing")
	callIn := func(path, thread string) map[string]any {
		t.Helper()
		for _, item := range items(v.call("listInbox", 200, path, "")) {
			if item["threadId"] == thread {
				return item["interrupts"].([]any)[0].(map[string]any)
			}
		}
		t.Fatalf("%s does not list %s", path, thread)
		return nil
	}
	for _, path := range []string{"/inbox", "/inbox?thread=paying", "/inbox?tool=pay"} {
		if _, body, _ := v.send(http.MethodGet, path, "", nil); strings.Count(string(body), secret) != strings.Count(string(body), `"threadId":"showing"`) {
			t.Errorf("%s tells the number: %s", path, body)
		}
		one := callIn(path, "paying")
		call := one["toolCall"].(map[string]any)
		if one["truncated"] != true || call["redacted"] != true || call["digest"] != nil || call["size"] != nil ||
			call["arguments"] != `{"amount":12.50,"card":{"name":"Ann","number":"[redacted]"}}` {
			t.Errorf("%s: %v", path, one)
		}
	}
	if call := callIn("/inbox", "showing")["toolCall"].(map[string]any); call["redacted"] != nil || call["arguments"] != paying {
		t.Errorf("another tool's call: %v", call)
	}
	whole := items(v.call("listInterrupts", 200, "/threads/paying/interrupts", ""))[0]["interrupts"].([]any)[0].(map[string]any)
	if call := whole["toolCall"].(map[string]any); call["arguments"] != paying || call["redacted"] != nil || whole["truncated"] != nil {
		t.Errorf("what is approved is not shown: %v", whole)
	}
}

func TestListRulesAreChecked(t *testing.T) {
	o := runner.Options{Agents: map[string]adapter.Agent{"": adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil })},
		RedactLists: []adapter.Redaction{{Pointer: "no pointer"}}}
	if _, err := runner.New(embedded(t), &o); err == nil {
		t.Error("a rule without a pointer is taken")
	}
}
