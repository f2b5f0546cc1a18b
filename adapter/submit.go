package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/protocol"
)

// Input is a RunAgentInput with what the wire does not say.
type Input struct {
	Namespace string
	Agent     string // name; "" is the default agent
	Run       *protocol.RunAgentInput
}

// Disposition is what became of an input (binding §3, ws.run).
type Disposition string

const (
	Started Disposition = "started"
	Queued  Disposition = "queued"
	Repeat  Disposition = "repeat"
	Refused Disposition = "refused"
)

// Admitted answers Submit.
type Admitted struct {
	Disposition Disposition
	RunID       string             // server-made; Repeat: of the run that answers the input
	Of          string             // Repeat: that run's label, the client's runId
	Start       Position           // Started: the position before its RUN_STARTED
	Refusal     *protocol.RunError // Refused
}

// Repeated is the answer to a repeat (binding §5).
type Repeated struct {
	Status RunStatus
	// Of is the label of the run that answers: what live events call it. It is
	// another than Submit said when a later run continued that one.
	Of string
	// Events are uncounted: nothing for a queued run, the run restated as of
	// the asked position for an active one, and the whole run with its terminal
	// event for one that ended.
	Events [][]byte
}

// Cancelled answers Cancel.
type Cancelled struct {
	Stopped bool
	// Owed are uncounted events for the sender of an input that was stopped
	// while it waited in the queue.
	Owed [][]byte
}

// QueuedInput is a waiting input as followers are told of it.
type QueuedInput struct {
	RunID    string          `json:"runId"`
	Messages json.RawMessage `json:"messages"`
}

// Attached is where a follower stands after attaching or being restated.
type Attached struct {
	Position    Position
	Recovered   bool
	Reason      string // not recovered: "none", "epoch_changed", "trimmed", "ahead"
	ActiveRunID string // label; "" when no run is active
	Interrupts  []json.RawMessage
	Queued      []QueuedInput
	Restatement [][]byte // uncounted; empty when recovered and for an unused thread
}

// Page is what a follower's cursor found.
type Page struct {
	Events   [][]byte  // shared: must not be changed. The first has the position after the cursor's
	CaughtUp bool      // the cursor is at the log's end as far as this node knows
	Restated *Attached // the cursor could not go on and was restated; Events is empty
}

// maxSubmitTries bounds how often an input is judged again because its thread
// moved meanwhile.
const maxSubmitTries = 50

// maxIDBytes bounds the ids that clients choose.
const maxIDBytes = 1024

// Submit judges an input and, when it may run, starts or queues its run, which
// then goes on whatever becomes of ctx. A refusal is an answer and changes
// nothing. An error means that the store did not answer: the same input may be
// sent again.
func (r *Runner) Submit(ctx context.Context, in Input) (Admitted, error) {
	if !r.enter() {
		return refused(refuse(CodeServerDraining, "the server is shutting down: connect again and send the same input",
			map[string]any{"retryAfterMs": retryBusy.Milliseconds()})), nil
	}
	defer r.running.end()
	if refusal := r.checkInput(in); refusal != nil {
		return refused(refusal), nil
	}
	in.Run = r.strip(in.Run)
	key := ThreadKey{in.Namespace, in.Run.ThreadID}
	digest, err := inputDigest(key, in.Run)
	if err != nil {
		return refused(refuse(CodeInvalidInput, "resume or forwardedProps hold JSON that cannot be compared: "+err.Error(), nil)), nil
	}
	for range maxSubmitTries {
		admitted, stale, err := r.try(ctx, key, in, digest)
		if err != nil || !stale {
			return admitted, err
		}
	}
	return refused(refuse(CodeThreadBusy, "the thread changes too fast to judge the input: try again",
		map[string]any{"retryAfterMs": retryBusy.Milliseconds()})), nil
}

func refused(e *protocol.RunError) Admitted { return Admitted{Disposition: Refused, Refusal: e} }

