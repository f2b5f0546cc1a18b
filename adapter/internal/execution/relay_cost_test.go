package execution

import (
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// relayed are the emissions of which a text is there already.
func relayed(t testing.TB) map[string]func(r *adapter.Run) error {
	texts := map[string]func(r *adapter.Run) error{}
	for name, e := range map[string]protocol.Event{
		"text":   &protocol.TextMessageContent{MessageID: "m", Delta: delta},
		"state":  &protocol.StateSnapshot{Snapshot: []byte(`{"a":1}`)},
		"custom": &protocol.Custom{Name: "n", Value: []byte(`{"a":1}`)},
	} {
		text, err := protocol.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = func(r *adapter.Run) error { return r.Relay(e, text) }
	}
	return texts
}

func BenchmarkRelay(b *testing.B) {
	for name, relay := range relayed(b) {
		b.Run(name, func(b *testing.B) {
			run := adapter.NewRun(emitting(b))
			b.ReportAllocs()
			for b.Loop() {
				if err := relay(run); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestRelayAllocates: what is not encoded costs nothing.
func TestRelayAllocates(t *testing.T) {
	for name, relay := range relayed(t) {
		run := adapter.NewRun(emitting(t))
		if n := testing.AllocsPerRun(2000, func() { _ = relay(run) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
