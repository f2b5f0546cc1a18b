package protocol

import "encoding/json"

// StateSnapshot replaces the thread's state. Null is a state; nil is written as
// null.
type StateSnapshot struct {
	Base
	Attributed
	Snapshot json.RawMessage `json:"snapshot"`
}

// Type returns TypeStateSnapshot.
func (*StateSnapshot) Type() EventType { return TypeStateSnapshot }

// StateDelta changes the thread's state by a JSON Patch (RFC 6902), all of it
// or nothing.
type StateDelta struct {
	Base
	Attributed
	Delta json.RawMessage `json:"delta" agui:"patch"`
}

// Type returns TypeStateDelta.
func (*StateDelta) Type() EventType { return TypeStateDelta }

// MessagesSnapshot is the complete set of messages that the producer owns.
type MessagesSnapshot struct {
	Base
	Messages Messages `json:"messages"`
}

// Type returns TypeMessagesSnapshot.
func (*MessagesSnapshot) Type() EventType { return TypeMessagesSnapshot }
