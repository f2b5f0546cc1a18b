package wire

import (
	"slices"
	"time"
)

// Counted is an event of the log as the tab counted and applied it.
type Counted struct {
	Seq  int64
	Text string // of the frame
}

// Parting is how a socket ended.
type Parting struct {
	Warned bool          // by ws.goaway
	Code   int           // of the close frame; -1 without one
	Away   time.Duration // until the tab was live again; 0 before
}

// Counted are all events that the tab has counted, in the order in which it
// applied them.
func (tab *Tab) Counted() []Counted {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.judge.counted)
}

// Partings are the ends of the sockets that the tab has had.
func (tab *Tab) Partings() []Parting {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.parted)
}
