package store

import (
	"context"
	"encoding/json"
)

// Messages is what paging through a long thread needs.
type Messages interface {
	// Messages returns a page of the messages of a thread's stored snapshot: the last
	// ones before a place. Messages that a run under way has added are in its log.
	Messages(ctx context.Context, key ThreadKey, q MessageQuery) (MessagePage, error)
}

// MessageQuery asks for the messages before a place.
type MessageQuery struct {
	// Before is a MessagePage's, or a Snapshot's of the same thread: ErrBadCursor for any
	// other, and when the message is gone that stood there. "": from the end.
	Before string
	Limit  int // 0: 50
	// Bare: what the messages say is not read, and who produced them is told alone.
	Bare bool
}

// MessagePage is some messages in a row: fewer than were asked for where these have very
// many bytes.
type MessagePage struct {
	Messages []json.RawMessage // in order
	// Older is how many there are before these; 0: none. It may count messages that were
	// taken out after the place was made.
	Older  int64
	Before string // with Older: the place where these begin
	// Producers are those of these messages, by their ids; of one that is not named nothing
	// is known.
	Producers map[string]Producer
}

// Producer says where a message comes from.
type Producer struct {
	RunID string // the client's: the run that it came with, or that made it
	Step  string // that was under way; ""
}
