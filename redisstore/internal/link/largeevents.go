package link

// LargeMark tells the scripts that an event is large. They keep it out of the
// list that is the log, whose other events are read in passing it by.
const LargeMark = "\x00"

// large reports whether an event is stored beside the log. No JSON begins with the
// mark; what does is taken for large, so that it comes back whole.
func (s *Connection) large(e []byte) bool {
	return len(e) > s.Settings.LargeEvent || len(e) > 0 && e[0] == LargeMark[0]
}

// AppendEvents adds events as a script gets them.
func (s *Connection) AppendEvents(args []any, events [][]byte) []any {
	for _, e := range events {
		if s.large(e) {
			e = append([]byte(LargeMark), e...)
		}
		args = append(args, e)
	}
	return args
}

// SnapshotMark begins what stands in the log for such an event: its first and its last
// bytes follow, packed. No JSON begins so.
const SnapshotMark = "\x01snapshot:"

func isSnapshotMark[S ~string | ~[]byte](e S) bool {
	return len(e) > len(SnapshotMark) && e[0] == SnapshotMark[0] && string(e[:len(SnapshotMark)]) == SnapshotMark
}

// Unmarked is how many of the events stand before the first mark.
func Unmarked(events [][]byte) int {
	for i, e := range events {
		if isSnapshotMark(e) {
			return i
		}
	}
	return len(events)
}
