package sse

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// A delta on its way to a stream is copied once.
func TestDeltaOfAStreamIsNotAllocated(t *testing.T) {
	delta := []byte(`{"type":"TEXT_MESSAGE_CONTENT","timestamp":1,"messageId":"m","delta":"` + strings.Repeat("words ", 20) + `"}`)
	at := store.Position{Epoch: "0123456789abcdef", Seq: 1_000_000}
	out := &Stream{Peer: &peer.Peer{}}
	*out.buffer() = make([]byte, 0, 4<<10)
	if n := testing.AllocsPerRun(100, func() {
		if err := out.Emit(delta, at); err != nil {
			t.Fatal(err)
		}
		out.Out.Flushed()
		*out.buf = (*out.buf)[:0]
	}); n != 0 {
		t.Errorf("a delta allocates %v times", n)
	}
}
