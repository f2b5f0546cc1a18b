package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// inbox is the part of a server's control API that this program needs.
// GET /v1/openapi.json describes all of it.
type inbox struct {
	url   string
	token string // "": the server asks for none
}

// question is an open interrupt, and where it is.
type question struct {
	thread, namespace string
	since             time.Time

	ID        string
	Interrupt protocol.Interrupt
	ToolCall  *struct{ Name, Arguments string }
	Stale     bool // it has expired, and can only be cancelled
	Draft     *struct{}
	Truncated bool
}

type page struct {
	Items []struct {
		ThreadID, Namespace string
		Since               time.Time
		Interrupts          []question
		Omitted             int
		Corrupted           bool
	}
	Next string
}

// questions are those that are open, which have waited longest first.
func (in *inbox) questions(ctx context.Context) (list []question, err error) {
	for query := (url.Values{}); ; {
		var p page
		if err := in.call(ctx, http.MethodGet, "/v1/inbox?"+query.Encode(), nil, &p); err != nil {
			return nil, err
		}
		for _, item := range p.Items {
			open := item.Interrupts
			// What is large is summarised in lists, and nobody should decide on a summary.
			if item.Omitted > 0 || truncated(open) {
				if open, err = in.whole(ctx, item.ThreadID, item.Namespace); err != nil {
					return nil, err
				}
			}
			for _, q := range open {
				q.thread, q.namespace, q.since = item.ThreadID, item.Namespace, item.Since
				list = append(list, q)
			}
		}
		if p.Next == "" {
			return list, nil
		}
		query.Set("cursor", p.Next)
	}
}

func truncated(open []question) bool {
	for _, q := range open {
		if q.Truncated {
			return true
		}
	}
	return false
}

// whole is what a thread asks, without summaries.
func (in *inbox) whole(ctx context.Context, thread, namespace string) (open []question, err error) {
	var p page
	query := url.Values{"namespace": {namespace}}
	if err := in.call(ctx, http.MethodGet, "/v1/threads/"+url.PathEscape(thread)+"/interrupts?"+query.Encode(), nil, &p); err != nil {
		return nil, err
	}
	for _, item := range p.Items {
		open = append(open, item.Interrupts...)
	}
	return open, nil
}

// answer answers a question. missing are how many of its thread's have no answer
// yet: this one is kept until they have.
func (in *inbox) answer(ctx context.Context, q question, status protocol.ResumeStatus, payload json.RawMessage) (missing int, err error) {
	entry := map[string]any{"interruptId": q.ID, "status": status}
	if payload != nil {
		entry["payload"] = payload
	}
	var answered struct {
		Items []struct {
			Resolved struct{ Missing []string }
			Error    *struct{ Code, Detail string }
		}
	}
	// With the key the request may be sent again when its answer was lost: what it has answered is told, not done again.
	body := map[string]any{"idempotencyKey": rand.Text(), "items": []any{map[string]any{"threadId": q.thread, "namespace": q.namespace, "entries": []any{entry}}}}
	if err := in.call(ctx, http.MethodPost, "/v1/inbox/resolve", body, &answered); err != nil {
		return 0, err
	}
	if len(answered.Items) != 1 {
		return 0, fmt.Errorf("the server answers for %d threads", len(answered.Items))
	}
	if refused := answered.Items[0].Error; refused != nil {
		return 0, fmt.Errorf("refused, %s: %s", refused.Code, refused.Detail)
	}
	return len(answered.Items[0].Resolved.Missing), nil
}

func (in *inbox) call(ctx context.Context, method, path string, body, into any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, in.url+path, sent)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if in.token != "" {
		r.Header.Set("Authorization", "Bearer "+in.token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		var problem struct{ Code, Detail string }
		if json.Unmarshal(text, &problem) != nil || problem.Code == "" {
			return fmt.Errorf("%s answers %s: is it an aguiws server?", in.url, answer.Status)
		}
		return fmt.Errorf("%s: %s", problem.Code, problem.Detail)
	}
	return json.Unmarshal(text, into)
}
