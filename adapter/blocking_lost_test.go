package adapter_test

import (
	"context"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

// forgetful loses the worker of each run that answers: it is begun, and nobody
// carries it.
type forgetful struct {
	store.Store
	left  int // how many are lost
	lapse func()
}

func (s *forgetful) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	res, err := s.Store.Begin(ctx, b)
	if len(b.Answers()) > 0 && s.left > 0 {
		s.left--
		res.Claim = store.Claim{}
		s.lapse()
	}
	return res, err
}

// waiting is a lab whose agent's goroutine waits for an answer, the worker of which
// will be lost with the last attempt.
func waiting(t *testing.T, question adapter.ExpiryPolicy) (l *lab, over chan error) {
	over = make(chan error, 1)
	lossy := &forgetful{left: 1}
	l = newLabOn(t, func(s store.Store) store.Store { lossy.Store = s; return lossy },
		adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			q := confirmation("?")
			if question != adapter.ExpiryDefault {
				q.ExpiresAt = run.Now().Add(time.Hour).Format(time.RFC3339Nano)
			}
			_, err := run.Ask(ctx, adapter.OnExpiry(q, adapter.Expiry{Policy: question}))
			over <- err
			return err
		}), blocking, func(o *runner.Options) { o.MaxAttempts = 1 })
	lossy.lapse = l.lapse
	return l, over
}

// A goroutine whose answer can never come ends with its execution.
func TestBlockingGoroutineEndsWithTheLastAttempt(t *testing.T) {
	l, over := waiting(t, adapter.ExpiryCancel)
	interrupts(t, l.say("hi"))
	l.forward(time.Hour)
	failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
	if err := await(l, over); err == nil {
		t.Error("the agent that was left has no error")
	}
}

// One whose question is asked again goes on with the next answer.
func TestBlockingGoroutineOutlivesALostAnswer(t *testing.T) {
	l, over := waiting(t, adapter.ExpiryDefault)
	open := interrupts(t, l.say("hi"))
	failedWith(t, l.answer(resolved(open[0].ID, "1")), adapter.CodeWorkerLost)
	succeeded(t, l.answer(resolved(open[0].ID, "2")))
	if err := await(l, over); err != nil {
		t.Error(err)
	}
}
