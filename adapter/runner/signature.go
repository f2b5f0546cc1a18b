package runner

import (
	"encoding/json"
	"maps"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/protocol"
)

// signature is who has given an answer, and how it has come.
type signature struct {
	User string `json:"user,omitempty"`
	Origin
}

// signed is a draft that says who has given it, whatever its metadata said.
func signed(entry protocol.ResumeEntry, by signature) protocol.ResumeEntry {
	entry.Metadata = maps.Clone(entry.Metadata)
	delete(entry.Metadata, lifecycle.MetadataKey)
	if by != (signature{}) {
		if entry.Metadata == nil {
			entry.Metadata = protocol.Metadata{}
		}
		entry.Metadata[lifecycle.MetadataKey], _ = json.Marshal(by)
	}
	return entry
}

// draftOf takes out of a draft who has given it, and what was put in for that.
func draftOf(entry *protocol.ResumeEntry) (by signature) {
	text, put := entry.Metadata[lifecycle.MetadataKey]
	_ = json.Unmarshal(text, &by)
	delete(entry.Metadata, lifecycle.MetadataKey)
	if put && len(entry.Metadata) == 0 {
		entry.Metadata = nil
	}
	return by
}
