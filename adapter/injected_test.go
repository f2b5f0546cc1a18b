package adapter_test

import (
	"context"
	"fmt"
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

// listener goes through steps, each of which waits to be let on, and says after each what
// was injected.
func listener(steps int, let <-chan struct{}) adapter.Agent { return listenerIn(steps, let, nil) }

// listenerIn is a listener that tells when it is in a step.
func listenerIn(steps int, let <-chan struct{}, in chan<- struct{}) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for i := range steps {
			if err := run.Say(fmt.Sprintf("step %d", i)); err != nil {
				return err
			}
			if _, err := adapter.StepWith(ctx, run, "work", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (int, error) {
				if in != nil {
					in <- struct{}{}
				}
				select {
				case <-let:
				case <-ctx.Done():
				}
				return i, ctx.Err()
			}); err != nil {
				return err
			}
			if err := tellInjected(ctx, run); err != nil {
				return err
			}
		}
		return nil
	})
}

// tellInjected says what was injected, and what the run's messages then end with.
func tellInjected(ctx context.Context, run *adapter.Run) error {
	messages, err := run.Injected(ctx)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if !slices.ContainsFunc(run.Messages(), func(held protocol.Message) bool { return held.ID == m.ID }) {
			return fmt.Errorf("%s is not among the run's messages", m.ID)
		}
		if err := run.Say("heard " + m.Content.String()); err != nil {
			return err
		}
	}
	return nil
}

// joining sends a message that is to join the run.
func (l *lab) joining(text string) admission.Admitted {
	l.t.Helper()
	a, err := l.runner.Inject(l.ctx(), operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Text: text, Label: "in-" + text, When: admission.WhenStep})
	if err != nil || a.Refusal != nil {
		l.t.Fatalf("%q: %+v %v", text, a.Refusal, err)
	}
	return a
}

func (l *lab) hearsInjected(want ...string) {
	l.t.Helper()
	var heard []string
	for _, text := range l.texts() {
		if rest, ok := strings.CutPrefix(text, "heard "); ok {
			heard = append(heard, rest)
		}
	}
	if !slices.Equal(heard, want) {
		l.t.Errorf("heard %q, want %q in %s", heard, want, show(l.got))
	}
}

// ended reads on until the run of a label has ended, and returns its end.
func (l *lab) ended(label string) *protocol.RunFinished {
	l.t.Helper()
	var end *protocol.RunFinished
	l.until(func(e protocol.Event) bool {
		finished, ok := e.(*protocol.RunFinished)
		if ok && finished.RunID == label {
			end = finished
		}
		return end != nil
	})
	return end
}

