package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter"
)

// faultyJournal fails to read a journal once.
type faultyJournal struct {
	adapter.Store
	fault error
	then  func()
}

func (s *faultyJournal) Journal(ctx context.Context, c adapter.Claim) (*adapter.ExecutionView, error) {
	if err := s.fault; err != nil {
		s.fault = nil
		s.then()
		return nil, err
	}
	return s.Store.Journal(ctx, c)
}

// A goroutine that waits is reached again when the store did not answer once,
// and ends with its execution when that cannot go on.
func TestBlockingAgentWhoseJournalIsNotRead(t *testing.T) {
	for name, fault := range map[string]error{
		"for a moment": fmt.Errorf("%w: lost", adapter.ErrOutcomeUnknown),
		"for good":     errors.New("unreadable"),
	} {
		t.Run(name, func(t *testing.T) {
			store := &faultyJournal{}
			over := make(chan error, 1)
			l := newLabOn(t, func(s adapter.Store) adapter.Store { store.Store = s; return store },
				adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
					_, err := run.Ask(ctx, confirmation("?"))
					over <- err
					return err
				}), blocking)
			open := interrupts(t, l.say("hi"))
			store.fault, store.then = fault, l.lapse
			if errors.Is(fault, adapter.ErrOutcomeUnknown) {
				store.then = func() {} // its worker tries again
			}
			end := l.answer(resolved(open[0].ID, "1"))
			err := await(l, over)
			if errors.Is(fault, adapter.ErrOutcomeUnknown) {
				succeeded(t, end)
			} else if failedWith(t, end, adapter.CodeWorkerLost); err == nil {
				t.Error("the agent that was left has no error")
			}
		})
	}
}
