package adapter

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// PayloadsPath is where a server has payloads: behind it comes a reference.
const PayloadsPath = "/v1/payloads/"

// maxPreview is how many bytes a preview has at most.
const maxPreview = 512

var (
	// ErrNoPayload says that the thread has no such payload.
	ErrNoPayload = errors.New("adapter: the thread has no such payload")
	// ErrPayloadExpired says that it had one, whose time is over: the agent is to make it again.
	ErrPayloadExpired = errors.New("adapter: the payload has expired")
	// ErrPayloadTooLarge says that a value has more bytes than Options.MaxPayloadBytes.
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
	// Keep is for how long; 0: Options.PayloadKeep.
	Keep time.Duration
}

// payloadRef names a payload of a thread. It grants nothing: who asks must have the thread.
func payloadRef(thread, digest string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(thread)) + "." + digest
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
	ctx, cancel := r.x.within(ctx)
	defer cancel()
	return r.x.node.putPayload(ctx, r.x.claim.Thread, value, options)
}

// OpenPayload reads a payload of the run's thread, by its reference.
func (r *Run) OpenPayload(ctx context.Context, ref string) (io.Reader, error) {
	thread, digest, ok := ParsePayloadRef(ref)
	if !ok || thread != r.ThreadID() {
		return nil, ErrNoPayload
	}
	n, key := r.x.node, r.x.claim.Thread
	info, err := retry(ctx, func() (*store.PayloadInfo, error) { return n.store.Payload(ctx, key, digest) })
	switch {
	case err != nil:
		return nil, err
	case info == nil:
		return nil, ErrNoPayload
	case info.Gone:
		return nil, ErrPayloadExpired
	}
	return &payloadReader{left: info.Size, next: func(i int) ([]byte, error) {
		return retry(ctx, func() ([]byte, error) { return n.store.ReadPayload(ctx, key, digest, i) })
	}}, nil
}

// payloadReader reads one piece after the other.
type payloadReader struct {
	next  func(piece int) ([]byte, error)
	at    int
	piece []byte
	left  int64
}

func (p *payloadReader) Read(b []byte) (int, error) {
	if len(p.piece) == 0 {
		if p.left <= 0 {
			return 0, io.EOF
		}
		piece, err := p.next(p.at)
		if err == nil && len(piece) == 0 {
			err = ErrPayloadExpired
		}
		if err != nil {
			return 0, err
		}
		p.piece, p.at = piece, p.at+1
	}
	n := copy(b, p.piece)
	p.piece, p.left = p.piece[n:], p.left-int64(n)
	return n, nil
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
	return r.Emit(&protocol.ToolCallResult{MessageID: r.NewID(), ToolCallID: callID, Content: *p.content(), Role: protocol.RoleTool})
}

