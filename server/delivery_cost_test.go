package server

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol/downgrade"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// A delta on its way to a client of whatever version is neither decoded nor copied more
// than once.
func TestDeltaIsNotAllocated(t *testing.T) {
	delta := []byte(`{"type":"TEXT_MESSAGE_CONTENT","timestamp":1,"messageId":"m","delta":"` + strings.Repeat("words ", 20) + `"}`)
	at := store.Position{Epoch: "0123456789abcdef", Seq: 1_000_000}
	out := &sse{Peer: &peer.Peer{}}
	*out.buffer() = make([]byte, 0, 4<<10)
	socket := &socket{Peer: out.Peer, link: discarding{}}
	for name, wire := range map[string]wire{"a stream": out, "a plain socket": &plainSession{socket: socket}} {
		run := &plainRun{cursor: cursor{Peer: &peer.Peer{Caller: &peer.Caller{}}}, wire: wire, profile: downgrade.Profile0, mine: true}
		if n := testing.AllocsPerRun(100, func() {
			if _, err := run.event(delta); err != nil {
				t.Fatal(err)
			}
			if err := run.send(delta, at); err != nil {
				t.Fatal(err)
			}
			out.Out.Flushed()
			*out.buf = (*out.buf)[:0]
		}); n != 0 {
			t.Errorf("on %s a delta allocates %v times", name, n)
		}
	}
	followed := &delivery{cursor: cursor{Peer: &peer.Peer{Caller: &peer.Caller{}}}, session: newFullSession(socket), based: true}
	followed.session.Peer = followed.Peer
	if n := testing.AllocsPerRun(100, func() {
		if _, err := followed.event(delta); err != nil {
			t.Fatal(err)
		}
		followed.Out.Flushed()
	}); n != 0 {
		t.Errorf("on a socket a delta allocates %v times", n)
	}
}

// What a page is read by is made once for a client.
func TestPagesAreReadByOneContext(t *testing.T) {
	s := newTestServer(t, newFake(), nil)
	p := s.gate.NewPeer(t.Context(), &peer.Caller{}, "")
	defer p.Out.Account.Close()
	defer p.Cancel(peer.CloseGone)
	if n := testing.AllocsPerRun(100, func() { p.Reading(p.Ctx) }); n != 0 {
		t.Errorf("a page allocates %v times before it is read", n)
	}
}

// discarding is a link that takes all.
type discarding struct{ link }

func (discarding) Write([]byte) error { return nil }
