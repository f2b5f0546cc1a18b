package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// Payload is what a message or a state says of a large value that is kept beside its
// thread. The reference grants nothing: Payloads asks with the credential of the thread.
type Payload struct {
	Ref       string     `json:"ref"`
	URL       string     `json:"url"` // on the server
	MediaType string     `json:"mediaType"`
	Name      string     `json:"name"`
	Size      int64      `json:"size"`
	Digest    string     `json:"digest"`
	Preview   string     `json:"preview"`
	Expires   *time.Time `json:"expiresAt"`
}

// PayloadIn returns the payload that a tool's result refers to. In a state it is a value
// that json.Unmarshal reads into a Payload.
func PayloadIn(content *protocol.Content) (Payload, bool) {
	parts, _ := content.Parts()
	for _, part := range parts {
		var told struct {
			Aguiws struct {
				Payload Payload `json:"payload"`
			} `json:"aguiws"`
		}
		if part.Source != nil && len(part.Metadata) > 0 && json.Unmarshal(part.Metadata, &told) == nil && told.Aguiws.Payload.Ref != "" {
			return told.Aguiws.Payload, true
		}
	}
	return Payload{}, false
}

// Payloads reads large values of threads, over the server's control API (/v1). Its
// methods may be called concurrently.
type Payloads struct{ api controlAPI }

// NewPayloads is for the server at url, as NewInbox.
func NewPayloads(url string, opts *Options) *Payloads {
	return &Payloads{newControlAPI(url, opts)}
}

// Open reads a payload from a byte on, as it comes: its length is bounded by the caller
// alone, and so is the time, by ctx. The caller closes it. An expired payload is a
// RefusedError of status 410, one that there is not of 404.
func (p *Payloads) Open(ctx context.Context, ref string, from int64) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.api.url+"/v1/payloads/"+url.PathEscape(ref), nil)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	if r.Header, err = p.api.opts.header(ctx); err != nil {
		return nil, err
	}
	want := http.StatusOK
	if from > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
		want = http.StatusPartialContent
	}
	answer, err := p.api.opts.HTTPClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	if answer.StatusCode == want {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, p.api.opts.ReadLimit))
	if err != nil {
		return nil, fmt.Errorf("client: reading an answer: %w", err)
	}
	if answer.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return nil, &RefusedError{Status: answer.StatusCode, Code: "no_such_range", Message: fmt.Sprintf("the payload ends before byte %d", from), Header: answer.Header, Body: text}
	}
	return nil, refusedCall(answer, text)
}
