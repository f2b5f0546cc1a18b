package admit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/decision"
	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// BeginBuilder is what a Begin is built from.
type BeginBuilder struct {
	*judge.Judgement
	judge.Verdict
	Thread store.ThreadKey
	Digest string // of the input
	Agent  string
	User   string       // whose input it is; "": not known
	Tenant string       // the user's; Build takes that of the record
	from   store.Origin // how it has come
	// drafted are who has given the answers that the input only brings together.
	drafted map[string]decision.Signature
	redact  decision.Redactions
	Headers map[string]string
	back    *GoingBack      // how it goes back; nil: its messages may say so
	runID   string          // "": a new one
	Letter  *store.Dispatch // the dead letter that it requeues; nil: none
	Caller  *store.Caller   // the call that begins its execution; nil: none does
	users   []string        // whose messages the call was given that it answers

	told decision.ToldAnswers // by its RUN_STARTED, of its decisions

	waits     bool                    // it is queued, and judged again when it is activated
	sent      *protocol.RunAgentInput // waits: as it came, before anything in it was recognised
	available time.Time               // waits: not before; zero: at once
}

// Build completes a Begin that says how the run stands among others: with its names,
// how it begins, and its record. It returns what carrying the run takes; nil when it
// is queued.
func (n BeginBuilder) Build(b store.Begin, record store.RunRecord) (store.Begin, *execution.Begun, error) {
	b.Thread, b.Version, b.Deadline = n.Thread, n.View.Version, n.Deadline
	b.RunID, b.Label = cmp.Or(n.runID, uuid.NewString()), n.Input.RunID
	goesOn := n.Letter != nil && n.Letter.Input == nil
	switch {
	case goesOn: // with what the letter's record names
		b.Execution = record.Execution
	case n.Continues != nil && !n.Steer && !n.waits:
		b.Execution = n.Continues.Execution
	default:
		b.Execution = uuid.NewString()
	}
	record.Label, record.Execution, record.Agent, record.User = b.Label, b.Execution, n.Agent, n.User
	n.Tenant = record.Tenant
	if n.Continues != nil && !n.Steer {
		record.Agent = n.Continues.Agent // whoever its input was sent to
	}
	record.Caller = n.Caller
	if n.Continues != nil && !n.Steer {
		record.Caller = n.Continues.Caller
	}
	if n.Continues != nil && n.Called == "" {
		record.LeftCalls = n.Continues.Called()
	}
	record.ParentRunID, record.Origin = n.Input.ParentRunID, string(n.origin())
	record.Digest = n.Digest
	decided, followers, err := n.decided(store.DecisionRun{Label: b.Label, RunID: b.RunID})
	if err != nil {
		return b, nil, err
	}
	if n.told = followers; !n.waits {
		err = n.told.InRun(&record)
	}
	if err == nil {
		b.Record, err = json.Marshal(record)
	}
	if err != nil {
		return b, nil, fmt.Errorf("adapter: run record: %w", err)
	}
	if b.Headers, err = node.HeadersOf(n.Headers); err != nil {
		return b, nil, err
	}
	if n.waits {
		b.Kind, err = n.enqueue()
		return b, nil, err
	}
	if goesOn {
		run := n.begun(execution.Begun{Label: b.Label, Id: b.Execution, Agent: n.Agent, Requeued: true})
		run.Events = n.opening(nil)
		claimed, err := n.claimed(run)
		b.Kind = store.Requeue{Claimed: claimed, Letter: n.Letter.ID}
		return b, run, err
	}
	answers, err := n.answers(b.RunID)
	if err != nil {
		return b, nil, err
	}
	if n.Continues != nil && !n.Steer {
		run := n.begun(execution.Begun{Label: b.Label, Id: b.Execution, Continuing: true})
		b.Kind, err = n.resume(run, answers, decided)
		return b, run, err
	}
	run, claimed, fresh, err := n.Execute(b.Execution)
	if n.Continues != nil { // steering away: the answers are accepted, nothing continues
		b.Kind = store.Steer{Claimed: claimed, Fresh: fresh, Answers: answers, Decided: decided}
	} else {
		execute := store.Execute{Claimed: claimed, Fresh: fresh}
		if n.Letter != nil {
			execute.Letter = n.Letter.ID
		}
		b.Kind = execute
	}
	return b, run, err
}

// begun completes a run that begins on what was judged.
func (n BeginBuilder) begun(run execution.Begun) *execution.Begun {
	run.View, run.Earlier, run.Snapshot, run.Fold = n.View, n.Fold, n.Snapshot, n.Fold.Clone()
	run.Headers = n.Headers
	return &run
}

// enqueue is how a run begins that has to wait.
func (n BeginBuilder) enqueue() (store.Enqueue, error) {
	input := *n.sent
	if n.newState() == nil {
		input.State = nil // what its sender holds says nothing new, and will be old when it runs
	}
	k := store.Enqueue{Agent: n.Agent, Available: n.available, Joins: n.Queue && n.Joins}
	text, err := json.Marshal(input)
	if err != nil {
		return k, fmt.Errorf("adapter: input: %w", err)
	}
	if k.Input, err = json.Marshal(store.QueuedInput{Input: text, Agent: n.Agent, Fresh: n.Fresh}); err != nil {
		return k, fmt.Errorf("adapter: input: %w", err)
	}
	for i, e := range lifecycle.CancelledInQueue(n.Thread, n.Input.RunID, n.Input.ParentRunID) {
		if k.Cancelled[i], err = protocol.Encode(e); err != nil {
			return k, err
		}
	}
	return k, nil
}

