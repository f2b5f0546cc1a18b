package order

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/protocol/internal/eventtext"
)

// FuzzStream reads events, one a line, and holds the sequence, the fold and the
// expander to what they promise of each other, whatever comes.
func FuzzStream(f *testing.F) {
	f.Add([]byte(strings.Join(eventtext.EverythingOpen, "\n")))
	f.Add([]byte(strings.Join(eventtext.Run(
		`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","subagentRunId":"s","delta":"a"}`,
		`{"type":"TEXT_MESSAGE_CHUNK","delta":"b"}`,
		`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"n","subagentRunId":"s"}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":"s"}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","subagentRunId":"s"}]}`,
	), "\n")))
	f.Add([]byte(strings.Join(eventtext.Run(
		`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"x","content":{}}`,
		`{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"x","patch":[{"op":"add","path":"/b","value":1}]}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"a","toolCallId":"c","content":""}`,
		`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"","value":[]}]}`,
	), "\n")))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Sequence
		fold := fold.New(nil, nil)
		var chunks protocol.Expander
		for line := range bytes.Lines(data) {
			e, err := protocol.Decode(line)
			if err != nil {
				continue
			}
			before := s.Clone()
			if err := s.Check(e); err != nil {
				if !reflect.DeepEqual(before, s.Clone()) {
					t.Fatalf("a refused %s changed the sequence", e.Type())
				}
				continue
			}
			_ = fold.Apply(e)
			if _, err := chunks.Expand(e); err != nil {
				t.Fatalf("a legal %s cannot be expanded: %v", e.Type(), err)
			}
		}
		if _, err := protocol.Encode(&protocol.MessagesSnapshot{Messages: fold.Messages()}); err != nil {
			t.Fatalf("holds what cannot be written: %v", err)
		}
		thread, id, active := fold.Run()
		if !active {
			return
		}
		// Chunk streams end with the run by themselves.
		clone := fold.Clone()
		for _, e := range chunks.Flush() {
			_ = clone.Apply(e)
			if err := s.Check(e); err == nil {
				t.Fatal("a chunk stream was ended twice")
			}
		}
		for _, e := range append(clone.Closings(), &protocol.RunFinished{ThreadID: thread, RunID: id}) {
			if err := s.Check(e); err != nil {
				t.Fatalf("closing what is open: %v", err)
			}
		}
	})
}
