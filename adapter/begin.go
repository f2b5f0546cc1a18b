package adapter

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// queueing fills in a Begin whose run has to wait.
func queueing(b *store.Begin, in Input, j *judgement, fresh protocol.Messages) error {
	input := *in.Run
	if newState(j) == nil {
		input.State = nil // what its sender holds says nothing new, and will be old when it runs
	}
	text, err := json.Marshal(input)
	if err != nil {
		return fmt.Errorf("adapter: input: %w", err)
	}
	if b.Input, err = json.Marshal(store.QueuedInput{Input: text, Agent: in.Agent, Fresh: fresh}); err != nil {
		return fmt.Errorf("adapter: input: %w", err)
	}
	for i, e := range lifecycle.CancelledInQueue(b.Thread, b.Label) {
		if b.Cancelled[i], err = protocol.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// beginning fills in a Begin that starts a new execution, and folds in how its
// run begins.
func beginning(b *store.Begin, j *judgement, v verdict) (*begin, error) {
	start := &begin{view: j.view, fold: j.fold, label: b.Label, id: b.Execution, agent: b.Agent}
	start.events = startEvents(b.Thread, j, v.fresh)
	if v.rewinds {
		held := j.fold.Messages()
		if err := archive(b, held, v.keep); err != nil {
			return nil, err
		}
		start.events = append(start.events, cutTo(append(held[:v.keep:v.keep], v.fresh...), held))
	}
	if state := newState(j); state != nil {
		start.events = append(start.events, &protocol.StateSnapshot{Snapshot: state})
	}
	if err := encodeStart(&b.Events, start); err != nil {
		return nil, err
	}
	var err error
	if start.frozen, b.Frozen, err = freeze(j, start); err != nil {
		return nil, err
	}
	if v.continues != nil { // steering away: the answers are accepted, nothing continues
		b.Answers, err = answers(j, v, b)
	}
	return start, err
}

// continuing fills in a Begin that continues the suspended execution.
func continuing(b *store.Begin, j *judgement, v verdict) (*begin, error) {
	start := &begin{view: j.view, fold: j.fold, label: b.Label, id: b.Execution, continuing: true}
	start.events = startEvents(b.Thread, j, v.fresh)
	if err := encodeStart(&b.Events, start); err != nil {
		return nil, err
	}
	var err error
	if b.Answers, err = answers(j, v, b); err != nil {
		return nil, err
	}
	b.Answer, err = json.Marshal(store.JournalEntry{
		Kind: store.EntryAnswer, Entries: v.decisions, Messages: v.fresh, Run: b.Label,
		Position: j.view.Seq + int64(len(b.Events)), Final: v.final, Failure: v.failure,
	})
	return start, err
}

// answers are what is kept of each decision.
func answers(j *judgement, v verdict, b *store.Begin) (map[string]json.RawMessage, error) {
	kept := map[string]json.RawMessage{}
	for i, entry := range v.decisions {
		text, err := json.Marshal(store.Decision{Key: v.keys[i], Run: b.RunID, Label: b.Label, At: j.view.Now.UnixMilli()})
		if err != nil {
			return nil, err
		}
		kept[entry.InterruptID] = text
	}
	return kept, nil
}

// startEvents open a run. The echoed input holds what is new to the thread and
// nothing that could be a secret.
func startEvents(key store.ThreadKey, j *judgement, fresh protocol.Messages) []protocol.Event {
	return []protocol.Event{&protocol.RunStarted{
		ThreadID: key.Thread, RunID: j.input.RunID, ProtocolVersion: lifecycle.Version,
		Input: &protocol.RunAgentInput{ThreadID: key.Thread, RunID: j.input.RunID, Messages: fresh},
	}}
}

// newState is the input's state if it says something else than the thread's.
// An empty object is what a client sends that holds none.
func newState(j *judgement) json.RawMessage {
	given := json.RawMessage(j.input.State)
	if j.input.State.IsZero() {
		return nil
	}
	canonical, err := Canonical(given)
	if err != nil || string(canonical) == "{}" {
		return nil
	}
	if held, err := Canonical(lifecycle.State(j.fold.State())); err == nil && string(held) == string(canonical) {
		return nil
	}
	return given
}

func encodeStart(into *[][]byte, start *begin) error {
	for _, e := range start.events {
		text, err := protocol.Encode(e)
		if err != nil {
			return err
		}
		*into = append(*into, text)
		start.fold.Apply(e)
	}
	return nil
}

// freeze fixes what the execution's function sees.
func freeze(j *judgement, start *begin) (store.Frozen, json.RawMessage, error) {
	input := *j.input
	input.Messages = start.fold.Messages()
	input.State = protocol.Any(lifecycle.State(start.fold.State()))
	input.Resume = nil
	f := store.Frozen{Input: &input, Label: start.label, Now: j.view.Now, At: j.view.Seq, Begun: len(start.events)}
	text, err := json.Marshal(f)
	if err != nil {
		return f, nil, fmt.Errorf("adapter: frozen input: %w", err)
	}
	return f, text, nil
}