// checkInput refuses what decoding lets through and a thread cannot hold.
func (r *Runner) checkInput(in Input) *protocol.RunError {
	bad := func(format string, args ...any) *protocol.RunError {
		return refuse(CodeInvalidInput, fmt.Sprintf(format, args...), nil)
	}
	if _, ok := r.agents[in.Agent]; !ok {
		return bad("there is no agent named %q", in.Agent)
	}
	for name, id := range map[string]string{"/threadId": in.Run.ThreadID, "/runId": in.Run.RunID} {
		if id == "" || len(id) > maxIDBytes {
			return bad("%s must have 1 to %d bytes", name, maxIDBytes)
		}
	}
	seen := map[string]bool{}
	for i, m := range in.Run.Messages {
		if m.ID == "" || len(m.ID) > maxIDBytes {
			return bad("/messages/%d/id must have 1 to %d bytes", i, maxIDBytes)
		}
		if seen[m.ID] {
			return bad("/messages/%d/id is that of an earlier message", i)
		}
		seen[m.ID] = true
	}
	return nil
}

// strip returns the input without what this version does not recognise, which
// agents would read and RUN_STARTED would repeat. The sender's input is not
// changed.
func (r *Runner) strip(input *protocol.RunAgentInput) *protocol.RunAgentInput {
	text, err := json.Marshal(input)
	if err != nil {
		return input
	}
	own := new(protocol.RunAgentInput)
	if err := json.Unmarshal(text, own); err != nil {
		return input
	}
	removed := own.Strip()
	if len(removed) == 0 {
		return input
	}
	r.log.Warn("an input had members that are not recognised; they were left out",
		"thread", input.ThreadID, "run", input.RunID, "members", removed)
	return own
}

// try judges the input once on a view of its thread, and begins its run if it
// may run. Stale: the thread moved meanwhile.
func (r *Runner) try(ctx context.Context, key ThreadKey, in Input, digest string) (admitted Admitted, stale bool, err error) {
	j, err := r.read(ctx, key, in.Run)
	if err != nil {
		return Admitted{}, false, err
	}
	j.digest = digest
	v, err := j.judge()
	switch {
	case err != nil:
		return Admitted{}, false, err
	case v.refusal != nil:
		return refused(v.refusal), false, nil
	case v.repeats != nil:
		record, err := readRecord(v.repeats)
		return Admitted{Disposition: Repeat, RunID: v.repeats.ID, Of: record.Label}, false, err
	case v.supersede:
		return Admitted{}, true, r.supersede(ctx, j.view, key)
	}
	b := Begin{
		Thread: key, Version: j.view.Version, RunID: uuid.NewString(), Label: in.Run.RunID, Deadline: v.deadline,
	}
	record := runRecord{Label: b.Label, Agent: in.Agent, Digest: digest}
	for _, m := range in.Run.Messages {
		record.Messages = append(record.Messages, m.ID)
	}
	var start *begin
	switch {
	case v.queue:
		b.Queue, b.Execution = true, uuid.NewString()
		err = queueing(&b, in, j, v.fresh)
	case v.continues != nil && !v.steer:
		b.Execution = v.continues.Execution
		start, err = continuing(&b, j, v)
	default:
		b.Execution, b.Agent = uuid.NewString(), in.Agent
		start, err = beginning(&b, j, v)
	}
	if err != nil {
		return Admitted{}, false, err
	}
	record.Execution = b.Execution
	if b.Record, err = json.Marshal(record); err != nil {
		return Admitted{}, false, fmt.Errorf("adapter: run record: %w", err)
	}
	return r.begin(ctx, b, start)
}

// read reads what judging an input takes.
func (r *Runner) read(ctx context.Context, key ThreadKey, input *protocol.RunAgentInput) (*judgement, error) {
	q := ReadQuery{Label: input.RunID, Follower: true}
	for _, entry := range input.Resume {
		q.InterruptIDs = append(q.InterruptIDs, entry.InterruptID)
	}
	for _, m := range input.Messages {
		q.MessageIDs = append(q.MessageIDs, m.ID)
		if m.Role == protocol.RoleTool {
			q.ToolCallIDs = append(q.ToolCallIDs, m.ToolCallID)
		}
	}
	for range maxSubmitTries {
		j, moved, err := r.readOnce(ctx, key, input, q)
		if err != nil || !moved {
			return j, err
		}
	}
	return nil, fmt.Errorf("%w: the thread changes too fast to be read", ErrOutcomeUnknown)
}

