package adaptertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/adaptertest"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAnswers(t *testing.T) {
	c := new(clerk)
	b := adaptertest.New(t, c)
	asked := b.Send("a letter")
	if len(asked.Interrupts()) != 1 || asked.Outcome != protocol.OutcomeInterrupt || asked.Text() != "" {
		t.Fatalf("%+v", asked)
	}
	if run := b.Approve(asked.Interrupts()...); run.Text() != "Sent." || run.Outcome != protocol.OutcomeSuccess || len(run.Events) == 0 || c.sent.Load() != 1 {
		t.Errorf("%q, %d sent", run.Text(), c.sent.Load())
	}
	for name, answer := range map[string]func(...protocol.Interrupt) *adaptertest.Run{
		"declined": b.Decline, "cancelled": b.Cancel,
		"answered": func(i ...protocol.Interrupt) *adaptertest.Run {
			return b.Answer(i[0], json.RawMessage(`{"approved":false}`))
		},
	} {
		if run := answer(b.Send("another letter").Interrupts()...); run.Text() != "I have not sent it." || c.sent.Load() != 1 {
			t.Errorf("%s: %q, %d sent", name, run.Text(), c.sent.Load())
		}
	}
}

func TestSender(t *testing.T) {
	b := adaptertest.New(t, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		return run.Say(run.User() + " of " + run.Tenant())
	}))
	b.User, b.Tenant = "acme/ann", "acme"
	if run := b.Send("hi"); run.Text() != "acme/ann of acme" {
		t.Errorf("%q", run.Text())
	}
}

func TestChangedAgentDiverges(t *testing.T) {
	b := adaptertest.New(t, new(clerk))
	asked := b.Send("a letter")
	b.Deploy(adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := run.Confirm(ctx, "Burn it?")
		return err
	}))
	if run := b.Approve(asked.Interrupts()...); run.Failed == nil || run.Failed.Code != adapter.CodeReplayDiverged {
		t.Errorf("%+v", run.Failed)
	}
}

// The worker dies in a step: who plays the conversation is asked about it.
func TestCrash(t *testing.T) {
	var runs atomic.Int64
	b := adaptertest.New(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := adapter.Step(ctx, run, "work", func(ctx context.Context) (int, error) {
			if runs.Add(1) == 1 {
				_ = run.Say("at work")
				<-ctx.Done()
			}
			return 1, ctx.Err()
		})
		if err != nil {
			return err
		}
		return run.Say("done")
	}))
	b.Begin(&protocol.RunAgentInput{})
	b.Until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
	b.Crash()
	asked := b.Next().Interrupts()
	if len(asked) != 1 || asked[0].Reason != adapter.ReasonUncertainStep {
		t.Fatalf("%+v", asked)
	}
	if run := b.Answer(asked[0], map[string]string{"action": "rerun"}); run.Text() != "done" || runs.Load() != 2 {
		t.Errorf("%q", run.Text())
	}
}

type restartable struct{ adapter.AgentFunc }

func (restartable) Restartable() bool { return true }

// Each of the effects is once there, wherever a worker dies: of steps one after the other, of
// steps at once, of a tool, and of an agent that is called and asks.
func TestEachCrash(t *testing.T) {
	adaptertest.EachCrash(t, func(t testing.TB) {
		var effects [5]atomic.Int64
		does := func(ctx context.Context, run *adapter.Run, n int) error {
			_, err := adapter.StepWith(ctx, run, "step", adapter.StepOptions{Input: n}, func(context.Context) (int, error) { return n, run.Say("working") })
			if err == nil {
				_, err = adapter.Step(ctx, run, "effect", func(context.Context) (int64, error) { return effects[n].Add(1), nil })
			}
			return err
		}
		called := restartable{func(ctx context.Context, run *adapter.Run) error {
			if err := does(ctx, run, 0); err != nil {
				return err
			}
			if _, err := run.Confirm(ctx, "Go on?"); err != nil {
				return err
			}
			return run.Say("called")
		}}
		b := adaptertest.New(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			if err := does(ctx, run, 1); err != nil {
				return err
			}
			if err := adapter.Parallel(ctx, run,
				func(ctx context.Context, run *adapter.Run) error { return does(ctx, run, 2) },
				func(ctx context.Context, run *adapter.Run) error { return does(ctx, run, 3) }); err != nil {
				return err
			}
			if _, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: "pay", Args: json.RawMessage("{}"), Do: func(context.Context, adapter.Invocation) (json.RawMessage, error) {
				effects[4].Add(1)
				return json.RawMessage("true"), nil
			}}); err != nil {
				return err
			}
			answer, err := run.Call(ctx, "called", adapter.CallInput{Text: "work"})
			if err != nil {
				return err
			}
			if err := run.Sleep(ctx, run.Now().Add(72*time.Hour)); err != nil {
				return err
			}
			return run.Say(answer.Text)
		}), func(o *runner.Options) { o.Agents["called"] = called })
		run := b.Send("go")
		run = b.Approve(run.Interrupts()...) // the tool
		run = b.Approve(run.Interrupts()...) // what the called agent asks
		if i := run.Interrupts(); len(i) != 1 || i[0].Reason != adapter.ReasonTimer {
			t.Fatalf("%+v", run)
		}
		b.Forward(72 * time.Hour)
		if run = b.Next(); run.Text() != "called" {
			t.Errorf("it says %q", run.Text())
		}
		for i := range effects {
			if n := effects[i].Load(); n != 1 {
				t.Errorf("the effect %d took place %d times", i, n)
			}
		}
	})
}

// What an agent waits for by itself passes at once in a bubble.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := adaptertest.New(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			time.Sleep(time.Second)
			return run.Say("awake")
		}))
		if run := b.Send("hi"); run.Text() != "awake" {
			t.Errorf("%q", run.Text())
		}
	})
}

// An event comes, or its time runs out, wherever a worker dies.
func TestEvent(t *testing.T) {
	adaptertest.EachCrash(t, func(t testing.TB) {
		var url atomic.Value
		b := adaptertest.New(t, restartable{func(ctx context.Context, run *adapter.Run) error {
			for range 2 {
				paid, err := run.Event(ctx, "paid", json.RawMessage(`{"type":"integer"}`))
				if err != nil {
					return err
				}
				url.Store(paid.URL)
				switch euros, err := paid.Wait(ctx, run.Now().Add(24*time.Hour)); {
				case errors.Is(err, adapter.ErrEventExpired):
					return run.Say("late")
				case err != nil:
					return err
				default:
					if err := run.Say("paid " + string(euros)); err != nil {
						return err
					}
				}
			}
			return nil
		}})
		b.Send("sell it")
		if run := b.Event(url.Load().(string), 5); run.Text() != "paid 5" || run.Outcome != protocol.OutcomeInterrupt {
			t.Errorf("it says %q, %s", run.Text(), run.Outcome)
		}
		b.Forward(24 * time.Hour)
		if run := b.Next(); run.Text() != "late" {
			t.Errorf("it says %q", run.Text())
		}
	})
}
