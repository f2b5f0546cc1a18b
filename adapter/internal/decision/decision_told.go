package decision

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
	// MaxToldOfRun bounds all payloads, reasons and changes of a run together.
	MaxToldOfRun = 32 << 10
	// maxKeptTold bounds what is kept of it beside the log, to be restated.
	maxKeptTold = 4 << 10
)

// ToldAnswers is what followers are told of the decisions of a run.
type ToldAnswers struct {
	Resume    []protocol.ResumeEntry // as the input brought them; nil: it brought none
	decisions []toldDecision
	metadata  json.RawMessage // the decisions as RUN_STARTED has them
	Left      int             // of maxToldOfRun
}

// toldDecision is one of metadata.aguiws.decisions (binding, Who decided).
type toldDecision struct {
	InterruptID string               `json:"interruptId"`
	ToolCallID  string               `json:"toolCallId,omitempty"`
	Status      store.DecisionStatus `json:"status"`
	Approved    *bool                `json:"approved,omitempty"`
	By          string               `json:"by,omitempty"`
	Through     store.Through        `json:"through,omitempty"`
	At          string               `json:"at"`
	Reason      string               `json:"reason,omitempty"`
	Changed     []change             `json:"changed,omitempty"`
	Cut         []string             `json:"cut,omitempty"` // which of payload, reason and changed are not whole
}

// proposal is what a decision was about and what it says: as it is, and as it may be
// kept.
type proposal struct {
	arguments, shownArguments []byte // nil: of no call
	Payload, ShownPayload     []byte // nil: there is none
}

// Add tells one more decision.
func (t *ToldAnswers) Add(d store.Decided, body *store.DecisionBody, entry protocol.ResumeEntry, p proposal, at time.Time) {
	one := toldDecision{
		InterruptID: d.Interrupt, ToolCallID: body.ToolCallID, Status: d.Status,
		By: body.Name, Through: body.Through, At: at.UTC().Format(time.RFC3339Nano),
	}
	echo := protocol.ResumeEntry{InterruptID: entry.InterruptID, Status: entry.Status}
	if len(p.ShownPayload) > 0 && d.Status == store.DecisionResolved {
		if len(p.ShownPayload) <= maxToldPayload && t.take(len(p.ShownPayload)) {
			echo.Payload = protocol.Any(p.ShownPayload)
		} else {
			one.Cut = append(one.Cut, "payload")
		}
		t.judged(&one, p)
	}
	t.Resume, t.decisions = append(t.Resume, echo), append(t.decisions, one)
}

// judged tells what a payload says of a call, by the members that approvalSchema names.
func (t *ToldAnswers) judged(one *toldDecision, p proposal) {
	shown := membersOf(p.ShownPayload)
	switch text := string(bytes.TrimSpace(shown["approved"])); text {
	case "true", "false":
		approved := text == "true"
		one.Approved = &approved
	default:
		return
	}
	var reason string
	if json.Unmarshal(shown["reason"], &reason) == nil && reason != "" {
		one.Reason = CutText(reason, maxToldReason)
		if !t.take(len(one.Reason)) {
			one.Reason = ""
		}
		if one.Reason != reason {
			one.Cut = append(one.Cut, "reason")
		}
	}
	edited := membersOf(p.Payload)["editedArgs"]
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
func (t *ToldAnswers) take(size int) bool {
	if size > t.Left {
		return false
	}
	t.Left -= size
	return true
}

// InRun completes what is told by the RUN_STARTED of a run, and what its record keeps of
// that.
func (t *ToldAnswers) InRun(record *store.RunRecord) (err error) {
	if len(t.decisions) == 0 {
		return nil
	}
	if t.metadata, err = json.Marshal(t.decisions); err == nil && len(t.metadata) <= maxKeptTold {
		record.Decisions = t.metadata
	}
	return err
}

// On is the metadata of a RUN_STARTED.
func (t *ToldAnswers) On() protocol.Metadata {
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

// CutText is a text without what is beyond so many bytes.
func CutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
