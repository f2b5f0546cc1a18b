package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// Inbox lists the open interrupts that its user may answer, of any thread, and answers
// them, over the server's control API (/v1) and without a socket. Its methods may be
// called concurrently.
type Inbox struct {
	api controlAPI
}

// NewInbox is the inbox of the server at url, which may have a path where the server's
// routes are mounted under one. It uses these options: Token, Header, Authorize,
// HTTPClient, ReadLimit, DialTimeout, which bounds one request, BackoffMin and BackoffMax.
func NewInbox(url string, opts *Options) *Inbox {
	return &Inbox{newControlAPI(url, opts)}
}

// Waiting is a thread whose agent waits for answers.
type Waiting struct {
	Thread    string
	Namespace string // the thread id means something in it alone
	Agent     string // that asks; "": the default one
	Title     string
	Since     time.Time // when it was asked
	Label     string    // of the run that asked

	Interrupts []OpenInterrupt
	// Corrupted: what is open cannot be read, and Interrupts is empty. The thread can be
	// deleted.
	Corrupted bool
}

// OpenInterrupt is an interrupt that is open.
type OpenInterrupt struct {
	Interrupt protocol.Interrupt
	Call      *Call // that it is about; nil: it is about none
	// Stale: it has expired, and can only be withdrawn.
	Stale bool
	// Draft is an answer that is kept until the thread's other interrupts have one; nil:
	// there is none.
	Draft *protocol.ResumeEntry
}

// Call is a tool call as an agent proposes it.
type Call struct {
	Name      string
	Arguments string // JSON by convention
}

// InboxQuery narrows what is listed. The zero value is all that the user may answer: with
// the scope approver that of the tenant, otherwise that of the user's own namespace.
type InboxQuery struct {
	Reason string // of one of the interrupts
	Agent  string // that asks
	Tool   string // of one of the calls
}

// Waiting lists threads that wait, those that have waited longest first, and whole, where
// the server's own list has summaries. Questions that are answered or asked meanwhile may
// be in it or not. It ends with the first error: a refused connection is not tried again.
func (in *Inbox) Waiting(ctx context.Context, q InboxQuery) iter.Seq2[Waiting, error] {
	return func(yield func(Waiting, error) bool) {
		query := url.Values{}
		for name, value := range map[string]string{"reason": q.Reason, "agent": q.Agent, "tool": q.Tool} {
			if value != "" {
				query.Set(name, value)
			}
		}
		for {
			var page inboxPage
			if err := in.api.get(ctx, "/v1/inbox", query, &page); err != nil {
				yield(Waiting{}, err)
				return
			}
			for _, item := range page.Items {
				w, err := in.whole(ctx, item)
				if err == nil && len(w.Interrupts) == 0 && !w.Corrupted {
					continue // answered meanwhile
				}
				if !yield(w, err) || err != nil {
					return
				}
			}
			if page.Next == "" {
				return
			}
			query.Set("cursor", page.Next)
		}
	}
}

// answerAttempts is how often an answer is sent that gets none.
const answerAttempts = 5

// Answer answers interrupts of a thread, some or all; entries are made by Resolve and
// Withdraw. missing are those that have no answer yet: until they have, these are kept as
// drafts, and a later one to the same interrupt replaces its draft. When none is missing
// the agent goes on, once, however often the same user sends the same answers.
//
// A *RefusedError says that nothing was kept. An answer that got lost is sent again a few
// times; after any other error nobody knows, and the same call may be made again.
func (in *Inbox) Answer(ctx context.Context, w Waiting, entries ...protocol.ResumeEntry) (missing []string, err error) {
	item := map[string]any{"threadId": w.Thread, "namespace": w.Namespace, "entries": entries}
	name, err := json.Marshal(item)
	if err != nil {
		return nil, fmt.Errorf("client: an answer: %w", err)
	}
	sum := sha256.Sum256(name)
	body := map[string]any{"idempotencyKey": hex.EncodeToString(sum[:]), "items": []any{item}}
	bound := in.api.opts.BackoffMin
	for attempt := 1; ; attempt++ {
		missing, err = in.answer(ctx, body)
		var refused *RefusedError
		if err == nil || attempt == answerAttempts || errors.As(err, &refused) && !refused.passes() {
			return missing, err
		}
		pause := rand.N(bound)
		if refused != nil {
			pause = max(pause, refused.RetryAfter)
		}
		bound = min(2*bound, in.api.opts.BackoffMax)
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return nil, err
		}
	}
}

func (in *Inbox) answer(ctx context.Context, body any) (missing []string, err error) {
	var answered struct {
		Items []struct {
			Resolved *struct{ Missing []string }
			Error    *itemProblem
		}
	}
	if err := in.api.post(ctx, "/v1/inbox/resolve", body, &answered); err != nil {
		return nil, err
	}
	if len(answered.Items) != 1 {
		return nil, fmt.Errorf("client: the server answers for %d threads", len(answered.Items))
	}
	switch item := answered.Items[0]; {
	case item.Error != nil:
		return nil, item.Error.refused()
	case item.Resolved == nil:
		return nil, errors.New("client: the server says nothing of the thread")
	default:
		return item.Resolved.Missing, nil
	}
}

type inboxPage struct {
	Items []inboxItem
	Next  string
}

type inboxItem struct {
	ThreadID, Namespace, Agent, Title string
	Since                             time.Time
	RunID                             string
	Omitted                           int
	Corrupted                         bool
	Interrupts                        []itemInterrupt
}

type itemInterrupt struct {
	Interrupt protocol.Interrupt
	ToolCall  *Call
	Stale     bool
	Draft     *protocol.ResumeEntry
	Truncated bool
}

// summary reports whether the server's list leaves something out. Decisions should not be
// made on that.
func (item *inboxItem) summary() bool {
	return item.Omitted > 0 || slices.ContainsFunc(item.Interrupts, func(i itemInterrupt) bool { return i.Truncated })
}

func (in *Inbox) whole(ctx context.Context, item inboxItem) (Waiting, error) {
	w := Waiting{
		Thread: item.ThreadID, Namespace: item.Namespace, Agent: item.Agent, Title: item.Title,
		Since: item.Since, Label: item.RunID, Corrupted: item.Corrupted,
	}
	if item.summary() {
		var page inboxPage
		path := "/v1/threads/" + url.PathEscape(item.ThreadID) + "/interrupts"
		err := in.api.get(ctx, path, url.Values{"namespace": {item.Namespace}}, &page)
		var refused *RefusedError
		switch {
		case errors.As(err, &refused) && refused.Status == http.StatusNotFound, err == nil && len(page.Items) == 0:
			return w, nil // the thread has gone on, or has been deleted
		case err != nil:
			return w, err
		}
		item = page.Items[0]
		w.Since, w.Label = item.Since, item.RunID // another run may ask by now
	}
	for _, i := range item.Interrupts {
		w.Interrupts = append(w.Interrupts, OpenInterrupt{Interrupt: i.Interrupt, Call: i.ToolCall, Stale: i.Stale, Draft: i.Draft})
	}
	return w, nil
}
