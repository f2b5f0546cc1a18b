package protocol

import (
	"bytes"
	"encoding/json"
)

// EventType is the value of an event's "type" member. The constants are the
// keys of the table of kinds in eventtypes.go.
type EventType string

// Event is one AG-UI event: a pointer to one of the structs in this package.
// The set is closed; a type that this version does not know decodes to
// *Unknown. Events are encoded by Append and Encode only: encoding/json does
// not know their "type", so nothing of ours holds an Event inside a value that
// is marshalled.
//
// An event is plain data. It may be read from many goroutines at once as long
// as nobody writes to it.
type Event interface {
	// Type is the kind of the event, never empty for what Decode returns.
	Type() EventType
	base() *Base
}

// Base is what every event carries.
type Base struct {
	// Timestamp is in Unix milliseconds by convention; 0 means absent. It
	// orders nothing.
	Timestamp int64 `json:"timestamp,omitzero"`
	// RawEvent is the provider's own event, for information only.
	RawEvent Any `json:"rawEvent,omitzero"`
	// Metadata merges key by key, the last writer winning, into what the
	// event builds.
	Metadata Metadata `json:"metadata,omitzero"`
	// Extra holds members that this version does not know. They are written
	// back when the event is relayed; what we produce has none.
	Extra map[string]json.RawMessage `json:"-"`
}

func (b *Base) base() *Base { return b }

// Common returns what every event carries, for callers that hold an Event of
// any kind.
func Common(e Event) *Base { return e.base() }

// Attributed marks the events that may belong to a subagent. Events that speak
// for a whole run do not have it.
type Attributed struct {
	// SubagentRunID is nil for the parent agent. The empty string is an id.
	SubagentRunID *string `json:"subagentRunId,omitzero"`
}

func (a *Attributed) owner() *string { return a.SubagentRunID }

func (a *Attributed) setOwner(id *string) { a.SubagentRunID = id }

type attributed interface {
	owner() *string
	setOwner(id *string)
}

// OwnerOf returns the subagent that the event is attributed to, nil for the
// parent agent and for events that cannot be attributed. The lifecycle events
// of a subagent are not attributed: the id is their own.
func OwnerOf(e Event) *string {
	if a, ok := e.(attributed); ok {
		return a.owner()
	}
	return nil
}

// SetOwner attributes an event to a subagent, or with nil to the parent agent.
// It does nothing to events that cannot be attributed.
func SetOwner(e Event, subagent *string) {
	if a, ok := e.(attributed); ok {
		a.setOwner(subagent)
	}
}

// Metadata is an open object. It is absent or an object, never null; a null
// under a key is data.
type Metadata map[string]json.RawMessage

// IsZero reports whether the metadata is absent. An empty object is present.
func (m Metadata) IsZero() bool { return m == nil }

// Any is open JSON where a bare null is not allowed: null reads as absent and
// is never written.
type Any json.RawMessage

var null = []byte("null")

// IsZero reports whether there is no value.
func (a Any) IsZero() bool {
	return len(a) == 0 || len(a) <= 8 && bytes.Equal(bytes.TrimSpace(a), null)
}

// MarshalJSON writes the bytes as they are, null for nothing.
func (a Any) MarshalJSON() ([]byte, error) {
	if a.IsZero() {
		return null, nil
	}
	return a, nil
}

// UnmarshalJSON keeps a copy of the bytes; null leaves nothing.
func (a *Any) UnmarshalJSON(data []byte) error {
	*a = nil
	if !bytes.Equal(data, null) {
		*a = append(Any(nil), data...)
	}
	return nil
}

// Unknown is an event of a type that this version does not know. It is relayed
// byte for byte.
type Unknown struct {
	Base
	Name EventType       // the value of "type"
	Raw  json.RawMessage // the whole event
}

// Type returns the unknown type's name.
func (e *Unknown) Type() EventType { return e.Name }
