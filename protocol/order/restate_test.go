package order

import (
	"reflect"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/protocol/internal/eventtext"
)

// TestFoldRestates tells a newcomer what is, goes on with both, and expects a
// legal stream and the same messages at the end.
func TestFoldRestates(t *testing.T) {
	rest := []string{
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"tial"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\":1}"}`,
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"r","delta":"hm"}`,
	}
	for _, close := range []func(*fold.Fold) []protocol.Event{(*fold.Fold).Closings, (*fold.Fold).Suspensions} {
		old := fold.New(nil, nil)
		for _, e := range events(t, eventtext.EverythingOpen...) {
			if err := old.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		newcomer := fold.New(nil, nil)
		stream := append(events(t, start),
			&protocol.StateSnapshot{Snapshot: old.State()}, &protocol.MessagesSnapshot{Messages: old.Messages()})
		stream = append(stream, old.Openings()...)
		live := events(t, rest...)
		for _, e := range live {
			if err := old.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		ends := close(old)
		stream = append(append(append(stream, live...), ends...), events(t, finish)...)
		var s Sequence
		for _, e := range stream {
			if err := s.Check(e); err != nil {
				t.Fatal(err)
			}
			if err := newcomer.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range ends {
			if err := old.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := old.Messages(), newcomer.Messages(); !reflect.DeepEqual(a, b) {
			t.Errorf("held\n%+v\nrestated\n%+v", a, b)
		}
		if len(old.Openings()) > 0 {
			t.Errorf("still open: %v", old.Openings())
		}
	}
}
