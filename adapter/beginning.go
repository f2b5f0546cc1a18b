package adapter

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// beginning is what a Begin is built from.
type beginning struct {
	*judgement
	verdict
	agent  string
	letter *store.Dispatch // the dead letter that it requeues; nil: none

	waits     bool      // it is queued, and judged again when it is activated
	available time.Time // waits: not before; zero: at once
}

// build completes a Begin that says how the run stands among others: with its names,
// how it begins, and its record. It returns what carrying the run takes; nil when it
// is queued.
func (n beginning) build(b store.Begin, record runRecord) (store.Begin, *begin, error) {
	b.Thread, b.Version, b.Deadline = n.thread, n.view.Version, n.deadline
	b.RunID, b.Label = uuid.NewString(), n.input.RunID
	goesOn := n.letter != nil && n.letter.Input == nil
	switch {
	case goesOn: // with what the letter's record names
		b.Execution = record.Execution
	case n.continues != nil && !n.steer && !n.waits:
		b.Execution = n.continues.Execution
	default:
		b.Execution = uuid.NewString()
	}
	record.Label, record.Execution, record.Agent, record.Digest = b.Label, b.Execution, n.agent, n.digest
	var err error
	if b.Record, err = json.Marshal(record); err != nil {
		return b, nil, fmt.Errorf("adapter: run record: %w", err)
	}
	if n.waits {
		b.Kind, err = n.enqueue()
		return b, nil, err
	}
	if goesOn {
		start := &begin{view: n.view, fold: n.fold, label: b.Label, id: b.Execution, agent: n.agent, requeued: true}
		start.events = n.opening(nil)
		claimed, err := n.claimed(start)
		b.Kind = store.Requeue{Claimed: claimed, Letter: n.letter.ID}
		return b, start, err
	}
	answers, err := n.answers(b.RunID)
	if err != nil {
		return b, nil, err
	}
	if n.continues != nil && !n.steer {
		start := &begin{view: n.view, fold: n.fold, label: b.Label, id: b.Execution, continuing: true}
		b.Kind, err = n.resume(start, answers)
		return b, start, err
	}
	start, claimed, fresh, err := n.execute(b.Execution)
	if n.continues != nil { // steering away: the answers are accepted, nothing continues
		b.Kind = store.Steer{Claimed: claimed, Fresh: fresh, Answers: answers}
	} else {
		execute := store.Execute{Claimed: claimed, Fresh: fresh}
		if n.letter != nil {
			execute.Letter = n.letter.ID
		}
		b.Kind = execute
	}
	return b, start, err
}

// enqueue is how a run begins that has to wait.
func (n beginning) enqueue() (store.Enqueue, error) {
	input := *n.input
	if n.newState() == nil {
		input.State = nil // what its sender holds says nothing new, and will be old when it runs
	}
	k := store.Enqueue{Available: n.available}
	text, err := json.Marshal(input)
	if err != nil {
		return k, fmt.Errorf("adapter: input: %w", err)
	}
	if k.Input, err = json.Marshal(queuedInput{Input: text, Agent: n.agent, Fresh: n.fresh}); err != nil {
		return k, fmt.Errorf("adapter: input: %w", err)
	}
	for i, e := range cancelledInQueue(n.thread, n.input.RunID) {
		if k.Cancelled[i], err = protocol.Encode(e); err != nil {
			return k, err
		}
	}
	return k, nil
}

// cancelledInQueue is the whole of a run that never ran.
func cancelledInQueue(key store.ThreadKey, label string) [2]protocol.Event {
	return [2]protocol.Event{
		&protocol.RunStarted{ThreadID: key.Thread, RunID: label, ProtocolVersion: protocolVersion},
		cancelledEvent(key, label),
	}
}

