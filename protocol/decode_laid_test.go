package protocol

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

var laidTexts = []string{
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","delta":"a\"\\\u00e9\ud83d\ude00\n/","timestamp":1764000000000,"messageId":"日"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"a\":1}"}`,
	`{"type":"REASONING_MESSAGE_CONTENT","timestamp":9007199254740991,"messageId":"","delta":""}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","role":"assistant","messageId":"m","delta":"\n"}`,
}

var notLaidTexts = []string{
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\ud800"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","delta":"a","delta":,"messageId":"m"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","messageId":,"timestamp":5,"delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","timestamp":5,"timestamp":,"delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a","delta":,"role":"assistant"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","role":,"delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"},`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","delta":"b"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":01}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":1,"timestamp":2}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":-1}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":1.5}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":1e3}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":9007199254740992}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","timestamp":18446744073709551617}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":null}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\x"}`,
	"{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"\xff\"}",
	"{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"\n\"}",
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","subagentRunId":"s"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","toolCallId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","Delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT", "messageId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","message\u0049d":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","role":"assistant","messageId":"m"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","role":"assistant","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","role":"user","messageId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","role":"assistant","role":"assistant","messageId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","role":"assistant","messageId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","role":"assistant"x,"messageId":"m","delta":"a"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
	`{"type":"`, ``, `{"type":"TOOL_CALL_ARGS"`, `{"type":"TOOL_CALL_ARGS",`, `{"type":"TOOL_CALL_ARGS","":`,
}

// decodedAsGeneral holds what is read by hand to what the general reader makes of it, behind
// any other text.
func decodedAsGeneral(t *testing.T, before, text []byte) (laid bool) {
	t.Helper()
	general, _, wrong := decodeGeneral(text, false)
	if _, laid = readLaid(text, nil); laid && wrong != nil {
		t.Errorf("%s is read by hand, and %v", text, wrong)
	}
	var d Decoder
	_, _ = d.Decode(before)
	for name, decode := range map[string]func([]byte) (Event, error){"Decode": Decode, "Decoder": d.Decode} {
		if e, err := decode(text); !reflect.DeepEqual(e, general) || fmt.Sprint(err) != fmt.Sprint(wrong) {
			t.Errorf("%s: %s\nis %+v %v\nnot %+v %v", name, text, e, err, general, wrong)
		}
	}
	return laid
}

func TestDecodeLaid(t *testing.T) {
	for _, before := range laidTexts {
		for _, text := range laidTexts {
			if !decodedAsGeneral(t, []byte(before), []byte(text)) {
				t.Errorf("%s is not read by hand", text)
			}
		}
		for _, text := range notLaidTexts {
			if decodedAsGeneral(t, []byte(before), []byte(text)) {
				t.Errorf("%s is read by hand", text)
			}
		}
	}
}

// An event is the caller's: it stays as it is while others are decoded.
func TestDecoderKeepsNothing(t *testing.T) {
	var d Decoder
	var events, want []Event
	for n := range 3 * len(laidTexts) {
		text := []byte(laidTexts[n%len(laidTexts)])
		e, err := d.Decode(text)
		general, _, wrong := decodeGeneral(text, false)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		events, want = append(events, e), append(want, general)
		clear(text)
	}
	if !reflect.DeepEqual(events, want) {
		t.Errorf("they are\n%+v\nnot\n%+v", events, want)
	}
}

// TestDecoderAllocates: a delta costs its event and its text, also where it has a time in
// microseconds and its text does not stand for itself.
func TestDecoderAllocates(t *testing.T) {
	for text, most := range map[string]float64{
		`{"type":"TEXT_MESSAGE_CONTENT","timestamp":1764000000000000,"messageId":"m","delta":"a"}`:     2,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"a\":1}"}`:                               2,
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"日"}`:                             2,
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"two words of them"}`: 3,
	} {
		var d Decoder
		data := []byte(text)
		if n := testing.AllocsPerRun(1000, func() { benchEvent, _ = d.Decode(data) }); n > most {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}

// Nulls are told of exactly where encoding leaves them out.
func TestDecoderTellsNulls(t *testing.T) {
	file, err := os.ReadFile("testdata/events.txt")
	if err != nil {
		t.Fatal(err)
	}
	var d Decoder
	told := map[bool]int{}
	for line := range strings.Lines(string(file)) {
		at := strings.Index(line, "{")
		if at < 0 {
			continue
		}
		text := strings.TrimSpace(line[at:])
		e, err := d.Decode([]byte(text))
		if err != nil {
			continue
		}
		back, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Count(string(back), "null") < strings.Count(text, "null"); d.Nulls() != want {
			t.Errorf("%s: %v", text, d.Nulls())
		}
		told[d.Nulls()]++
	}
	if told[true] == 0 || told[false] == 0 {
		t.Error("it is always", told)
	}
	if _, err := d.Decode([]byte(laidTexts[0])); err != nil || d.Nulls() {
		t.Error(err, d.Nulls())
	}
}

func FuzzDecodeLaidIsGeneral(f *testing.F) {
	for i, text := range append(laidTexts, notLaidTexts...) {
		f.Add([]byte(laidTexts[i%len(laidTexts)]), []byte(text))
	}
	f.Fuzz(func(t *testing.T, before, text []byte) { decodedAsGeneral(t, before, text) })
}

func BenchmarkDecodeDelta(b *testing.B) {
	text := fmt.Appendf(nil, `{"type":"TEXT_MESSAGE_CONTENT","timestamp":1764000000000000,"messageId":"2c2f747e-8850-40a1-bb49-1bc3dd9ad218","delta":"%s"}`,
		strings.Repeat("word of an answer ", 4))
	for name, decode := range map[string]func([]byte) (Event, error){"Decode": Decode, "Decoder": new(Decoder).Decode} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				benchEvent, _ = decode(text)
			}
		})
	}
}
