package adapter_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// withHeader submits an input with a header.
func (l *lab) withHeader(w *runner.Runner, in *protocol.RunAgentInput, value string) admission.Admitted {
	l.t.Helper()
	in.ThreadID = l.key.Thread
	if in.RunID == "" {
		l.runs++
		in.RunID = fmt.Sprintf("run-%d", l.runs)
	}
	a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in, Headers: map[string]string{"Authorization": value}})
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

func resumes(id string) *protocol.RunAgentInput {
	return &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(id, "true")}}
}

// headed is an agent that tells its headers, asks, and tells them again.
type headed struct{ seen chan string }

func newHeaded() headed { return headed{make(chan string, 100)} }

func (headed) Restartable() bool { return true }

func (h headed) Run(ctx context.Context, run *adapter.Run) error {
	headers := run.Headers()
	if len(headers) > 1 {
		return fmt.Errorf("%d headers", len(headers))
	}
	h.seen <- headers["authorization"]
	if m := run.Input().Messages; m[len(m)-1].Content.String() == "ask" {
		if _, err := run.Ask(ctx, confirmation("one?"), confirmation("two?")); err != nil {
			return err
		}
	}
	return run.Say("done")
}

func (h headed) saw(l *lab, want ...string) {
	l.t.Helper()
	for _, w := range want {
		if got := await(l, h.seen); got != w {
			l.t.Errorf("the agent has the header %q, want %q", got, w)
		}
	}
}

func TestHeadersAreTheRuns(t *testing.T) {
	h := newHeaded()
	l := newLab(t, h)
	l.withHeader(l.runner, user("ask"), "of the question")
	open := interrupts(t, l.untilEnd())
	h.saw(l, "of the question")
	// Drafts: the answer that makes it all has the headers.
	for i, it := range open {
		a, err := l.runner.Answer(l.ctx(), l.key, "", "", "answer", []protocol.ResumeEntry{resolved(it.ID, "true")}, store.Origin{},
			map[string]string{"AUTHORIZATION": fmt.Sprint("of answer ", i)})
		if err != nil || len(a.Missing) != 1-i {
			t.Fatalf("%+v %v", a, err)
		}
	}
	succeeded(t, l.untilEnd())
	h.saw(l, "of answer 1")
	succeeded(t, l.say("without"))
	h.saw(l, "")
}

func TestHeadersWaitWithTheirRun(t *testing.T) {
	h := newHeaded()
	first, gate := gated()
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if run.ClientRunID() == "run-1" {
			return first.Run(ctx, run)
		}
		return h.Run(ctx, run)
	}))
	l.submit(user("one"))
	for _, name := range []string{"two", "three"} {
		if a := l.withHeader(l.runner, user(name), "of "+name); a.Disposition != admission.Queued {
			t.Fatalf("%s: %s", name, a.Disposition)
		}
	}
	close(gate)
	for range 3 {
		succeeded(t, l.untilEnd())
	}
	h.saw(l, "of two", "of three")
}

func TestHeadersAreTakenOver(t *testing.T) {
	h := newHeaded()
	l := newLab(t, h)
	l.withHeader(l.worker(l.cutBefore(l.store, protocol.TypeTextMessageStart), h), user("go"), "of the lost")
	succeeded(t, l.untilEnd())
	h.saw(l, "of the lost", "of the lost")
	l.withHeader(l.runner, user("ask"), "of the question")
	open := interrupts(t, l.untilEnd())
	in := resumes(open[0].ID)
	in.Resume = append(in.Resume, resolved(open[1].ID, "true"))
	l.withHeader(l.worker(l.cutBefore(l.store, protocol.TypeTextMessageStart), h), in, "of the answer")
	succeeded(t, l.untilEnd())
	h.saw(l, "of the question", "of the answer", "of the answer")
}

func TestHeadersOfADeadLetter(t *testing.T) {
	h := newHeaded()
	l := newLab(t, h, func(o *runner.Options) { o.MaxAttempts, o.Sweep = 1, 20*time.Millisecond })
	l.withHeader(l.worker(l.cutBefore(l.store, protocol.TypeTextMessageStart), h, func(o *runner.Options) { o.MaxAttempts = 1 }), user("go"), "of the lost")
	failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
	h.saw(l, "of the lost")
	letter := l.theRun(store.DispatchDeadLetter).ID
	if a, err := l.runner.Requeue(l.ctx(), l.key, letter); err != nil || a.Disposition != admission.Started {
		t.Fatalf("%+v %v", a, err)
	}
	succeeded(t, l.untilEnd())
	h.saw(l, "of the lost")
}

