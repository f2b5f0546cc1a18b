package protocol

import (
	"encoding/json"
	"testing"

	"github.com/aguiws/aguiws/protocol/internal/eventtext"
)

// plainContent is a delta as somebody would write it who has one kind of event.
type plainContent struct {
	Type          EventType       `json:"type"`
	Timestamp     int64           `json:"timestamp,omitzero"`
	RawEvent      json.RawMessage `json:"rawEvent,omitzero"`
	Metadata      Metadata        `json:"metadata,omitzero"`
	SubagentRunID *string         `json:"subagentRunId,omitzero"`
	MessageID     string          `json:"messageId"`
	Delta         string          `json:"delta"`
}

var (
	benchContent = &TextMessageContent{MessageID: "msg_01HXJ3G5T8Q2W9", Delta: " the quick brown fox"}
	benchPlain   = &plainContent{Type: TypeTextMessageContent, MessageID: benchContent.MessageID, Delta: benchContent.Delta}
	benchBytes   []byte
	benchEvent   Event
)

func BenchmarkMarshalPlain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		benchBytes, _ = json.Marshal(benchPlain)
	}
}

func BenchmarkEncode(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		benchBytes, _ = Encode(benchContent)
	}
}

func BenchmarkAppend(b *testing.B) {
	b.ReportAllocs()
	buf := make([]byte, 0, 1024)
	for b.Loop() {
		benchBytes, _ = Append(buf, benchContent)
	}
}

func BenchmarkAppendSnapshot(b *testing.B) {
	state := []byte(`{"rows":[` + manyRows(200) + `]}`)
	e := &StateSnapshot{Snapshot: state}
	buf := make([]byte, 0, 2*len(state))
	b.SetBytes(int64(len(state)))
	b.ReportAllocs()
	for b.Loop() {
		benchBytes, _ = Append(buf, e)
	}
}

func BenchmarkDecode(b *testing.B) {
	data, _ := Encode(benchContent)
	b.ReportAllocs()
	for b.Loop() {
		benchEvent, _ = Decode(data)
	}
}

func BenchmarkUnmarshalPlain(b *testing.B) {
	data, _ := Encode(benchContent)
	b.ReportAllocs()
	for b.Loop() {
		var p plainContent
		_ = json.Unmarshal(data, &p)
	}
}

func BenchmarkExpand(b *testing.B) {
	run := events(b, eventtext.EveryFamily...)
	b.ReportAllocs()
	for b.Loop() {
		var x Expander
		for _, e := range run {
			if _, err := x.Expand(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func manyRows(n int) string {
	out := ""
	for i := range n {
		if i > 0 {
			out += ","
		}
		out += `{"id":12345,"name":"a row of the table","price":12.5,"done":false}`
	}
	return out
}

// TestAllocations holds the delta path to what it may allocate.
func TestAllocations(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { benchBytes, _ = Encode(benchContent) }); n > 1 {
		t.Errorf("encoding a delta allocates %v times", n)
	}
}
