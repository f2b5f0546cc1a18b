// Package tanstack knows what TanStack AI's client sends beyond AG-UI, and what it
// needs to be told.
package tanstack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/gowebpki/jcs"

	"github.com/aguiws/aguiws/protocol"
)

// bindingKey is the member of an interrupt's metadata by which the client lets its
// user answer. One without it cannot be answered there.
const bindingKey = "tanstack:interruptBinding"

// maxHashed is the largest schema that is hashed. A binding of a larger one has no hash,
// and its client cannot answer.
const maxHashed = 128 << 10

// binding is what the client has of an interrupt, version 1.
type binding struct {
	Version        int    `json:"v"`
	Kind           string `json:"kind"`
	InterruptID    string `json:"interruptId"`
	InterruptedRun string `json:"interruptedRunId"`
	Generation     int    `json:"generation"`
	ExpiresAt      string `json:"expiresAt,omitempty"`
	SchemaHash     string `json:"responseSchemaHash,omitempty"`
}

// Bind returns the end of a run with each interrupt bound to it. An interrupt that has a
// binding, as an upstream gives one, keeps what it says of the tool, and is bound to this
// run: the client answers nothing that is bound to another. An end without interrupts is
// returned as it is.
func Bind(end []byte) ([]byte, error) {
	e, err := protocol.Decode(end)
	if err != nil {
		return nil, fmt.Errorf("server: logged event: %w", err)
	}
	finished, ok := e.(*protocol.RunFinished)
	if !ok || finished.Outcome == nil || len(finished.Outcome.Interrupts) == 0 {
		return end, nil
	}
	for i := range finished.Outcome.Interrupts {
		it := &finished.Outcome.Interrupts[i]
		text, err := boundTo(it, finished.RunID)
		if err != nil {
			return nil, fmt.Errorf("server: binding of an interrupt: %w", err)
		}
		metadata := protocol.Metadata{}
		maps.Copy(metadata, it.Metadata)
		metadata[bindingKey] = text
		it.Metadata = metadata
	}
	return protocol.Encode(finished)
}

// boundTo is the interrupt's binding to a run.
func boundTo(it *protocol.Interrupt, runID string) (json.RawMessage, error) {
	given, has := it.Metadata[bindingKey]
	if !has {
		return json.Marshal(binding{1, "generic", it.ID, runID, 0, it.ExpiresAt, hashOf(it.ResponseSchema)})
	}
	var own map[string]json.RawMessage
	if json.Unmarshal(given, &own) != nil || own == nil {
		return given, nil // no binding of any version
	}
	own["interruptId"], _ = json.Marshal(it.ID) // of texts
	own["interruptedRunId"], _ = json.Marshal(runID)
	own["generation"] = json.RawMessage("0")
	return json.Marshal(own)
}

// hashOf is the hash of a schema as the client computes it: SHA-256 of the form of
// RFC 8785. "": none.
func hashOf(schema protocol.Any) string {
	if schema.IsZero() || len(schema) > maxHashed {
		return ""
	}
	text, err := jcs.Transform(schema)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Sent reports whether an input is as the client writes it: of no declared version,
// with forwardedProps a second time as data.
func Sent(in *protocol.RunAgentInput) bool {
	data, there := in.Extra["data"]
	return there && in.ProtocolVersion == "" && len(data) > 0 && data[0] == '{' && bytes.Equal(data, in.ForwardedProps)
}
