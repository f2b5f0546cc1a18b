package protocol

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// encodedTexts are messages as they are written; each is told without being read.
var encodedTexts = []string{
	`{"id":"a","role":"user","content":"hello"}`,
	`{"id":"","role":"assistant","content":""}`,
	`{"id":"a","role":"assistant"}`,
	`{"id":"a\"b\\","role":"system","content":"Grüße, 世界\n\r\t\u0000\u001f/","name":"n"}`,
	`{"id":"a","role":"assistant","toolCalls":[]}`,
	`{"id":"a","role":"assistant","content":"I look.","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":"}},{"id":"d","type":"function","function":{"name":"","arguments":""},"metadata":{},"encryptedValue":"x","encryptedValueType":"y"}],"name":"n"}`,
	`{"id":"a","role":"tool","content":"a","toolCallId":"c","error":"no"}`,
	`{"id":"a","role":"tool","content":[],"toolCallId":""}`,
	`{"id":"a","role":"user","content":[{"type":"text","text":"t","id":"p"},{"type":"image","source":{"type":"url","value":"https://x"},"metadata":7},{"type":"document","source":{"type":"data","value":"","mimeType":"a/b"}},{"type":"audio","source":{"type":"file","value":"f","provider":"p","mimeType":"a/b"},"id":"i","metadata":{"a":[1.50,"\u00e9"]}}]}`,
	`{"id":"a","role":"activity","activityType":"plan","content":{"steps":[{"b":1,"a":null},"\/ "]}}`,
	`{"id":"a","role":"reasoning","content":"hm","encryptedValue":"x","subagentRunId":"","metadata":{"":1,"\n":[],"a":{"z":1,"b":{}},"é":null}}`,
}

// otherTexts are written in another way, or are no messages.
var otherTexts = []string{
	``, `{`, `null`, `{} {}`, "{\"id\":\"\xff\",\"role\":\"user\",\"content\":\"\"}",
	` {"id":"a","role":"user","content":"a"}`,
	`{"id":"a","role":"user","content":"a"}` + "\n",
	`{"id":"a", "role":"user","content":"a"}`,
	`{"role":"user","id":"a","content":"a"}`,
	`{"id":"a","role":"user","content":"\u0041\/\b\f\ud83d\ude00\ud800\u000A\u001F"}`,
	`{"id":"a","role":"user","content":"\u001F"}`,
	`{"id":"a","role":"user","content":"\u000a"}`,
	`{"id":"a","role":"us\u0065r","content":"a"}`,
	`{"i\u0064":"a","role":"user","content":"a"}`,
	`{"id":"a","role":"user","content":"a","name":""}`,
	`{"id":"a","role":"user","content":"a","name":null}`,
	`{"id":"a","role":"user","content":"a","content":"b"}`,
	`{"id":"a","role":"user","content":null}`,
	`{"id":"a","role":"user"}`,
	`{"id":"a","role":"user","content":{"a":1}}`,
	`{"id":"a","role":"user","content":"a","later":{"b": 1}}`,
	`{"id":"a","role":"user","content":"a","toolCallId":"c"}`,
	`{"id":"a","role":"later","content":"a"}`,
	`{"role":"*","id":"a"}`, `{"id":"a","role":"*"}`, `{"id":"a","role":7}`, `{"id":"a","role":["user"]}`,
	`{"id":"a","role":"user","content":"a","metadata":{"b":1,"a":2}}`,
	`{"id":"a","role":"user","content":"a","metadata":{"a":1,"a":2}}`,
	`{"id":"a","role":"user","content":"a","metadata":{"a":{"b":1,"b":2}}}`,
	`{"id":"a","role":"user","content":"a","metadata":{"a":[1, 2]}}`,
	`{"id":"a","role":"user","content":"a","metadata":null}`,
	`{"id":"a","role":"user","content":[{"type":"text","text":"t","metadata":null}]}`,
	`{"id":"a","role":"user","content":[{"type":"later","x":1}]}`,
	`{"id":"a","role":"activity","activityType":"plan","content":{"a":1,"a":1}}`,
	`{"id":"a","role":"activity","activityType":"plan","content":[]}`,
	`{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"other","function":{"name":"f","arguments":""}}]}`,
	`{"id":"a","role":"assistant","toolCalls":[{"id":"c","function":{"name":"f","arguments":""}}]}`,
	`{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""},"encryptedValue":""}]}`,
	`{"id":"a","role":"assistant","toolCalls":null}`,
	`{"id":"a","role":"assistant","toolCalls":[`,
}

// asEncoded holds AppendMessage to what reading and writing make of a message.
func asEncoded(t *testing.T, text []byte) (copied bool) {
	t.Helper()
	if wire.Check(text) == nil {
		r := encodedReader{wire.Reader{Data: text}}
		copied = r.value(shapeOf(reflect.TypeFor[Message]()), false) && r.Pos == len(text)
	}
	if encodedText(text) && !copied {
		t.Errorf("%s is taken for an encoded text", text)
	}
	var m Message
	var want []byte
	wrong := m.UnmarshalJSON(text)
	if wrong == nil {
		want, wrong = m.MarshalJSON()
	}
	got, err := AppendMessage([]byte("before,"), text)
	switch {
	case (err == nil) != (wrong == nil):
		t.Errorf("%s: %v, read and written it is %v", text, err, wrong)
	case err != nil && string(got) != "before,":
		t.Errorf("%s: %v, and %s is left", text, err, got)
	case err == nil && string(got) != "before,"+string(want):
		t.Errorf("%s is told as %s, not as %s", text, got, want)
	case copied && !bytes.Equal(text, want):
		t.Errorf("%s is taken for encoded, and is %s", text, want)
	}
	return copied
}

func TestEncodedMessagesAreCopied(t *testing.T) {
	for _, text := range encodedTexts {
		if !asEncoded(t, []byte(text)) {
			t.Errorf("%s is not copied", text)
		}
	}
	for _, text := range otherTexts {
		if asEncoded(t, []byte(text)) {
			t.Errorf("%s is copied", text)
		}
	}
}

func FuzzEncodedIsEncoded(f *testing.F) {
	for _, text := range append(encodedTexts, otherTexts...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { asEncoded(t, text) })
}

func BenchmarkAppendMessage(b *testing.B) {
	for name, text := range map[string]string{"text": strings.Replace(encodedTexts[0], "hello", strings.Repeat("a sentence\\n", 40), 1), "calls": encodedTexts[5], "parts": encodedTexts[8]} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			dst, text := make([]byte, 0, 1024), []byte(text)
			for b.Loop() {
				if _, err := AppendMessage(dst, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
