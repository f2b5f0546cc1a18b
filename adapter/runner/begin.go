package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// beginBuilder is what a Begin is built from.
type beginBuilder struct {
	*judge.Judgement
	judge.Verdict
	thread store.ThreadKey
	digest string // of the input
	agent  string
	user   string // whose input it is; "": not known
	from   Origin // how it has come
	// drafted are who has given the answers that the input only brings together.
	drafted map[string]signature
	redact  redactions
	headers map[string]string
	back    *goingBack      // how it goes back; nil: its messages may say so
	runID   string          // "": a new one
	letter  *store.Dispatch // the dead letter that it requeues; nil: none

	told toldAnswers // by its RUN_STARTED, of its decisions

	waits     bool                    // it is queued, and judged again when it is activated
	sent      *protocol.RunAgentInput // waits: as it came, before anything in it was recognised
	available time.Time               // waits: not before; zero: at once
}

// build completes a Begin that says how the run stands among others: with its names,
// how it begins, and its record. It returns what carrying the run takes; nil when it
// is queued.
func (n beginBuilder) build(b store.Begin, record store.RunRecord) (store.Begin, *begun, error) {
	b.Thread, b.Version, b.Deadline = n.thread, n.View.Version, n.Deadline
	b.RunID, b.Label = cmp.Or(n.runID, uuid.NewString()), n.Input.RunID
	goesOn := n.letter != nil && n.letter.Input == nil
	switch {
	case goesOn: // with what the letter's record names
		b.Execution = record.Execution
	case n.Continues != nil && !n.Steer && !n.waits:
		b.Execution = n.Continues.Execution
	default:
		b.Execution = uuid.NewString()
	}
	record.Label, record.Execution, record.Agent, record.User = b.Label, b.Execution, n.agent, n.user
	if n.Continues != nil && !n.Steer {
		record.Agent = n.Continues.Agent // whoever its input was sent to
	}
	record.ParentRunID, record.Origin = n.Input.ParentRunID, string(n.origin())
	record.Digest = n.digest
	decided, followers, err := n.decided(DecisionRun{b.Label, b.RunID})
	if err != nil {
		return b, nil, err
	}
	if n.told = followers; !n.waits {
		err = n.told.inRun(&record)
	}
	if err == nil {
		b.Record, err = json.Marshal(record)
	}
	if err != nil {
		return b, nil, fmt.Errorf("adapter: run record: %w", err)
	}
	if b.Headers, err = headersOf(n.headers); err != nil {
		return b, nil, err
	}
	if n.waits {
		b.Kind, err = n.enqueue()
		return b, nil, err
	}
	if goesOn {
		run := n.begun(begun{label: b.Label, id: b.Execution, agent: n.agent, requeued: true})
		run.events = n.opening(nil)
		claimed, err := n.claimed(run)
		b.Kind = store.Requeue{Claimed: claimed, Letter: n.letter.ID}
		return b, run, err
	}
	answers, err := n.answers(b.RunID)
	if err != nil {
		return b, nil, err
	}
	if n.Continues != nil && !n.Steer {
		run := n.begun(begun{label: b.Label, id: b.Execution, continuing: true})
		b.Kind, err = n.resume(run, answers, decided)
		return b, run, err
	}
	run, claimed, fresh, err := n.execute(b.Execution)
	if n.Continues != nil { // steering away: the answers are accepted, nothing continues
		b.Kind = store.Steer{Claimed: claimed, Fresh: fresh, Answers: answers, Decided: decided}
	} else {
		execute := store.Execute{Claimed: claimed, Fresh: fresh}
		if n.letter != nil {
			execute.Letter = n.letter.ID
		}
		b.Kind = execute
	}
	return b, run, err
}

// begun completes a run that begins on what was judged.
func (n beginBuilder) begun(run begun) *begun {
	run.view, run.earlier, run.snapshot, run.fold = n.View, n.Fold, n.Snapshot, n.Fold.Clone()
	run.headers = n.headers
	return &run
}

// enqueue is how a run begins that has to wait.
func (n beginBuilder) enqueue() (store.Enqueue, error) {
	input := *n.sent
	if n.newState() == nil {
		input.State = nil // what its sender holds says nothing new, and will be old when it runs
	}
	k := store.Enqueue{Agent: n.agent, Available: n.available, Joins: n.Queue && n.Joins}
	text, err := json.Marshal(input)
	if err != nil {
		return k, fmt.Errorf("adapter: input: %w", err)
	}
	if k.Input, err = json.Marshal(store.QueuedInput{Input: text, Agent: n.agent, Fresh: n.Fresh}); err != nil {
		return k, fmt.Errorf("adapter: input: %w", err)
	}
	for i, e := range lifecycle.CancelledInQueue(n.thread, n.Input.RunID, n.Input.ParentRunID) {
		if k.Cancelled[i], err = protocol.Encode(e); err != nil {
			return k, err
		}
	}
	return k, nil
}