func TestHeadersAreBounded(t *testing.T) {
	h := newHeaded()
	l := newLab(t, h)
	fits := strings.Repeat("x", 16<<10-len("Authorization"))
	refused := l.withHeader(l.runner, user("go"), fits+"x")
	if refusedWith(t, refused, adapter.CodeInvalidInput); !strings.Contains(refused.Refusal.Message, "16385 bytes, and at most 16384") {
		t.Errorf("it says %q", refused.Refusal.Message)
	}
	l.withHeader(l.runner, user("go"), fits)
	succeeded(t, l.untilEnd())
	h.saw(l, fits)
	given := map[string]string{"a": "b"}
	own := maps.Clone(given)
	if _, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: func() *protocol.RunAgentInput {
		in := user("again")
		in.ThreadID, in.RunID = l.key.Thread, "again"
		return in
	}(), Headers: given}); err != nil || !maps.Equal(given, own) {
		t.Errorf("%v %v", given, err)
	}
	succeeded(t, l.untilEnd())
}

// What went along is told to nobody but the agent.
func TestHeadersAreNotTold(t *testing.T) {
	h := newHeaded()
	l := newLab(t, h)
	const secret = "Bearer s3cr3t"
	l.withHeader(l.runner, user("ask"), secret)
	open := interrupts(t, l.untilEnd())
	in := resumes(open[0].ID)
	in.Resume = append(in.Resume, resolved(open[1].ID, "true"))
	l.withHeader(l.runner, in, secret)
	succeeded(t, l.untilEnd())
	view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{RunID: "run-1"})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := l.runner.Runs(l.ctx(), l.key, store.DispatchQuery{})
	if err != nil || len(runs) != 2 {
		t.Fatalf("%+v %v", runs, err)
	}
	decisions, err := l.store.Decisions(l.ctx(), store.DecisionQuery{})
	if err != nil || len(decisions.Decisions) != 2 {
		t.Fatalf("%+v %v", decisions, err)
	}
	dispatches, err := l.store.Dispatches(l.ctx(), l.key, store.DispatchQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for what, told := range map[string]any{"the thread": view, "runs": runs, "decisions": decisions, "dispatches": dispatches} {
		if text := fmt.Sprintf("%s %+v", told, told); strings.Contains(text, "s3cr3t") {
			t.Errorf("%s tell it", what)
		}
	}
	for _, e := range l.events {
		if strings.Contains(string(e), "s3cr3t") {
			t.Errorf("logged %s", e)
		}
	}
}

// An agent gets its own headers alone, and what others would get refuses it no input.
func TestHeadersByAgent(t *testing.T) {
	seen := make(chan map[string]string, 10)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		seen <- run.Headers()
		if m := run.Input().Messages; m[len(m)-1].Content.String() == "ask" {
			_, err := run.Ask(ctx, confirmation("?"))
			return err
		}
		return nil
	})
	l := newLab(t, agent, func(o *runner.Options) {
		o.Agents["b"], o.Agents["c"] = agent, agent
		o.HeadersBy = map[string][]string{"b": {"X-Who"}, "c": nil}
	})
	sent := map[string]string{"x-who": "ann", "Cookie": "a=1"}
	submit := func(thread, of string, in *protocol.RunAgentInput, headers map[string]string) admission.Admitted {
		t.Helper()
		in.ThreadID, in.RunID = thread, "run-"+fmt.Sprint(len(in.Resume))
		a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Agent: of, Run: in, Headers: headers})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for of, want := range map[string]map[string]string{"": {"x-who": "ann", "cookie": "a=1"}, "b": {"x-who": "ann"}, "c": {}} {
		submit("of-"+of, of, user("hi"), sent)
		if got := await(l, seen); !maps.Equal(got, want) {
			t.Errorf("%q gets %v", of, got)
		}
	}
	large := map[string]string{"X-Who": "ann", "Cookie": strings.Repeat("x", 16<<10)}
	if a := submit("large", "", user("hi"), large); a.Disposition != admission.Refused {
		t.Errorf("too much is %s", a.Disposition)
	}
	if a := submit("small", "b", user("hi"), large); a.Disposition != admission.Started {
		t.Errorf("what another would get makes it %s %+v", a.Disposition, a.Refusal)
	}
	if got := await(l, seen); !maps.Equal(got, map[string]string{"x-who": "ann"}) {
		t.Errorf("b gets %v", got)
	}
	// An answer has what its agent gets, through whichever route it has come.
	l = l.on("answered")
	submit("answered", "b", user("ask"), nil)
	await(l, seen)
	submit("answered", "", resumes(interrupts(t, l.untilEnd())[0].ID), sent)
	if got := await(l, seen); !maps.Equal(got, map[string]string{"x-who": "ann"}) {
		t.Errorf("b gets %v", got)
	}
}
