package runner

import (
	"encoding/json"
	"maps"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/protocol"
)

// Origin says how an input or an answer has come: the decision record tells it.
type Origin struct {
	Through    Through `json:"through,omitempty"`
	Credential string  `json:"credential,omitempty"` // the subject of what it was authenticated by
	// Name is what others who follow the thread are told of the user; "": nothing.
	Name string `json:"name,omitempty"`
}

// Through is the way on which a decision has come.
type Through string

const (
	ThroughSocket     Through = "socket"
	ThroughPOST       Through = "post"
	ThroughCopilotKit Through = "copilotkit"
	ThroughInbox      Through = "inbox"
	ThroughLink       Through = "link"
	ThroughLogin      Through = "login"    // at a provider, which has sent the browser back
	ThroughExpiry     Through = "expiry"   // nobody answered in time
	ThroughOperator   Through = "operator" // an action on the thread
	ThroughSteering   Through = "steering" // another message, which turned away from what was asked
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
