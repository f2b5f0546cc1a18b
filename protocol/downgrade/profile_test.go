package downgrade

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/internal/eventtext"
)

func TestProfileOf(t *testing.T) {
	for declared, want := range map[string]Profile{
		"": Profile0, "0.9": Profile0, "1.0": Profile10, "01.00": Profile10, "1.1": ProfileCurrent, "1.10": ProfileCurrent,
		"2.0": ProfileCurrent, "1.0.0": ProfileCurrent, "one": ProfileCurrent, "1.": ProfileCurrent, "+1.0": ProfileCurrent,
	} {
		if got := ProfileOf(declared); got != want {
			t.Errorf("%q is %v, expected %v", declared, got, want)
		}
	}
}

// What is kept by its bytes is kept by Apply, and deltas are, without being decoded.
func TestKeeps(t *testing.T) {
	profiles := []Profile{Profile0, Profile10, ProfileCurrent}
	check := func(e protocol.Event, event []byte) {
		for _, profile := range profiles {
			if sent, losses := profile.Apply(e); profile.Keeps(event) && (sent != e || len(losses) > 0) {
				t.Errorf("%v is said to keep %s", profile, event)
			}
		}
	}
	for _, document := range eventtext.Valid(t, "..") {
		check(events(t, document)[0], []byte(document))
	}
	for _, members := range []string{
		`"delta":""`, `"delta":"x"`, ` "delta" : ""`, `"metadata":{"delta":"x"}, "delta": ""`, `"delta":"x","metadata":{"delta":""}`,
		`"x":"\"delta\":\"x","delta":""`, `"x":"\"delta\":\"\"","delta":"x"`, `"metadata":{"delta":"x"},"delta":""`,
	} {
		event := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m",` + members + `}`)
		e, err := protocol.Decode(event)
		if err != nil {
			t.Fatal(err)
		}
		check(e, event)
	}
	delta := []byte(`{"type":"TEXT_MESSAGE_CONTENT","timestamp":1,"messageId":"m","delta":"words"}`)
	for _, profile := range profiles {
		if !profile.Keeps(delta) {
			t.Errorf("%v decodes a delta", profile)
		}
	}
	if n := testing.AllocsPerRun(100, func() { Profile0.Keeps(delta) }); n != 0 {
		t.Errorf("a look at a delta allocates %v times", n)
	}
}

func TestProfiles(t *testing.T) {
	const (
		cancelled = `{"type":"RUN_FINISHED","metadata":{"k":1},"threadId":"t","runId":"r","outcome":{"type":"cancelled"},"usage":[{"inputTokens":1,"cacheWriteInputTokens":2}]}`
		pending   = `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success","pendingToolCallIds":["c"]}}`
		sealed    = `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"v","encryptedValueType":"t"}`
		snapshot  = `{"type":"MESSAGES_SNAPSHOT","messages":[` +
			`{"id":"1","role":"user","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"file","value":"h"}}]},` +
			`{"id":"2","role":"tool","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image","source":{"type":"url","value":"u"}}],"toolCallId":"c"},` +
			`{"id":"3","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""},"encryptedValueType":"t"}],"encryptedValueType":"t"},` +
			`{"id":"4","role":"wizard"}]}`
		result = `{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[{"type":"text","text":"x"}]}`
		begun  = `{"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":"1.1"}`
	)
	for _, test := range []struct {
		name    string
		profile Profile
		in, out string
		losses  string // pointers
	}{
		{"1.1 gets all", ProfileCurrent, sealed, sealed, ""},
		{"1.0 gets no type", Profile10, sealed, `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"v"}`, "/encryptedValueType"},
		{"1.0 gets cancelled", Profile10, cancelled, cancelled, ""},
		{"1.0 is told 1.0", Profile10, begun, `{"type":"RUN_STARTED","threadId":"t","runId":"r","protocolVersion":"1.0"}`, ""},
		{"0.x is told nothing", Profile0, begun, start, ""},
		{"1.0 snapshot", Profile10, snapshot, strings.NewReplacer(`,"encryptedValueType":"t"`, "").Replace(snapshot), "/messages/2/encryptedValueType /messages/2/toolCalls/0/encryptedValueType"},
		{"0.x snapshot", Profile0, snapshot, `{"type":"MESSAGES_SNAPSHOT","messages":[` +
			`{"id":"1","role":"user","content":[{"type":"text","text":"x"}]},` +
			`{"id":"2","role":"tool","content":"ab","toolCallId":"c"},` +
			`{"id":"3","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}]}`,
			"/messages/0/content/1 /messages/1/content/2 /messages/2/encryptedValueType /messages/2/toolCalls/0/encryptedValueType /messages/3"},
		{"0.x echo", Profile0, `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"2","role":"tool","content":[],"toolCallId":"c"}]}}`,
			`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"2","role":"tool","content":"","toolCallId":"c"}],"tools":[],"context":[]}}`, ""},
		{"0.x cancelled", Profile0, cancelled, `{"type":"RUN_ERROR","metadata":{"k":1},"message":"The run was cancelled.","code":"cancelled","usage":[{"inputTokens":1}]}`, "/usage/0/cacheWriteInputTokens /outcome"},
		{"0.x pending calls", Profile0, pending, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success"}}`, "/outcome"},
		{"0.x new outcome", Profile0, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"paused"}}`, finish, "/outcome"},
		{"0.x interrupt", Profile0, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r"}]}}`,
			`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r"}]}}`, ""},
		{"0.x result", Profile0, result, `{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"x"}`, ""},
		{"0.x subagent", Profile0, `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}`, "", "(whole)"},
		{"0.x empty delta", Profile0, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":""}`, "", ""},
		{"0.x empty delta that says something", Profile0, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"","metadata":{}}`, "", "(whole)"},
		{"0.x news", Profile0, `{"type":"NEWS"}`, "", "(whole)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := events(t, test.in)[0]
			before, err := protocol.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			sent, losses := test.profile.Apply(e)
			if test.profile.Keeps([]byte(test.in)) && (sent != e || len(losses) > 0) {
				t.Error("is said to be kept")
			}
			var out []byte
			if sent != nil {
				if out, err = protocol.Encode(sent); err != nil {
					t.Fatal(err)
				}
			}
			var pointers []string
			for _, l := range losses {
				if l.Pointer == "" {
					l.Pointer = "(whole)"
				}
				pointers = append(pointers, l.Pointer)
			}
			if string(out) != test.out || strings.Join(pointers, " ") != test.losses {
				t.Errorf("sent\n%s, losing %v\nexpected\n%s, losing %s", out, pointers, test.out, test.losses)
			}
			if after, err := protocol.Encode(e); err != nil || string(after) != string(before) {
				t.Errorf("the event itself became %s, %v", after, err)
			}
		})
	}
}