// execute is how a new execution begins, folded in.
func (n beginning) execute(execution string) (start *begin, claimed store.Claimed, fresh store.Fresh, err error) {
	start = &begin{view: n.view, fold: n.fold, label: n.input.RunID, id: execution, agent: n.agent}
	fresh.Agent = n.agent
	start.events = n.opening(n.fresh)
	if n.rewinds {
		held := n.fold.Messages()
		if fresh.Archive, err = archive(held[n.keep:]); err != nil {
			return nil, claimed, fresh, err
		}
		start.events = append(start.events, cutTo(append(held[:n.keep:n.keep], n.fresh...), held))
	}
	if state := n.newState(); state != nil {
		start.events = append(start.events, &protocol.StateSnapshot{Snapshot: state})
	}
	if claimed, err = n.claimed(start); err != nil {
		return nil, claimed, fresh, err
	}
	start.frozen, fresh.Frozen, err = freeze(n.judgement, start)
	return start, claimed, fresh, err
}

// resume is how a run continues the suspended execution.
func (n beginning) resume(start *begin, answers map[string]json.RawMessage) (store.Resume, error) {
	start.events = n.opening(n.fresh)
	claimed, err := n.claimed(start)
	if err != nil {
		return store.Resume{}, err
	}
	decisions, err := json.Marshal(record{
		Kind: recordAnswer, Entries: n.decisions, Messages: n.fresh, Run: start.label,
		Position: n.view.Seq + int64(len(claimed.Events)), Final: n.final, Failure: n.failure,
	})
	return store.Resume{Claimed: claimed, Answers: answers, Decisions: decisions}, err
}

// answers are what is kept of each decision.
func (n beginning) answers(runID string) (map[string]json.RawMessage, error) {
	kept := map[string]json.RawMessage{}
	for i, entry := range n.decisions {
		text, err := json.Marshal(answered{Key: n.keys[i], Run: runID, Label: n.input.RunID, At: n.view.Now.UnixMilli()})
		if err != nil {
			return nil, err
		}
		kept[entry.InterruptID] = text
	}
	return kept, nil
}

// opening are the events that open a run. The echoed input holds what is new to the
// thread and nothing that could be a secret.
func (n beginning) opening(fresh protocol.Messages) []protocol.Event {
	return []protocol.Event{&protocol.RunStarted{
		ThreadID: n.thread.Thread, RunID: n.input.RunID, ProtocolVersion: protocolVersion,
		Input: &protocol.RunAgentInput{ThreadID: n.thread.Thread, RunID: n.input.RunID, Messages: fresh},
	}}
}

// claimed is what the store takes of a run that begins at once; its events are folded
// in.
func (n beginning) claimed(start *begin) (store.Claimed, error) {
	k := store.Claimed{Token: uuid.NewString()}
	for _, e := range start.events {
		text, err := protocol.Encode(e)
		if err != nil {
			return k, err
		}
		k.Events = append(k.Events, text)
		start.fold.Apply(e)
	}
	return k, nil
}

// newState is the input's state if it says something else than the thread's.
// An empty object is what a client sends that holds none.
func (j *judgement) newState() json.RawMessage {
	given := json.RawMessage(j.input.State)
	if j.input.State.IsZero() {
		return nil
	}
	canonical, err := Canonical(given)
	if err != nil || string(canonical) == "{}" {
		return nil
	}
	if held, err := Canonical(orEmpty(j.fold.State())); err == nil && string(held) == string(canonical) {
		return nil
	}
	return given
}

// freeze fixes what the execution's function sees.
func freeze(j *judgement, start *begin) (frozen, json.RawMessage, error) {
	input := *j.input
	input.Messages = start.fold.Messages()
	input.State = protocol.Any(orEmpty(start.fold.State()))
	input.Resume = nil
	f := frozen{Input: &input, Label: start.label, Now: j.view.Now, At: j.view.Seq, Begun: len(start.events)}
	text, err := json.Marshal(f)
	if err != nil {
		return f, nil, fmt.Errorf("adapter: frozen input: %w", err)
	}
	return f, text, nil
}
