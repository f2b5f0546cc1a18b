package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// admission begins the runs of inputs.
type admission struct {
	*node
	worker   *worker
	control  *control
	capacity *capacity
	backoff  *backoff
	parking  *parking
	quotas   *quotas
	turns    *turns
	stripped logOnce[string] // names of which the log has told
}

// Submit judges an input and, when it may run, begins or queues its run, which
// then goes on whatever becomes of ctx. A refusal is an answer and changes
// nothing. An error means that the store did not answer: the same input may be
// sent again.
func (a *admission) Submit(ctx context.Context, in Input) (Admitted, error) {
	return a.take(ctx, Request{Input: in})
}

func (a *admission) take(ctx context.Context, in Request) (Admitted, error) {
	if a.draining() {
		return refused(refuseDraining()), nil
	}
	in.Run, in.Agent = judge.Named(in.Run), a.options.agentNamed(in.Agent)
	if refusal := a.checkInput(&in); refusal != nil {
		return refused(refusal), nil
	}
	give, refusal, err := a.turns.take(ctx, store.ThreadKey{Namespace: in.Namespace, Thread: in.Run.ThreadID})
	if err != nil || refusal != nil {
		return Admitted{Disposition: Refused, Refusal: refusal}, err
	}
	defer give()
	admitted, _, err := a.submit(ctx, in, 0)
	return admitted, err
}

func refuseDraining() *protocol.RunError {
	return judge.RefuseForNow(adapter.CodeServerDraining, "the server is shutting down: connect again and send the same input")
}

// submit is Submit on a thread that must have a version; 0: any. Moved: it has
// another. The caller has checked the input, and has the thread's turn.
func (a *admission) submit(ctx context.Context, in Request, version int64) (admitted Admitted, moved bool, err error) {
	if !a.enter() {
		return refused(refuseDraining()), false, nil
	}
	defer a.running.end()
	in.Run = a.strip(in.Run)
	key := store.ThreadKey{Namespace: in.Namespace, Thread: in.Run.ThreadID}
	digest, err := judge.InputDigest(key, in.Run)
	if err != nil {
		return refused(judge.Refuse(adapter.CodeInvalidInput, "resume or forwardedProps hold JSON that cannot be compared", nil)), false, nil
	}
	takes := a.quotas.takes(in.User, in.Tenant, uuid.NewString())
	takes.Thread, takes.Threads, takes.Inputs, takes.Burst = key, a.options.MaxThreadsPerUser, a.options.MaxInputs, a.options.InputBurst
	share := a.quotas.askAs(ctx, takes)
	defer share.settle()
	cleared := ""
	defer func() { admitted.Cleared = cleared }()
	for lost := (losses{}); ; {
		t := attempt{admission: a, key: key, in: in, digest: digest, version: version, runID: takes.RunID, share: share, lost: &lost}
		admitted, stale, err := t.try(ctx)
		if stale && admitted.Cleared != "" {
			cleared = admitted.Cleared
		}
		if errors.Is(err, store.ErrCorrupted) {
			return refused(a.backoff.unreadable(key, err)), false, nil
		}
		if err != nil || !stale || version != 0 {
			return admitted, stale, err
		}
		if !lost.again(ctx) {
			return refused(judge.RefuseForNow(adapter.CodeThreadBusy, "the thread changes too fast to judge the input: try again")), false, nil
		}
	}
}

func refused(e *protocol.RunError) Admitted { return Admitted{Disposition: Refused, Refusal: e} }

