package adapter_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

func outcomeOf(t *testing.T, events []protocol.Event) protocol.OutcomeType {
	t.Helper()
	finished, ok := events[len(events)-1].(*protocol.RunFinished)
	if !ok || finished.Outcome == nil {
		t.Fatalf("ended %s", show(events))
	}
	return finished.Outcome.Type
}

func TestStopAll(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent)
	a := l.submit(user("one"))
	q := l.submit(user("two"))
	i, err := l.runner.StopAll(l.ctx(), l.key, "enough", admission.Actor{})
	if err != nil || i.Active != a.RunID || !slices.Equal(i.Superseded, []string{q.RunID}) || i.Epoch != 1 {
		t.Fatalf("%+v %v", i, err)
	}
	ends := 0
	l.until(func(e protocol.Event) bool {
		if finished, ok := e.(*protocol.RunFinished); ok && finished.Outcome.Type == protocol.OutcomeCancelled {
			ends++
		}
		return ends == 2
	})
	l.wellFormed()
	runs, err := l.runner.Runs(l.ctx(), l.key, store.DispatchQuery{})
	if err != nil || len(runs) != 2 || runs[0].State != store.DispatchSuperseded || runs[1].State != store.DispatchSuperseded {
		t.Errorf("%+v %v", runs, err)
	}
	close(gate)
	succeeded(t, l.say("three"))
}

func TestCancelRunByID(t *testing.T) {
	agent, gate := gated()
	defer close(gate)
	l := newLab(t, agent)
	a := l.submit(user("one"))
	q := l.submit(user("two"))
	for _, id := range []string{q.RunID, a.RunID} {
		if c, err := l.runner.CancelRun(l.ctx(), l.key, id, "by an operator", admission.Actor{}); err != nil || !c.Stopped {
			t.Fatalf("%+v %v", c, err)
		}
	}
	if c, err := l.runner.CancelRun(l.ctx(), l.key, "nobody", "", admission.Actor{}); err != nil || c.Stopped {
		t.Errorf("%+v %v", c, err)
	}
	l.untilEnd()
	if info, err := l.runner.FindRun(l.ctx(), l.key, q.RunID); err != nil || info.State != store.DispatchCancelled {
		t.Errorf("%+v %v", info, err)
	}
	if info, err := l.runner.FindRun(l.ctx(), l.key, a.RunID); err != nil || info.State != store.DispatchSuperseded || info.Error != "by an operator" {
		t.Errorf("%+v %v", info, err)
	}
	if info, err := l.runner.FindRun(l.ctx(), l.key, "nobody"); err != nil || info != nil {
		t.Errorf("%+v %v", info, err)
	}
}

// stepper takes a step whenever it is let.
func stepper(let <-chan struct{}) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for range 3 {
			if _, err := adapter.StepWith(ctx, run, "work", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (int, error) {
				select {
				case <-let:
				case <-ctx.Done():
				}
				return 1, nil
			}); err != nil {
				return err
			}
			if err := run.Say("did"); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestOperatorPause(t *testing.T) {
	for name, resume := range map[string]func(l *lab, open protocol.Interrupt) protocol.OutcomeType{
		"goes on": func(l *lab, _ protocol.Interrupt) protocol.OutcomeType {
			if ok, err := l.runner.Unpause(l.ctx(), l.key, "", "", "unpause", store.Origin{}, nil); err != nil || !ok {
				l.t.Fatal(ok, err)
			}
			return protocol.OutcomeSuccess
		},
		"is answered by a client": func(l *lab, open protocol.Interrupt) protocol.OutcomeType {
			l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{{InterruptID: open.ID, Status: protocol.ResumeResolved}}})
			return protocol.OutcomeSuccess
		},
		"is cancelled": func(l *lab, open protocol.Interrupt) protocol.OutcomeType {
			l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{cancelled(open.ID)}})
			return protocol.OutcomeCancelled
		},
	} {
		t.Run(name, func(t *testing.T) {
			let := make(chan struct{}, 3)
			l := newLab(t, stepper(let))
			l.submit(user("hi"))
			if active, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil || active != operate.PausePending {
				t.Fatal(active, err)
			}
			is := func(want operate.PauseState) {
				t.Helper()
				if thread, err := l.runner.Thread(l.ctx(), l.key); err != nil || thread.Pause != want {
					t.Errorf("it is %q: %+v %v", want, thread, err)
				}
			}
			is(operate.PausePending)
			let <- struct{}{}
			open := interrupts(t, l.untilEnd())
			is(operate.PausePaused)
			if len(open) != 1 || open[0].Reason != adapter.ReasonPaused {
				t.Fatalf("%+v", open)
			}
			want := resume(l, open[0])
			let <- struct{}{}
			let <- struct{}{}
			if got := outcomeOf(t, l.untilEnd()); got != want {
				t.Errorf("outcome %s", got)
			}
			is(operate.PauseNothing)
			if want == protocol.OutcomeSuccess && len(l.texts()) != 3 {
				t.Errorf("said %q", l.texts())
			}
			l.wellFormed()
		})
	}
}

