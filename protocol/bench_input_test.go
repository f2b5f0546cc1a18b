package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkDecodeInput reads a long history, as a client sends it every time.
func BenchmarkDecodeInput(b *testing.B) {
	in := &RunAgentInput{ThreadID: "t", RunID: "r", State: Any(`{"rows":[` + manyRows(50) + `]}`)}
	for i := range 1000 {
		in.Messages = append(in.Messages, Message{ID: fmt.Sprintf("m%d", i), Role: RoleUser, Content: Text(strings.Repeat("words and \"words\" ", 60))})
	}
	data, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := DecodeInput(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var plain struct {
				Messages []struct{ ID, Role, Content string }
				State    json.RawMessage
			}
			if err := json.Unmarshal(data, &plain); err != nil {
				b.Fatal(err)
			}
		}
	})
}
