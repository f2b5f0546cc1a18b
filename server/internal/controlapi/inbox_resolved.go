package controlapi

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/notices"
)

// A page looks at so many decisions, in so many reads, each of which passes over a bounded
// number of others.
const (
	resolvedLooks = 200
	resolvedReads = 10
)

type resolutionJSON struct {
	ID              string          `json:"id" jsonschema:"The id of the decision."`
	At              time.Time       `json:"at"`
	Status          string          `json:"status" jsonschema:"The outcome: resolved, cancelled, or expired when nobody answered in time."`
	User            string          `json:"user,omitempty" jsonschema:"The user who decided. It is left out if nobody did, or if the server does not tell users apart."`
	Through         string          `json:"through,omitempty" jsonschema:"The way by which the answer came: socket, post, copilotkit, inbox, link, login, call, expiry, operator or steering."`
	Payload         json.RawMessage `json:"payload,omitempty" jsonschema:"The answer. A summary leaves it out if it is large."`
	ArgumentsDigest string          `json:"argumentsDigest,omitempty" jsonschema:"The digest of the arguments, as in listDecisions."`
	AnsweredBy      decisionRunJSON `json:"answeredBy,omitzero" jsonschema:"The run that the answer began. It is left out if no run began because the thread was deleted."`
	Refused         int             `json:"refused" jsonschema:"The number of answers that were refused before this one."`
}

// listResolved is the inbox of what was decided.
func (c *call) listResolved(q operate.InboxQuery, thread *store.ThreadKey) (any, error) {
	if !q.Before.IsZero() {
		return nil, badRequest("deadlineBefore is of what is open")
	}
	// A question that was asked then or later was decided later.
	of := store.DecisionQuery{Tenant: q.Tenant, AllTenants: q.AllTenants, Namespace: q.Namespace, User: q.Owner, Tool: q.Tool, Agent: q.Agent, From: q.From, Thread: thread}
	mark := resolvedMark(q)
	if q.Cursor != "" {
		inner, ours := strings.CutPrefix(q.Cursor, mark)
		if !ours || inner == "" {
			return nil, store.ErrBadCursor
		}
		of.Cursor = inner
	}
	found, next, err := c.resolved(of, q)
	if next != "" {
		next = mark + next
	}
	return pageOf(found, next, err, func(d store.Decision) inboxItemJSON {
		item := resolvedItem(d)
		if q.AllTenants {
			item.Tenant = d.Tenant
		}
		return item
	})
}

// resolvedMark begins the cursors of a query, with what the store does not look for.
func resolvedMark(q operate.InboxQuery) string {
	text, _ := json.Marshal([]any{q.Reason, q.Label, q.From, q.To})
	sum := sha256.Sum256(text)
	return "r." + base64.RawURLEncoding.EncodeToString(sum[:6]) + "."
}

// resolved reads a page, and looks at a bounded number of decisions for it.
func (c *call) resolved(of store.DecisionQuery, q operate.InboxQuery) (found []store.Decision, next string, err error) {
	limit := cmp.Or(q.Limit, 50)
	for looked, reads := 0, 1; ; reads++ {
		of.Limit = limit - len(found) // so that none behind the page is passed over
		page, err := c.Record.Decisions(c.r.Context(), of)
		if err != nil && !errors.Is(err, store.ErrPartial) {
			return nil, "", err
		}
		for _, d := range page.Decisions {
			if wantsResolved(d, q) {
				found = append(found, d)
			}
		}
		looked += max(1, len(page.Decisions))
		if err != nil || page.Next == "" || len(found) == limit || looked >= resolvedLooks || reads == resolvedReads {
			return found, page.Next, err
		}
		of.Cursor = page.Next
	}
}

func wantsResolved(d store.Decision, q operate.InboxQuery) bool {
	if !q.From.IsZero() && d.Asked.Before(q.From) || !q.To.IsZero() && !d.Asked.Before(q.To) {
		return false
	}
	if q.Reason == "" && q.Label == "" {
		return true
	}
	b := bodyOf(d)
	return (q.Reason == "" || b.Reason == q.Reason) && (q.Label == "" || b.AskedBy.Label == q.Label)
}

// resolvedItem is a decision as an item of the inbox, as small as those that are open.
func resolvedItem(d store.Decision) inboxItemJSON {
	b := bodyOf(d)
	shown := protocol.Interrupt{ID: d.Interrupt, Reason: cut(b.Reason, shownMessage), Message: cut(b.Message, shownMessage), ToolCallID: cut(b.ToolCallID, shownMessage)}
	it := interruptJSON{ID: d.Interrupt, Truncated: len(b.Cut) > 0 || len(b.Message) > shownMessage,
		Decision: &resolutionJSON{ID: d.ID, At: d.At.UTC(), Status: string(d.Status), User: notices.UserOf(d.User), Through: string(b.Through),
			Payload: b.Payload, ArgumentsDigest: b.ArgumentsDigest, AnsweredBy: decisionRunJSON{d.RunID, b.AnsweredBy.Label}, Refused: d.Refused}}
	it.Interrupt, _ = json.Marshal(shown) // texts
	if d.Tool != "" || b.Arguments != nil {
		args := string(b.Arguments)
		if slices.Contains(b.Cut, "arguments") {
			_ = json.Unmarshal(b.Arguments, &args) // a text with their beginning
		}
		it.ToolCall = &toolCallJSON{Name: cut(d.Tool, shownMessage), Arguments: cut(args, shownArgs)}
		it.Truncated = it.Truncated || len(args) > shownArgs
	}
	if len(b.Payload) > shownArgs {
		it.Decision.Payload, it.Truncated = nil, true
	}
	return inboxItemJSON{ThreadID: d.Thread.Thread, Namespace: d.Thread.Namespace, Agent: d.Agent, Since: d.Asked.UTC(), Label: b.AskedBy.Label,
		Interrupts: []interruptJSON{it}}
}
