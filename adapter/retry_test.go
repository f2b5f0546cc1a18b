package adapter_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
)

// silentBegin loses the reply to the first Begin, and does something before it
// is sent again.
type silentBegin struct {
	store.Store
	lost bool
	do   func(store.Begin)
}

func (s *silentBegin) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	result, err := s.Store.Begin(ctx, b)
	if s.lost || err != nil {
		return result, err
	}
	s.lost = true
	s.do(b)
	return store.BeginResult{}, fmt.Errorf("%w: lost", store.ErrOutcomeUnknown)
}

// A run that was stopped before its beginning was known of is not carried.
func TestStoppedBeforeItsBeginningIsKnown(t *testing.T) {
	var calls atomic.Int32
	agent, gate := gated()
	close(gate)
	st := &silentBegin{}
	l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st },
		adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			calls.Add(1)
			return agent.Run(ctx, run)
		}))
	st.do = func(b store.Begin) {
		if c, err := l.runner.CancelRun(l.ctx(), l.key, b.RunID, "", admission.Actor{}); err != nil || !c.Stopped {
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
