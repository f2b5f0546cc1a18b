package store

import "context"

// Checkpoints is what keeps logs short: a run that is stopped leaves the snapshot where
// it was, or where Batch.Checkpoint has moved it to.
type Checkpoints interface {
	// Checkpoint moves the snapshot of a thread and raises its version, while no run is
	// active and no execution is to go on, whether it asks or is a dead letter's. False:
	// one is, or the thread is another than c says, and nothing has changed. Sent again
	// it answers true while the snapshot is where it was moved to.
	Checkpoint(ctx context.Context, c Checkpoint) (bool, error)
}

// Checkpoint is what a thread holds at the end of its log, told by somebody who has read
// all of it.
type Checkpoint struct {
	Thread   ThreadKey
	Version  int64          // of the view that was read
	From     int64          // Snapshot.At of the view
	At       Position       // of the log's end in the view; after From
	Snapshot SnapshotUpdate // without Frozen and Open
}
