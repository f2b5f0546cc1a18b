package lifecycle

import (
	"encoding/json"
	"maps"

	"github.com/aguiws/aguiws/protocol"
)

// WithOwn returns the interrupt with a member of ours in its metadata.
func WithOwn(i protocol.Interrupt, name string, value any) protocol.Interrupt {
	i.Metadata = WithOwnMetadata(i.Metadata, name, value)
	return i
}

// WithOwnMetadata is a copy with a member of ours in it.
func WithOwnMetadata(m protocol.Metadata, name string, value any) protocol.Metadata {
	if m = maps.Clone(m); m == nil {
		m = protocol.Metadata{}
	}
	own := map[string]json.RawMessage{}
	if text := m[MetadataKey]; text != nil {
		_ = json.Unmarshal(text, &own) // what is no object is replaced
	}
	own[name], _ = json.Marshal(value)
	m[MetadataKey], _ = json.Marshal(own)
	return m
}