// readOnce reads the thread, and for answers given before how their runs fare.
// Moved: the reads do not belong together.
func (r *Runner) readOnce(ctx context.Context, key ThreadKey, input *protocol.RunAgentInput, q ReadQuery) (j *judgement, moved bool, err error) {
	view, err := r.store.Read(ctx, key, q)
	if err != nil {
		return nil, false, err
	}
	version := view.Version
	j = &judgement{input: input, thread: key, busy: r.options.Busy, schemas: &r.schemas, answered: map[string]answeredRun{}}
	runs := map[string]*RunState{}
	for id, stored := range view.Answers {
		var a answeredRun
		if err := json.Unmarshal(stored, &a.answered); err != nil {
			return nil, false, fmt.Errorf("adapter: stored answer: %w", err)
		}
		if _, read := runs[a.Run]; !read {
			q.RunID = a.Run
			if view, err = r.store.Read(ctx, key, q); err != nil {
				return nil, false, err
			}
			if view.Version != version {
				return nil, true, nil
			}
			runs[a.Run] = view.Run
		}
		a.state = runs[a.Run]
		if a.state == nil {
			continue // forgotten with its retention
		}
		a.failed = eventType(a.state.Terminal) == protocol.TypeRunError
		j.answered[id] = a
	}
	j.view = view
	j.fold, err = foldView(view, -1)
	return j, false, err
}

func eventType(text []byte) protocol.EventType {
	var e struct {
		Type protocol.EventType `json:"type"`
	}
	if json.Unmarshal(text, &e) != nil {
		return ""
	}
	return e.Type
}

// supersede stops all that is under way on the thread.
func (r *Runner) supersede(ctx context.Context, view *ThreadView, key ThreadKey) error {
	var labels []string
	for _, q := range slices.Backward(view.Queue) {
		var waiting queuedInput
		var input protocol.RunAgentInput
		if json.Unmarshal(q.Input, &waiting) == nil && json.Unmarshal(waiting.Input, &input) == nil {
			labels = append(labels, input.RunID)
		}
	}
	if view.Active != nil {
		record, err := readRecord(view.Active)
		if err != nil {
			return err
		}
		labels = append(labels, record.Label)
	}
	for _, label := range labels {
		if _, err := r.Cancel(ctx, key, label); err != nil {
			return err
		}
	}
	return nil
}

