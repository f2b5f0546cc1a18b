// Package admit judges inputs, begins their runs, and stops runs.
package admit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/tracing"
	"github.com/aguiws/aguiws/protocol"
)

// Admission begins the runs of inputs.
type Admission struct {
	*node.Node
	Worker   *carry.Worker
	Control  *Control
	Capacity *carry.Capacity
	Backoff  *carry.Backoff
	Parking  *execution.Parking
	Quotas   *carry.Quotas
	Turns    *turns
	stripped node.LogOnce[string] // names of which the log has told
}

// Submit judges an input and, when it may run, begins or queues its run, which
// then goes on whatever becomes of ctx. A refusal is an answer and changes
// nothing. An error means that the store did not answer: the same input may be
// sent again.
func (a *Admission) Submit(ctx context.Context, in admission.Input) (admission.Admitted, error) {
	return a.Take(ctx, Request{Input: in})
}

func (a *Admission) Take(ctx context.Context, in Request) (admission.Admitted, error) {
	if a.Draining() {
		return Refused(refuseDraining()), nil
	}
	in.Run, in.Agent = judge.Named(in.Run), a.Options.AgentNamed(in.Agent)
	if refusal := a.CheckInput(&in); refusal != nil {
		return Refused(refusal), nil
	}
	give, refusal, err := a.Turns.Take(ctx, store.ThreadKey{Namespace: in.Namespace, Thread: in.Run.ThreadID})
	if err != nil || refusal != nil {
		return admission.Admitted{Disposition: admission.Refused, Refusal: refusal}, err
	}
	defer give()
	admitted, _, err := a.SubmitAt(ctx, in, 0)
	return admitted, err
}

func refuseDraining() *protocol.RunError {
	return judge.RefuseForNow(adapter.CodeServerDraining, "the server is shutting down: connect again and send the same input")
}

// SubmitAt is Submit on a thread that must have a version; 0: any. Moved: it has
// another. The caller has checked the input, and has the thread's turn.
func (a *Admission) SubmitAt(ctx context.Context, in Request, version int64) (admitted admission.Admitted, moved bool, err error) {
	if !a.Enter() {
		return Refused(refuseDraining()), false, nil
	}
	defer a.Running.End()
	if a.Traces != nil {
		var span tracing.Span
		ctx, span = a.Traces.Input(ctx, node.LowerCase(in.Headers), tracing.Of{Thread: in.Run.ThreadID, Run: in.Run.RunID, Agent: in.Agent})
		defer func() { endSpan(span, &admitted, err) }()
	}
	in.Run = a.strip(in.Run)
	key := store.ThreadKey{Namespace: in.Namespace, Thread: in.Run.ThreadID}
	digest, err := judge.InputDigest(key, in.Run)
	if err != nil {
		return Refused(judge.Refuse(adapter.CodeInvalidInput, "resume or forwardedProps hold JSON that cannot be compared", nil)), false, nil
	}
	takes := a.Quotas.Takes(in.User, in.Tenant, uuid.NewString())
	takes.Thread, takes.Threads, takes.Inputs, takes.Burst = key, a.Options.MaxThreadsPerUser, a.Options.MaxInputs, a.Options.InputBurst
	if in.Called != "" || in.Caller != nil { // nobody has sent it
		takes.Inputs = -1
	}
	share := a.Quotas.AskAs(ctx, takes)
	defer share.Settle()
	cleared := ""
	defer func() { admitted.Cleared = cleared }()
	for lost := (Losses{}); ; {
		t := attempt{Admission: a, key: key, in: in, digest: digest, version: version, runID: takes.RunID, share: share, lost: &lost}
		admitted, stale, err := t.try(ctx)
		if stale && admitted.Cleared != "" {
			cleared = admitted.Cleared
		}
		if errors.Is(err, store.ErrCorrupted) {
			return Refused(a.Backoff.Unreadable(key, err)), false, nil
		}
		if err != nil || !stale || version != 0 {
			return admitted, stale, err
		}
		if !lost.Again(ctx) {
			return Refused(judge.RefuseForNow(adapter.CodeThreadBusy, "the thread changes too fast to judge the input: try again")), false, nil
		}
	}
}

func endSpan(span tracing.Span, of *admission.Admitted, err error) {
	code := ""
	if of.Refusal != nil {
		code = of.Refusal.Code
	}
	span.Judged(string(of.Disposition), of.RunID, code, err)
}

func Refused(e *protocol.RunError) admission.Admitted {
	return admission.Admitted{Disposition: admission.Refused, Refusal: e}
}

