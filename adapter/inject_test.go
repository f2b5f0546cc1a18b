package adapter_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

// An input that cannot be accepted interrupts nothing.
func TestRefusedInjectionInterruptsNothing(t *testing.T) {
	for name, in := range map[string]adapter.Injection{
		"priority":        {Text: "x", Dispatch: adapter.DispatchOptions{Priority: 1000}},
		"agent":           {Text: "x", Agent: "nobody"},
		"label":           {Text: "x", RunID: strings.Repeat("x", 2000)},
		"unknown message": {Text: "x", After: "nobody"},
	} {
		t.Run(name, func(t *testing.T) {
			agent, gate := gated()
			l := newLab(t, agent)
			a := l.submit(user("one"))
			in.Namespace, in.Thread, in.Interrupt = l.key.Namespace, l.key.Thread, true
			if got, err := l.runner.Inject(l.ctx(), in); err != nil || got.Refusal == nil || got.Refusal.Code != adapter.CodeInvalidInput {
				t.Errorf("%+v %v", got, err)
			}
			if info, err := l.runner.FindRun(l.ctx(), l.key, a.RunID); err != nil || info.State != adapter.DispatchClaimed {
				t.Errorf("%+v %v", info, err)
			}
			close(gate)
			l.untilEnd()
		})
	}
}

// A time that is past keeps nobody waiting.
func TestInjectionForThePast(t *testing.T) {
	agent, gate := gated()
	close(gate)
	l := newLab(t, agent)
	a, err := l.runner.Inject(l.ctx(), adapter.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Text: "x",
		Dispatch: adapter.DispatchOptions{Available: time.Now().Add(-time.Hour)}})
	if err != nil || a.Disposition != adapter.Started {
		t.Fatalf("%+v %v", a, err)
	}
	succeeded(t, l.untilEnd())
}