func TestPauseIsTakenBack(t *testing.T) {
	let := make(chan struct{}, 3)
	l := newLab(t, stepper(let))
	if active, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil || active != operate.PauseNothing {
		t.Fatal("a thread at rest was paused", active, err)
	}
	l.submit(user("hi"))
	if ok, err := l.runner.Unpause(l.ctx(), l.key, "", "", "unpause", store.Origin{}, nil); err != nil || ok {
		t.Fatal("nothing was paused, and it went on", ok, err)
	}
	if active, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil || active != operate.PausePending {
		t.Fatal(active, err)
	}
	if ok, err := l.runner.Unpause(l.ctx(), l.key, "", "", "unpause", store.Origin{}, nil); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if ok, err := l.runner.Unpause(l.ctx(), l.key, "", "", "unpause", store.Origin{}, nil); err != nil || ok {
		t.Fatal("it was taken back already", ok, err)
	}
	for range 3 {
		let <- struct{}{}
	}
	succeeded(t, l.untilEnd())
	if ok, err := l.runner.Unpause(l.ctx(), l.key, "", "", "again", store.Origin{}, nil); err != nil || ok {
		t.Error("something went on", ok, err)
	}
}

func TestAnswersAreKeptUntilAllAreGiven(t *testing.T) {
	l := newLab(t, asker(
		protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: "one", ResponseSchema: approval},
		confirmation("two"), confirmation("three")))
	open := interrupts(t, l.say("hi"))
	give := func(entries ...protocol.ResumeEntry) operate.Answered {
		t.Helper()
		a, err := l.runner.Answer(l.ctx(), l.key, "tenant", "", "answer", entries, store.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := give(resolved(open[0].ID, `{"approved":"yes"}`)); a.Admitted.Refusal == nil || a.Admitted.Refusal.Code != adapter.CodePayloadInvalid {
		t.Errorf("a draft that does not fit: %+v", a)
	}
	if a := give(resolved("nobody", `1`)); a.Admitted.Refusal == nil || a.Admitted.Refusal.Code != adapter.CodeUnknownInterrupt {
		t.Errorf("a draft of nothing: %+v", a)
	}
	if a := give(resolved(open[1].ID, `"first"`)); !slices.Equal(a.Missing, []string{open[0].ID, open[2].ID}) {
		t.Errorf("%+v", a)
	}
	if a := give(resolved(open[1].ID, `"second"`), cancelled(open[2].ID)); !slices.Equal(a.Missing, []string{open[0].ID}) {
		t.Errorf("%+v", a)
	}
	thread, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil || thread.Open == nil || len(thread.Open.Interrupts) != 3 {
		t.Fatalf("%+v %v", thread, err)
	}
	if d := thread.Open.Interrupts[1].Draft; d == nil || string(d.Payload) != `"second"` {
		t.Errorf("draft %+v", d)
	}
	if ok, err := l.runner.DropDraft(l.ctx(), l.key, "", open[2].ID); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if a := give(resolved(open[0].ID, `{"approved":true}`)); !slices.Equal(a.Missing, []string{open[2].ID}) {
		t.Errorf("%+v", a)
	}
	a := give(resolved(open[2].ID, `3`))
	if a.Missing != nil || a.Admitted.Disposition != admission.Started {
		t.Fatalf("%+v", a)
	}
	succeeded(t, l.untilEnd())
	if got, want := l.texts(), []string{`resolved{"approved":true} resolved"second" resolved3`}; !slices.Equal(got, want) {
		t.Errorf("said %q", got)
	}
	if a := give(resolved(open[2].ID, `3`)); a.Admitted.Disposition != admission.Repeat {
		t.Errorf("answered again: %+v", a)
	}
}

func TestInboxAndThreads(t *testing.T) {
	l := newLab(t, asker(confirmation("?")))
	in := user("Please book\n the  flight")
	in.ThreadID, in.RunID = l.key.Thread, "r"
	if _, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Tenant: "acme", Run: in}); err != nil {
		t.Fatal(err)
	}
	open := interrupts(t, l.untilEnd())
	items, next, err := l.runner.Inbox(l.ctx(), operate.InboxQuery{InboxQuery: store.InboxQuery{Tenant: "acme"}})
	if err != nil || next != "" || len(items) != 1 || items[0].Thread != l.key || items[0].Interrupts[0].ID != open[0].ID || items[0].Label != "r" {
		t.Fatalf("%+v %q %v", items, next, err)
	}
	if items[0].Title != "Please book the flight" || time.Since(items[0].Since) > time.Minute {
		t.Errorf("%+v", items[0])
	}
	for _, q := range []store.InboxQuery{{Tenant: "other"}, {Tenant: "acme", Reason: "other:reason"}} {
		if items, _, err := l.runner.Inbox(l.ctx(), operate.InboxQuery{InboxQuery: q}); err != nil || len(items) != 0 {
			t.Errorf("%+v: %+v %v", q, items, err)
		}
	}
	if ok, err := l.runner.SetTitle(l.ctx(), l.key, "Flight"); err != nil || !ok {
		t.Fatal(ok, err)
	}
	threads, next, err := l.runner.Threads(l.ctx(), store.ThreadQuery{Namespace: l.key.Namespace})
	if err != nil || next != "" || len(threads) != 1 || threads[0].Title != "Flight" || !threads[0].Suspended || threads[0].Active {
		t.Fatalf("%+v %q %v", threads, next, err)
	}
	l.answer(resolved(open[0].ID, "1"))
	if items, _, err := l.runner.Inbox(l.ctx(), operate.InboxQuery{InboxQuery: store.InboxQuery{Tenant: "acme"}}); err != nil || len(items) != 0 {
		t.Errorf("%+v %v", items, err)
	}
	if ok, err := l.runner.DeleteThread(l.ctx(), l.key, "", store.Origin{}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if thread, err := l.runner.Thread(l.ctx(), l.key); err != nil || thread != nil {
		t.Errorf("%+v %v", thread, err)
	}
}