// checkInput refuses what decoding lets through and a thread cannot hold.
func (a *admission) checkInput(in *Request) *protocol.RunError {
	bad := func(format string, args ...any) *protocol.RunError {
		return judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf(format, args...), nil)
	}
	if refusal := checkWhen(in); refusal != nil {
		return refusal
	}
	if _, ok := a.options.Agents[in.Agent]; !ok {
		return bad("there is no agent named %q", in.Agent)
	}
	if len(in.Run.ParentRunID) > maxIDBytes {
		return bad("/parentRunId must have at most %d bytes", maxIDBytes)
	}
	for name, id := range map[string]string{"/threadId": in.Run.ThreadID, "/runId": in.Run.RunID} {
		if id == "" || id == "." || id == ".." || id == "/" || len(id) > maxIDBytes {
			return bad(`%s must have 1 to %d bytes, and not be ".", ".." or "/", which no URL can carry`, name, maxIDBytes)
		}
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
func (a *admission) strip(input *protocol.RunAgentInput) *protocol.RunAgentInput {
	own := *input
	removed := own.Strip()
	if len(removed) == 0 {
		return input
	}
	// A client that is newer sends them with every input.
	level := slog.LevelDebug
	if a.stripped.first(strings.Join(shortList(removed), " ")) {
		level = slog.LevelWarn
	}
	a.log.Log(a.ctx, level, "an input had members that are not recognised; they were left out",
		"thread", input.ThreadID, "label", input.RunID, "members", removed)
	return &own
}

// queueFull refuses an input of a size that would have to wait where no more can.
func (a *admission) queueFull(view *store.ThreadView, size int) *protocol.RunError {
	held := int64(0)
	for _, q := range view.Queue {
		held += q.Size
	}
	problem := ""
	switch {
	case view.QueueLength >= a.options.MaxQueue:
		problem = fmt.Sprintf("%d inputs wait on the thread already: wait, or cancel some", view.QueueLength)
	case held+int64(size) > a.options.MaxQueueBytes:
		problem = fmt.Sprintf("inputs of %d bytes wait on the thread, and with %d more they would be over %d: wait, or cancel some",
			held, size, a.options.MaxQueueBytes)
	default:
		return nil
	}
	return judge.RefuseForNow(adapter.CodeThreadBusy, problem)
}

// noPlace refuses what cannot wait for a place.
func (a *admission) noPlace() *protocol.RunError {
	return judge.RefuseForNow(adapter.CodeThreadBusy, fmt.Sprintf("the server carries as many runs as it may, %d, and this cannot wait: try again", a.options.MaxRuns))
}

// begin admits the run, and carries it when it need not wait.
func (a *admission) begin(ctx context.Context, b store.Begin, run *begun) (Admitted, bool, error) {
	// A sender that goes away now must not leave a run that nobody carries.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.options.StoreTimeout)
	defer cancel()
	asked := time.Now()
	result, err := retry.Do(ctx, func() (store.BeginResult, error) { return a.store.Begin(ctx, b) })
	if err != nil {
		if b.Claimed() != nil && errors.Is(err, store.ErrOutcomeUnknown) {
			a.rescueBegun(b, *run, err)
		}
		return Admitted{}, false, err
	}
	switch result.Status {
	case store.BeginStale:
		return Admitted{}, true, nil
	case store.BeginExpired:
		return refused(judge.Refuse(adapter.CodeExpired, "an interrupt has expired, it can only be cancelled", nil)), false, nil
	case store.BeginDuplicate:
		return refused(judge.Refuse(adapter.CodeDuplicate, "an input with the same dedupe key waits or runs already",
			map[string]any{"dispatchId": result.Of})), false, nil
	case store.BeginDeleting:
		return refused(judge.Refuse(adapter.CodeThreadDeleting, "the thread is being deleted: use another one", nil)), false, nil
	case store.BeginGone:
		return refused(judge.Refuse(adapter.CodeGone, "the dead letter was requeued already, or the thread has begun another execution: send the input again", nil)), false, nil
	}
	if b.Claimed() == nil {
		return Admitted{Disposition: Queued, RunID: b.RunID, Position: result.Position}, false, nil
	}
	if result.Claim.Token == "" {
		// Stopped, or taken over, before it was known here that it had begun.
		return Admitted{Disposition: Started, RunID: b.RunID, Position: result.Position}, false, nil
	}
	run.launched = !run.left
	a.carryBegun(b, *run, result, asked)
	return Admitted{Disposition: Started, RunID: b.RunID, Position: result.Position}, false, nil
}

// carryBegun carries a run that this node has begun, and whose claim it asked
// for at the given time.
func (a *admission) carryBegun(b store.Begin, run begun, result store.BeginResult, asked time.Time) {
	if run.continuing {
		a.reached("after_decision")
	} else {
		a.reached("after_begin")
	}
	if run.left {
		if err := a.worker.handBack(result.Claim); err != nil {
			a.log.Warn("a run that has no place here is taken over when its lease ends", "thread", b.Thread.Thread, "label", b.Label, "error", err)
		}
		a.capacity.claimLater(b.Thread)
		return
	}
	if result.Headers != nil {
		var err error
		if run.headers, err = headersIn(result.Headers); err != nil {
			a.log.Error("a dead letter goes on without its headers", "thread", b.Thread.Thread, "label", b.Label, "error", err)
		}
	}
	run.claim, run.asked, run.number, run.attempts, run.stored = result.Claim, asked, 1, 1, result.Execution
	run.seq = result.Position.Seq + int64(len(run.events))
	a.worker.launch(run)
}
