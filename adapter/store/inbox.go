package store

import (
	"context"
	"encoding/json"
	"time"
)

// Inbox is what answering open interrupts needs, across threads.
type Inbox interface {
	// Inbox pages through the threads of a tenant that have open interrupts,
	// oldest suspension first. A page costs the same however many there are.
	Inbox(ctx context.Context, q PageQuery) (InboxPage, error)
	// Drafts sets answers to some of the open interrupts, by interrupt id; a nil
	// value deletes one. They go when the suspension is answered. Version, when
	// not 0, must be the thread's, unless nothing changes; replacing a draft or
	// deleting one raises it. It returns all drafts by then, or false when one of
	// the ids is not open or the version has moved: nothing was changed.
	Drafts(ctx context.Context, key ThreadKey, version int64, drafts map[string]json.RawMessage) (map[string]json.RawMessage, bool, error)
}

// InboxPage is a page of suspensions.
type InboxPage struct {
	Items []InboxItem
	Next  string
}

// InboxItem is one thread's open suspension.
type InboxItem struct {
	Thread     ThreadKey
	Version    int64
	Since      time.Time
	Title      string
	Suspension json.RawMessage // as End gave it
	Drafts     map[string]json.RawMessage
	Corrupted  bool // the store cannot read what is stored of it
}
