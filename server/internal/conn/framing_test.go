package conn

import (
	"math/rand/v2"
	"testing"

	"github.com/aguiws/aguiws/server/internal/conn/conntest"
)

// Wherever the stream is cut, it is at rest after whole messages and nowhere
// else.
func TestFraming(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var stream []byte
		rests := map[int]bool{0: true}
		open := false
		for range 1 + random.IntN(12) {
			payload := make([]byte, []int{0, 1, 5, 125, 126, 300, 70_000}[random.IntN(7)])
			for i := range payload {
				payload[i] = byte(random.Uint32()) // nothing in it must be taken for a head
			}
			switch {
			case random.IntN(3) == 0:
				stream = append(stream, conntest.Frame(true, []byte{8, 9, 10}[random.IntN(3)], payload[:min(len(payload), 125)])...)
			default:
				opcode := byte(1)
				if open {
					opcode = 0
				}
				open = random.IntN(3) == 0
				stream = append(stream, conntest.Frame(!open, opcode, payload)...)
			}
			rests[len(stream)] = !open
		}
		var f framing
		for at := 0; at < len(stream); {
			n := 1 + random.IntN([]int{1, 3, 200, 100_000}[random.IntN(4)])
			n = min(n, len(stream)-at)
			f.pass(stream[at : at+n])
			if at += n; f.atRest() != rests[at] {
				t.Fatalf("after %d of %d bytes at rest is %v", at, len(stream), f.atRest())
			}
		}
	}
	var unmasked framing
	unmasked.pass([]byte{0x81, 0x02, 'h', 'i'})
	if !unmasked.atRest() {
		t.Error("an unmasked frame has no end")
	}
	var huge framing
	huge.pass([]byte{0x81, 0xff, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 1, 2, 3})
	if huge.atRest() {
		t.Error("a frame without end has one")
	}
}
