package store

// ThreadKey names a thread. A thread id means something only inside its
// namespace.
type ThreadKey struct {
	Namespace string
	Thread    string
}

// Position is a place in a thread's log: the event numbered Seq, counted from
// 1, in the log's life named Epoch. Seq 0 is before the first event.
type Position struct {
	Epoch string
	Seq   int64
}
