package adapter

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Answers are what came back for the interrupts of one Ask.
type Answers struct {
	Of       []Answer          // one for each interrupt, in the order of Ask
	Messages protocol.Messages // messages that came with them
}

// Answer is what became of one interrupt: resolved with a payload, or
// cancelled, by somebody or because it expired. A caller can have what was said only
// together with whether anything was. The zero Answer is a cancelled one.
type Answer struct{ entry protocol.ResumeEntry }

func answersOf(r *store.JournalEntry) Answers {
	answers := Answers{Of: make([]Answer, len(r.Entries)), Messages: r.Messages}
	for i, entry := range r.Entries {
		answers.Of[i] = Answer{entry}
	}
	return answers
}

// Payload is what was answered, and whether the interrupt was resolved. It fits
// the interrupt's ResponseSchema. Without one it may be anything, and nil for
// nothing. It is always nil when the interrupt was cancelled.
func (a Answer) Payload() (payload json.RawMessage, resolved bool) {
	if a.entry.Status != protocol.ResumeResolved {
		return nil, false
	}
	return json.RawMessage(a.entry.Payload), true
}

// Decode unmarshals the payload, and reports whether the interrupt was resolved.
// If it was cancelled, nothing is unmarshalled and nothing is wrong. In what is any
// numbers are json.Number; into a float64 they are rounded.
func (a Answer) Decode(into any) (resolved bool, err error) {
	payload, resolved := a.Payload()
	if !resolved {
		return false, nil
	}
	if err := decode(payload, into); err != nil {
		return true, fmt.Errorf("adapter: payload of an answer: %w", err)
	}
	return true, nil
}

// Approved reports whether the interrupt was resolved with a clear yes:
// {"approved":true}, other members aside, or true. No payload is no yes.
func (a Answer) Approved() bool {
	payload, _ := a.Payload()
	return string(bytes.TrimSpace(payload)) == "true" || a.approval().approved
}

// Expired reports whether nobody has answered in time: the interrupt was cancelled for
// that, or resolved with the Answer of its Expiry.
func (a Answer) Expired() bool {
	var own struct {
		Expired bool `json:"expired"`
	}
	_ = json.Unmarshal(a.entry.Metadata[lifecycle.MetadataKey], &own)
	return own.Expired
}

// Metadata is what came with the answer beside its payload. The answer of an expired
// interrupt has {"expired":true} as "aguiws".
func (a Answer) Metadata() protocol.Metadata { return a.entry.Metadata }
