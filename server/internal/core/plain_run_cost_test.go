package core

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol/downgrade"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// A delta on its way to a client of whatever version is neither decoded nor copied.
func TestDeltaOfARunIsNotAllocated(t *testing.T) {
	delta := []byte(`{"type":"TEXT_MESSAGE_CONTENT","timestamp":1,"messageId":"m","delta":"` + strings.Repeat("words ", 20) + `"}`)
	to := &discarding{}
	run := &plainRun{Cursor: Cursor{Peer: &peer.Peer{Caller: &peer.Caller{}}}, wire: to, profile: downgrade.Profile0, mine: true}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := run.Event(delta); err != nil {
			t.Fatal(err)
		}
	}); n != 0 || to.bytes < 100*len(delta) {
		t.Errorf("a delta allocates %v times, and %d bytes were written", n, to.bytes)
	}
}

// discarding is a wire that counts what it takes.
type discarding struct {
	Wire
	bytes int
}

func (d *discarding) Emit(event []byte, _ store.Position) error {
	d.bytes += len(event)
	return nil
}
