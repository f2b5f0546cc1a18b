package fold

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/internal/eventtext"
)

func apply(t testing.TB, f *Fold, documents ...string) (warnings []string) {
	t.Helper()
	for _, e := range events(t, documents...) {
		if err := f.Apply(e); err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	return warnings
}

func messagesOf(t testing.TB, f *Fold) string {
	t.Helper()
	data, err := json.Marshal(f.Messages())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFoldMessages(t *testing.T) {
	const plan = `{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"plan","content":{"n":1}}`
	for _, test := range []struct {
		name    string
		held    string
		events  []string
		want    string
		warning string
	}{
		{
			"text grows", `[]`, []string{
				`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"user","name":"n","subagentRunId":""}`,
				`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"He"}`,
				`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"llo","metadata":{"a":1,"b":{"c":1}}}`,
				`{"type":"TEXT_MESSAGE_END","messageId":"m","metadata":{"b":{"d":1}}}`,
			}, `[{"id":"m","role":"user","content":"Hello","name":"n","subagentRunId":"","metadata":{"a":1,"b":{"d":1}}}]`, "",
		},
		{
			"text appends to what is held", `[{"id":"m","role":"assistant","content":"Hel"}]`, []string{
				`{"type":"TEXT_MESSAGE_START","messageId":"m"}`,
				`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"lo"}`,
			}, `[{"id":"m","role":"assistant","content":"Hello"}]`, "",
		},
		{
			"parts give way to text", `[{"id":"m","role":"user","content":[]}]`, []string{
				`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`,
			}, `[{"id":"m","role":"user","content":"x"}]`, "",
		},
		{
			"text for nobody", `[]`, []string{`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`}, `[]`, `no message "m"`,
		},
		{
			"text for an activity", `[]`, []string{plan, `{"type":"TEXT_MESSAGE_START","messageId":"a","metadata":{"k":1}}`},
			`[{"id":"a","role":"activity","activityType":"plan","content":{"n":1}}]`, "is an activity",
		},
		{
			"call without a message", `[]`, []string{
				`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","subagentRunId":"s","metadata":{"k":1}}`,
				`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{"}`,
				`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"}"}`,
			}, `[{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"},"metadata":{"k":1}}],"subagentRunId":"s"}]`, "",
		},
		{
			"call in its message", `[{"id":"m","role":"assistant","content":"x"}]`, []string{
				`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"m","subagentRunId":"s"}`,
			}, `[{"id":"m","role":"assistant","content":"x","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}]`, "",
		},
		{
			"call before its message", `[]`, []string{
				`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"m"}`,
				`{"type":"TEXT_MESSAGE_START","messageId":"m"}`,
				`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`,
			}, `[{"id":"m","role":"assistant","content":"x","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}]`, "",
		},
		{
			"call in a user's message", `[{"id":"m","role":"user","content":"x"}]`, []string{
				`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"m"}`,
			}, `[{"id":"m","role":"user","content":"x"},{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}]`, "of role user",
		},
		{
			"call again", `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{"}}]}]`, []string{
				`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"o"}`,
				`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"}"}`,
			}, `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"o","arguments":"{}"}}]}]`, `was of "n"`,
		},
		{
			"results after their call", `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]},{"id":"u","role":"user","content":""}]`, []string{
				`{"type":"TOOL_CALL_RESULT","messageId":"1","toolCallId":"c","content":"a"}`,
				`{"type":"TOOL_CALL_RESULT","messageId":"2","toolCallId":"c","content":[],"metadata":{}}`,
				`{"type":"TOOL_CALL_RESULT","messageId":"3","toolCallId":"other","content":""}`,
			}, `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]},` +
				`{"id":"1","role":"tool","content":"a","toolCallId":"c"},{"id":"2","role":"tool","content":[],"toolCallId":"c","metadata":{}},` +
				`{"id":"u","role":"user","content":""},{"id":"3","role":"tool","content":"","toolCallId":"other"}]`, "",
		},
		{
			"reasoning and its seal", `[]`, []string{
				`{"type":"REASONING_START","messageId":"r","metadata":{"k":1}}`,
				`{"type":"REASONING_MESSAGE_START","messageId":"r","role":"reasoning"}`,
				`{"type":"REASONING_MESSAGE_CONTENT","messageId":"r","delta":"x"}`,
				`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"r","encryptedValue":"v","encryptedValueType":"t"}`,
				`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"r","encryptedValue":"w"}`,
				`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"nobody","encryptedValue":"w"}`,
			}, `[{"id":"r","role":"reasoning","content":"x","encryptedValue":"w"}]`, "",
		},
		{
			"activity", `[]`, []string{
				plan,
				`{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"plan","patch":[{"op":"add","path":"/m","value":2},{"op":"unheard of"}],"metadata":{"k":1}}`,
				`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"x","content":{},"replace":false,"metadata":{"l":1}}`,
				`{"type":"ACTIVITY_DELTA","messageId":"nobody","activityType":"plan","patch":[]}`,
			}, `[{"id":"a","role":"activity","activityType":"plan","content":{"n":1,"m":2},"metadata":{"k":1,"l":1}}]`, "",
		},
		{
			"activity replaced keeps its metadata", `[]`, []string{
				`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"plan","content":{},"subagentRunId":"s","metadata":{"k":1}}`,
				`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"x","content":{"o":1}}`,
			}, `[{"id":"a","role":"activity","activityType":"x","content":{"o":1},"metadata":{"k":1}}]`, "",
		},
		{
			"activity takes a message's place", `[{"id":"a","role":"user","content":"x"}]`, []string{plan},
			`[{"id":"a","role":"activity","activityType":"plan","content":{"n":1}}]`, "",
		},
		{
			"activity patch that fails", `[]`, []string{plan, `{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"plan","patch":[{"op":"add","path":"/m","value":2},{"op":"remove","path":"/nothing"}]}`},
			`[{"id":"a","role":"activity","activityType":"plan","content":{"n":1}}]`, "ACTIVITY_DELTA",
		},
		{
			"input echo joins", `[{"id":"1","role":"user","content":"mine"}]`, []string{
				`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":"theirs"},{"id":"2","role":"user","content":"new"}]}}`,
			}, `[{"id":"1","role":"user","content":"mine"},{"id":"2","role":"user","content":"new"}]`, "",
		},
		{
			"snapshot reconciles", `[{"id":"1","role":"user","content":"old"},{"id":"2","role":"user","content":"gone"},{"id":"r","role":"reasoning","content":"kept"},{"id":"a","role":"activity","activityType":"x","content":{}}]`, []string{
				`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"3","role":"user","content":"new"},{"id":"1","role":"user","content":"now"}]}`,
			}, `[{"id":"1","role":"user","content":"now"},{"id":"r","role":"reasoning","content":"kept"},{"id":"a","role":"activity","activityType":"x","content":{}},{"id":"3","role":"user","content":"new"}]`, "",
		},
		{
			"snapshot with reasoning and activity", `[{"id":"r","role":"reasoning","content":"gone"},{"id":"a","role":"activity","activityType":"x","content":{}}]`, []string{
				`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"s","role":"reasoning","content":""},{"id":"b","role":"activity","activityType":"y","content":{}}]}`,
			}, `[{"id":"s","role":"reasoning","content":""},{"id":"b","role":"activity","activityType":"y","content":{}}]`, "",
		},
		{
			"snapshot that owns activities", `[{"id":"a","role":"activity","activityType":"x","content":{}},{"id":"b","role":"activity","activityType":"y","content":{}}]`, []string{
				`{"type":"MESSAGES_SNAPSHOT","messages":[],"metadata":{"@ag-ui/client":{"authoritativeActivityTypes":["x"]}}}`,
			}, `[{"id":"b","role":"activity","activityType":"y","content":{}}]`, "",
		},
		{
			"snapshot that owns all activities", `[{"id":"a","role":"activity","activityType":"x","content":{}}]`, []string{
				`{"type":"MESSAGES_SNAPSHOT","messages":[],"metadata":{"@ag-ui/client":{"authoritativeActivityTypes":null}}}`,
			}, `[]`, "",
		},
		{
			"snapshot that owns none", `[{"id":"a","role":"activity","activityType":"x","content":{}}]`, []string{
				`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"b","role":"activity","activityType":"y","content":{}}],"metadata":{"@ag-ui/client":7}}`,
			}, `[{"id":"a","role":"activity","activityType":"x","content":{}},{"id":"b","role":"activity","activityType":"y","content":{}}]`, "",
		},
		{
			"chunks", `[]`, []string{
				`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}`,
				`{"type":"TEXT_MESSAGE_CHUNK","delta":"b"}`,
			}, `[{"id":"m","role":"assistant","content":"ab"}]`, "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var held protocol.Messages
			if err := json.Unmarshal([]byte(test.held), &held); err != nil {
				t.Fatal(err)
			}
			f := New(held, nil)
			warnings := strings.Join(apply(t, f, test.events...), "\n")
			if got := messagesOf(t, f); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if (warnings == "") != (test.warning == "") || !strings.Contains(warnings, test.warning) {
				t.Errorf("warnings %q, expected %q", warnings, test.warning)
			}
		})
	}
}

func TestFoldState(t *testing.T) {
	f := New(nil, nil)
	for _, step := range []struct{ event, want, warning string }{
		{`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":9007199254740993}]}`, `{"n":9007199254740993}`, ""},
		{`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/m","value":1},{"op":"test","path":"/n","value":0}]}`, `{"n":9007199254740993}`, "STATE_DELTA"},
		{`{"type":"STATE_DELTA","delta":[{"op":"increment","path":"/n"},{"op":"remove","path":"/n"}]}`, `{}`, ""},
		{`{"type":"STATE_SNAPSHOT","snapshot":null}`, `null`, ""},
		{`{"type":"STATE_SNAPSHOT","snapshot":0}`, `0`, ""},
	} {
		warnings := strings.Join(apply(t, f, step.event), "")
		if string(f.State()) != step.want {
			t.Errorf("%s: state %s, expected %s", step.event, f.State(), step.want)
		}
		if (warnings == "") != (step.warning == "") || !strings.Contains(warnings, step.warning) {
			t.Errorf("%s: warnings %q", step.event, warnings)
		}
	}
}

func TestFoldEnds(t *testing.T) {
	const asked = `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"confirmation"}]}}`
	f := New(nil, nil)
	interrupts := func(want int) {
		t.Helper()
		if got := f.Interrupts(); len(got) != want {
			t.Errorf("interrupts %v, expected %d", got, want)
		}
	}
	apply(t, f, start)
	if thread, run, active := f.Run(); thread != "t" || run != "r" || !active {
		t.Error(f.Run())
	}
	apply(t, f, asked)
	interrupts(1)
	apply(t, f, start, `{"type":"RUN_ERROR","message":"m"}`)
	interrupts(1)
	if _, _, active := f.Run(); active {
		t.Error("active after RUN_ERROR")
	}
	apply(t, f, start,
		eventtext.Tagged(protocol.TypeToolCallStart, "c", "", `,"toolCallName":"n"`),
		eventtext.Tagged(protocol.TypeToolCallStart, "d", "", `,"toolCallName":"n"`),
		`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"d","content":""}`, finish)
	interrupts(0)
	if got := strings.Join(f.PendingToolCalls(), " "); got != "c" {
		t.Errorf("pending %q", got)
	}
	apply(t, f, start, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success","pendingToolCallIds":["x"]}}`)
	if got := strings.Join(f.PendingToolCalls(), " "); got != "x" {
		t.Errorf("pending %q", got)
	}
	apply(t, f, start, asked, start, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`)
	interrupts(0)
}

func TestFoldOpenings(t *testing.T) {
	f := New(nil, nil)
	apply(t, f, eventtext.EverythingOpen...)
	var got []string
	for _, e := range f.Openings() {
		data, err := protocol.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(data))
	}
	want := []string{
		`{"type":"SUBAGENT_STARTED","subagentRunId":"p","name":"parent"}`,
		`{"type":"SUBAGENT_STARTED","subagentRunId":"q","name":"child","description":"d","parentSubagentRunId":"p"}`,
		`{"type":"STEP_STARTED","subagentRunId":"q","stepName":"one"}`,
		`{"type":"STEP_STARTED","stepName":"one"}`,
		`{"type":"TEXT_MESSAGE_START","subagentRunId":"q","messageId":"m","role":"assistant"}`,
		`{"type":"TOOL_CALL_START","subagentRunId":"q","toolCallId":"c","toolCallName":"n","parentMessageId":"m"}`,
		`{"type":"REASONING_START","subagentRunId":"p","messageId":"r"}`,
		`{"type":"REASONING_MESSAGE_START","subagentRunId":"p","messageId":"r","role":"reasoning"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFoldClone(t *testing.T) {
	f := New(nil, nil)
	apply(t, f, eventtext.EverythingOpen...)
	before := messagesOf(t, f)
	c := f.Clone()
	apply(t, c, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x","metadata":{"k":1}}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"x"}`, `{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
		`{"type":"STATE_SNAPSHOT","snapshot":1}`, `{"type":"MESSAGES_SNAPSHOT","messages":[]}`)
	if after := messagesOf(t, f); after != before || string(f.State()) != "{}" || len(f.Openings()) != 8 {
		t.Errorf("the clone changed the original to %s %s", after, f.State())
	}
	held := f.Messages()
	apply(t, f, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`)
	if held[len(held)-1].Content.String() == f.Messages()[len(held)-1].Content.String() && held[0].Content.String() == f.Messages()[0].Content.String() &&
		before == messagesOf(t, f) {
		t.Error("the delta is missing")
	}
	data, _ := json.Marshal(held)
	if string(data) != before {
		t.Errorf("a delta changed messages that were handed out: %s", data)
	}
}

func TestFoldRestore(t *testing.T) {
	f := New(nil, nil)
	apply(t, f, eventtext.EverythingOpen...)
	f.Restore(protocol.Messages{{ID: "u", Role: protocol.RoleUser, Content: protocol.Text("x")}}, json.RawMessage(`{"a":1}`))
	if got := messagesOf(t, f); got != `[{"id":"u","role":"user","content":"x"}]` || string(f.State()) != `{"a":1}` {
		t.Errorf("%s %s", got, f.State())
	}
	if _, _, active := f.Run(); !active || len(f.Openings()) != 8 {
		t.Error("the run or what it has open is gone")
	}
}
