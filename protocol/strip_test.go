package protocol

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestStrip(t *testing.T) {
	for _, test := range []struct{ name, in, out, removed string }{
		{"nothing", `{"type":"CUSTOM","name":"n","value":{"x":1}}`, `{"type":"CUSTOM","name":"n","value":{"x":1}}`, ""},
		{"member", `{"type":"STEP_STARTED","stepName":"s","a/b":1,"z":2}`, `{"type":"STEP_STARTED","stepName":"s"}`, "/a~1b /z"},
		{"deep member", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","usage":[{"model":"m","x":1}]}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","usage":[{"model":"m"}]}`, "/usage/0/x"},
		{"outcome", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"paused"}}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`, "/outcome"},
		{"role", `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"wizard"},{"id":"2","role":"assistant"}]}`, `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"2","role":"assistant"}]}`, "/messages/0"},
		{"part and source", `{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[{"type":"smell"},{"type":"text","text":"x"},{"type":"image","source":{"type":"telepathy"}}]}`,
			`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[{"type":"text","text":"x"}]}`, "/content/0 /content/2/source"},
		{"operation", `{"type":"STATE_DELTA","delta":[{"op":"zap"},{"op":"remove","path":"/a","x":1}]}`, `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/a","x":1}]}`, "/delta/0"},
		{"several operations", `{"type":"STATE_DELTA","delta":[{"op":"zap"},{"op":"remove","path":"/a"},{"op":"zip","path":"/b"}]}`, `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/a"}]}`, "/delta/0 /delta/2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := events(t, test.in)[0]
			removed := strings.Join(Strip(e), " ")
			out, err := Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != test.out || removed != test.removed {
				t.Errorf("%s without %q\nexpected %s without %q", out, removed, test.out, test.removed)
			}
			if again := Strip(e); again != nil {
				t.Errorf("still to strip: %v", again)
			}
			if err := ValidateEvent(out); err != nil {
				t.Error(err)
			}
		})
	}
	if got := Strip(events(t, `{"type":"NEWS"}`)[0]); len(got) != 1 || got[0] != "" {
		t.Errorf("unknown type: %q", got)
	}
}

func TestStripInput(t *testing.T) {
	in, err := DecodeInput([]byte(`{"threadId":"t","runId":"r","x":1,"messages":[{"id":"1","role":"user","content":[{"type":"smell"}],"y":1},{"id":"2","role":"wizard"}],"tools":[{"name":"n","description":"d","z":1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(in.Strip(), " "); got != "/messages/0/content/0 /messages/0/y /messages/1 /tools/0/z /x" {
		t.Error(got)
	}
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := Validate("RunAgentInput", data); err != nil {
		t.Errorf("%s: %v", data, err)
	}
}