// CheckInput refuses what decoding lets through and a thread cannot hold.
func (a *Admission) CheckInput(in *Request) *protocol.RunError {
	bad := func(format string, args ...any) *protocol.RunError {
		return judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf(format, args...), nil)
	}
	if refusal := checkWhen(in); refusal != nil {
		return refusal
	}
	if _, ok := a.Options.Agents[in.Agent]; !ok {
		return bad("there is no agent named %q", in.Agent)
	}
	if len(in.Run.ParentRunID) > node.MaxIDBytes {
		return bad("/parentRunId must have at most %d bytes", node.MaxIDBytes)
	}
	for name, id := range map[string]string{"/threadId": in.Run.ThreadID, "/runId": in.Run.RunID} {
		if id == "" || id == "." || id == ".." || id == "/" || len(id) > node.MaxIDBytes {
			return bad(`%s must have 1 to %d bytes, and not be ".", ".." or "/", which no URL can carry`, name, node.MaxIDBytes)
		}
	}
	if len(in.Dispatch.Dedupe) > node.MaxIDBytes {
		return bad("the dedupe key must have at most %d bytes", node.MaxIDBytes)
	}
	seen := map[string]bool{}
	for i, m := range in.Run.Messages {
		if m.ID == "" || len(m.ID) > node.MaxIDBytes {
			return bad("/messages/%d/id must have 1 to %d bytes", i, node.MaxIDBytes)
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
func (a *Admission) strip(input *protocol.RunAgentInput) *protocol.RunAgentInput {
	own := *input
	removed := own.Strip()
	if len(removed) == 0 {
		return input
	}
	// A client that is newer sends them with every input.
	level := slog.LevelDebug
	if a.stripped.First(strings.Join(node.ShortList(removed), " ")) {
		level = slog.LevelWarn
	}
	a.Log.Log(a.Ctx, level, "an input had members that are not recognised; they were left out",
		"thread", input.ThreadID, "label", input.RunID, "members", removed)
	return &own
}

// queueFull refuses an input of a size that would have to wait where no more can.
func (a *Admission) queueFull(view *store.ThreadView, size int) *protocol.RunError {
	held := int64(0)
	for _, q := range view.Queue {
		held += q.Size
	}
	problem := ""
	switch {
	case view.QueueLength >= a.Options.MaxQueue:
		problem = fmt.Sprintf("%d inputs wait on the thread already: wait, or cancel some", view.QueueLength)
	case held+int64(size) > a.Options.MaxQueueBytes:
		problem = fmt.Sprintf("inputs of %d bytes wait on the thread, and with %d more they would be over %d: wait, or cancel some",
			held, size, a.Options.MaxQueueBytes)
	default:
		return nil
	}
	return judge.RefuseForNow(adapter.CodeThreadBusy, problem)
}

// NoPlace refuses what cannot wait for a place.
func (a *Admission) NoPlace() *protocol.RunError {
	return judge.RefuseForNow(adapter.CodeThreadBusy, fmt.Sprintf("the server carries as many runs as it may, %d, and this cannot wait: try again", a.Options.MaxRuns))
}

// Begin admits the run, and carries it when it need not wait.
func (a *Admission) Begin(ctx context.Context, b store.Begin, run *execution.Begun) (admission.Admitted, bool, error) {
	// A sender that goes away now must not leave a run that nobody carries.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Options.StoreTimeout)
	defer cancel()
	asked := time.Now()
	result, err := retry.Do(ctx, func() (store.BeginResult, error) { return a.Store.Begin(ctx, b) })
	if err != nil {
		if b.Claimed() != nil && errors.Is(err, store.ErrOutcomeUnknown) {
			a.rescueBegun(b, *run, err)
		}
		return admission.Admitted{}, false, err
	}
	switch result.Status {
	case store.BeginStale:
		return admission.Admitted{}, true, nil
	case store.BeginExpired:
		return Refused(judge.Refuse(adapter.CodeExpired, "an interrupt has expired, it can only be cancelled", nil)), false, nil
	case store.BeginDuplicate:
		return Refused(judge.Refuse(adapter.CodeDuplicate, "an input with the same dedupe key waits or runs already",
			map[string]any{"dispatchId": result.Of})), false, nil
	case store.BeginDeleting:
		return Refused(judge.Refuse(adapter.CodeThreadDeleting, "the thread is being deleted: use another one", nil)), false, nil
	case store.BeginGone:
		return Refused(judge.Refuse(adapter.CodeGone, "the dead letter was requeued already, or the thread has begun another execution: send the input again", nil)), false, nil
	}
	if b.Claimed() == nil {
		return admission.Admitted{Disposition: admission.Queued, RunID: b.RunID, Position: result.Position}, false, nil
	}
	if result.Claim.Token == "" {
		// Stopped, or taken over, before it was known here that it had begun.
		return admission.Admitted{Disposition: admission.Started, RunID: b.RunID, Position: result.Position}, false, nil
	}
	run.Launched = !run.Left
	a.carryBegun(b, *run, result, asked)
	return admission.Admitted{Disposition: admission.Started, RunID: b.RunID, Position: result.Position}, false, nil
}

// carryBegun carries a run that this node has begun, and whose claim it asked
// for at the given time.
func (a *Admission) carryBegun(b store.Begin, run execution.Begun, result store.BeginResult, asked time.Time) {
	if run.Continuing {
		a.Reached("after_decision")
	} else {
		a.Reached("after_begin")
	}
	if run.Left {
		if err := a.Worker.HandBack(result.Claim); err != nil {
			a.Log.Warn("a run that has no place here is taken over when its lease ends", "thread", b.Thread.Thread, "label", b.Label, "error", err)
		}
		a.Capacity.ClaimLater(b.Thread)
		return
	}
	if result.Headers != nil {
		var err error
		if run.Headers, err = node.HeadersIn(result.Headers); err != nil {
			a.Log.Error("a dead letter goes on without its headers", "thread", b.Thread.Thread, "label", b.Label, "error", err)
		}
	}
	run.Claim, run.Asked, run.Number, run.Attempts, run.Stored = result.Claim, asked, 1, 1, result.Execution
	run.Seq = result.Position.Seq + int64(len(run.Events))
	a.Worker.Launch(run)
}
