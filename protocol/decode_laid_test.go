package protocol

import (
	"fmt"
	"reflect"
	"testing"
)

var laidTexts = []string{
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","delta":"a\"\\\u00e9\ud83d\ude00\n/","timestamp":1764000000000,"messageId":"日"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"a\":1}"}`,
	`{"type":"REASONING_MESSAGE_CONTENT","timestamp":999999999999999,"messageId":"","delta":""}`,
}

var notLaidTexts = []string{
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"},`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","delta":"b"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":01}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":1,"timestamp":2}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":-1}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":1.5}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":1e3}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":9007199254740993}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":null}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\x"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud800"}`,
	"{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"\xff\"}",
	"{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"\n\"}",
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","subagentRunId":"s"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","toolCallId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","Delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT", "messageId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","message\u0049d":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
	`{"type":"`, ``, `{"type":"TOOL_CALL_ARGS"`, `{"type":"TOOL_CALL_ARGS",`, `{"type":"TOOL_CALL_ARGS","":`,
}

// decodedAsGeneral holds what is read by hand to what the general reader makes of it.
func decodedAsGeneral(t *testing.T, text []byte) (laid bool) {
	t.Helper()
	e := decodeLaid(text)
	if e == nil {
		return false
	}
	general, err := decodeGeneral(text)
	if err != nil || !reflect.DeepEqual(e, general) {
		t.Errorf("%s\nis %+v\nnot %+v %v", text, e, general, err)
	}
	return true
}

func TestDecodeLaid(t *testing.T) {
	for _, text := range laidTexts {
		if !decodedAsGeneral(t, []byte(text)) {
			t.Errorf("%s is not read by hand", text)
		}
	}
	for _, text := range notLaidTexts {
		decodedAsGeneral(t, []byte(text))
	}
}

func FuzzDecodeLaidIsGeneral(f *testing.F) {
	for _, text := range append(laidTexts, notLaidTexts...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { decodedAsGeneral(t, text) })
}

func BenchmarkDecodeDelta(b *testing.B) {
	text := fmt.Appendf(nil, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"2c2f747e-8850-40a1-bb49-1bc3dd9ad218","delta":"word of an answer "}`)
	for b.Loop() {
		if _, err := Decode(text); err != nil {
			b.Fatal(err)
		}
	}
}