func TestInjected(t *testing.T) {
	let := make(chan struct{})
	l := newLab(t, listener(3, let))
	l.submit(user("hi"))
	for _, text := range []string{"one", "two"} {
		if a := l.joining(text); a.Disposition != admission.Queued {
			t.Fatal(a.Disposition)
		}
	}
	if a := l.joining("one"); a.Disposition != admission.Repeat {
		t.Errorf("sent again: %s", a.Disposition)
	}
	let <- struct{}{}
	let <- struct{}{}
	l.until(func(e protocol.Event) bool {
		text, ok := e.(*protocol.TextMessageContent)
		return ok && text.Delta == "heard two"
	})
	a := l.joining("two")
	if a.Disposition != admission.Repeat {
		t.Errorf("sent again when it was taken: %s", a.Disposition)
	}
	told, err := l.runner.Repeat(l.ctx(), l.key, a.RunID, "in-two")
	if err != nil || len(told.Events) != 2 || !strings.Contains(string(told.Events[1]), `"joined"`) || strings.Contains(string(told.Events[1]), "cancelled") {
		t.Errorf("its sender is told %q, %v", told.Events, err)
	}
	if c, err := l.runner.Cancel(l.ctx(), l.key, "in-two", admission.Actor{}); err != nil || c.Stopped {
		t.Errorf("taken, and cancelled: %+v %v", c, err)
	}
	let <- struct{}{}
	end := l.ended("in-two")
	if end.Outcome.Type != protocol.OutcomeSuccess || string(end.Result) != `{"joined":"run-1"}` {
		t.Errorf("%+v %s", end.Outcome, end.Result)
	}
	l.wellFormed()
	l.hearsInjected("one", "two")
	if got, want := l.contents(protocol.RoleUser), []string{"hi", "one", "two"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	// A client that sends all of its history says nothing new with it.
	in := user("three")
	in.Messages = append(protocol.Messages{{ID: "m-hi", Role: protocol.RoleUser, Content: protocol.Text("hi")}}, in.Messages...)
	if a := l.submit(in); a.Disposition != admission.Started {
		t.Errorf("the next input: %s %+v", a.Disposition, a.Refusal)
	}
	for range 3 {
		let <- struct{}{}
	}
	l.untilEnd()
}

// What nobody asks for begins a run of its own, and so does what comes too late.
func TestNotInjected(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent)
	l.submit(user("hi"))
	l.joining("one")
	cancelled := l.joining("two")
	if c, err := l.runner.CancelRun(l.ctx(), l.key, cancelled.RunID, "taken back", admission.Actor{}); err != nil || !c.Stopped {
		t.Fatalf("%+v %v", c, err)
	}
	close(gate)
	if end := l.ended("in-one"); end.Outcome.Type != protocol.OutcomeSuccess || !end.Result.IsZero() {
		t.Errorf("%+v %s", end.Outcome, end.Result)
	}
	if end := l.ended("in-two"); end.Outcome.Type != protocol.OutcomeCancelled {
		t.Errorf("taken back: %+v", end.Outcome)
	}
	l.wellFormed()
	if got := l.contents(protocol.RoleUser); !slices.Equal(got, []string{"hi", "one"}) {
		t.Errorf("%q", got)
	}
}

func TestInjectedAtRest(t *testing.T) {
	l := newLab(t, asker(confirmation("?")))
	if a := l.joining("hi"); a.Disposition != admission.Started {
		t.Fatal(a.Disposition)
	}
	interrupts(t, l.untilEnd())
}

// What comes while an interrupt is open answers nothing, and is heard by who goes on.
func TestInjectedWhileItWaits(t *testing.T) {
	for _, busy := range []runner.BusyPolicy{runner.BusyQueue, runner.BusyReject} {
		t.Run(string(busy), func(t *testing.T) {
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				if _, err := run.Ask(ctx, confirmation("?")); err != nil {
					return err
				}
				return tellInjected(ctx, run)
			}), func(o *runner.Options) { o.Busy, o.Unanswered = busy, runner.UnansweredCancel })
			open := interrupts(t, l.say("hi"))
			if a := l.joining("one"); a.Disposition != admission.Queued {
				t.Fatalf("%s", a.Disposition)
			}
			if thread, err := l.runner.Thread(l.ctx(), l.key); err != nil || thread.Open == nil || thread.Queued != 1 {
				t.Fatalf("%+v %v", thread, err)
			}
			succeeded(t, l.answer(resolved(open[0].ID, "1")))
			l.ended("in-one")
			l.wellFormed()
			l.hearsInjected("one")
		})
	}
}

