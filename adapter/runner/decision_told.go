package runner

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// The RUN_STARTED of a run that answers tells each follower of the answers, so these bound
// it.
const (
	maxToldPayload = 4 << 10
	maxToldReason  = 1 << 10
	// maxToldOfRun bounds all payloads, reasons and changes of a run together.
	maxToldOfRun = 32 << 10
	// maxKeptTold bounds what is kept of it beside the log, to be restated.
	maxKeptTold = 4 << 10
)

// toldAnswers is what followers are told of the decisions of a run.
type toldAnswers struct {
	resume    []protocol.ResumeEntry // as the input brought them; nil: it brought none
	decisions []toldDecision
	metadata  json.RawMessage // the decisions as RUN_STARTED has them
	left      int             // of maxToldOfRun
}

// toldDecision is one of metadata.aguiws.decisions (binding, Who decided).
type toldDecision struct {
	InterruptID string               `json:"interruptId"`
	ToolCallID  string               `json:"toolCallId,omitempty"`
	Status      store.DecisionStatus `json:"status"`
	Approved    *bool                `json:"approved,omitempty"`
	By          string               `json:"by,omitempty"`
	Through     Through              `json:"through,omitempty"`
	At          string               `json:"at"`
	Reason      string               `json:"reason,omitempty"`
	Changed     []change             `json:"changed,omitempty"`
	Cut         []string             `json:"cut,omitempty"` // which of payload, reason and changed are not whole
}

// proposal is what a decision was about and what it says: as it is, and as it may be
// kept.
type proposal struct {
	arguments, shownArguments []byte // nil: of no call
	payload, shownPayload     []byte // nil: there is none
}

// add tells one more decision.
func (t *toldAnswers) add(d store.Decided, body *DecisionBody, entry protocol.ResumeEntry, p proposal, at time.Time) {
	one := toldDecision{
		InterruptID: d.Interrupt, ToolCallID: body.ToolCallID, Status: d.Status,
		By: body.Name, Through: body.Through, At: at.UTC().Format(time.RFC3339Nano),
	}
	echo := protocol.ResumeEntry{InterruptID: entry.InterruptID, Status: entry.Status}
	if len(p.shownPayload) > 0 && d.Status == store.DecisionResolved {
		if len(p.shownPayload) <= maxToldPayload && t.take(len(p.shownPayload)) {
			echo.Payload = protocol.Any(p.shownPayload)
		} else {
			one.Cut = append(one.Cut, "payload")
		}
		t.judged(&one, p)
	}
	t.resume, t.decisions = append(t.resume, echo), append(t.decisions, one)
}

// judged tells what a payload says of a call, by the members that approvalSchema names.
func (t *toldAnswers) judged(one *toldDecision, p proposal) {
	shown := membersOf(p.shownPayload)
	switch text := string(bytes.TrimSpace(shown["approved"])); text {
	case "true", "false":
		approved := text == "true"
		one.Approved = &approved
	default:
		return
	}
	var reason string
	if json.Unmarshal(shown["reason"], &reason) == nil && reason != "" {
		one.Reason = cutText(reason, maxToldReason)
		if !t.take(len(one.Reason)) {
			one.Reason = ""
		}
		if one.Reason != reason {
			one.Cut = append(one.Cut, "reason")
		}
	}
	edited := membersOf(p.payload)["editedArgs"]
	if !*one.Approved || p.arguments == nil || protocol.Any(edited).IsZero() {
		return
	}
	changed, whole := changes(p.arguments, edited, p.shownArguments, shown["editedArgs"])
	if text, _ := json.Marshal(changed); !t.take(len(text)) {
		changed, whole = nil, len(changed) == 0
	}
	one.Changed = changed
	if !whole {
		one.Cut = append(one.Cut, "changed")
	}
}

// take reports whether so much more is told.
func (t *toldAnswers) take(size int) bool {
	if size > t.left {
		return false
	}
	t.left -= size
	return true
}

// inRun completes what is told by the RUN_STARTED of a run, and what its record keeps of
// that.
func (t *toldAnswers) inRun(record *store.RunRecord) (err error) {
	if len(t.decisions) == 0 {
		return nil
	}
	if t.metadata, err = json.Marshal(t.decisions); err == nil && len(t.metadata) <= maxKeptTold {
		record.Decisions = t.metadata
	}
	return err
}

// on is the metadata of a RUN_STARTED.
func (t *toldAnswers) on() protocol.Metadata {
	if t.metadata == nil {
		return nil
	}
	text, err := json.Marshal(map[string]json.RawMessage{"decisions": t.metadata})
	if err != nil {
		return nil // it has been written before
	}
	return protocol.Metadata{lifecycle.MetadataKey: text}
}

// membersOf are those of an object; none of what is none.
func membersOf(value []byte) (members map[string]json.RawMessage) {
	_ = json.Unmarshal(value, &members)
	return members
}

// cutText is a text without what is beyond so many bytes.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
