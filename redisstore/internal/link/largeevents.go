package link

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
