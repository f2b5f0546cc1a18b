package execution

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
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxPreview is how many bytes a preview has at most.
const maxPreview = 512

// payloadRef names a payload of a thread. It grants nothing: who asks must have the thread.
func payloadRef(thread, digest string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(thread)) + "." + digest
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

func newPayload(n *node.Node, options adapter.PayloadOptions) (store.NewPayload, error) {
	p := store.NewPayload{Type: options.MediaType, Name: options.Name, Keep: options.Keep,
		Thread: n.Options.MaxThreadPayloadBytes, Namespace: n.Options.MaxNamespacePayloadBytes}
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
		p.Keep = n.Options.PayloadKeep
	}
	return p, nil
}

// putPayload puts piece by piece. Until all are there nothing counts.
func putPayload(ctx context.Context, n *node.Node, key store.ThreadKey, value io.Reader, options adapter.PayloadOptions) (adapter.Payload, error) {
	p, err := newPayload(n, options)
	if err != nil {
		return adapter.Payload{}, err
	}
	upload, sum := rand.Text(), sha256.New()
	piece := make([]byte, store.PayloadPiece)
	preview := ""
	for i := 0; ; i++ {
		got, ended := io.ReadFull(value, piece)
		if ended != nil && ended != io.EOF && ended != io.ErrUnexpectedEOF {
			return adapter.Payload{}, fmt.Errorf("adapter: payload: %w", ended)
		}
		if got == 0 && i > 0 {
			break
		}
		if p.Size += int64(got); p.Size > n.Options.MaxPayloadBytes {
			return adapter.Payload{}, adapter.ErrPayloadTooLarge
		}
		if i == 0 {
			preview = previewOf(p.Type, piece[:got])
		}
		sum.Write(piece[:got])
		if err := putPiece(ctx, n, key, upload, i, piece[:got]); err != nil {
			return adapter.Payload{}, err
		}
		if ended != nil {
			break
		}
	}
	p.Digest = hex.EncodeToString(sum.Sum(nil))
	return keepPayload(ctx, n, key, upload, p, preview)
}

// putValue is putPayload for what is at hand: what the thread has already is not sent.
func putValue(ctx context.Context, n *node.Node, key store.ThreadKey, value []byte, options adapter.PayloadOptions) (adapter.Payload, error) {
	p, err := newPayload(n, options)
	if err != nil {
		return adapter.Payload{}, err
	}
	sum := sha256.Sum256(value)
	p.Digest, p.Size = hex.EncodeToString(sum[:]), int64(len(value))
	known, err := keepPayload(ctx, n, key, rand.Text(), p, previewOf(p.Type, value[:min(len(value), maxPreview)]))
	if errors.Is(err, store.ErrPayloadLost) {
		return putPayload(ctx, n, key, bytes.NewReader(value), options)
	}
	return known, err
}

func putPiece(ctx context.Context, n *node.Node, key store.ThreadKey, upload string, i int, piece []byte) error {
	_, err := retry.Do(ctx, func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(ctx, n.Options.StoreTimeout)
		defer cancel()
		return struct{}{}, n.Store.PutPayloadPiece(ctx, key, upload, i, piece)
	})
	return err
}

func keepPayload(ctx context.Context, n *node.Node, key store.ThreadKey, upload string, p store.NewPayload, preview string) (adapter.Payload, error) {
	info, err := retry.Do(ctx, func() (store.PayloadInfo, error) {
		ctx, cancel := context.WithTimeout(ctx, n.Options.StoreTimeout)
		defer cancel()
		return n.Store.KeepPayload(ctx, key, upload, p)
	})
	if err != nil {
		return adapter.Payload{}, err
	}
	ref := payloadRef(key.Thread, p.Digest)
	kept := adapter.Payload{Ref: ref, URL: adapter.PayloadsPath + ref, MediaType: info.Type, Name: info.Name, Size: info.Size, Digest: "sha256:" + p.Digest, Preview: preview}
	if !info.Expires.IsZero() {
		at := info.Expires.UTC()
		kept.Expires = &at
	}
	return kept, nil
}

// byReference is a tool's result that is longer than runner.Options.PayloadsFrom, with a
// reference in its place; nil: it stays as it is. A result for which there is no room stays
// too.
func (x *execution) byReference(result *protocol.ToolCallResult) *protocol.ToolCallResult {
	from := x.node.Options.PayloadsFrom
	text := result.Content.String()
	if from <= 0 || !result.Content.IsText() || int64(len(text)) < from {
		return nil
	}
	options := adapter.PayloadOptions{MediaType: "text/plain; charset=utf-8"}
	if begins := strings.TrimLeft(text[:min(len(text), 64)], " \t\r\n"); begins != "" && strings.Contains("{[", begins[:1]) && json.Valid([]byte(text)) {
		options.MediaType = "application/json"
	}
	p, err := putValue(x.Ctx, x.node, x.Claim.Thread, []byte(text), options)
	if err != nil {
		if x.Ctx.Err() == nil {
			x.node.Log.Warn("a tool's result could not be kept as a payload and stays in its message", "thread", x.Claim.Thread.Thread, "label", x.label, "bytes", len(text), "error", err)
		}
		return nil
	}
	by := *result
	by.Content = *p.Content()
	return &by
}
