package controlapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

const (
	mostAnswered     = 100 // threads of one call
	answeredTogether = 8   // of them, those that are answered at once
	mostKeyBytes     = 255
)

type resolveInboxJSON struct {
	Key   string            `json:"idempotencyKey" jsonschema:"A name for this request, 1 to 255 bytes. A request that is sent again under the same name gets the same result and does nothing again. The header Idempotency-Key may take its place."`
	Items []answersToThread `json:"items" jsonschema:"The answers of 1 to 100 threads, each thread once."`
}

type answersToThread struct {
	ThreadID  string      `json:"threadId"`
	Namespace string      `json:"namespace,omitempty" jsonschema:"The namespace of the thread. The default is the caller's own. Another one needs one of the scopes approver, admin."`
	Entries   []entryJSON `json:"entries"`
}

type resolvedInboxJSON struct {
	Items []answeredThread `json:"items" jsonschema:"The results, in the order of the request."`
}

type answeredThread struct {
	ThreadID  string        `json:"threadId"`
	Namespace string        `json:"namespace"`
	Resolved  *resolvedJSON `json:"resolved,omitempty" jsonschema:"The result of the answers, if the server accepted them."`
	Error     *itemError    `json:"error,omitempty" jsonschema:"The reason for which the server refused the answers. It has kept none of them."`
}

// itemError is a problem inside an answer that is none.
type itemError struct {
	Status  int            `json:"status"`
	Code    string         `json:"code"`
	Detail  string         `json:"detail"`
	Details map[string]any `json:"details,omitempty" jsonschema:"Further members that a problem of this code has."`
}

// resolveInbox answers each thread for itself: what becomes of one is nothing to the
// others. The call is one of the user's inputs.
func (c *call) resolveInbox() (any, error) {
	var in resolveInboxJSON
	if err := c.read(&in); err != nil {
		return nil, err
	}
	key, err := c.idempotencyKey(in.Key)
	if err != nil {
		return nil, err
	}
	if len(in.Items) == 0 || len(in.Items) > mostAnswered {
		return nil, badRequest("items are 1 to 100")
	}
	answers := make([][]protocol.ResumeEntry, len(in.Items))
	threads := make([]store.ThreadKey, len(in.Items))
	seen := map[store.ThreadKey]bool{}
	for i, item := range in.Items {
		where := fmt.Sprintf("items/%d/", i)
		if !strictjson.IsName(item.ThreadID) {
			return nil, badRequest(where + "threadId has " + strictjson.NameRule)
		}
		threads[i] = store.ThreadKey{Namespace: c.caller.Identity.Namespace, Thread: item.ThreadID}
		if err := c.mayName(where+"namespace", item.Namespace); err != nil {
			return nil, err
		}
		if item.Namespace != "" {
			threads[i].Namespace = item.Namespace
		}
		if seen[threads[i]] {
			return nil, badRequest(where + "threadId is that of an item before it: give all entries of a thread in one")
		}
		seen[threads[i]] = true
		if answers[i], err = entriesOf(item.Entries, where+"entries"); err != nil {
			return nil, err
		}
	}
	out := resolvedInboxJSON{Items: make([]answeredThread, len(threads))}
	failed := make([]*problem, len(threads))
	var group sync.WaitGroup
	turns := make(chan struct{}, answeredTogether)
	ctx := admission.OneOfMany(c.r.Context())
	for i, thread := range threads {
		group.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			defer func() {
				if p := recover(); p != nil {
					c.Gate.Options.Logger.Error("panic", "operation", c.op.id, "value", p, "stack", string(debug.Stack()))
					out.Items[i], failed[i] = c.failedItem(thread, errors.New("panic"))
				}
			}()
			out.Items[i], failed[i] = c.answerItem(ctx, thread, key, answers[i])
		})
	}
	group.Wait()
	// If the store has answered none of it, or the request is one input too many, that is
	// the answer to all.
	for _, code := range []string{adapter.CodeStoreUnavailable, adapter.CodeRateLimited} {
		if !slices.ContainsFunc(failed, func(p *problem) bool { return p == nil || p.Code != code }) {
			return nil, failed[0]
		}
	}
	return out, nil
}

// idempotencyKey is that of the header or of the body.
func (c *call) idempotencyKey(body string) (string, error) {
	header := c.r.Header.Get("Idempotency-Key")
	switch {
	case header != "" && body != "" && header != body:
		return "", badRequest("the header Idempotency-Key and idempotencyKey are not the same")
	case header == "":
		header = body
	}
	if header == "" || len(header) > mostKeyBytes {
		return "", badRequest("a key of 1 to 255 bytes is needed that names this request: the header Idempotency-Key, or idempotencyKey")
	}
	return header, nil
}

func (c *call) answerItem(ctx context.Context, thread store.ThreadKey, key string, entries []protocol.ResumeEntry) (answeredThread, *problem) {
	resolved, err := c.answerOne(ctx, thread, key, entries)
	if err == nil {
		return answeredThread{ThreadID: thread.Thread, Namespace: thread.Namespace, Resolved: resolved}, nil
	}
	return c.failedItem(thread, err)
}

func (c *call) failedItem(thread store.ThreadKey, err error) (answeredThread, *problem) {
	p := c.problem(err)
	return answeredThread{ThreadID: thread.Thread, Namespace: thread.Namespace,
		Error: &itemError{Status: p.Status, Code: p.Code, Detail: p.Message, Details: p.details}}, p
}

func (c *call) answerOne(ctx context.Context, thread store.ThreadKey, key string, entries []protocol.ResumeEntry) (*resolvedJSON, error) {
	if err := ctx.Err(); err != nil {
		return nil, err // its time is over before its turn came
	}
	tenant, used, err := c.Runner.Whose(ctx, thread)
	if err != nil && !errors.Is(err, store.ErrCorrupted) {
		return nil, err
	}
	if !used || thread.Namespace != c.caller.Identity.Namespace && tenant != c.caller.Identity.Tenant {
		return nil, errNoThread
	}
	return c.answerThread(ctx, thread, c.itemLabel(thread, key), entries)
}

// itemLabel is the runId of what goes on with a thread's answers: the same whenever the
// caller sends the same key.
func (c *call) itemLabel(thread store.ThreadKey, key string) string {
	text, _ := json.Marshal([]string{c.caller.Identity.Tenant, c.caller.Name(), c.caller.Identity.Namespace, key, thread.Namespace, thread.Thread})
	sum := sha256.Sum256(text)
	return "resolve-" + base64.RawURLEncoding.EncodeToString(sum[:])
}
