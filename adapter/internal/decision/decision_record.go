// Package decision says what is kept of a decision, and what followers are told of it.
package decision

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxRecorded bounds each text of a decision.
const maxRecorded = 64 << 10

// Asked is what the record says of a question.
func (rs Redactions) Asked(it *store.SuspendedInterrupt, shown *protocol.Interrupt, of *store.Suspension) (store.Decided, store.DecisionBody, proposal) {
	d := store.Decided{Interrupt: it.ID}
	body := store.DecisionBody{Reason: shown.Reason, ToolCallID: shown.ToolCallID, AskedBy: store.DecisionRun{Label: of.Label, RunID: of.RunID}}
	var p proposal
	if it.Call != nil {
		d.Tool, p.arguments = it.Call.Name, []byte(it.Call.Arguments)
		body.ArgumentsDigest = digestOf(p.arguments)
		p.shownArguments = rs.In(d.Tool, p.arguments)
		body.Arguments = Keep(&body, "arguments", p.shownArguments)
	}
	body.Message = cutIn(&body, "message", shown.Message)
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

// Keep is a value as the record has it.
func Keep(b *store.DecisionBody, what string, value []byte) json.RawMessage {
	if len(value) <= maxRecorded && json.Valid(value) {
		return value
	}
	text, _ := json.Marshal(cutIn(b, what, string(value)))
	return text
}

func cutIn(b *store.DecisionBody, what, text string) string {
	if len(text) <= maxRecorded {
		return text
	}
	b.Cut = append(b.Cut, what)
	return CutText(text, maxRecorded)
}

// countsRefused are the refusals of an answer that its decision counts.
var countsRefused = map[string]bool{
	adapter.CodePayloadInvalid: true, adapter.CodePayloadTooComplex: true, adapter.CodeConflict: true, adapter.CodeExpired: true, adapter.CodeOwnApproval: true,
	adapter.CodeUncovered: true,
}

// NoteRefused counts a refused answer to what is open. It is no reason to fail that this
// does not succeed.
func NoteRefused(n *node.Node, key store.ThreadKey, refusal *protocol.RunError, entries []protocol.ResumeEntry) {
	if refusal == nil || !countsRefused[refusal.Code] || len(entries) == 0 {
		return
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.InterruptID
	}
	ctx, stop := context.WithTimeout(context.Background(), n.Options.StoreTimeout)
	defer stop()
	if err := n.Store.Refused(ctx, key, ids); err != nil {
		n.Log.Debug("a refused answer was not counted", "thread", key.Thread, "error", err)
	}
}
