package frames

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// longInput is an input of so many messages, as a client sends it every time.
func longInput(messages int) []byte {
	var list []string
	for i := range messages {
		list = append(list, fmt.Sprintf(`{"id":"m%d","role":"user","content":"line %d\n%s"}`, i, i, strings.Repeat("some words of it ", 30)))
	}
	return []byte(`{"id":"1","threadId":"t","runId":"r","state":{"rows":[1,2,3]},"messages":[` + strings.Join(list, ",") + `]}`)
}

func BenchmarkParseFrame(b *testing.B) {
	data := longInput(1000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if f := Parse(data); f.Fault != nil {
			b.Fatal(f.Fault.Message)
		}
	}
}

// TestFrameIsReadOnce compares a frame with what decoding its input alone costs:
// a second look at the history would show.
func TestFrameIsReadOnce(t *testing.T) {
	data := longInput(1000)
	document, err := protocol.NewDocument(data)
	if err != nil {
		t.Fatal(err)
	}
	input := testing.AllocsPerRun(5, func() {
		if _, err := document.DecodeInput(); err != nil {
			t.Fatal(err)
		}
	})
	frame := testing.AllocsPerRun(5, func() {
		if f := Parse(data); f.Fault != nil {
			t.Fatal(f.Fault.Message)
		}
	})
	if frame > input+50 {
		t.Errorf("a frame allocates %v times, its input %v", frame, input)
	}
	if input > 11*1000 {
		t.Errorf("an input of 1000 messages allocates %v times", input)
	}
}