// queueing fills in a Begin whose run has to wait.
func queueing(b *Begin, in Input, j *judgement, fresh protocol.Messages) error {
	input := *in.Run
	if newState(j) == nil {
		input.State = nil // what its sender holds says nothing new, and will be old when it runs
	}
	text, err := json.Marshal(input)
	if err != nil {
		return fmt.Errorf("adapter: input: %w", err)
	}
	if b.Input, err = json.Marshal(queuedInput{Input: text, Agent: in.Agent, Fresh: fresh}); err != nil {
		return fmt.Errorf("adapter: input: %w", err)
	}
	for i, e := range cancelledInQueue(b.Thread, b.Label) {
		if b.Cancelled[i], err = protocol.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// cancelledInQueue is the whole of a run that never ran.
func cancelledInQueue(key ThreadKey, label string) [2]protocol.Event {
	return [2]protocol.Event{
		&protocol.RunStarted{ThreadID: key.Thread, RunID: label, ProtocolVersion: protocolVersion},
		cancelledEvent(key, label),
	}
}

func cancelledEvent(key ThreadKey, label string) protocol.Event {
	return &protocol.RunFinished{ThreadID: key.Thread, RunID: label, Outcome: &protocol.RunOutcome{Type: protocol.OutcomeCancelled}}
}

// beginning fills in a Begin that starts a new execution, and folds in how its
// run begins.
func beginning(b *Begin, j *judgement, v verdict) (*begin, error) {
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
func continuing(b *Begin, j *judgement, v verdict) (*begin, error) {
	start := &begin{view: j.view, fold: j.fold, label: b.Label, id: b.Execution, continuing: true}
	start.events = startEvents(b.Thread, j, v.fresh)
	if err := encodeStart(&b.Events, start); err != nil {
		return nil, err
	}
	var err error
	if b.Answers, err = answers(j, v, b); err != nil {
		return nil, err
	}
	b.Answer, err = json.Marshal(record{
		Kind: recordAnswer, Entries: v.decisions, Messages: v.fresh, Run: b.Label,
		Position: j.view.Seq + int64(len(b.Events)), Final: v.final, Failure: v.failure,
	})
	return start, err
}

// answers are what is kept of each decision.
func answers(j *judgement, v verdict, b *Begin) (map[string]json.RawMessage, error) {
	kept := map[string]json.RawMessage{}
	for i, entry := range v.decisions {
		text, err := json.Marshal(answered{Key: v.keys[i], Run: b.RunID, Label: b.Label, At: j.view.Now.UnixMilli()})
		if err != nil {
			return nil, err
		}
		kept[entry.InterruptID] = text
	}
	return kept, nil
}

// startEvents open a run. The echoed input holds what is new to the thread and
// nothing that could be a secret (binding §4).
func startEvents(key ThreadKey, j *judgement, fresh protocol.Messages) []protocol.Event {
	return []protocol.Event{&protocol.RunStarted{
		ThreadID: key.Thread, RunID: j.input.RunID, ProtocolVersion: protocolVersion,
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
	if held, err := Canonical(orEmpty(j.fold.State())); err == nil && string(held) == string(canonical) {
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
func freeze(j *judgement, start *begin) (frozen, json.RawMessage, error) {
	input := *j.input
	input.Messages = start.fold.Messages()
	input.State = protocol.Any(orEmpty(start.fold.State()))
	input.Resume = nil
	f := frozen{Input: &input, Label: start.label, Now: j.view.Now, Begun: len(start.events)}
	text, err := json.Marshal(f)
	if err != nil {
		return f, nil, fmt.Errorf("adapter: frozen input: %w", err)
	}
	return f, text, nil
}

// begin admits the run, and starts carrying it when it need not wait.
func (r *Runner) begin(ctx context.Context, b Begin, start *begin) (Admitted, bool, error) {
	if !b.Queue {
		b.Token = uuid.NewString()
	}
	// A sender that goes away now must not leave a run that nobody carries.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.options.StoreTimeout)
	defer cancel()
	result, err := again(ctx, func() (BeginResult, error) { return r.store.Begin(ctx, b) })
	if err != nil {
		return Admitted{}, false, err
	}
	switch result.Status {
	case BeginStale:
		return Admitted{}, true, nil
	case BeginExpired:
		return refused(refuse(CodeExpired, "an interrupt has expired, it can only be cancelled", nil)), false, nil
	}
	if b.Queue {
		return Admitted{Disposition: Queued, RunID: b.RunID, Start: result.Start}, false, nil
	}
	if start.continuing {
		r.reached("after_decision")
	} else {
		r.reached("after_begin")
	}
	start.claim, start.number, start.attempts = result.Claim, 1, 1
	start.seq = result.Start.Seq + int64(len(b.Events))
	r.start(*start)
	return Admitted{Disposition: Started, RunID: b.RunID, Start: result.Start}, false, nil
}

// Cancel stops the latest run under the label that has not ended (ws.cancel).
func (r *Runner) Cancel(ctx context.Context, key ThreadKey, label string) (Cancelled, error) {
	terminal, err := protocol.Encode(cancelledEvent(key, label))
	if err != nil {
		return Cancelled{}, err
	}
	return r.stop(ctx, key, label, terminal)
}

// stop ends the latest run under the label that has not ended.
func (r *Runner) stop(ctx context.Context, key ThreadKey, label string, terminal []byte) (Cancelled, error) {
	s := Stop{Thread: key, Request: uuid.NewString(), Label: label, Terminal: terminal}
	result, err := again(ctx, func() (StopResult, error) { return r.store.Stop(ctx, s) })
	if err != nil {
		return Cancelled{}, err
	}
	if result.Stopped && !result.Queued {
		r.fence(result.RunID)
	}
	if result.Ready {
		r.claimLater(key)
	}
	return Cancelled{Stopped: result.Stopped, Owed: result.Events}, nil
}

// again sends a call until its outcome is known, or ctx ends: each writing call
// recognises itself.
func again[T any](ctx context.Context, call func() (T, error)) (T, error) {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		result, err := call()
		if !errors.Is(err, ErrOutcomeUnknown) {
			return result, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return result, err
		case <-timer.C:
		}
	}
}
