package adapter_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// theRun is the thread's only run in a state.
func (l *lab) theRun(state store.DispatchState) operate.RunInfo {
	l.t.Helper()
	runs, err := l.runner.Runs(l.ctx(), l.key, store.DispatchQuery{States: []store.DispatchState{state}})
	if err != nil || len(runs) != 1 {
		l.t.Fatalf("%d runs are %s: %+v %v", len(runs), state, runs, err)
	}
	return runs[0]
}

// lose lets a worker begin a run and be lost after so many commits.
func (l *lab) lose(agent adapter.Agent, commits int) {
	l.t.Helper()
	cut := l.cutAfter(l.store, commits)
	l.beginOn(l.worker(cut, agent), "hi", "run-0")
	await(l, cut.lost)
}

// A dead letter goes on from its journal: steps that were recorded do not run
// again, and what was said after the last record is said once.
func TestRequeueGoesOnFromTheJournal(t *testing.T) {
	for name, bytes := range map[string]int64{"in short": 0, "behind a checkpoint": 1} {
		t.Run(name, func(t *testing.T) { requeued(t, checkpointing(bytes)) })
	}
}

func requeued(t *testing.T, configure func(*runner.Options)) {
	ran := map[string]int{}
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for _, name := range []string{"one", "two"} {
			got, err := adapter.StepWith(ctx, run, name, adapter.StepOptions{Idempotent: true}, func(context.Context) (string, error) {
				ran[name]++
				return name, nil
			})
			if err != nil {
				return err
			}
			if err := run.Say(got); err != nil {
				return err
			}
		}
		return nil
	})
	// Nothing is recorded between the loss of one worker and of the next.
	var log logged
	l := newLab(t, agent, func(o *runner.Options) { o.Sweep = time.Hour })
	cut := l.cutBefore(l.store, protocol.TypeRunFinished)
	l.beginOn(l.worker(cut, agent, configure, func(o *runner.Options) { o.MaxAttempts = 1 }), "hi", "run-0")
	await(l, cut.lost)
	if c, err := l.store.Claim(l.ctx(), store.ClaimRequest{Thread: l.key, Token: "lost too"}); err != nil || c.Kind != store.ClaimTakeover {
		t.Fatalf("%+v %v", c, err)
	}
	l.lapse()
	l.replace(agent, configure, func(o *runner.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
	l.eventually("the log has the code", func() bool { return strings.Contains(log.String(), "code=worker_lost") })
	letter := l.theRun(store.DispatchDeadLetter)
	if letter.Label != "run-0" || letter.Error == "" || letter.Outcome == nil {
		t.Errorf("dead letter %+v", letter)
	}
	before := fmt.Sprint(ran)
	admitted, err := l.runner.Requeue(l.ctx(), l.key, letter.ID)
	if err != nil || admitted.Disposition != admission.Started {
		t.Fatalf("%+v %v", admitted, err)
	}
	succeeded(t, l.untilEnd())
	l.wellFormed()
	if got := l.texts(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("said %q", got)
	}
	if got := fmt.Sprint(ran); got != before {
		t.Errorf("steps ran %s, and %s before", got, before)
	}
	if letter := l.theRun(store.DispatchDeadLetter); letter.ContinuedAs != admitted.RunID {
		t.Errorf("requeued as %q, not %q", letter.ContinuedAs, admitted.RunID)
	}
	if again, err := l.runner.Requeue(l.ctx(), l.key, letter.ID); err != nil || again.Disposition != admission.Refused || again.Refusal.Code != adapter.CodeGone {
		t.Errorf("requeued twice: %+v %v", again, err)
	}
}

// A dead letter is gone for good once the thread has begun something else.
func TestRequeueIsTooLate(t *testing.T) {
	agent := &steady{ran: map[string]int{}}
	l := newLab(t, agent)
	l.lose(agent, 1)
	failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
	letter := l.theRun(store.DispatchDeadLetter)
	succeeded(t, l.say("next"))
	if a, err := l.runner.Requeue(l.ctx(), l.key, letter.ID); err != nil || a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodeGone {
		t.Errorf("%+v %v", a, err)
	}
	if a, err := l.runner.Requeue(l.ctx(), l.key, "nobody"); err != nil || a.Refusal == nil || a.Refusal.Code != adapter.CodeGone {
		t.Errorf("%+v %v", a, err)
	}
	succeeded(t, l.say("and on"))

	// It can be put away all the same.
	letters := func() int {
		t.Helper()
		list, _, err := l.runner.DeadLetters(l.ctx(), store.PageQuery{})
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if n := letters(); n != 1 {
		t.Errorf("%d dead letters", n)
	}
	for i, want := range []bool{true, false} {
		if c, err := l.runner.CancelRun(l.ctx(), l.key, letter.ID, "seen", admission.Actor{}); err != nil || c.Stopped != want {
			t.Errorf("%d: %+v %v", i, c, err)
		}
	}
	if n := letters(); n != 0 {
		t.Errorf("%d dead letters, afterwards", n)
	}
	counts, err := l.runner.CountDispatches(l.ctx(), "")
	if gone := l.theRun(store.DispatchCancelled); err != nil || !strings.HasSuffix(gone.Error, "; dismissed: seen") ||
		counts[store.DispatchDeadLetter] != 0 || counts[store.DispatchCancelled] != 1 {
		t.Errorf("%+v, counts %v %v", gone, counts, err)
	}
	if a, err := l.runner.Requeue(l.ctx(), l.key, letter.ID); err != nil || a.Refusal == nil || a.Refusal.Code != adapter.CodeGone {
		t.Errorf("%+v %v", a, err)
	}
	if got := l.theRun(store.DispatchCancelled); got.Attempts > got.MaxAttempts {
		t.Errorf("%d attempts of %d", got.Attempts, got.MaxAttempts)
	}
}

// impatient does not leave to others what it cannot carry.
func impatient(o *runner.Options) { o.AgentWait = -1 }

// An input for an agent that no node has is given up when it has waited, and can be
// requeued when the agent is there.
func TestUnknownAgentBecomesADeadLetter(t *testing.T) {
	first, gate := gated()
	other := asker(confirmation("?"))
	with := func(o *runner.Options) { o.Agents["other"] = other }
	l := newLab(t, first, with)
	l.submit(user("one"))
	in := user("two")
	in.ThreadID, in.RunID = l.key.Thread, "waits"
	if a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Agent: "other", Run: in}); err != nil || a.Disposition != admission.Queued {
		t.Fatalf("%+v %v", a, err)
	}
	wait := l.drain()
	close(gate)
	wait()
	l.replace(first, impatient)
	l.forward(2 * time.Minute) // for so long nobody has asked for it
	for l.got = nil; ; {
		end := l.untilEnd()
		if failed, ok := end[len(end)-1].(*protocol.RunError); ok {
			if failed.Code != adapter.CodeAgentError {
				t.Fatalf("ended %s", show(end))
			}
			break
		}
	}
	letter := l.theRun(store.DispatchDeadLetter)
	if letter.Attempts != 1 || letter.Label != "waits" {
		t.Errorf("dead letter %+v", letter)
	}
	// A node that lacks the agent does not use it up.
	a, err := l.runner.Requeue(l.ctx(), l.key, letter.ID)
	if err != nil || a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodeInvalidInput {
		t.Errorf("%+v %v", a, err)
	}
	if letter := l.theRun(store.DispatchDeadLetter); letter.ContinuedAs != "" {
		t.Errorf("requeued as %s", letter.ContinuedAs)
	}
	if err := l.runner.Shutdown(l.ctx()); err != nil {
		t.Fatal(err)
	}
	l.replace(first, with)
	if a, err := l.runner.Requeue(l.ctx(), l.key, letter.ID); err != nil || a.Disposition != admission.Started {
		t.Fatalf("%+v %v", a, err)
	}
	interrupts(t, l.untilEnd())
}

// A dead letter of which nothing was recorded begins again, because an operator says so. What it
// was not to run beside is kept away from the run that goes on with it, too.
func TestRequeueBeginsAgain(t *testing.T) {
	agent := &steady{ran: map[string]int{}}
	l := newLab(t, agent)
	cut := l.cutAfter(l.store, 1)
	in := user("hi")
	in.ThreadID, in.RunID = l.key.Thread, "run-0"
	if a, err := l.worker(cut, agent).Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in,
		Dispatch: admission.DispatchOptions{Dedupe: "daily"}}); err != nil || a.Disposition != admission.Started {
		t.Fatalf("%+v %v", a, err)
	}
	await(l, cut.lost)
	failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
	a, err := l.runner.Requeue(l.ctx(), l.key, l.theRun(store.DispatchDeadLetter).ID)
	if err != nil || a.Disposition != admission.Started {
		t.Fatalf("%+v %v", a, err)
	}
	if info, err := l.runner.FindRun(l.ctx(), l.key, a.RunID); err != nil || info.Dedupe != "daily" {
		t.Errorf("%+v %v", info, err)
	}
	succeeded(t, l.untilEnd())
	l.wellFormed()
}
