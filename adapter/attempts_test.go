package adapter_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

// A run whose every worker is lost ends when they are lost without recording
// anything, not while each goes further than the one before.
func TestAttemptsAreSpentByLackOfProgress(t *testing.T) {
	const steps, attempts = 6, 2
	for name, test := range map[string]struct {
		stuck int // the step in which every worker is lost
		want  string
	}{
		"each goes further": {steps, "[1 1 1 1 1 1]"},
		"none goes further": {2, "[1 1 2 0 0 0]"},
	} {
		t.Run(name, func(t *testing.T) {
			ran := make([]int, steps)
			var way atomic.Pointer[cutStore]
			agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				for i := range steps {
					first := ran[i] == 0
					if _, err := adapter.StepWith(ctx, run, "step", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) {
						ran[i]++
						if i == test.stuck {
							way.Load().sever()
						}
						return i, nil
					}); err != nil {
						return err
					}
					if first {
						way.Load().sever()
						<-ctx.Done()
						return ctx.Err()
					}
				}
				return nil
			})
			l := newLab(t, agent, func(o *runner.Options) {
				o.Agents, o.Default = map[string]adapter.Agent{"another": agent}, "another" // it follows the run, and never carries it
				o.Sweep = time.Hour
			})
			over := make(chan struct{})
			for lost, begun := true, false; lost; begun = true {
				c := l.cutAfter(endings{l.store, sync.OnceFunc(func() { close(over) })}, -1)
				way.Store(c)
				w, err := runner.New(deaf{c}, &runner.Options{
					Agents: map[string]adapter.Agent{"": agent}, Lease: soon, Sweep: time.Hour, MaxAttempts: attempts,
				})
				if err != nil {
					t.Fatal(err)
				}
				l.abandon(w)
				if !begun {
					l.beginOn(w, "hi", "run-0")
				}
				select {
				case <-c.lost:
				case <-over:
					lost = false
				case <-l.ctx().Done():
					t.Fatalf("steps ran %v", ran)
				}
			}
			l.untilEnd()
			if got := fmt.Sprint(ran); got != test.want {
				t.Errorf("steps ran %s, want %s", got, test.want)
			}
			if test.stuck == steps {
				succeeded(t, l.got)
			} else {
				failedWith(t, l.got, adapter.CodeWorkerLost)
			}
			l.wellFormed()
		})
	}
}

// endings tells when a run has ended.
type endings struct {
	store.Store
	over func()
}

func (s endings) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	result, err := s.Store.Commit(ctx, b)
	if err == nil && b.End != nil {
		s.over()
	}
	return result, err
}

func (s endings) Bury(ctx context.Context, n store.Nack) (store.NackResult, error) {
	result, err := s.Store.Bury(ctx, n)
	if err == nil {
		s.over()
	}
	return result, err
}