// Execute is how a new execution begins, folded in.
func (n BeginBuilder) Execute(id string) (run *execution.Begun, claimed store.Claimed, fresh store.Fresh, err error) {
	run = n.begun(execution.Begun{Label: n.Input.RunID, Id: id, Agent: n.Agent})
	fresh.Agent = n.Agent
	said := n.Fresh
	if n.back != nil && n.back.Restores != "" {
		fresh.Restores, said = n.back.Restores, nil
	}
	run.Events = n.opening(said)
	if n.Rewinds {
		held := n.Fold.Messages()
		fresh.Archive = archive(held[n.Keep:])
		for _, m := range n.Fresh {
			delete(fresh.Archive, m.ID) // it is there again, edited or restored
		}
		if fresh.Branch, err = branch(held, n.Keep, n.View.Now); err != nil {
			return nil, claimed, fresh, err
		}
		run.Events = append(run.Events, execution.CutTo(append(held[:n.Keep:n.Keep], n.Fresh...), held))
	}
	if state := n.newState(); state != nil {
		run.Events = append(run.Events, &protocol.StateSnapshot{Snapshot: state})
	}
	if claimed, err = n.claimed(run); err != nil {
		return nil, claimed, fresh, err
	}
	run.Frozen, fresh.Frozen, err = n.freeze(run, fresh.Restores != "")
	return run, claimed, fresh, err
}

// resume is how a run continues the suspended execution.
func (n BeginBuilder) resume(run *execution.Begun, answers map[string]json.RawMessage, decided []store.Decided) (store.Resume, error) {
	run.Events = n.opening(n.Fresh)
	claimed, err := n.claimed(run)
	if err != nil {
		return store.Resume{}, err
	}
	decisions, err := json.Marshal(store.JournalEntry{
		Kind: store.EntryAnswer, Entries: n.Decisions, Messages: n.Fresh, Label: run.Label,
		Position: n.View.Seq + int64(len(claimed.Events)), Final: n.Final, Failure: n.Failure, Stops: n.Stops, User: n.User, Users: n.users,
		Input: broughtBy(n.Input),
	})
	return store.Resume{Claimed: claimed, Answers: answers, Decided: decided, Decisions: decisions, Waits: n.Waits}, err
}

// answers are what is kept of each decision.
func (n BeginBuilder) answers(runID string) (map[string]json.RawMessage, error) {
	kept := map[string]json.RawMessage{}
	for i, entry := range n.Decisions {
		text, err := json.Marshal(store.Answer{Key: n.Keys[i], RunID: runID, Label: n.Input.RunID, At: n.View.Now.UnixMilli(),
			Expired: n.from.Through == store.ThroughExpiry, Stopped: n.Stops, Cancelled: entry.Status == protocol.ResumeCancelled})
		if err != nil {
			return nil, err
		}
		kept[entry.InterruptID] = text
	}
	return kept, nil
}

// opening are the events that open a run. The echoed input holds what is new to the
// thread, and of answers what the decision record may keep.
func (n BeginBuilder) opening(fresh protocol.Messages) []protocol.Event {
	return []protocol.Event{&protocol.RunStarted{
		Base:     protocol.Base{Metadata: n.told.On()},
		ThreadID: n.Thread.Thread, RunID: n.Input.RunID, ParentRunID: n.Input.ParentRunID, ProtocolVersion: lifecycle.Version,
		Input: &protocol.RunAgentInput{ThreadID: n.Thread.Thread, RunID: n.Input.RunID, Messages: fresh, Resume: n.told.Resume},
	}}
}

// claimed is what the store takes of a run that begins at once; its events are folded
// in.
func (n BeginBuilder) claimed(run *execution.Begun) (store.Claimed, error) {
	k := store.Claimed{Token: uuid.NewString()}
	for _, e := range run.Events {
		text, err := protocol.Encode(e)
		if err != nil {
			return k, err
		}
		k.Events = append(k.Events, text)
		run.Fold.Apply(e)
	}
	return k, nil
}

// newState is the input's state if it says something else than the thread's. Two states say
// nothing else: an empty object, which a client sends that holds none, and the thread's
// state as a client returns it that reads numbers as doubles. Taken for a new state, the
// latter would round the thread's.
func (n BeginBuilder) newState() json.RawMessage {
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
func (n BeginBuilder) left() []string {
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
func (n BeginBuilder) freeze(run *execution.Begun, restores bool) (store.Frozen, json.RawMessage, error) {
	j := n.Judgement
	run.Given = execution.ConversationOf(run.Fold)
	input := *j.Input
	input.Messages = protocol.Messages{}
	input.State = protocol.Any(lifecycle.State(run.Fold.State()))
	input.Resume = nil
	f := store.Frozen{Input: &input, Label: run.Label, Now: j.View.Now, At: j.View.Seq, Begun: len(run.Events), User: n.User, Tenant: n.Tenant, Left: n.left(), Restores: restores, Caller: n.Caller}
	if n.Caller != nil {
		f.Tenant = n.Caller.Tenant
	}
	if n.Continues != nil {
		f.LeftCalls = n.Continues.Called()
	}
	f.Of = &store.Conversation{At: f.At + int64(f.Begun), Count: run.Given.Count}
	given := run.Given.Messages()
	if !restores {
		f.Answers = answered(j, run.Fold, given)
	}
	text, err := json.Marshal(f)
	if err != nil {
		return f, nil, fmt.Errorf("adapter: frozen input: %w", err)
	}
	input.Messages = given
	return f, text, nil
}
