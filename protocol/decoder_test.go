package protocol

import "testing"

// What agents send that AG-UI does not allow, and what it is read as: what Encode writes.
func TestDecoderIsLenient(t *testing.T) {
	for name, test := range map[string]struct {
		text, want, mended string
		strict             bool // Decode reads it too
	}{
		"a beginning without ids":  {text: `{"type":"RUN_STARTED"}`, want: `{"type":"RUN_STARTED","threadId":"","runId":""}`},
		"one with null":            {text: `{"type":"RUN_STARTED","threadId":null,"runId":null,"input":null}`, want: `{"type":"RUN_STARTED","threadId":"","runId":""}`},
		"one with another's input": {text: `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"messages":[null]}}`, want: `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`},
		"an end without ids":       {text: `{"type":"RUN_FINISHED","usage":[{"inputTokens":null,"model":"m"}]}`, want: `{"type":"RUN_FINISHED","threadId":"","runId":"","usage":[{"model":"m"}]}`},
		"an end that asks": {text: `{"type":"RUN_FINISHED","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r","message":null,"toolCallId":null,"responseSchema":null,"expiresAt":null,"metadata":null}]}}`,
			want: `{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r"}]}}`},
		"nulls in a snapshot": {text: `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant","content":null,"name":null,"toolCalls":null},{"id":"t","role":"tool","content":"x","toolCallId":"c","error":null},` +
			`{"id":"b","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"encryptedValue":null}]},{"id":"u","role":"user","content":[{"type":"image","source":{"type":"url","value":"u","mimeType":null},"metadata":null}]}]}`,
			want: `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant"},{"id":"t","role":"tool","content":"x","toolCallId":"c"},` +
				`{"id":"b","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"id":"u","role":"user","content":[{"type":"image","source":{"type":"url","value":"u"}}]}]}`},
		"null that is a value": {text: `{"type":"STATE_SNAPSHOT","snapshot":{"a":null}}`, want: `{"type":"STATE_SNAPSHOT","snapshot":{"a":null}}`, strict: true},
		"halves in a state": {text: `{"type":"STATE_SNAPSHOT","snapshot":{"a":"\ud83d","\ude00":"\ud83d\ude00"}}`, want: `{"type":"STATE_SNAPSHOT","snapshot":{"a":"\ufffd","\ufffd":"\ud83d\ude00"}}`,
			mended: `{"type":"STATE_SNAPSHOT","snapshot":{"a":"\ufffd","\ufffd":"\ud83d\ude00"}}`, strict: true},
		"half in a patch": {text: `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":"\ude00"}]}`, want: `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":"\ufffd"}]}`,
			mended: `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":"\ufffd"}]}`, strict: true},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Decode([]byte(test.text)); (err == nil) != test.strict {
				t.Errorf("Decode: %v", err)
			}
			d := Decoder{Lenient: true}
			e, err := d.Decode([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Encode(e); err != nil || string(got) != test.want || string(d.Mended()) != test.mended {
				t.Errorf("%s %v\nmended to %s", got, err, d.Mended())
			}
		})
	}
	for _, text := range []string{
		`{"type":"MESSAGES_SNAPSHOT","messages":[null]}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":null,"delta":"a"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m"}`, `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":null}]}`,
	} {
		d := Decoder{Lenient: true}
		if e, err := d.Decode([]byte(text)); err == nil {
			t.Errorf("%s is read as %+v", text, e)
		}
	}
}

// A lenient decoder leaves the halves that a delta begins and ends with to be joined.
func TestDecoderKeepsTheHalvesOfDeltas(t *testing.T) {
	d := Decoder{Lenient: true}
	for _, head := range []string{
		`"type":"TEXT_MESSAGE_CONTENT","messageId":"m"`, `"type":"TEXT_MESSAGE_CHUNK","messageId":"m"`, `"type":"TOOL_CALL_ARGS","toolCallId":"m"`,
		`"type":"TOOL_CALL_CHUNK","toolCallId":"m"`, `"type":"REASONING_MESSAGE_CONTENT","messageId":"m"`, `"type":"REASONING_MESSAGE_CHUNK","messageId":"m"`,
	} {
		for _, text := range []string{`{` + head + `,"delta":"\ude00a\ud83d"}`, ` { "rawEvent" : {"delta":"\ud83d"}, "delt\u0061" : "\ude00a\ud83d",` + head + `}`} {
			e, err := d.Decode([]byte(text))
			if err != nil {
				t.Fatal(text, err)
			}
			if delta := EffectOf(e).Delta; delta == nil || *delta != "\xed\xb8\x80a\xed\xa0\xbd" || d.Mended() == nil {
				t.Errorf("%s is %+v, mended to %s", text, e, d.Mended())
			}
		}
		whole := `{` + head + `,"delta":"\ud83d\ude00"}`
		if e, err := d.Decode([]byte(whole)); err != nil || *EffectOf(e).Delta != "😀" || d.Mended() != nil {
			t.Errorf("%s: %v %v", whole, e, err)
		}
	}
}