// What comes while a run is paused is returned by the call at which it was paused, and
// nothing is said again.
func TestInjectedWhilePaused(t *testing.T) {
	let, in := make(chan struct{}), make(chan struct{}, 2)
	l := newLab(t, listenerIn(2, let, in))
	l.submit(user("hi"))
	await(l, in)
	if active, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil || active != operate.PausePending {
		t.Fatal(active, err)
	}
	let <- struct{}{}
	if open := interrupts(t, l.untilEnd()); open[0].Reason != adapter.ReasonPaused {
		t.Fatal(open[0].Reason)
	}
	l.joining("one")
	if ok, err := l.runner.Unpause(l.ctx(), l.key, "", "", "unpause", store.Origin{}, nil); err != nil || !ok {
		t.Fatal(ok, err)
	}
	l.until(func(e protocol.Event) bool {
		text, ok := e.(*protocol.TextMessageContent)
		return ok && text.Delta == "heard one"
	})
	let <- struct{}{}
	l.ended("in-one")
	l.wellFormed()
	if got, want := l.texts(), []string{"step 0", "heard one", "step 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A worker that is lost around the commit that takes an input leaves it to be taken, or
// taken: whoever goes on hears it at the same place, once.
func TestInjectedIsReplayed(t *testing.T) {
	for _, point := range []string{"before_join", "after_join"} {
		t.Run(point, func(t *testing.T) {
			let := make(chan struct{}, 4)
			l := newLab(t, listener(2, let), func(o *runner.Options) { o.Sweep = time.Hour })
			cut := l.cutAfter(l.store, -1)
			reached := make(chan struct{})
			w := l.worker(cut, listener(2, let), func(o *runner.Options) {
				o.Hook = func(at string) {
					if at == point {
						cut.sever()
						close(reached)
					}
				}
			})
			l.beginOn(w, "hi", "run-0")
			l.joining("one")
			let <- struct{}{}
			await(l, reached)
			let <- struct{}{}
			let <- struct{}{}
			l.replace(listener(2, let))
			end := l.ended("in-one")
			if string(end.Result) != `{"joined":"run-0"}` {
				t.Errorf("%s", end.Result)
			}
			l.hearsInjected("one")
			if got, want := l.texts(), []string{"step 0", "heard one", "step 1"}; !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			if got := l.contents(protocol.RoleUser); !slices.Equal(got, []string{"hi", "one"}) {
				t.Errorf("%q", got)
			}
		})
	}
}

// goneStore has an input cancelled just before the run would take it.
type goneStore struct {
	store.Store
	cancel func()
}

func (s *goneStore) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	if b.Join != nil && s.cancel != nil {
		cancel := s.cancel
		s.cancel = nil
		cancel()
	}
	return s.Store.Commit(ctx, b)
}

// An input that is cancelled while the run takes it is cancelled, and the others are heard.
func TestInjectedIsCancelledMeanwhile(t *testing.T) {
	let := make(chan struct{})
	s := &goneStore{}
	l := newLabOn(t, func(under store.Store) store.Store { s.Store = under; return s }, listener(1, let))
	l.submit(user("hi"))
	l.joining("one")
	l.joining("two")
	s.cancel = func() {
		if c, err := l.runner.Cancel(context.Background(), l.key, "in-one", admission.Actor{}); err != nil || !c.Stopped {
			t.Errorf("%+v %v", c, err)
		}
	}
	let <- struct{}{}
	l.ended("in-two")
	l.wellFormed()
	l.hearsInjected("two")
}

func TestInjectedIsRefused(t *testing.T) {
	agent, gate := gated()
	defer close(gate)
	l := newLab(t, agent, func(o *runner.Options) { o.MaxQueue = 1 })
	l.submit(user("hi"))
	parts := protocol.PartsOf(protocol.Part{Type: protocol.PartText, Text: "x"})
	for name, tt := range map[string]struct {
		in   admission.Input
		code string
		says string
	}{
		"unknown word": {admission.Input{When: "now", Run: user("x")}, adapter.CodeInvalidInput, `"now"`},
		"answers": {admission.Input{When: admission.WhenStep, Run: &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved("i", "1")}}},
			adapter.CodeInvalidInput, "resume"},
		"later": {admission.Input{When: admission.WhenStep, Run: user("x"), Dispatch: admission.DispatchOptions{Available: time.Now().Add(time.Hour)}},
			adapter.CodeInvalidInput, "time"},
		"nothing new": {admission.Input{When: admission.WhenStep, Run: user("hi")}, adapter.CodeInvalidInput, "none"},
		"parts": {admission.Input{When: admission.WhenStep, Run: &protocol.RunAgentInput{Messages: protocol.Messages{{ID: "p", Role: protocol.RoleUser, Content: parts}}}},
			adapter.CodeInvalidInput, "text alone"},
		"another role": {admission.Input{When: admission.WhenStep, Run: &protocol.RunAgentInput{Messages: protocol.Messages{{ID: "s", Role: protocol.RoleSystem, Content: protocol.Text("x")}}}},
			adapter.CodeInvalidInput, "role"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.in.Namespace, tt.in.Run.ThreadID, tt.in.Run.RunID = l.key.Namespace, l.key.Thread, "refused-"+name
			a, err := l.runner.Submit(l.ctx(), tt.in)
			if err != nil || a.Refusal == nil || a.Refusal.Code != tt.code || !strings.Contains(a.Refusal.Message, tt.says) {
				t.Errorf("%s %+v %v", a.Disposition, a.Refusal, err)
			}
		})
	}
	l.joining("fits")
	in := user("too many")
	in.ThreadID, in.RunID = l.key.Thread, "too many"
	a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in, When: admission.WhenStep})
	if err != nil || a.Refusal == nil || a.Refusal.Code != adapter.CodeThreadBusy {
		t.Errorf("%+v %v", a.Refusal, err)
	}
}

