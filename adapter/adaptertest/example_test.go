package adaptertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/adaptertest"
)

// clerk sends a letter when somebody has approved it.
type clerk struct{ sent atomic.Int64 }

func (c *clerk) Run(ctx context.Context, run *adapter.Run) error {
	letter, err := adapter.Step(ctx, run, "write", func(context.Context) (string, error) { return "Dear Ann", nil })
	if err != nil {
		return err
	}
	switch approved, err := run.Confirm(ctx, "Send this? "+letter); {
	case err != nil:
		return err
	case !approved:
		return run.Say("I have not sent it.")
	}
	if _, err := adapter.StepWith(ctx, run, "send", adapter.StepOptions{Input: letter}, func(context.Context) (bool, error) {
		c.sent.Add(1)
		return true, nil
	}); err != nil {
		return err
	}
	return run.Say("Sent.")
}

// An agent is sent a message, and says something.
func ExampleBench_Send() {
	parrot := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		messages := run.Input().Messages
		return run.Say(messages[len(messages)-1].Content.String())
	})
	_ = func(t *testing.T) { // TestParrot
		b := adaptertest.New(t, parrot)
		if run := b.Send("hello"); run.Text() != "hello" {
			t.Errorf("it says %q", run.Text())
		}
	}
}

// What the agent asks is approved.
func ExampleBench_Approve() {
	_ = func(t *testing.T) { // TestLetterIsSent
		c := new(clerk)
		b := adaptertest.New(t, c)
		run := b.Send("a letter to Ann")
		run = b.Approve(run.Interrupts()...)
		if run.Text() != "Sent." || c.sent.Load() != 1 {
			t.Errorf("it says %q, and sent %d letters", run.Text(), c.sent.Load())
		}
	}
}

// Wherever a worker dies, the letter is sent once.
func ExampleEachCrash() {
	_ = func(t *testing.T) { // TestLetterIsSentOnce
		adaptertest.EachCrash(t, func(t testing.TB) {
			c := new(clerk)
			b := adaptertest.New(t, c)
			run := b.Send("a letter to Ann")
			run = b.Approve(run.Interrupts()...)
			if run.Text() != "Sent." || c.sent.Load() != 1 {
				t.Errorf("it says %q, and sent %d letters", run.Text(), c.sent.Load())
			}
		})
	}
}

// A reminder goes out after three days, of which the test waits for none.
func ExampleBench_Forward() {
	reminder := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := run.Sleep(ctx, run.Now().Add(72*time.Hour)); err != nil {
			return err
		}
		return run.Say("Have you paid?")
	})
	_ = func(t *testing.T) { // TestReminder
		b := adaptertest.New(t, reminder)
		b.Send("remind me")
		b.Forward(72 * time.Hour)
		if run := b.Next(); run.Text() != "Have you paid?" {
			t.Errorf("it says %q", run.Text())
		}
	}
}

// Another system posts what the agent waits for.
func ExampleBench_Event() {
	var url string // the service would have it
	buyer := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		paid, err := run.Event(ctx, "paid", json.RawMessage(`{"type":"integer"}`))
		if err != nil {
			return err
		}
		url = paid.URL
		switch euros, err := paid.Wait(ctx, run.Now().Add(24*time.Hour)); {
		case errors.Is(err, adapter.ErrEventExpired):
			return run.Say("Nobody has paid.")
		case err != nil:
			return err
		default:
			return run.Say(fmt.Sprintf("Somebody has paid %s euros.", euros))
		}
	})
	_ = func(t *testing.T) { // TestBuyer
		b := adaptertest.New(t, buyer)
		b.Send("sell it")
		if run := b.Event(url, 5); run.Text() != "Somebody has paid 5 euros." {
			t.Errorf("it says %q", run.Text())
		}
	}
}
