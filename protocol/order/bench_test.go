package order

import (
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/internal/eventtext"
)

var benchContent = &protocol.TextMessageContent{MessageID: "msg_01HXJ3G5T8Q2W9", Delta: " the quick brown fox"}

func BenchmarkSequence(b *testing.B) {
	var s Sequence
	for _, e := range []protocol.Event{&protocol.RunStarted{}, &protocol.TextMessageStart{MessageID: benchContent.MessageID}} {
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

func BenchmarkSequenceRun(b *testing.B) {
	run := events(b, eventtext.EveryFamily...)
	b.ReportAllocs()
	for b.Loop() {
		var s Sequence
		for _, e := range run {
			if err := s.Check(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestChecksAllocateNothing holds the delta path to what it may allocate.
func TestChecksAllocateNothing(t *testing.T) {
	var s Sequence
	for _, e := range []protocol.Event{&protocol.RunStarted{}, &protocol.TextMessageStart{MessageID: benchContent.MessageID}} {
		if err := s.Check(e); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { _ = s.Check(benchContent) }); n > 0 {
		t.Errorf("checking a delta allocates %v times", n)
	}
}
