package adapter

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// PayloadsPath is where a server has payloads: behind it comes a reference.
const PayloadsPath = "/v1/payloads/"

var (
	// ErrNoPayload says that the thread has no such payload.
	ErrNoPayload = errors.New("adapter: the thread has no such payload")
	// ErrPayloadExpired says that it had one, whose time is over: the agent is to make it again.
	ErrPayloadExpired = errors.New("adapter: the payload has expired")
	// ErrPayloadTooLarge says that a value has more bytes than runner.Options.MaxPayloadBytes.
	ErrPayloadTooLarge = errors.New("adapter: the payload is larger than one may be")
)

// Payload refers to a large value that is kept beside its thread, once however often it
// was put. It goes into states, activities and results of steps as what it encodes to, and
// to clients by Run.ToolResultPayload. A payload that nothing in the thread's messages,
// state and log refers to is forgotten some time after its run, an hour at the earliest.
// The others are forgotten with the thread, or when they expire.
type Payload struct {
	Ref       string     `json:"ref"`
	URL       string     `json:"url"` // on the server that the client is connected to
	MediaType string     `json:"mediaType"`
	Name      string     `json:"name,omitempty"`
	Size      int64      `json:"size"`
	Digest    string     `json:"digest"`            // sha256: and hexadecimal digits
	Preview   string     `json:"preview,omitempty"` // how it begins, if it is text
	Expires   *time.Time `json:"expiresAt,omitempty"`
}

// PayloadOptions say what is put.
type PayloadOptions struct {
	MediaType string // default application/octet-stream
	Name      string // of a file
	// Keep is for how long; 0: runner.Options.PayloadKeep.
	Keep time.Duration
}

// ParsePayloadRef returns of which thread a reference is, and the digest.
func ParsePayloadRef(ref string) (thread, digest string, ok bool) {
	name, digest, _ := strings.Cut(ref, ".")
	text, err := base64.RawURLEncoding.Strict().DecodeString(name)
	sum, bad := hex.DecodeString(digest)
	ok = err == nil && bad == nil && len(text) > 0 && len(sum) == sha256.Size && digest == strings.ToLower(digest)
	return string(text), digest, ok
}

// PutPayload keeps a value for the run's thread and returns what refers to it. It reads a
// piece at a time, and waits while the store does not answer. It may be called in steps. An
// equal value is kept once. Errors: ErrPayloadTooLarge, store.ErrPayloadQuota, the reader's.
func (r *Run) PutPayload(ctx context.Context, value io.Reader, options PayloadOptions) (Payload, error) {
	return r.x.PutPayload(ctx, value, options)
}

// OpenPayload reads a payload of the run's thread, by its reference.
func (r *Run) OpenPayload(ctx context.Context, ref string) (io.Reader, error) {
	return r.x.OpenPayload(ctx, ref)
}

// Whole returns the text of a content, with the payload that it refers to in the place of
// its preview: what a tool has answered, whether or not it travels by reference. limit is
// how many bytes are read of the payload; more is ErrPayloadTooLarge.
func (r *Run) Whole(ctx context.Context, content *protocol.Content, limit int64) (string, error) {
	p, ok := PayloadIn(content)
	if !ok {
		return content.String(), nil
	}
	if p.Size > limit {
		return "", ErrPayloadTooLarge
	}
	value, err := r.OpenPayload(ctx, p.Ref)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(value, limit))
	return string(text), err
}

// ToolResultPayload emits a payload as the result of a call: how it begins as text, and
// where all of it is as a part with its address, as AG-UI has them. Clients of AG-UI
// before 1.0, to which results are text, get the text.
func (r *Run) ToolResultPayload(callID string, p Payload) error {
	return r.Emit(&protocol.ToolCallResult{MessageID: r.NewID(), ToolCallID: callID, Content: *p.Content(), Role: protocol.RoleTool})
}

// Content is what a client is told of a payload.
func (p Payload) Content() *protocol.Content {
	told, _ := json.Marshal(map[string]any{"aguiws": map[string]any{"payload": p}})
	kind := protocol.PartDocument
	switch family, _, _ := strings.Cut(p.MediaType, "/"); family {
	case "image":
		kind = protocol.PartImage
	case "audio":
		kind = protocol.PartAudio
	case "video":
		kind = protocol.PartVideo
	}
	text := fmt.Sprintf("[%d bytes of %s: %s]", p.Size, p.MediaType, p.URL)
	if p.Preview != "" {
		text = fmt.Sprintf("%s\n[the first %d of %d bytes of %s; all of it: %s]", p.Preview, len(p.Preview), p.Size, p.MediaType, p.URL)
	}
	return protocol.PartsOf(
		protocol.Part{Type: protocol.PartText, Text: text},
		protocol.Part{Type: kind, Source: &protocol.Source{Type: protocol.SourceURL, Value: p.URL, MimeType: p.MediaType}, Metadata: told})
}

// PayloadIn returns the payload that a tool's result refers to. The client has written it
// if the client sent the message. OpenPayload reads none of another thread.
func PayloadIn(content *protocol.Content) (Payload, bool) {
	parts, _ := content.Parts()
	for _, part := range parts {
		var told struct {
			Aguiws struct{ Payload *Payload }
		}
		if part.Source == nil || len(part.Metadata) == 0 || json.Unmarshal(part.Metadata, &told) != nil || told.Aguiws.Payload == nil {
			continue
		}
		p := *told.Aguiws.Payload
		if _, _, ok := ParsePayloadRef(p.Ref); ok && part.Source.Value == p.URL {
			return p, true
		}
	}
	return Payload{}, false
}
