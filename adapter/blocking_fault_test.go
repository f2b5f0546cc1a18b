package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
)

// faultyJournal fails to read a journal once.
type faultyJournal struct {
	store.Store
	fault error
	then  func()
}

func (s *faultyJournal) Journal(ctx context.Context, c store.Claim) (*store.ExecutionView, error) {
	if err := s.fault; err != nil {
		s.fault = nil
		s.then()
		return nil, err
	}
	return s.Store.Journal(ctx, c)
}

// Begin tells nothing of what a run goes on with, so that its journal is asked for.
func (s *faultyJournal) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	res, err := s.Store.Begin(ctx, b)
	res.Execution = nil
	return res, err
}

// A goroutine that waits is reached again when the store did not answer once,
// and ends with its execution when that cannot go on.
func TestBlockingAgentWhoseJournalIsNotRead(t *testing.T) {
	for name, fault := range map[string]error{
		"for a moment": fmt.Errorf("%w: lost", store.ErrOutcomeUnknown),
		"for good":     errors.New("unreadable"),
	} {
		t.Run(name, func(t *testing.T) {
			st := &faultyJournal{}
			over := make(chan error, 1)
			l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st },
				adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
					_, err := run.Ask(ctx, confirmation("?"))
					over <- err
					return err
				}), blocking)
			open := interrupts(t, l.say("hi"))
			st.fault, st.then = fault, l.lapse
			if errors.Is(fault, store.ErrOutcomeUnknown) {
				st.then = func() {} // its worker tries again
			}
			end := l.answer(resolved(open[0].ID, "1"))
			err := await(l, over)
			if errors.Is(fault, store.ErrOutcomeUnknown) {
				succeeded(t, end)
			} else if failedWith(t, end, adapter.CodeWorkerLost); err == nil {
				t.Error("the agent that was left has no error")
			}
		})
	}
}
