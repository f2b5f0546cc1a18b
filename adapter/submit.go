package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Input is a RunAgentInput with what the wire does not say.
type Input struct {
	Namespace string
	Tenant    string // whose inbox the thread's interrupts are in
	Agent     string // name; "" is the default agent
	Run       *protocol.RunAgentInput
	Dispatch  DispatchOptions
	// interrupts: what is under way makes room, whatever Options.Busy says.
	interrupts bool
}

// DispatchOptions say how an input waits when it has to.
type DispatchOptions struct {
	Priority int    // 1 is claimed first, 255 last, then in the order of arrival; 0: 128
	Dedupe   string // refused (CodeDuplicate) while an input of the thread with this key waits or runs; "": never
	// Available is when the run may begin at the earliest, by the store's clock.
	// The input is queued until then. Zero: at once.
	Available time.Time
}

// Disposition is what became of an input (BINDING.md, What the server sends: ws.run).
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
	Start       store.Position     // Started: the position before its RUN_STARTED
	Refusal     *protocol.RunError // Refused
}

// Repeated is the answer to a repeat (BINDING.md, Runs).
type Repeated struct {
	Status store.RunStatus
	// Of is the label of the run that answers: what live events call it. It is
	// another than Submit said when a later run continued that one.
	Of string
	// At is the log's end as of which all this is: what follows begins behind it.
	At store.Position
	// Events are uncounted: nothing for a queued run and for one that has logged
	// nothing, an active run restated up to what is open in it, and the whole run
	// with its terminal event for one that ended.
	Events [][]byte
	// Whole: Events restate the thread as Attach would, so whoever follows from
	// At on needs nothing else. Otherwise another run is the thread's latest, and
	// may be under way.
	Whole bool
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
	admitted, _, err := r.submit(ctx, in, 0)
	return admitted, err
}

