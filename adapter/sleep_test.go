package adapter_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

func sleeper(after time.Duration) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		switch err := run.Sleep(ctx, run.Now().Add(after)); {
		case errors.Is(err, adapter.ErrWaitCancelled):
			return run.Say("cancelled")
		case err != nil:
			return err
		}
		return run.Say("awake")
	})
}

func TestSleepEndsAtItsTime(t *testing.T) {
	l := newLab(t, sleeper(20*time.Millisecond))
	open := interrupts(t, l.say("hi"))
	if len(open) != 1 || open[0].Reason != adapter.ReasonTimer || open[0].ExpiresAt == "" {
		t.Fatalf("asked %+v", open)
	}
	l.said("awake")
	l.wellFormed()
}

func TestSleepIsAnsweredByNobody(t *testing.T) {
	l := newLab(t, sleeper(time.Hour))
	open := interrupts(t, l.say("hi"))
	refusedWith(t, l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "null")}}), adapter.CodeInvalidInput)
	succeeded(t, l.answer(cancelled(open[0].ID)))
	if got := l.texts(); len(got) != 1 || got[0] != "cancelled" {
		t.Errorf("texts %q", got)
	}
}

// Only a Sleep waits so: an agent's question that is worded as one is answered.
func TestAnAgentsTimerIsAQuestion(t *testing.T) {
	l := newLab(t, asker(protocol.Interrupt{Reason: adapter.ReasonTimer, Message: "?"}))
	open := interrupts(t, l.say("hi"))
	succeeded(t, l.answer(resolved(open[0].ID, "null")))
}

func TestSleepThatIsReplayedOtherwise(t *testing.T) {
	after := 20 * time.Millisecond
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		until := run.Now().Add(after)
		after += time.Hour
		return run.Sleep(ctx, until)
	}))
	interrupts(t, l.say("hi"))
	failedWith(t, l.untilEnd(), adapter.CodeReplayDiverged)
}

func TestSleepInsideAStep(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := adapter.Step(ctx, run, "s", func(ctx context.Context) (int, error) {
			return 0, run.Sleep(ctx, run.Now().Add(time.Hour))
		})
		if err == nil || errors.Is(err, adapter.ErrSuspended) {
			t.Errorf("Sleep inside a step: %v", err)
		}
		return nil
	}))
	succeeded(t, l.say("hi"))
}

// A timer asks nobody: it is in no inbox, and nobody is told of it.
func TestSleepAsksNobody(t *testing.T) {
	l := newLab(t, sleeper(time.Hour))
	interrupts(t, l.say("hi"))
	if open, _, err := l.runner.Inbox(l.ctx(), operate.InboxQuery{InboxQuery: store.InboxQuery{Namespace: l.key.Namespace}}); err != nil || len(open) != 0 {
		t.Errorf("the inbox has %+v, %v", open, err)
	}
	page, err := l.runner.Notices(l.ctx(), store.NoticeQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range page.Notices {
		if n.Kind == store.NoticeOpened {
			t.Errorf("told of %+v", n)
		}
	}
	if thread, err := l.runner.Thread(l.ctx(), l.key); err != nil || thread.Open == nil || thread.Open.Interrupts[0].By != store.AskedByTimer {
		t.Errorf("%+v, %v", thread, err)
	}
}
