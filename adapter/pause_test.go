package adapter_test

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// A wish that was taken back after a step was recorded, and before the next one,
// stops nothing.
func TestPauseIsTakenBackBetweenSteps(t *testing.T) {
	begun, in, between, on := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		step := func(fn func()) error {
			_, err := adapter.StepWith(ctx, run, "work", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { fn(); return 1, nil })
			return err
		}
		if err := step(func() { close(begun); <-in }); err != nil {
			return err
		}
		close(between)
		<-on
		return step(func() {})
	}))
	l.submit(user("hi"))
	await(l, begun)
	if active, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil || active != operate.PausePending {
		t.Fatal(active, err)
	}
	close(in)
	await(l, between)
	if ok, err := l.runner.Unpause(l.ctx(), l.key, "", "", "unpause", store.Origin{}, nil); err != nil || !ok {
		t.Fatal(ok, err)
	}
	close(on)
	succeeded(t, l.untilEnd())
}

// taking tells when a worker has taken the wish, and holds it up until it may go on.
type taking struct {
	store.Store
	taken, goOn chan struct{}
	asked       chan struct{} // somebody has asked in vain to take the wish back
}

func (s *taking) TakePause(ctx context.Context, c store.Claim) (*store.Wish, error) {
	taken, err := s.Store.TakePause(ctx, c)
	if taken != nil {
		close(s.taken)
		<-s.goOn
	}
	return taken, err
}

func (s *taking) Unpause(ctx context.Context, key store.ThreadKey, request string) (bool, error) {
	back, err := s.Store.Unpause(ctx, key, request)
	if !back {
		select {
		case s.asked <- struct{}{}:
		default:
		}
	}
	return back, err
}

// An operator who takes the wish back while the run is suspending is told the
// truth: the run goes on.
func TestUnpauseWhileTheRunIsSuspending(t *testing.T) {
	s := &taking{taken: make(chan struct{}), goOn: make(chan struct{}), asked: make(chan struct{}, 1)}
	let := make(chan struct{}, 3)
	l := newLabOn(t, func(store store.Store) store.Store { s.Store = store; return s }, stepper(let))
	l.submit(user("hi"))
	if active, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil || active != operate.PausePending {
		t.Fatal(active, err)
	}
	for range 3 {
		let <- struct{}{}
	}
	await(l, s.taken)
	unpaused := make(chan error, 1)
	go func() {
		ok, err := l.runner.Unpause(l.ctx(), l.key, "", "", "unpause", store.Origin{}, nil)
		if err == nil && !ok {
			err = errFault
		}
		unpaused <- err
	}()
	await(l, s.asked)
	close(s.goOn)
	if err := await(l, unpaused); err != nil {
		t.Error(err)
	}
	l.until(func(e protocol.Event) bool {
		finished, ok := e.(*protocol.RunFinished)
		return ok && finished.Outcome.Type == protocol.OutcomeSuccess
	})
	l.wellFormed()
}
