package store

import (
	"context"
	"encoding/json"
)

// Messages is what paging through a long thread needs.
type Messages interface {
	// Messages returns a page of the messages of a thread's stored snapshot: the last
	// ones before a place. What a run under way has added is in its log.
	Messages(ctx context.Context, key ThreadKey, q MessageQuery) (MessagePage, error)
}

// MessageQuery asks for the messages before a place.
type MessageQuery struct {
	// Before is a MessagePage's, or a Snapshot's of the same thread: ErrBadCursor for any
	// other, and when the message is gone that stood there. "": from the end.
	Before string
	Limit  int // 0: 50
}

// MessagePage is some messages in a row: fewer than were asked for where these have very
// many bytes.
type MessagePage struct {
	Messages []json.RawMessage // in order
	// Older is how many there are before these; 0: none. Of a place that was made before
	// messages were taken out it may count those.
	Older  int64
	Before string // with Older: the place where these begin
}
