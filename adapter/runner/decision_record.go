package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// DecisionBody is what the record has of a decision beside what it is found by: the Body
// of a store.Decision.
type DecisionBody struct {
	Reason     string `json:"reason"`
	Message    string `json:"message,omitempty"` // as it was shown, without what is beyond 64 KiB
	ToolCallID string `json:"toolCallId,omitempty"`
	// Arguments are those of the call as they were shown, without what Options.Redact takes
	// out: JSON or, of what is none or has more than 64 KiB, a string with its first part.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// ArgumentsDigest is the SHA-256, in hex, of all the arguments in the form of RFC 8785,
	// numbers by their exact value; of what is no JSON, as they are.
	ArgumentsDigest string `json:"argumentsDigest,omitempty"`
	// Payload is the answer's, without what Options.Redact takes out, and as Arguments else.
	Payload json.RawMessage `json:"payload,omitempty"`
	// Cut says what has more than 64 KiB: message, arguments, payload.
	Cut []string `json:"cut,omitempty"`
	Origin
	AskedBy    DecisionRun `json:"askedBy"`    // the run that asked
	AnsweredBy DecisionRun `json:"answeredBy"` // the run that the answer began; empty: none, as of a thread that is deleted
}

// DecisionRun names a run: the client's runId, and the server's id.
type DecisionRun struct {
	Label string `json:"label"`
	RunID string `json:"runId"`
}

// maxRecorded bounds each text of a decision.
const maxRecorded = 64 << 10

// records shows what was decided, and what became true.
type records struct {
	*node
}

// Decisions pages through the record of what was decided, the latest first. Errors are as
// Inbox's. Each Body is a DecisionBody.
func (rs *records) Decisions(ctx context.Context, q store.DecisionQuery) (store.DecisionPage, error) {
	return rs.store.Decisions(ctx, q)
}

// Notices returns what became true of threads behind a cursor: see store.Notices. Each
// call that waits holds a reading of the store.
func (rs *records) Notices(ctx context.Context, q store.NoticeQuery) (store.NoticePage, error) {
	return rs.store.Notices(ctx, q)
}

// ForgetDecisions takes those of a thread out of the record, also of one that was deleted.
func (rs *records) ForgetDecisions(ctx context.Context, key store.ThreadKey) error {
	return rs.store.ForgetDecisions(ctx, key)
}

// decided is what the record says of the decisions of a run, and what followers are told.
func (n beginBuilder) decided(run DecisionRun) ([]store.Decided, toldAnswers, error) {
	var list []store.Decided
	followers := toldAnswers{left: maxToldOfRun}
	for _, entry := range n.Decisions {
		it := n.Continues.Item(entry.InterruptID)
		var shown protocol.Interrupt
		if err := stored.Decode(it.Interrupt, &shown, "open interrupt %s", it.ID); err != nil {
			return nil, toldAnswers{}, err
		}
		by, drafted := n.drafted[it.ID]
		if !drafted {
			by = signature{n.user, n.from}
		}
		d, body, p := n.redact.asked(it, &shown, n.Continues)
		d.Status, d.User, body.AnsweredBy = store.DecisionStatus(entry.Status), by.User, run
		switch {
		case by.Through == ThroughExpiry:
			d.Status = store.DecisionExpired
		case n.Steer && len(n.Input.Resume) == 0:
			by.Through = ThroughSteering
		}
		body.Origin = by.Origin
		if entry.Status == protocol.ResumeResolved && len(entry.Payload) > 0 {
			p.payload = []byte(entry.Payload)
			p.shownPayload = n.redact.inPayload(d.Tool, p.payload)
			body.Payload = body.keep("payload", p.shownPayload)
		}
		var err error
		if d.Body, err = json.Marshal(body); err != nil {
			return nil, toldAnswers{}, fmt.Errorf("adapter: decision: %w", err)
		}
		list = append(list, d)
		followers.add(d, &body, entry, p, n.View.Now)
	}
	if len(n.Input.Resume) == 0 {
		followers.resume = nil
	}
	return list, followers, nil
}

// asked is what the record says of a question.
func (rs redactions) asked(it *store.SuspendedInterrupt, shown *protocol.Interrupt, of *store.Suspension) (store.Decided, DecisionBody, proposal) {
	d := store.Decided{Interrupt: it.ID}
	body := DecisionBody{Reason: shown.Reason, ToolCallID: shown.ToolCallID, AskedBy: DecisionRun{of.Label, of.RunID}}
	var p proposal
	if it.Call != nil {
		d.Tool, p.arguments = it.Call.Name, []byte(it.Call.Arguments)
		body.ArgumentsDigest = digestOf(p.arguments)
		p.shownArguments = rs.in(d.Tool, p.arguments)
		body.Arguments = body.keep("arguments", p.shownArguments)
	}
	body.Message = body.cut("message", shown.Message)
	return d, body, p
}

// digestOf is the same for all texts of one JSON value.
func digestOf(value []byte) string {
	if form, err := canonical.JSON(value); err == nil {
		value = form
	}
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:])
}

// keep is a value as the record has it.
func (b *DecisionBody) keep(what string, value []byte) json.RawMessage {
	if len(value) <= maxRecorded && json.Valid(value) {
		return value
	}
	text, _ := json.Marshal(b.cut(what, string(value)))
	return text
}

func (b *DecisionBody) cut(what, text string) string {
	if len(text) <= maxRecorded {
		return text
	}
	b.Cut = append(b.Cut, what)
	return cutText(text, maxRecorded)
}

// countsRefused are the refusals of an answer that its decision counts.
var countsRefused = map[string]bool{
	adapter.CodePayloadInvalid: true, adapter.CodePayloadTooComplex: true, adapter.CodeConflict: true, adapter.CodeExpired: true, adapter.CodeOwnApproval: true,
	adapter.CodeUncovered: true,
}

// noteRefused counts a refused answer to what is open. It is no reason to fail that this
// does not succeed.
func (n *node) noteRefused(key store.ThreadKey, refusal *protocol.RunError, entries []protocol.ResumeEntry) {
	if refusal == nil || !countsRefused[refusal.Code] || len(entries) == 0 {
		return
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.InterruptID
	}
	ctx, stop := context.WithTimeout(context.Background(), n.options.StoreTimeout)
	defer stop()
	if err := n.store.Refused(ctx, key, ids); err != nil {
		n.log.Debug("a refused answer was not counted", "thread", key.Thread, "error", err)
	}
}
