package protocol

import "encoding/json"

// Raw passes a foreign event on.
type Raw struct {
	Base
	Attributed
	Event  json.RawMessage `json:"event"`
	Source string          `json:"source,omitzero"`
}

// Type returns TypeRaw.
func (*Raw) Type() EventType { return TypeRaw }

// Custom is an application's own event.
type Custom struct {
	Base
	Attributed
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"` // nil is written as null
}

// Type returns TypeCustom.
func (*Custom) Type() EventType { return TypeCustom }
