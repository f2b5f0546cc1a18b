package adapter

import (
	"encoding/json"
	"maps"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/protocol"
)

// withOwn returns the interrupt with a member of ours in its metadata.
func withOwn(i protocol.Interrupt, name string, value any) protocol.Interrupt {
	i.Metadata = withOwnMetadata(i.Metadata, name, value)
	return i
}

// withOwnMetadata is a copy with a member of ours in it.
func withOwnMetadata(m protocol.Metadata, name string, value any) protocol.Metadata {
	if m = maps.Clone(m); m == nil {
		m = protocol.Metadata{}
	}
	own := map[string]json.RawMessage{}
	if text := m[lifecycle.MetadataKey]; text != nil {
		_ = json.Unmarshal(text, &own) // what is no object is replaced
	}
	own[name], _ = json.Marshal(value)
	m[lifecycle.MetadataKey], _ = json.Marshal(own)
	return m
}
