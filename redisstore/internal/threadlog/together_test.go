package threadlog

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

// What is told is held for clients that read slowly, and counted by its bytes: one long message
// before many short ones makes no room that nobody counts.
func TestTextHasNoMoreRoomThanItTakes(t *testing.T) {
	for _, c := range []struct{ first, others, n int }{{20 << 10, 150, 30}, {150 << 10, 150, 100}, {5 << 20, 100, 1000}, {300, 300, 3}, {300, 300, 1000}, {0, 0, 0}} {
		m := newTogether("[", c.n, nil)
		for i := range c.n {
			size := c.others
			if i == 0 {
				size = c.first
			}
			if err := add(m, strings.Repeat("a", size)); err != nil {
				t.Fatal(err)
			}
		}
		if c.n > 0 && cap(m.text) > 4*len(m.text)+(32<<10) {
			t.Errorf("%+v: room for %d bytes in passing, for %d", c, cap(m.text), len(m.text))
		}
		var snap store.Snapshot
		m.put(&snap, store.ReadQuery{Head: "[", Tail: "]"})
		if cap(snap.Text) > len(snap.Text)*4/3+64 {
			t.Errorf("%+v: room for %d bytes, for %d", c, cap(snap.Text), len(snap.Text))
		}
	}
}
