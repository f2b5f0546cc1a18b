package protocol

import (
	"testing"

	"github.com/aguiws/aguiws/protocol/internal/eventtext"
)

func BenchmarkFold(b *testing.B) {
	f := NewFold(nil, nil)
	_ = f.Apply(&TextMessageStart{MessageID: benchContent.MessageID})
	b.ReportAllocs()
	for b.Loop() {
		_ = f.Apply(benchContent)
	}
}

func BenchmarkFoldRun(b *testing.B) {
	run := events(b, eventtext.EveryFamily...)
	b.ReportAllocs()
	for b.Loop() {
		f := NewFold(nil, nil)
		for _, e := range run {
			if err := f.Apply(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}
