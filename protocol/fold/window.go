package fold

import "github.com/aguiws/aguiws/protocol"

// Windowed is a MESSAGES_SNAPSHOT as one applies it who holds the last messages only: without
// what stands before the first message of it that is held, and how many these are. A
// snapshot that has none of these messages stays as it was.
func (f *Fold) Windowed(e *protocol.MessagesSnapshot) (*protocol.MessagesSnapshot, int) {
	for i, m := range e.Messages {
		if f.Has(m.ID) {
			cut := *e
			cut.Messages = e.Messages[i:]
			return &cut, i
		}
	}
	return e, 0
}
