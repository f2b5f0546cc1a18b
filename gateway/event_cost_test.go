package gateway

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/gateway/internal/wire"
	"github.com/aguiws/aguiws/protocol"
)

// deaf is a run that takes everything.
type deaf struct{}

func (deaf) Relay(protocol.Event, []byte) error                             { return nil }
func (deaf) Emit(...protocol.Event) error                                   { return nil }
func (deaf) Message(string) (protocol.Message, bool)                        { return protocol.Message{}, false }
func (deaf) Role(string) (protocol.Role, bool)                              { return "", false }
func (deaf) ToolCall(string) (protocol.ToolCall, bool)                      { return protocol.ToolCall{}, false }
func (deaf) Answered(string) bool                                           { return false }
func (deaf) Messages() protocol.Messages                                    { return nil }
func (deaf) Askable(context.Context, protocol.Interrupt) error              { return nil }
func (deaf) NewID() string                                                  { return "new" }
func (deaf) Fits(context.Context, protocol.Interrupt, json.RawMessage) bool { return true }

// recurring is a text again and again, in pieces of some events.
type recurring struct{ text, left string }

func (e *recurring) Read(p []byte) (int, error) {
	if e.left == "" {
		e.left = e.text
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

var deltas = map[string]string{
	"text":      `{"type":"TEXT_MESSAGE_CONTENT","messageId":"3f1c6f0e-5d0a-4b8e-9d64-0d6e5b7a9c11","delta":"word of an answer "}`,
	"timed":     `{"type":"TEXT_MESSAGE_CONTENT","timestamp":1764000000000000,"messageId":"3f1c6f0e-5d0a-4b8e-9d64-0d6e5b7a9c11","delta":"word"}`,
	"arguments": `{"type":"TOOL_CALL_ARGS","toolCallId":"call_9f0d","timestamp":1764000000000,"delta":"{\"to\":\"ann\"}"}`,
	"reasoning": `{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"日"}`,
}

// relaying is a stream of one event again and again, and what relays the next.
func relaying(t testing.TB, event string) func() {
	stream := wire.NewReader(&recurring{text: strings.Repeat("data: "+event+"\n\n", 7)}, 1<<20, nil)
	r := newRelay(context.Background(), deaf{}, manners{}, DialectPlain, ids{})
	decoding := newDecoding()
	s := runs{read: func() (received, error) {
		text, err := stream.Next()
		if err != nil {
			return received{}, err
		}
		return decoding.next(text, false)
	}}
	return func() {
		next, err := s.next()
		if err == nil {
			_, err = r.take(next)
		}
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
	}
}

// TestEventAllocates counts what a delta may allocate between the connection and the run:
// the event and what it says; texts for the log share memory.
func TestEventAllocates(t *testing.T) {
	for name, event := range deltas {
		if n := testing.AllocsPerRun(2000, relaying(t, event)); n > 2 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkEvent(b *testing.B) {
	deltas["chunk"] = `{"type":"TEXT_MESSAGE_CHUNK","messageId":"3f1c6f0e-5d0a-4b8e-9d64-0d6e5b7a9c11","role":"assistant","delta":"word of an answer "}`
	sse, err := os.ReadFile("testdata/langgraph/slow.sse")
	if err != nil {
		b.Fatal(err)
	}
	for l := range strings.Lines(string(sse)) {
		if strings.Contains(l, "TEXT_MESSAGE_CONTENT") {
			deltas["langgraph"] = strings.TrimSpace(strings.TrimPrefix(l, "data: "))
		}
	}
	deltas["null"] = strings.Replace(deltas["langgraph"], `"name":"FakeStreamingChatModel"`, `"name":null`, 1)
	for name, event := range deltas {
		b.Run(name, func(b *testing.B) {
			next := relaying(b, event)
			b.ReportAllocs()
			for b.Loop() {
				next()
			}
		})
	}
}
