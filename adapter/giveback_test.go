package adapter_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

// What a takeover notes for itself is nothing that the execution did: when the
// replay fails, the decision is given back, and another replay carries it out.
func TestDecisionIsGivenBackAfterTakeover(t *testing.T) {
	for name, work := range map[string]func(*adapter.Run, func() error) error{
		"of a message": func(run *adapter.Run, fn func() error) error {
			if err := run.Say("working"); err != nil {
				return err
			}
			return fn()
		},
		"of a subagent": func(run *adapter.Run, fn func() error) error {
			return run.Delegate("helper", "", func(string) error { return fn() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			var another, finishes atomic.Bool
			another.Store(true)
			done := 0
			agent := func(question func() string) adapter.Agent {
				return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
					if _, err := run.Ask(ctx, confirmation(question())); err != nil {
						return err
					}
					return work(run, func() error {
						if !finishes.Load() {
							<-ctx.Done()
							return context.Cause(ctx)
						}
						_, err := adapter.Step(ctx, run, "do", func(context.Context) (bool, error) { done++; return true, nil })
						return err
					})
				})
			}
			l := newLab(t, agent(func() string {
				if another.Load() {
					return "really?"
				}
				return "go?"
			}))
			dying := l.cutAfter(l.store, -1)
			w := l.worker(dying, agent(func() string { return "go?" }))
			l.beginOn(w, "hi", "run-0")
			open := interrupts(t, l.untilEnd())
			in := &protocol.RunAgentInput{ThreadID: l.key.Thread, RunID: "answer", Resume: []protocol.ResumeEntry{resolved(open[0].ID, `true`)}}
			if a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err != nil || a.Disposition != admission.Started {
				t.Fatalf("%s %v", a.Disposition, err)
			}
			l.until(func(e protocol.Event) bool {
				return e.Type() == "SUBAGENT_STARTED" || e.Type() == "TEXT_MESSAGE_END"
			})
			dying.sever()
			failedWith(t, l.untilEnd(), adapter.CodeReplayDiverged)
			l.wellFormed()
			at, err := l.cursor.Attach(l.ctx(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(at.Interrupts) != 1 || !strings.Contains(string(at.Interrupts[0]), open[0].ID) {
				t.Fatalf("open: %s", at.Interrupts)
			}
			another.Store(false)
			finishes.Store(true)
			succeeded(t, l.answer(resolved(open[0].ID, `true`)))
			l.wellFormed()
			if done != 1 {
				t.Errorf("done %d times", done)
			}
		})
	}
}
