package adapter_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
)

// silentBegin loses the reply to the first Begin, and does something before it
// is sent again.
type silentBegin struct {
	adapter.Store
	lost bool
	do   func(adapter.Begin)
}

func (s *silentBegin) Begin(ctx context.Context, b adapter.Begin) (adapter.BeginResult, error) {
	result, err := s.Store.Begin(ctx, b)
	if s.lost || err != nil {
		return result, err
	}
	s.lost = true
	s.do(b)
	return adapter.BeginResult{}, fmt.Errorf("%w: lost", adapter.ErrOutcomeUnknown)
}

// A run that was stopped before its beginning was known of is not carried.
func TestStoppedBeforeItsBeginningIsKnown(t *testing.T) {
	var calls atomic.Int32
	agent, gate := gated()
	close(gate)
	store := &silentBegin{}
	l := newLabOn(t, func(s adapter.Store) adapter.Store { store.Store = s; return store },
		adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			calls.Add(1)
			return agent.Run(ctx, run)
		}))
	store.do = func(b adapter.Begin) {
		if c, err := l.runner.CancelRun(l.ctx(), l.key, b.RunID, ""); err != nil || !c.Stopped {
			t.Error(c, err)
		}
	}
	l.submit(user("hi"))
	l.untilEnd()
	if err := l.runner.Shutdown(l.ctx()); err != nil {
		t.Fatal(err)
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("the agent was called %d times", n)
	}
}
