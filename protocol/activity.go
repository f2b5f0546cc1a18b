package protocol

import "encoding/json"

// ActivitySnapshot creates an activity message or replaces its content.
type ActivitySnapshot struct {
	Base
	Attributed
	MessageID    string          `json:"messageId"`
	ActivityType string          `json:"activityType"`
	Content      json.RawMessage `json:"content" agui:"object"`
	// Replace false leaves an existing activity alone; nil is true.
	Replace *bool `json:"replace,omitzero"`
}

// Type returns TypeActivitySnapshot.
func (*ActivitySnapshot) Type() EventType { return TypeActivitySnapshot }

// ActivityDelta changes an activity's content by a JSON Patch. The patched
// content must stay an object.
type ActivityDelta struct {
	Base
	Attributed
	MessageID    string          `json:"messageId"`
	ActivityType string          `json:"activityType"` // as in the snapshot
	Patch        json.RawMessage `json:"patch" agui:"patch"`
}

// Type returns TypeActivityDelta.
func (*ActivityDelta) Type() EventType { return TypeActivityDelta }