// submit is Submit on a thread that must have a version; 0: any. Moved: it has
// another.
func (r *Runner) submit(ctx context.Context, in Input, version int64) (admitted Admitted, moved bool, err error) {
	if !r.enter() {
		return refused(refuse(CodeServerDraining, "the server is shutting down: connect again and send the same input",
			map[string]any{"retryAfterMs": retryBusy.Milliseconds()})), false, nil
	}
	defer r.running.end()
	if refusal := r.checkInput(in); refusal != nil {
		return refused(refusal), false, nil
	}
	in.Run = r.strip(in.Run)
	key := store.ThreadKey{Namespace: in.Namespace, Thread: in.Run.ThreadID}
	digest, err := inputDigest(key, in.Run)
	if err != nil {
		return refused(refuse(CodeInvalidInput, "resume or forwardedProps hold JSON that cannot be compared: "+err.Error(), nil)), false, nil
	}
	for range maxSubmitTries {
		admitted, stale, err := r.try(ctx, key, in, digest, version)
		if errors.Is(err, store.ErrCorrupted) {
			return refused(r.unreadable(key, err)), false, nil
		}
		if err != nil || !stale || version != 0 {
			return admitted, stale, err
		}
	}
	return refused(refuse(CodeThreadBusy, "the thread changes too fast to judge the input: try again",
		map[string]any{"retryAfterMs": retryBusy.Milliseconds()})), false, nil
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
	if p := in.Dispatch.Priority; p < 0 || p > 255 {
		return bad("the priority is 1 (first) to 255 (last), or 0 for 128")
	}
	if len(in.Dispatch.Dedupe) > maxIDBytes {
		return bad("the dedupe key must have at most %d bytes", maxIDBytes)
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
	own := *input
	removed := own.Strip()
	if len(removed) == 0 {
		return input
	}
	r.log.Warn("an input had members that are not recognised; they were left out",
		"thread", input.ThreadID, "run", input.RunID, "members", removed)
	return &own
}

// try judges the input once on a view of its thread, and begins its run if it
// may run. Stale: the thread moved meanwhile, or is not at the version; 0: any.
func (r *Runner) try(ctx context.Context, key store.ThreadKey, in Input, digest string, version int64) (admitted Admitted, stale bool, err error) {
	j, err := r.read(ctx, key, in.Run)
	if err != nil {
		return Admitted{}, false, err
	}
	if version != 0 && j.view.Version != version {
		return Admitted{}, true, nil
	}
	j.digest = digest
	if in.interrupts {
		j.busy = BusySupersede
	}
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
		_, err := r.InterruptThread(ctx, key, "superseded by another input")
		return Admitted{}, true, err
	}
	b := store.Begin{
		Thread: key, Version: j.view.Version, RunID: uuid.NewString(), Label: in.Run.RunID, Deadline: v.deadline,
		Tenant: in.Tenant, Title: titleOf(v.fresh), MaxAttempts: r.options.MaxAttempts,
		Priority: in.Dispatch.Priority, Dedupe: in.Dispatch.Dedupe,
	}
	if v.continues == nil && in.Dispatch.Available.After(j.view.Now) {
		b.Available = in.Dispatch.Available
	}
	record := runRecord{Label: b.Label, Agent: in.Agent, Digest: digest}
	for _, m := range in.Run.Messages {
		record.Messages = append(record.Messages, m.ID)
	}
	waits := v.queue || !b.Available.IsZero()
	placed := !waits && r.reserve()
	if placed {
		defer r.unreserve()
	}
	var start *begin
	switch {
	case !waits && !placed && (v.steer || v.rewinds):
		return refused(r.noPlace()), false, nil
	case waits || !placed && v.continues == nil:
		b.Queue, b.Execution = true, uuid.NewString()
		err = queueing(&b, in, j, v.fresh)
	case v.continues != nil && !v.steer:
		b.Execution = v.continues.Execution
		if start, err = continuing(&b, j, v); err == nil {
			start.left = !placed && r.options.Mode != ModeBlocking
		}
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
	if b.Queue {
		if full := r.queueFull(j.view, len(b.Input)+len(b.Record)); full != nil {
			return refused(full), false, nil
		}
	}
	admitted, stale, err = r.begin(ctx, b, start)
	if v.steer && admitted.Disposition == Started {
		r.dismiss(v.continues.Execution)
	}
	return admitted, stale, err
}

// queueFull refuses an input of a size that would have to wait where no more can.
func (r *Runner) queueFull(view *store.ThreadView, size int) *protocol.RunError {
	held := int64(0)
	for _, q := range view.Queue {
		held += q.Size
	}
	problem := ""
	switch {
	case view.Waiting >= r.options.MaxQueue:
		problem = fmt.Sprintf("%d inputs wait on the thread already: wait, or cancel some", view.Waiting)
	case held+int64(size) > r.options.MaxQueueBytes:
		problem = fmt.Sprintf("inputs of %d bytes wait on the thread, and with %d more they would be over %d: wait, or cancel some",
			held, size, r.options.MaxQueueBytes)
	default:
		return nil
	}
	return refuse(CodeThreadBusy, problem, map[string]any{"retryAfterMs": retryBusy.Milliseconds()})
}

// noPlace refuses what cannot wait for a place.
func (r *Runner) noPlace() *protocol.RunError {
	return refuse(CodeThreadBusy, fmt.Sprintf("the server carries as many runs as it may, %d, and this cannot wait: try again", r.options.MaxRuns),
		map[string]any{"retryAfterMs": retryBusy.Milliseconds()})
}

// begin admits the run, and starts carrying it when it need not wait.
func (r *Runner) begin(ctx context.Context, b store.Begin, start *begin) (Admitted, bool, error) {
	if !b.Queue {
		b.Token = uuid.NewString()
	}
	// A sender that goes away now must not leave a run that nobody carries.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.options.StoreTimeout)
	defer cancel()
	asked := time.Now()
	result, err := again(ctx, func() (store.BeginResult, error) { return r.store.Begin(ctx, b) })
	if err != nil {
		if !b.Queue && errors.Is(err, store.ErrOutcomeUnknown) {
			r.rescueBegun(b, *start, err)
		}
		return Admitted{}, false, err
	}
	switch result.Status {
	case store.BeginStale:
		return Admitted{}, true, nil
	case store.BeginExpired:
		return refused(refuse(CodeExpired, "an interrupt has expired, it can only be cancelled", nil)), false, nil
	case store.BeginDuplicate:
		return refused(refuse(CodeDuplicate, "an input with the same dedupe key waits or runs already",
			map[string]any{"dispatchId": result.Of})), false, nil
	case store.BeginGone:
		return refused(refuse(CodeGone, "the dead letter was requeued already, or the thread has begun another execution: send the input again", nil)), false, nil
	}
	if b.Queue {
		return Admitted{Disposition: Queued, RunID: b.RunID, Start: result.Start}, false, nil
	}
	if result.Claim.Token == "" {
		// Stopped, or taken over, before it was known here that it had begun.
		return Admitted{Disposition: Started, RunID: b.RunID, Start: result.Start}, false, nil
	}
	r.carryBegun(b, *start, result, asked)
	return Admitted{Disposition: Started, RunID: b.RunID, Start: result.Start}, false, nil
}

// carryBegun starts carrying a run that this node has begun, and whose claim it asked
// for at the given time.
func (r *Runner) carryBegun(b store.Begin, start begin, result store.BeginResult, asked time.Time) {
	if start.continuing {
		r.reached("after_decision")
	} else {
		r.reached("after_begin")
	}
	if start.left {
		if err := r.handBack(result.Claim); err != nil {
			r.log.Warn("a run that has no place here is taken over when its lease ends", "thread", b.Thread.Thread, "run", b.Label, "error", err)
		}
		r.claimLater(b.Thread)
		return
	}
	start.claim, start.asked, start.number, start.attempts = result.Claim, asked, 1, 1
	start.seq = result.Start.Seq + int64(len(b.Events))
	r.start(start)
}
