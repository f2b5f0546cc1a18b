package controlapi

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
)

var errNoPayload = newProblem(http.StatusNotFound, "payload_not_found", "there is no such payload")

func payloadOperations() []operation {
	return []operation{
		{method: "GET", path: "/payloads/{ref}", id: "getPayload", summary: "Read the payload of a reference, or a range of its bytes",
			notes: "Messages and states hold such references. HEAD answers with the size and the type.",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, bytes: true, status: 200, serve: (*call).noAnswer},
	}
}

// noAnswer is of operations that answer with bytes.
func (c *call) noAnswer() (any, error) {
	return nil, errors.New("controlapi: bytes are served as they are")
}

// servePayload answers with a payload. An error: nothing is written.
func (c *call) servePayload(w http.ResponseWriter, r *http.Request, held *peer.Holding) error {
	ctx, cancel := context.WithTimeout(r.Context(), c.Gate.Options.CallTimeout)
	defer cancel()
	c.r = r.WithContext(ctx)
	if err := c.enter(); err != nil {
		return err
	}
	info, err := c.Runner.Payload(ctx, c.key, c.digest)
	switch {
	case err != nil:
		return err
	case info == nil:
		return errNoPayload
	case info.Gone:
		return newProblem(http.StatusGone, "payload_expired", "the payload expired at "+info.Expires.UTC().Format(time.RFC3339)+
			": ask the agent for it again")
	}
	if err := held.Keep(store.PayloadPiece); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", info.Type)
	h.Set("Content-Disposition", disposition(info))
	// A reader who opens it on this origin opens nothing that may do something here.
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"sha256-`+info.Digest+`"`)
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range") // many small ranges would cost a piece each
	}
	http.ServeContent(w, r, "", info.Created, &payloadBytes{size: info.Size, piece: -1, read: func(i int) ([]byte, error) {
		ctx, cancel := context.WithTimeout(r.Context(), c.Gate.Options.CallTimeout)
		defer cancel()
		piece, err := c.Runner.ReadPayload(ctx, c.key, c.digest, i)
		if err == nil && len(piece) == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil && r.Context().Err() == nil {
			c.Gate.Options.Logger.Warn("a payload breaks off", "thread", c.key.Thread, "namespace", c.key.Namespace, "error", err)
		}
		return piece, err
	}})
	return nil
}

// disposition has a payload saved, under its name.
func disposition(info *store.PayloadInfo) string {
	name := info.Name
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if name == "" {
		name = "payload-" + info.Digest[:min(len(info.Digest), 12)]
	}
	if d := mime.FormatMediaType("attachment", map[string]string{"filename": name}); d != "" {
		return d
	}
	return "attachment"
}

// payloadBytes reads a payload from anywhere, and holds one piece of it.
type payloadBytes struct {
	size, at int64
	piece    int // that is held; -1: none
	data     []byte
	read     func(piece int) ([]byte, error)
}

func (p *payloadBytes) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += p.at
	case io.SeekEnd:
		offset += p.size
	}
	if offset < 0 {
		return p.at, errors.New("controlapi: a place before a payload's beginning")
	}
	p.at = offset
	return offset, nil
}

func (p *payloadBytes) Read(b []byte) (int, error) {
	if p.at >= p.size {
		return 0, io.EOF
	}
	if piece := int(p.at / store.PayloadPiece); piece != p.piece {
		data, err := p.read(piece)
		if err != nil {
			return 0, err
		}
		p.piece, p.data = piece, data
	}
	from := p.at % store.PayloadPiece
	if from >= int64(len(p.data)) {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(b, p.data[from:])
	p.at += int64(n)
	return n, nil
}

// enterPayload decides whether the caller may have what a reference stands for: as the
// thread's reader, and not because of the reference.
func (c *call) enterPayload() (thread string, err error) {
	thread, digest, ok := adapter.ParsePayloadRef(c.r.PathValue("ref"))
	if !ok {
		return "", badRequest("the path has no reference to a payload")
	}
	c.digest = digest
	return thread, nil
}