// execute is how a new execution begins, folded in.
func (n beginBuilder) execute(id string) (run *begun, claimed store.Claimed, fresh store.Fresh, err error) {
	run = n.begun(begun{label: n.Input.RunID, id: id, agent: n.agent})
	fresh.Agent = n.agent
	said := n.Fresh
	if n.back != nil && n.back.restores != "" {
		fresh.Restores, said = n.back.restores, nil
	}
	run.events = n.opening(said)
	if n.Rewinds {
		held := n.Fold.Messages()
		fresh.Archive = archive(held[n.Keep:])
		for _, m := range n.Fresh {
			delete(fresh.Archive, m.ID) // it is there again, edited or restored
		}
		if fresh.Branch, err = branch(held, n.Keep, n.View.Now); err != nil {
			return nil, claimed, fresh, err
		}
		run.events = append(run.events, cutTo(append(held[:n.Keep:n.Keep], n.Fresh...), held))
	}
	if state := n.newState(); state != nil {
		run.events = append(run.events, &protocol.StateSnapshot{Snapshot: state})
	}
	if claimed, err = n.claimed(run); err != nil {
		return nil, claimed, fresh, err
	}
	run.frozen, fresh.Frozen, err = freeze(n.Judgement, run, n.user, n.left(), fresh.Restores != "")
	return run, claimed, fresh, err
}

// resume is how a run continues the suspended execution.
func (n beginBuilder) resume(run *begun, answers map[string]json.RawMessage, decided []store.Decided) (store.Resume, error) {
	run.events = n.opening(n.Fresh)
	claimed, err := n.claimed(run)
	if err != nil {
		return store.Resume{}, err
	}
	decisions, err := json.Marshal(store.JournalEntry{
		Kind: store.EntryAnswer, Entries: n.Decisions, Messages: n.Fresh, Label: run.label,
		Position: n.View.Seq + int64(len(claimed.Events)), Final: n.Final, Failure: n.Failure, Stops: n.Stops, User: n.user,
		Input: broughtBy(n.Input),
	})
	return store.Resume{Claimed: claimed, Answers: answers, Decided: decided, Decisions: decisions}, err
}

// answers are what is kept of each decision.
func (n beginBuilder) answers(runID string) (map[string]json.RawMessage, error) {
	kept := map[string]json.RawMessage{}
	for i, entry := range n.Decisions {
		text, err := json.Marshal(store.Answer{Key: n.Keys[i], RunID: runID, Label: n.Input.RunID, At: n.View.Now.UnixMilli(),
			Expired: n.from.Through == ThroughExpiry, Stopped: n.Stops})
		if err != nil {
			return nil, err
		}
		kept[entry.InterruptID] = text
	}
	return kept, nil
}

// opening are the events that open a run. The echoed input holds what is new to the
// thread, and of answers what the decision record may keep.
func (n beginBuilder) opening(fresh protocol.Messages) []protocol.Event {
	return []protocol.Event{&protocol.RunStarted{
		Base:     protocol.Base{Metadata: n.told.on()},
		ThreadID: n.thread.Thread, RunID: n.Input.RunID, ParentRunID: n.Input.ParentRunID, ProtocolVersion: lifecycle.Version,
		Input: &protocol.RunAgentInput{ThreadID: n.thread.Thread, RunID: n.Input.RunID, Messages: fresh, Resume: n.told.resume},
	}}
}

// claimed is what the store takes of a run that begins at once; its events are folded
// in.
func (n beginBuilder) claimed(run *begun) (store.Claimed, error) {
	k := store.Claimed{Token: uuid.NewString()}
	for _, e := range run.events {
		text, err := protocol.Encode(e)
		if err != nil {
			return k, err
		}
		k.Events = append(k.Events, text)
		run.fold.Apply(e)
	}
	return k, nil
}

// newState is the input's state if it says something else than the thread's. Two states say
// nothing else: an empty object, which a client sends that holds none, and the thread's
// state as a client returns it that reads numbers as doubles. Taken for a new state, the
// latter would round the thread's.
func (n beginBuilder) newState() json.RawMessage {
	given := json.RawMessage(n.Input.State)
	if n.Input.State.IsZero() || isEmptyObject(given) || canonical.Echoes(given, lifecycle.State(n.Fold.State())) {
		return nil
	}
	return given
}

func isEmptyObject(value []byte) bool {
	inside, isObject := bytes.CutPrefix(bytes.TrimSpace(value), []byte("{"))
	return isObject && string(bytes.TrimSpace(inside)) == "}"
}

// left are the agent's own ids of the interrupts that the input turns away from, or that
// expired before it.
func (n beginBuilder) left() []string {
	switch {
	case n.Continues != nil:
		return n.Continues.Refs()
	case n.View.Latest == nil:
		return nil
	}
	latest, err := stored.Record(n.View.Latest)
	if err != nil {
		return nil // what cannot be read keeps nobody from a new message
	}
	return latest.Left
}

// freeze fixes what the execution's function sees.
func freeze(j *judge.Judgement, run *begun, user string, left []string, restores bool) (store.Frozen, json.RawMessage, error) {
	run.given = conversationOf(run.fold)
	input := *j.Input
	input.Messages = protocol.Messages{}
	input.State = protocol.Any(lifecycle.State(run.fold.State()))
	input.Resume = nil
	f := store.Frozen{Input: &input, Label: run.label, Now: j.View.Now, At: j.View.Seq, Begun: len(run.events), User: user, Left: left, Restores: restores}
	f.Of = &store.Conversation{At: f.At + int64(f.Begun), Count: run.given.count}
	given := run.given.messages()
	if !restores {
		f.Answers = answered(j, run.fold, given)
	}
	text, err := json.Marshal(f)
	if err != nil {
		return f, nil, fmt.Errorf("adapter: frozen input: %w", err)
	}
	input.Messages = given
	return f, text, nil
}
