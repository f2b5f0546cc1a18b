package adapter

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// runRecord is what the store keeps of a run for us.
type runRecord struct {
	Label     string   `json:"label"`
	Execution string   `json:"execution"`
	Agent     string   `json:"agent,omitempty"`
	Digest    string   `json:"digest"`             // of what makes a repeat equal
	Messages  []string `json:"messages,omitempty"` // ids of the input's messages
}

// answered is what the store keeps of an accepted decision.
type answered struct {
	Key   string `json:"key"` // resume key
	Run   string `json:"run"` // server-made id of the run that carries it out
	Label string `json:"label"`
	At    int64  `json:"at"` // Unix ms
}

// queuedInput is what activating a waiting input needs.
type queuedInput struct {
	Input json.RawMessage `json:"input"` // RunAgentInput
	Agent string          `json:"agent,omitempty"`
	// Fresh are the messages of the input that the thread did not have when it
	// was queued: what followers are shown.
	Fresh protocol.Messages `json:"fresh"`
}

// readRecord decodes the record of a run.
func readRecord(state *store.RunState) (runRecord, error) {
	var r runRecord
	err := readStored(state.Record, &r, "the record of run %s", state.ID)
	return r, err
}

// foldView is the thread's messages and state as of a position: the stored
// snapshot and the fold of the log after it. A negative position means the
// log's end.
func foldView(view *store.ThreadView, upTo int64) (*protocol.Fold, error) {
	messages := make(protocol.Messages, 0, len(view.Snapshot.Messages))
	for i, text := range view.Snapshot.Messages {
		var m protocol.Message
		if err := readStored(text, &m, "message %d", i); err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	if view.Snapshot.State != nil && !json.Valid(view.Snapshot.State) {
		return nil, corrupted("the state")
	}
	f := protocol.NewFold(messages, view.Snapshot.State)
	return f, eachEvent(view, view.Snapshot.At, upTo, func(e protocol.Event) { f.Apply(e) })
}

// eachEvent calls fn for the logged events after one position and up to
// another.
func eachEvent(view *store.ThreadView, after, upTo int64, fn func(protocol.Event)) error {
	for i, text := range view.Log {
		at := view.Snapshot.At + 1 + int64(i)
		if at <= after || upTo >= 0 && at > upTo {
			continue
		}
		e, err := protocol.Decode(text)
		if err != nil {
			return corrupted("logged event %d", at)
		}
		fn(e)
	}
	return nil
}

// storedMessages are the snapshot's messages by id.
func storedMessages(view *store.ThreadView) map[string]string {
	stored := make(map[string]string, len(view.Snapshot.Messages))
	for _, text := range view.Snapshot.Messages {
		var m struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(text, &m) == nil {
			stored[m.ID] = string(text)
		}
	}
	return stored
}