// Where a replay could not find it again, nothing is injected.
func TestInjectedInside(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := adapter.StepWith(ctx, run, "work", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (int, error) {
			_, err := run.Injected(ctx)
			return 0, err
		})
		if err == nil {
			return fmt.Errorf("in a step it is possible")
		}
		return adapter.Parallel(ctx, run, func(ctx context.Context, branch *adapter.Run) error {
			if _, err := branch.Injected(ctx); err == nil {
				return fmt.Errorf("in a branch it is possible")
			}
			return nil
		})
	}))
	succeeded(t, l.say("hi"))
}

// What a dead letter has heard is in the thread, and what it has not begins a run.
func TestInjectedIntoADeadLetter(t *testing.T) {
	let := make(chan struct{}, 9)
	l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }), func(o *runner.Options) { o.Sweep = time.Hour })
	cut := l.cutAfter(l.store, -1)
	reached := make(chan struct{})
	w := l.worker(cut, listener(2, let), func(o *runner.Options) {
		o.Hook = func(at string) {
			if at == "after_join" {
				cut.sever()
				close(reached)
			}
		}
	})
	l.beginOn(w, "hi", "run-0")
	l.joining("one")
	let <- struct{}{}
	await(l, reached)
	claimed, err := l.store.Claim(l.ctx(), store.ClaimRequest{Thread: l.key, Token: "gravedigger"})
	if err != nil || claimed.Kind != store.ClaimTakeover {
		t.Fatalf("%+v %v", claimed, err)
	}
	terminal, err := protocol.Encode(&protocol.RunError{Message: "buried", Code: "worker_lost"})
	if err != nil {
		t.Fatal(err)
	}
	late := l.joining("two")
	if _, err := l.store.Bury(l.ctx(), store.Nack{Claim: claimed.Claim, Error: "buried", Terminal: terminal}); err != nil {
		t.Fatal(err)
	}
	if info, err := l.runner.FindRun(l.ctx(), l.key, late.RunID); err != nil || info == nil || info.State != store.DispatchQueued {
		t.Errorf("%+v %v", info, err)
	}
	l.replace(adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }))
	l.ended("in-two")
	if got := l.contents(protocol.RoleUser); !slices.Equal(got, []string{"hi", "one", "two"}) {
		t.Errorf("%q", got)
	}
}

// What a run has heard waits no more: more can be said to it, however small the queue.
func TestInjectedMakesRoom(t *testing.T) {
	let := make(chan struct{})
	l := newLab(t, listener(3, let), func(o *runner.Options) { o.MaxQueue = 1 })
	l.submit(user("hi"))
	for _, text := range []string{"one", "two", "three"} {
		l.joining(text)
		let <- struct{}{}
		l.until(func(e protocol.Event) bool {
			said, ok := e.(*protocol.TextMessageContent)
			return ok && said.Delta == "heard "+text
		})
	}
	l.ended("in-three")
	l.wellFormed()
	l.hearsInjected("one", "two", "three")
}