// content is what a client is told of a payload.
func (p Payload) content() *protocol.Content {
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
// if the client sent the message: OpenPayload reads none of another thread. OpenPayload
// reads none of another thread.
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

// textual reports whether a value of a type can be shown as text.
func textual(mediaType string) bool {
	base, _, _ := mime.ParseMediaType(mediaType)
	return strings.HasPrefix(base, "text/") || base == "application/json" || strings.HasSuffix(base, "+json") ||
		base == "application/xml" || strings.HasSuffix(base, "+xml") || base == "application/x-ndjson" || base == "application/yaml"
}

// previewOf is the beginning of a value, up to where a character ends.
func previewOf(mediaType string, head []byte) string {
	if !textual(mediaType) {
		return ""
	}
	cut := head[:min(len(head), maxPreview)]
	for i := 0; i < utf8.UTFMax && len(cut) > 0 && !utf8.Valid(cut); i++ {
		cut = cut[:len(cut)-1]
	}
	if !utf8.Valid(cut) {
		return ""
	}
	return string(cut)
}

func (n *node) newPayload(options PayloadOptions) (store.NewPayload, error) {
	p := store.NewPayload{Type: options.MediaType, Name: options.Name, Keep: options.Keep,
		Thread: n.options.MaxThreadPayloadBytes, Namespace: n.options.MaxNamespacePayloadBytes}
	if p.Type == "" {
		p.Type = "application/octet-stream"
	}
	if _, _, err := mime.ParseMediaType(p.Type); err != nil || len(p.Type) > 255 {
		return p, fmt.Errorf("adapter: %q is no media type, such as text/csv", p.Type)
	}
	if len(p.Name) > 255 || !utf8.ValidString(p.Name) {
		return p, errors.New("adapter: the name of a payload has 255 bytes of UTF-8 at most")
	}
	if p.Keep <= 0 {
		p.Keep = n.options.PayloadKeep
	}
	return p, nil
}

// putPayload puts piece by piece. Until all are there nothing counts.
func (n *node) putPayload(ctx context.Context, key store.ThreadKey, value io.Reader, options PayloadOptions) (Payload, error) {
	p, err := n.newPayload(options)
	if err != nil {
		return Payload{}, err
	}
	upload, sum := rand.Text(), sha256.New()
	piece := make([]byte, store.PayloadPiece)
	preview := ""
	for i := 0; ; i++ {
		got, ended := io.ReadFull(value, piece)
		if ended != nil && ended != io.EOF && ended != io.ErrUnexpectedEOF {
			return Payload{}, fmt.Errorf("adapter: payload: %w", ended)
		}
		if got == 0 && i > 0 {
			break
		}
		if p.Size += int64(got); p.Size > n.options.MaxPayloadBytes {
			return Payload{}, ErrPayloadTooLarge
		}
		if i == 0 {
			preview = previewOf(p.Type, piece[:got])
		}
		sum.Write(piece[:got])
		if err := n.putPiece(ctx, key, upload, i, piece[:got]); err != nil {
			return Payload{}, err
		}
		if ended != nil {
			break
		}
	}
	p.Digest = hex.EncodeToString(sum.Sum(nil))
	return n.keepPayload(ctx, key, upload, p, preview)
}

// putValue is putPayload for what is at hand: what the thread has already is not sent.
func (n *node) putValue(ctx context.Context, key store.ThreadKey, value []byte, options PayloadOptions) (Payload, error) {
	p, err := n.newPayload(options)
	if err != nil {
		return Payload{}, err
	}
	sum := sha256.Sum256(value)
	p.Digest, p.Size = hex.EncodeToString(sum[:]), int64(len(value))
	known, err := n.keepPayload(ctx, key, rand.Text(), p, previewOf(p.Type, value[:min(len(value), maxPreview)]))
	if errors.Is(err, store.ErrPayloadLost) {
		return n.putPayload(ctx, key, bytes.NewReader(value), options)
	}
	return known, err
}

func (n *node) putPiece(ctx context.Context, key store.ThreadKey, upload string, i int, piece []byte) error {
	_, err := retry(ctx, func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(ctx, n.options.StoreTimeout)
		defer cancel()
		return struct{}{}, n.store.PutPayloadPiece(ctx, key, upload, i, piece)
	})
	return err
}

func (n *node) keepPayload(ctx context.Context, key store.ThreadKey, upload string, p store.NewPayload, preview string) (Payload, error) {
	info, err := retry(ctx, func() (store.PayloadInfo, error) {
		ctx, cancel := context.WithTimeout(ctx, n.options.StoreTimeout)
		defer cancel()
		return n.store.KeepPayload(ctx, key, upload, p)
	})
	if err != nil {
		return Payload{}, err
	}
	ref := payloadRef(key.Thread, p.Digest)
	kept := Payload{Ref: ref, URL: PayloadsPath + ref, MediaType: info.Type, Name: info.Name, Size: info.Size, Digest: "sha256:" + p.Digest, Preview: preview}
	if !info.Expires.IsZero() {
		at := info.Expires.UTC()
		kept.Expires = &at
	}
	return kept, nil
}

// byReference is a tool's result that is longer than Options.PayloadsFrom, with a
// reference in its place; nil: it stays as it is. A result for which there is no room stays
// too.
func (x *execution) byReference(result *protocol.ToolCallResult) *protocol.ToolCallResult {
	from := x.node.options.PayloadsFrom
	text := result.Content.String()
	if from <= 0 || !result.Content.IsText() || int64(len(text)) < from {
		return nil
	}
	options := PayloadOptions{MediaType: "text/plain; charset=utf-8"}
	if begins := strings.TrimLeft(text[:min(len(text), 64)], " \t\r\n"); begins != "" && strings.Contains("{[", begins[:1]) && json.Valid([]byte(text)) {
		options.MediaType = "application/json"
	}
	p, err := x.node.putValue(x.ctx, x.claim.Thread, []byte(text), options)
	if err != nil {
		if x.ctx.Err() == nil {
			x.node.log.Warn("a tool's result could not be kept as a payload and stays in its message", "thread", x.claim.Thread.Thread, "label", x.label, "bytes", len(text), "error", err)
		}
		return nil
	}
	by := *result
	by.Content = *p.content()
	return &by
}