// Who answers from the inbox sees what is proposed.
func TestInboxShowsTheCall(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: "pay", Args: rawJSON(`{"amount":1}`)})
		return err
	}))
	l.say("hi")
	thread, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil || thread.Open == nil {
		t.Fatal(thread, err)
	}
	if call := thread.Open.Interrupts[0].Call; call == nil || call.Name != "pay" || call.Arguments != `{"amount":1}` {
		t.Errorf("call %+v", call)
	}
}

func TestInject(t *testing.T) {
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		messages := run.Input().Messages
		return run.Say("heard " + messages[len(messages)-1].Content.String())
	})
	l := newLab(t, agent)
	l.say("one")
	inject := func(in operate.Injection) admission.Admitted {
		t.Helper()
		in.Namespace, in.Thread = l.key.Namespace, l.key.Thread
		a, err := l.runner.Inject(l.ctx(), in)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := inject(operate.Injection{Text: "two", Label: "r2"}); a.Disposition != admission.Started {
		t.Fatalf("%+v", a)
	}
	l.untilEnd()
	if a := inject(operate.Injection{Text: "two", Label: "r2"}); a.Disposition != admission.Repeat {
		t.Fatalf("%+v", a)
	}
	if a := inject(operate.Injection{Text: "x", After: "nobody"}); a.Refusal == nil {
		t.Fatalf("%+v", a)
	}
	if a := inject(operate.Injection{Text: "instead", After: "m-one"}); a.Disposition != admission.Started {
		t.Fatalf("%+v", a)
	}
	l.untilEnd()
	l.wellFormed()
	if got, want := l.texts(), []string{"heard instead"}; !slices.Equal(got, want) {
		t.Errorf("said %q", got)
	}
	later := admission.DispatchOptions{Available: time.Now().Add(time.Hour), Dedupe: "daily"}
	if a := inject(operate.Injection{Text: "later", Dispatch: later}); a.Disposition != admission.Queued {
		t.Fatalf("%+v", a)
	}
	if a := inject(operate.Injection{Text: "later still", Dispatch: later}); a.Refusal == nil || a.Refusal.Code != adapter.CodeDuplicate {
		t.Fatalf("%+v", a)
	}
	succeeded(t, func() []protocol.Event {
		if a := inject(operate.Injection{Text: "now"}); a.Disposition == admission.Refused {
			t.Fatalf("%+v", a)
		}
		return l.untilEnd()
	}())
}

func TestQueueIsBounded(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent, func(o *runner.Options) { o.MaxQueue = 2 })
	l.submit(user("one"))
	for _, text := range []string{"two", "three"} {
		l.queues(user(text))
	}
	if a := l.submit(user("four")); a.Refusal == nil || a.Refusal.Code != adapter.CodeThreadBusy {
		t.Errorf("%+v", a)
	}
	close(gate)
	for ends := 0; ends < 3; {
		l.until(func(e protocol.Event) bool {
			if isEnd(e) {
				ends++
			}
			return isEnd(e)
		})
	}
	if a := l.submit(user("five")); a.Disposition != admission.Started {
		t.Errorf("%+v", a)
	}
	l.untilEnd()
}
