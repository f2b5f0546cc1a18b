package protocol

import (
	"encoding/json"
	"testing"
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

func BenchmarkSequence(b *testing.B) {
	var s Sequence
	for _, e := range []Event{&RunStarted{}, &TextMessageStart{MessageID: benchContent.MessageID}} {
		if err := s.Check(e); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Check(benchContent); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFold(b *testing.B) {
	f := NewFold(nil, nil)
	_ = f.Apply(&TextMessageStart{MessageID: benchContent.MessageID})
	b.ReportAllocs()
	for b.Loop() {
		_ = f.Apply(benchContent)
	}
}

// benchRun has an event of each family, in chunks and in full.
var benchRun = func() []Event {
	text, call, sub := "m", "c", "s"
	events := []Event{
		&RunStarted{ThreadID: "t", RunID: "r"},
		&StepStarted{StepName: "think"},
		&ReasoningStart{MessageID: "g"},
		&ReasoningMessageStart{MessageID: "g", Role: RoleReasoning},
		&ReasoningMessageContent{MessageID: "g", Delta: "hm"},
		&ReasoningMessageEnd{MessageID: "g"},
		&ReasoningEnd{MessageID: "g"},
		&StepFinished{StepName: "think"},
		&SubagentStarted{SubagentRunID: sub, Name: "search"},
		&TextMessageChunk{MessageID: &text, Delta: &text},
		&TextMessageChunk{Delta: &text},
		&ToolCallChunk{ToolCallID: &call, ToolCallName: "look", Delta: &text},
		&ToolCallResult{MessageID: "result", ToolCallID: call, Content: *Text("found")},
		&ActivitySnapshot{MessageID: "a", ActivityType: "plan", Content: json.RawMessage(`{}`)},
		&ToolCallStart{ToolCallID: "d", ToolCallName: "look"},
		&ToolCallArgs{ToolCallID: "d", Delta: "{}"},
		&ToolCallEnd{ToolCallID: "d"},
		&SubagentFinished{SubagentRunID: sub},
		&RunFinished{ThreadID: "t", RunID: "r"},
	}
	return events
}()

func BenchmarkSequenceRun(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var s Sequence
		for _, e := range benchRun {
			if err := s.Check(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkFoldRun(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		f := NewFold(nil, nil)
		for _, e := range benchRun {
			if err := f.Apply(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkExpand(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var x Expander
		for _, e := range benchRun {
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
	var s Sequence
	for _, e := range []Event{&RunStarted{}, &TextMessageStart{MessageID: benchContent.MessageID}} {
		if err := s.Check(e); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { _ = s.Check(benchContent) }); n > 0 {
		t.Errorf("checking a delta allocates %v times", n)
	}
}
