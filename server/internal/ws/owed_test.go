package ws

import (
	"testing"

	"github.com/aguiws/aguiws/server/internal/peer"
)

// What a socket is owed for a thread that it has detached from meanwhile is not told.
func TestDebtOfAThreadThatIsNotFollowed(t *testing.T) {
	link := &written{}
	s := newFullSession(&socket{Peer: &peer.Peer{Caller: &peer.Caller{}}, link: link})
	s.Owe("t", [][]byte{[]byte(`{"type":"CUSTOM","name":"x","value":1}`)})
	if err := s.advance(t.Context()); err != nil || link.texts != 0 {
		t.Errorf("%d texts were written, %v", link.texts, err)
	}
	if owed := s.debts.Take(); len(owed) != 0 {
		t.Errorf("%d are owed still", len(owed))
	}
}

// written is a link that counts what it takes.
type written struct {
	link
	texts int
}

func (w *written) Write([]byte) error {
	w.texts++
	return nil
}
