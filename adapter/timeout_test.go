package adapter_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
)

// A run that takes too long ends in order, whether or not its agent heeds its
// context, and what the agent does afterwards is not heard of.
func TestRunTimeout(t *testing.T) {
	for name, heeds := range map[string]bool{"heeded": true, "not heeded": false} {
		t.Run(name, func(t *testing.T) {
			release, late := make(chan struct{}), make(chan error, 1)
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				text, err := run.Text()
				if err != nil { // the time was over before it spoke
					late <- err
					return err
				}
				fmt.Fprint(text, "half")
				if heeds {
					<-ctx.Done()
					late <- run.Say("late")
					return context.Cause(ctx)
				}
				<-release
				late <- run.Say("late")
				return nil
			}), func(o *runner.Options) { o.RunTimeout = 50 * time.Millisecond })
			failedWith(t, l.say("hi"), adapter.CodeRunTimeout)
			close(release)
			if err := await(l, late); err == nil {
				t.Error("an agent that is over may still speak")
			}
			l.wellFormed()
		})
	}
}

// The time that a human takes does not count.
func TestRunTimeoutDoesNotCountSuspension(t *testing.T) {
	l := newLab(t, asker(confirmation("?")), func(o *runner.Options) { o.RunTimeout = time.Hour })
	open := interrupts(t, l.say("hi"))
	succeeded(t, l.answer(resolved(open[0].ID, "1")))
}

// A run that was active for long when its worker was lost has no time anew.
func TestRunTimeoutGoesOnThroughTakeovers(t *testing.T) {
	recorded := make(chan struct{}, 2)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := adapter.StepWith(ctx, run, "s", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil }); err != nil {
			return err
		}
		recorded <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	})
	hour := func(o *runner.Options) { o.RunTimeout = time.Hour }
	l := newLab(t, agent, hour)
	dying := l.cutAfter(l.store, -1)
	l.beginOn(l.worker(dying, agent), "hi", "r1")
	await(l, recorded)
	dying.sever()
	l.forward(time.Hour)
	failedWith(t, l.untilEnd(), adapter.CodeRunTimeout)
	l.wellFormed()
}
