package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// controlAPI sends requests to a server's /v1, which its openapi.json describes.
type controlAPI struct {
	url  string
	opts Options
}

func newControlAPI(url string, opts *Options) controlAPI {
	api := controlAPI{strings.TrimSuffix(url, "/"), opts.withDefaults()}
	or(&api.opts.HTTPClient, http.DefaultClient)
	or(&api.opts.ReadLimit, defaultReadLimit)
	return api
}

func (a *controlAPI) get(ctx context.Context, path string, query url.Values, into any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return a.call(ctx, http.MethodGet, path, nil, into)
}

func (a *controlAPI) post(ctx context.Context, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("client: a request: %w", err)
	}
	return a.call(ctx, http.MethodPost, path, bytes.NewReader(text), into)
}

func (a *controlAPI) call(ctx context.Context, method, path string, body io.Reader, into any) error {
	ctx, cancel := context.WithTimeout(ctx, a.opts.DialTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, a.url+path, body)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	if r.Header, err = a.opts.header(ctx); err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := a.opts.HTTPClient.Do(r)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, a.opts.ReadLimit+1))
	switch {
	case err != nil:
		return fmt.Errorf("client: reading an answer: %w", err)
	case int64(len(text)) > a.opts.ReadLimit:
		return fmt.Errorf("client: an answer of more than %d bytes", a.opts.ReadLimit)
	case answer.StatusCode != http.StatusOK:
		return refusedCall(answer, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("client: an answer that cannot be read: %w", err)
	}
	return nil
}

// itemProblem is a problem within an answer that is none.
type itemProblem struct {
	Status       int
	Code, Detail string
	Details      refusalDetails
}

func (p *itemProblem) refused() *RefusedError {
	refused := &RefusedError{Status: p.Status, Code: p.Code, Message: p.Detail}
	p.Details.into(refused)
	return refused
}

func refusedCall(answer *http.Response, text []byte) error {
	p := itemProblem{Status: answer.StatusCode}
	err := errors.Join(json.Unmarshal(text, &p), json.Unmarshal(text, &p.Details))
	switch unnamed := err != nil || p.Code == ""; {
	case unnamed && answer.StatusCode >= http.StatusInternalServerError:
		// Somebody between, who may not know what the server has done.
		return fmt.Errorf("client: no answer of the server, but %d", answer.StatusCode)
	case unnamed:
		p = itemProblem{Status: answer.StatusCode, Detail: "what answers there has no /v1: is it an aguiws server?"}
	}
	refused := p.refused()
	refused.RetryAfter = max(refused.RetryAfter, retryAfter(answer.Header))
	refused.Header, refused.Body = answer.Header, text
	return refused
}
