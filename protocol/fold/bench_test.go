package fold

import (
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/internal/eventtext"
)

var benchContent = &protocol.TextMessageContent{MessageID: "msg_01HXJ3G5T8Q2W9", Delta: " the quick brown fox"}

func BenchmarkFold(b *testing.B) {
	f := New(nil, nil)
	_ = f.Apply(&protocol.TextMessageStart{MessageID: benchContent.MessageID})
	b.ReportAllocs()
	for b.Loop() {
		_ = f.Apply(benchContent)
	}
}

func BenchmarkFoldRun(b *testing.B) {
	run := events(b, eventtext.EveryFamily...)
	b.ReportAllocs()
	for b.Loop() {
		f := New(nil, nil)
		for _, e := range run {
			if err := f.Apply(e); err != nil {
				b.Fatal(err)
			}
		}
	}
}
