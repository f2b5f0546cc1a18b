package peer

import (
	"log/slog"
	"testing"
)

// What a page is read by is made once for a client.
func TestPagesAreReadByOneContext(t *testing.T) {
	g, err := NewGate(Options{Logger: slog.New(slog.DiscardHandler)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := g.NewPeer(t.Context(), &Caller{}, "")
	defer p.Out.Account.Close()
	defer p.Cancel(CloseGone)
	if n := testing.AllocsPerRun(100, func() { p.Reading(p.Ctx) }); n != 0 {
		t.Errorf("a page allocates %v times before it is read", n)
	}
}
