package server

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol/downgrade"
)

// A delta on its way to a client of whatever version is neither decoded nor copied more
// than once.
func TestDeltaIsNotAllocated(t *testing.T) {
	delta := []byte(`{"type":"TEXT_MESSAGE_CONTENT","timestamp":1,"messageId":"m","delta":"` + strings.Repeat("words ", 20) + `"}`)
	at := store.Position{Epoch: "0123456789abcdef", Seq: 1_000_000}
	out := &sse{peer: &peer{}}
	*out.buffer() = make([]byte, 0, 4<<10)
	socket := &socket{peer: out.peer, link: discarding{}}
	for name, wire := range map[string]wire{"a stream": out, "a plain socket": &plainSession{socket: socket}} {
		run := &plainRun{cursor: cursor{peer: &peer{caller: &caller{}}}, wire: wire, profile: downgrade.Profile0, mine: true}
		if n := testing.AllocsPerRun(100, func() {
			if _, err := run.event(delta); err != nil {
				t.Fatal(err)
			}
			if err := run.send(delta, at); err != nil {
				t.Fatal(err)
			}
			out.out.gathered, *out.buf = 0, (*out.buf)[:0]
		}); n != 0 {
			t.Errorf("on %s a delta allocates %v times", name, n)
		}
	}
	followed := &delivery{cursor: cursor{peer: &peer{caller: &caller{}}}, session: newFullSession(socket), based: true}
	followed.session.peer = followed.peer
	if n := testing.AllocsPerRun(100, func() {
		if _, err := followed.event(delta); err != nil {
			t.Fatal(err)
		}
		followed.out.gathered = 0
	}); n != 0 {
		t.Errorf("on a socket a delta allocates %v times", n)
	}
}

// What a page is read by is made once for a client.
func TestPagesAreReadByOneContext(t *testing.T) {
	s := newTestServer(t, newFake(), nil)
	p := s.newPeer(t.Context(), &caller{}, "")
	defer p.out.account.Close()
	defer p.cancel(closeGone)
	if n := testing.AllocsPerRun(100, func() { p.reading(p.ctx) }); n != 0 {
		t.Errorf("a page allocates %v times before it is read", n)
	}
}

// discarding is a link that takes all.
type discarding struct{ link }

func (discarding) Write([]byte) error { return nil }
