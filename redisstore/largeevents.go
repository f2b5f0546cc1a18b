package redisstore

// largeMark tells the scripts that an event is large. They keep it out of the
// list that is the log, whose other events are read in passing it by.
const largeMark = "\x00"

// large reports whether an event is stored beside the log. No JSON begins with the
// mark; what does is taken for large, so that it comes back whole.
func (s *connection) large(e []byte) bool {
	return len(e) > s.settings.LargeEvent || len(e) > 0 && e[0] == largeMark[0]
}

// appendEvents adds events as a script gets them.
func (s *connection) appendEvents(args []any, events [][]byte) []any {
	for _, e := range events {
		if s.large(e) {
			e = append([]byte(largeMark), e...)
		}
		args = append(args, e)
	}
	return args
}

// snapshotMark begins what stands in the log for such an event: its first and its last
// bytes follow, packed. No JSON begins so.
const snapshotMark = "\x01snapshot:"

func isSnapshotMark[S ~string | ~[]byte](e S) bool {
	return len(e) > len(snapshotMark) && e[0] == snapshotMark[0] && string(e[:len(snapshotMark)]) == snapshotMark
}

// unmarked is how many of the events stand before the first mark.
func unmarked(events [][]byte) int {
	for i, e := range events {
		if isSnapshotMark(e) {
			return i
		}
	}
	return len(events)
}
