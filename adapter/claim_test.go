package adapter_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
)

// unread does not answer a worker that reads a thread.
type unread struct {
	store.Store
	silent atomic.Bool
	asked  chan struct{}
}

func (s *unread) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	if s.silent.Load() && !q.Follower {
		s.asked <- struct{}{}
		return nil, errAway
	}
	return s.Store.Read(ctx, key, q)
}

// What the store does not tell the next worker is no loss of a worker.
func TestReadsThatFailAreNoLostWorkers(t *testing.T) {
	var st *unread
	agent := restart{adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error { return run.Say("done") })}
	l := newLabOn(t, func(s store.Store) store.Store {
		st = &unread{Store: s, asked: make(chan struct{}, 1000)}
		return st
	}, agent)
	w := l.worker(st.Store, restart{adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		<-ctx.Done()
		return context.Cause(ctx)
	})})
	l.beginOn(w, "hi", "run-0")
	st.silent.Store(true)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	w.Shutdown(gone) // hands back
	for range 5 {
		await(l, st.asked)
	}
	st.silent.Store(false)
	succeeded(t, l.untilEnd())
}

// What a worker does in a run that it has lost ends before it has the run again.
func TestRunThatComesBackToItsNode(t *testing.T) {
	var calls atomic.Int32
	first, inside, ended, began := make(chan context.Context, 1), make(chan struct{}), make(chan bool, 1), make(chan struct{}, 10)
	mine := restart{adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		n := calls.Add(1)
		_, err := adapter.StepWith(ctx, run, "s", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (int, error) {
			if n == 1 {
				first <- ctx
				close(inside)
				<-ctx.Done()
				return 0, ctx.Err()
			}
			ended <- (<-first).Err() != nil
			return 1, nil
		})
		return err
	})}
	l := newLab(t, restart{adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		began <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})})
	w := l.worker(l.store, mine)
	l.beginOn(w, "hi", "run-0")
	await(l, inside)
	for taken := false; !taken; {
		l.lapse()
		select {
		case <-began:
			taken = true
		case <-time.After(5 * time.Second): // the worker has renewed its lease in between
			if l.ctx().Err() != nil {
				t.Fatal("nobody takes the run over")
			}
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	l.runner.Shutdown(gone) // hands back
	if !await(l, ended) {
		t.Error("a step of the run that was lost goes on beside it")
	}
	l.start(mine)
	l.follow(nil)
}
