package execution

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// finished is the terminal event of a run that ends well.
func (x *execution) finished() (*protocol.RunFinished, error) {
	metadata := x.ending.metadata
	if x.Pipe.pausing() {
		metadata = lifecycle.WithOwnMetadata(metadata, "notPaused", "the run ended before it came to a step")
	}
	e := &protocol.RunFinished{
		Base:     protocol.Base{Metadata: metadata},
		ThreadID: x.Claim.Thread.Thread, RunID: x.label, Result: protocol.Any(x.ending.result),
		Outcome: &protocol.RunOutcome{Type: protocol.OutcomeSuccess, PendingToolCallIDs: x.open.list()},
		Usage:   x.usage,
	}
	if x.ending.result == nil && x.ending.metadata == nil {
		return e, nil
	}
	if _, err := protocol.Encode(e); err != nil {
		return nil, fmt.Errorf("adapter: finish: %w", err)
	}
	return e, nil
}

// maxSummaryText bounds the text in a run's summary, which lies on a line that is read often.
const maxSummaryText = 256

// summary is what the run has done, for its record; nil: nothing. A run that waits has no
// text: its questions are what it says.
func (x *execution) summary(end *store.End) json.RawMessage {
	var s store.RunSummary
	if x.journal != nil {
		s = store.RunSummary(x.journal.Ran)
	}
	for _, m := range slices.Backward(x.fold.Messages()) {
		if run, _ := x.fold.Producer(m.ID); run != x.label {
			break
		}
		switch m.Role {
		case protocol.RoleUser, protocol.RoleSystem, protocol.RoleDeveloper:
			continue // of an input
		case protocol.RoleAssistant:
			if s.Text == "" && end.Kind != store.EndSuspend {
				s.Text = node.ShortText(m.Content.String(), maxSummaryText)
			}
		}
		if s.Wrote++; s.Last == "" {
			s.Last = m.ID
		}
		s.First = m.ID
	}
	if s.Wrote == 1 {
		s.First = "" // the same
	}
	if x.frozen.Caller != nil && x.journal != nil && end.Kind != store.EndSuspend && !end.GiveBack {
		users, err := x.users()
		if err != nil {
			users = []string{""} // somebody who is not known: an end waits for nobody's name
		}
		s.Users = users
	}
	if len(s.Steps) == 0 && s.Wrote == 0 && len(s.Users) == 0 {
		return nil
	}
	text, _ := json.Marshal(s) // it holds texts and numbers alone
	return text
}
