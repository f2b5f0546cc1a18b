package adapter_test

import (
	"context"
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

// An input that cannot be accepted interrupts nothing.
func TestRefusedInjectionStopsNothing(t *testing.T) {
	for name, in := range map[string]operate.Injection{
		"agent":           {Text: "x", Agent: "nobody"},
		"label":           {Text: "x", Label: strings.Repeat("x", 2000)},
		"unknown message": {Text: "x", After: "nobody"},
	} {
		t.Run(name, func(t *testing.T) {
			agent, gate := gated()
			l := newLab(t, agent)
			a := l.submit(user("one"))
			in.Namespace, in.Thread, in.StopAll = l.key.Namespace, l.key.Thread, true
			if got, err := l.runner.Inject(l.ctx(), in); err != nil || got.Refusal == nil || got.Refusal.Code != adapter.CodeInvalidInput {
				t.Errorf("%+v %v", got, err)
			}
			if info, err := l.runner.FindRun(l.ctx(), l.key, a.RunID); err != nil || info.State != store.DispatchClaimed {
				t.Errorf("%+v %v", info, err)
			}
			close(gate)
			l.untilEnd()
		})
	}
}

// Nor does one that the thread is against: what waits behind a question goes on
// waiting.
func TestInjectionUnderAQuestionStopsNothing(t *testing.T) {
	ask := make(chan struct{})
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		select {
		case <-ask:
		case <-ctx.Done():
		}
		_, err := run.Ask(ctx, confirmation("Really?"))
		return err
	}))
	l.submit(user("one"))
	waits := l.submit(user("two"))
	close(ask)
	open := interrupts(t, l.untilEnd())
	in := operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Text: "three", StopAll: true}
	if got, err := l.runner.Inject(l.ctx(), in); err != nil || got.Refusal == nil || got.Refusal.Code != adapter.CodePending {
		t.Errorf("%+v %v", got, err)
	}
	info, err := l.runner.FindRun(l.ctx(), l.key, waits.RunID)
	if err != nil || info.State != store.DispatchQueued {
		t.Errorf("%+v %v", info, err)
	}
	if c, err := l.runner.CancelRun(l.ctx(), l.key, waits.RunID, "done", admission.Actor{}); err != nil || !c.Stopped {
		t.Errorf("%+v %v", c, err)
	}
	l.answer(resolved(open[0].ID, "true"))
}

// The same injection sent again is answered by the run that it began, which goes
// on; another one ends that, whatever the thread does with inputs while it is
// busy.
func TestInjectionStopsAll(t *testing.T) {
	for _, busy := range []runner.BusyPolicy{runner.BusyQueue, runner.BusyReject, runner.BusySupersede} {
		t.Run(string(busy), func(t *testing.T) {
			agent, gate := gated()
			l := newLab(t, agent, func(o *runner.Options) { o.Busy = busy })
			one := l.submit(user("one"))
			ended := func(id string) {
				t.Helper()
				if info, err := l.runner.FindRun(l.ctx(), l.key, id); err != nil || info.State != store.DispatchSuperseded {
					t.Errorf("the run before is %+v, %v", info, err)
				}
			}
			inject := func(label string) admission.Admitted {
				got, err := l.runner.Inject(l.ctx(), operate.Injection{
					Namespace: l.key.Namespace, Thread: l.key.Thread, Text: label, Label: label, StopAll: true,
				})
				if err != nil || got.Refusal != nil {
					t.Fatalf("%+v %v", got, err)
				}
				return got
			}
			first := inject("two")
			if first.Disposition != admission.Started {
				t.Fatalf("%+v", first)
			}
			ended(one.RunID)
			if again := inject("two"); again.Disposition != admission.Repeat || again.RunID != first.RunID {
				t.Errorf("%+v", again)
			}
			inject("three")
			ended(first.RunID)
			close(gate)
			l.until(func(e protocol.Event) bool { f, ok := e.(*protocol.RunFinished); return ok && f.RunID == "three" })
			if got := l.contents(protocol.RoleUser); !slices.Equal(got, []string{"one", "two", "three"}) {
				t.Errorf("%q", got)
			}
		})
	}
}

// A time that is past keeps nobody waiting.
func TestInjectionForThePast(t *testing.T) {
	agent, gate := gated()
	close(gate)
	l := newLab(t, agent)
	a, err := l.runner.Inject(l.ctx(), operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Text: "x",
		Dispatch: admission.DispatchOptions{Available: time.Now().Add(-time.Hour)}})
	if err != nil || a.Disposition != admission.Started {
		t.Fatalf("%+v %v", a, err)
	}
	succeeded(t, l.untilEnd())
}
