package adapter_test

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// executions notes what the latest Begin was told of its execution.
type executions struct {
	store.Store
	told weak.Pointer[store.ExecutionView]
	any  bool
}

func (s *executions) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	result, err := s.Store.Begin(ctx, b)
	s.told, s.any = weak.Make(result.Execution), result.Execution != nil
	return result, err
}

// A run that goes on keeps no copy of the journal that it has read.
func TestARunThatGoesOnLetsGoOfWhatItHasRead(t *testing.T) {
	submitted, looked := make(chan struct{}), make(chan bool, 1)
	kept := &executions{}
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		<-submitted
		runtime.GC()
		looked <- kept.told.Value() != nil
		return nil
	})
	l := newLabOn(t, func(s store.Store) store.Store {
		kept.Store = s
		return kept
	}, agent)
	asked := interrupts(t, l.say("hi"))
	l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(asked[0].ID, "true")}})
	if !kept.any {
		t.Error("the answer was told nothing of its execution")
	}
	close(submitted)
	if <-looked {
		t.Error("what was read of the execution is kept while it goes on")
	}
	l.untilEnd()
}
