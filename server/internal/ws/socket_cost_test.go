package ws

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// A delta on its way to a socket is neither decoded nor copied more than once.
func TestDeltaOfASocketIsNotAllocated(t *testing.T) {
	delta := []byte(`{"type":"TEXT_MESSAGE_CONTENT","timestamp":1,"messageId":"m","delta":"` + strings.Repeat("words ", 20) + `"}`)
	one := &peer.Peer{Caller: &peer.Caller{}}
	sock := &socket{Peer: one, link: &written{}}
	followed := &delivery{session: newFullSession(sock), based: true}
	followed.Peer = one
	plain := &plainSession{socket: sock}
	for name, tell := range map[string]func() error{
		"plain": func() error { return plain.Emit(delta, store.Position{}) },
		"full":  func() error { _, err := followed.Event(delta); return err },
	} {
		if n := testing.AllocsPerRun(100, func() {
			if err := tell(); err != nil {
				t.Fatal(err)
			}
			one.Out.Flushed()
		}); n != 0 {
			t.Errorf("on a %s socket a delta allocates %v times", name, n)
		}
	}
}
