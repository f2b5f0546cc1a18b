package adapter_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// recordSizes counts the bytes of the run records that begin.
type recordSizes struct {
	store.Store
	last, sum int
}

func (s *recordSizes) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	s.last = len(b.Record)
	s.sum += s.last
	return s.Store.Begin(ctx, b)
}

// A client that sends the whole history with each input makes no run record larger than
// the one before.
func TestRunRecordsDoNotGrowWithTheHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	const turns = 150
	sizes := &recordSizes{}
	l := newLabOn(t, func(s store.Store) store.Store { sizes.Store = s; return sizes },
		adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error { return run.Say("yes") }))
	history := fold.New(nil, nil)
	first := 0
	for turn := range turns {
		id := fmt.Sprintf("message-%032d", turn)
		in := &protocol.RunAgentInput{Messages: append(history.Messages(),
			protocol.Message{ID: id, Role: protocol.RoleUser, Content: protocol.Text("and?")})}
		l.begins(in)
		for _, e := range l.untilEnd() {
			if err := history.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		if turn == 1 {
			first = sizes.last
		}
	}
	if n := len(history.Messages()); n != 2*turns {
		t.Fatalf("the thread has %d messages", n)
	}
	if sizes.last > first+8 {
		t.Errorf("the record of the second run has %d bytes, that of the last %d", first, sizes.last)
	}
	if thousand := 1000 * sizes.last; thousand > 1e6 {
		t.Errorf("after a thousand runs their records have %d bytes", thousand)
	}
	t.Logf("%d bytes a record, %d in all", sizes.last, sizes.sum)
}
