package adapter

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// queueing fills in a Begin whose run has to wait.
func queueing(b *store.Begin, in Input, j *judge.Judgement, fresh protocol.Messages) error {
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
func beginning(b *store.Begin, j *judge.Judgement, v judge.Verdict) (*begin, error) {
	start := &begin{view: j.View, fold: j.Fold, label: b.Label, id: b.Execution, agent: b.Agent}
	start.events = startEvents(b.Thread, j, v.Fresh)
	if v.Rewinds {
		held := j.Fold.Messages()
		if err := archive(b, held, v.Keep); err != nil {
			return nil, err
		}
		start.events = append(start.events, cutTo(append(held[:v.Keep:v.Keep], v.Fresh...), held))
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
	if v.Continues != nil { // steering away: the answers are accepted, nothing continues
		b.Answers, err = answers(j, v, b)
	}
	return start, err
}

// continuing fills in a Begin that continues the suspended execution.
func continuing(b *store.Begin, j *judge.Judgement, v judge.Verdict) (*begin, error) {
	start := &begin{view: j.View, fold: j.Fold, label: b.Label, id: b.Execution, continuing: true}
	start.events = startEvents(b.Thread, j, v.Fresh)
	if err := encodeStart(&b.Events, start); err != nil {
		return nil, err
	}
	var err error
	if b.Answers, err = answers(j, v, b); err != nil {
		return nil, err
	}
	b.Answer, err = json.Marshal(store.JournalEntry{
		Kind: store.EntryAnswer, Entries: v.Decisions, Messages: v.Fresh, Run: b.Label,
		Position: j.View.Seq + int64(len(b.Events)), Final: v.Final, Failure: v.Failure,
	})
	return start, err
}

// answers are what is kept of each decision.
func answers(j *judge.Judgement, v judge.Verdict, b *store.Begin) (map[string]json.RawMessage, error) {
	kept := map[string]json.RawMessage{}
	for i, entry := range v.Decisions {
		text, err := json.Marshal(store.Decision{Key: v.Keys[i], Run: b.RunID, Label: b.Label, At: j.View.Now.UnixMilli()})
		if err != nil {
			return nil, err
		}
		kept[entry.InterruptID] = text
	}
	return kept, nil
}

// startEvents open a run. The echoed input holds what is new to the thread and
// nothing that could be a secret.
func startEvents(key store.ThreadKey, j *judge.Judgement, fresh protocol.Messages) []protocol.Event {
	return []protocol.Event{&protocol.RunStarted{
		ThreadID: key.Thread, RunID: j.Input.RunID, ProtocolVersion: lifecycle.Version,
		Input: &protocol.RunAgentInput{ThreadID: key.Thread, RunID: j.Input.RunID, Messages: fresh},
	}}
}

// newState is the input's state if it says something else than the thread's.
// An empty object is what a client sends that holds none.
func newState(j *judge.Judgement) json.RawMessage {
	given := json.RawMessage(j.Input.State)
	if j.Input.State.IsZero() {
		return nil
	}
	text, err := canonical.JSON(given)
	if err != nil || string(text) == "{}" {
		return nil
	}
	if held, err := canonical.JSON(lifecycle.State(j.Fold.State())); err == nil && string(held) == string(text) {
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
func freeze(j *judge.Judgement, start *begin) (store.Frozen, json.RawMessage, error) {
	input := *j.Input
	input.Messages = start.fold.Messages()
	input.State = protocol.Any(lifecycle.State(start.fold.State()))
	input.Resume = nil
	f := store.Frozen{Input: &input, Label: start.label, Now: j.View.Now, At: j.View.Seq, Begun: len(start.events)}
	text, err := json.Marshal(f)
	if err != nil {
		return f, nil, fmt.Errorf("adapter: frozen input: %w", err)
	}
	return f, text, nil
}
