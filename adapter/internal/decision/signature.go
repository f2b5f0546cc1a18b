package decision

import (
	"encoding/json"
	"maps"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Signature is who has given an answer, and how it has come.
type Signature struct {
	User string `json:"user,omitempty"`
	store.Origin
}

// Signed is a draft that says who has given it, whatever its metadata said.
func Signed(entry protocol.ResumeEntry, by Signature) protocol.ResumeEntry {
	entry.Metadata = maps.Clone(entry.Metadata)
	delete(entry.Metadata, lifecycle.MetadataKey)
	if by != (Signature{}) {
		if entry.Metadata == nil {
			entry.Metadata = protocol.Metadata{}
		}
		entry.Metadata[lifecycle.MetadataKey], _ = json.Marshal(by)
	}
	return entry
}

// DraftOf takes out of a draft who has given it, and what was put in for that.
func DraftOf(entry *protocol.ResumeEntry) (by Signature) {
	text, put := entry.Metadata[lifecycle.MetadataKey]
	_ = json.Unmarshal(text, &by)
	delete(entry.Metadata, lifecycle.MetadataKey)
	if put && len(entry.Metadata) == 0 {
		entry.Metadata = nil
	}
	return by
}
