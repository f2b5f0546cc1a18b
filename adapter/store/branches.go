package store

import (
	"context"
	"encoding/json"
)

// Branches is what restoring needs of messages that rewinds took out of threads.
type Branches interface {
	// Branches returns the branches of a thread that are kept, the latest first, without
	// their messages: 16 at most, with 2 MiB together as they are stored, until the
	// thread's archive is forgotten. The oldest make room.
	Branches(ctx context.Context, key ThreadKey) ([]Branch, error)
	// BranchMessages returns the messages of one; nil: it is not kept, or its messages are
	// not, as of one with more than 1 MiB as it is stored.
	BranchMessages(ctx context.Context, key ThreadKey, id string) (json.RawMessage, error)
}

// Branch is messages that a rewind took out of a thread together.
type Branch struct {
	ID       string          // of the run that took them out
	About    json.RawMessage // small
	Messages json.RawMessage // nil: they are too many to be kept
	Kept     bool            // of one that is listed: BranchMessages has its messages
}
