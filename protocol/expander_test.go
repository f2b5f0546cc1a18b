package protocol

import (
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for _, test := range []struct {
		name string
		in   []string
		out  []string
		err  string // of the last one
	}{
		{
			"text", []string{
				`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"user","name":"n","delta":"a","timestamp":7,"rawEvent":1,"metadata":{"k":2}}`,
				`{"type":"TEXT_MESSAGE_CHUNK","delta":"b","role":"user"}`,
				`{"type":"TEXT_MESSAGE_CHUNK","metadata":{"k":3}}`,
				`{"type":"TEXT_MESSAGE_CHUNK"}`,
				finish,
			}, []string{
				`{"type":"TEXT_MESSAGE_START","timestamp":7,"metadata":{"k":2},"messageId":"m","role":"user","name":"n"}`,
				`{"type":"TEXT_MESSAGE_CONTENT","timestamp":7,"rawEvent":1,"metadata":{"k":2},"messageId":"m","delta":"a"}`,
				`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"b"}`,
				`{"type":"TEXT_MESSAGE_CONTENT","metadata":{"k":3},"messageId":"m","delta":""}`,
				`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
				finish,
			}, "",
		},
		{
			"tool call", []string{
				`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"n","parentMessageId":"m"}`,
				`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"{"}`,
				`{"type":"TOOL_CALL_CHUNK","toolCallId":"d","toolCallName":"n","delta":""}`,
			}, []string{
				`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"m"}`,
				`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{"}`,
				`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
				`{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"n"}`,
				`{"type":"TOOL_CALL_ARGS","toolCallId":"d","delta":""}`,
			}, "",
		},
		{
			"reasoning, an unknown member on the opener", []string{
				`{"type":"REASONING_MESSAGE_CHUNK","messageId":"m","x":1,"role":"wizard"}`,
				`{"type":"REASONING_MESSAGE_CHUNK","delta":"d","x":2}`,
			}, []string{
				`{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning","x":1}`,
				`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"d","x":2}`,
			}, "",
		},
		{
			"lanes", []string{
				`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","subagentRunId":"s","delta":"a"}`,
				`{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","subagentRunId":"u","delta":"b"}`,
				`{"type":"TEXT_MESSAGE_CHUNK","delta":"c","subagentRunId":"s"}`,
				`{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`,
				`{"type":"TEXT_MESSAGE_CHUNK","delta":"d"}`,
				`{"type":"CUSTOM","name":"n","value":1}`,
				`{"type":"MESSAGES_SNAPSHOT","messages":[]}`,
			}, []string{
				`{"type":"TEXT_MESSAGE_START","subagentRunId":"s","messageId":"m","role":"assistant"}`,
				`{"type":"TEXT_MESSAGE_CONTENT","subagentRunId":"s","messageId":"m","delta":"a"}`,
				`{"type":"TEXT_MESSAGE_START","subagentRunId":"u","messageId":"n","role":"assistant"}`,
				`{"type":"TEXT_MESSAGE_CONTENT","subagentRunId":"u","messageId":"n","delta":"b"}`,
				`{"type":"TEXT_MESSAGE_CONTENT","subagentRunId":"s","messageId":"m","delta":"c"}`,
				`{"type":"TEXT_MESSAGE_END","subagentRunId":"s","messageId":"m"}`,
				`{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`,
				`{"type":"TEXT_MESSAGE_CONTENT","subagentRunId":"u","messageId":"n","delta":"d"}`,
				`{"type":"CUSTOM","name":"n","value":1}`,
				`{"type":"TEXT_MESSAGE_END","subagentRunId":"u","messageId":"n"}`,
				`{"type":"MESSAGES_SNAPSHOT","messages":[]}`,
			}, "",
		},
		{
			"ambiguous", []string{
				`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","subagentRunId":"s"}`,
				`{"type":"TEXT_MESSAGE_CHUNK","messageId":"n","subagentRunId":"u"}`,
				`{"type":"TEXT_MESSAGE_CHUNK","delta":"c"}`,
			}, nil, "ambiguous",
		},
		{"no id", []string{`{"type":"TEXT_MESSAGE_CHUNK","delta":"c"}`}, nil, "must have a messageId"},
		{"no reasoning id", []string{`{"type":"REASONING_MESSAGE_CHUNK","delta":"c"}`}, nil, "must have a messageId"},
		{"no tool name", []string{`{"type":"TOOL_CALL_CHUNK","toolCallId":"c"}`}, nil, "toolCallName"},
		{"other role", []string{`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m"}`, `{"type":"TEXT_MESSAGE_CHUNK","role":"user"}`}, nil, `role "user"`},
		{"other name", []string{`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"n"}`, `{"type":"TOOL_CALL_CHUNK","toolCallName":"o"}`}, nil, `toolCallName "o"`},
		{"other parent", []string{`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"n"}`, `{"type":"TOOL_CALL_CHUNK","parentMessageId":"m"}`}, nil, `parentMessageId "m"`},
		{"other owner", []string{`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","subagentRunId":"s"}`, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","subagentRunId":"u"}`}, nil, `subagent "s"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var x Expander
			var out []string
			for i, e := range events(t, test.in...) {
				expanded, err := x.Expand(e)
				if test.err != "" && i == len(test.in)-1 {
					if err == nil || !strings.Contains(err.Error(), test.err) {
						t.Fatalf("error %v, expected %q", err, test.err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range expanded {
					data, err := Encode(e)
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, string(data))
				}
			}
			if got, want := strings.Join(out, "\n"), strings.Join(test.out, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
