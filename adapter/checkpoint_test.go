package adapter_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/redisstore"
)

// checkpoints tells of checkpoints.
type checkpoints struct {
	store.Store
	made  chan bool
	never atomic.Bool // nothing is stored
}

func (s *checkpoints) Checkpoint(ctx context.Context, c store.Checkpoint) (bool, error) {
	if s.never.Load() {
		s.made <- false
		return false, nil
	}
	moved, err := s.Store.Checkpoint(ctx, c)
	if err == nil {
		s.made <- moved
	}
	return moved, err
}

const chatter = 60

// chatty says much, and then waits for its end.
func chatty() adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		m := run.Input().Messages
		if m[len(m)-1].Content.String() == "stop talking" {
			return run.Say("done")
		}
		for range chatter {
			if err := run.Say("0123456789012345678901234567890123456789"); err != nil {
				return err
			}
		}
		<-ctx.Done()
		return context.Cause(ctx)
	})
}

// heard reads all that a chatty agent says in a run.
func (l *lab) heard() {
	l.t.Helper()
	n := 0
	l.until(func(e protocol.Event) bool {
		if e.Type() == protocol.TypeTextMessageEnd {
			n++
		}
		return n == chatter
	})
}

// newCheckpointLab keeps few events in logs.
func newCheckpointLab(t *testing.T, agent adapter.Agent) (*lab, *checkpoints) {
	st := &checkpoints{made: make(chan bool, 100)}
	l := newLabOn(t, func(store.Store) store.Store {
		inner, err := redisstore.Embedded(&redisstore.Options{Lease: time.Minute, Retain: 100})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { inner.Close() })
		st.Store = inner
		return st
	}, agent, func(o *runner.Options) { o.Lease = time.Minute })
	return l, st
}

// Runs that are stopped leave no more behind the snapshot, and in the log, than runs
// that end.
func TestStoppedRunsMoveTheSnapshot(t *testing.T) {
	l, st := newCheckpointLab(t, chatty())
	for i := range 8 {
		a := l.submit(user(fmt.Sprint(i)))
		l.heard()
		if i%2 == 0 {
			if c, err := l.runner.CancelRun(l.ctx(), l.key, a.RunID, "enough", admission.Actor{}); err != nil || !c.Stopped {
				t.Fatalf("%+v %v", c, err)
			}
		} else if all, err := l.runner.StopAll(l.ctx(), l.key, "enough", admission.Actor{}); err != nil || all.Active != a.RunID {
			t.Fatalf("%+v %v", all, err)
		}
		if moved := await(l, st.made); !moved {
			t.Fatal("the snapshot stays where it is")
		}
		view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if view.Snapshot.At != view.Seq || view.Seq-view.Base >= 100 {
			t.Errorf("after %d runs: the log has %d to %d, the snapshot is at %d", i+1, view.Base, view.Seq, view.Snapshot.At)
		}
		l.untilEnd()
	}
	l.wellFormed()
	holds(l)
}

// holds compares what the thread holds with what those hold who have read all of its log.
func holds(l *lab) {
	l.t.Helper()
	f := fold.New(nil, nil)
	for _, e := range l.got {
		if err := f.Apply(e); err != nil {
			l.t.Fatal(err)
		}
	}
	thread, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil {
		l.t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%+v", thread.Messages), fmt.Sprintf("%+v", f.Messages()); len(thread.Messages) != len(f.Messages()) || got != want {
		l.t.Errorf("the thread holds %d messages, and its followers %d, or others", len(thread.Messages), len(f.Messages()))
	}
}

// Whom nobody has tidied up for does so before the input that reads it.
func TestInputsMoveTheSnapshotOfAThreadThatIsFarBehind(t *testing.T) {
	l, st := newCheckpointLab(t, chatty())
	st.never.Store(true)
	for i := range 3 {
		a := l.submit(user(fmt.Sprint(i)))
		l.heard()
		if c, err := l.runner.CancelRun(l.ctx(), l.key, a.RunID, "enough", admission.Actor{}); err != nil || !c.Stopped {
			t.Fatalf("%+v %v", c, err)
		}
		await(l, st.made)
		l.untilEnd()
	}
	for range len(st.made) {
		<-st.made
	}
	st.never.Store(false)
	succeeded(t, l.say("stop talking"))
	if moved := await(l, st.made); !moved {
		t.Error("the snapshot stays where it is")
	}
	view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
	if err != nil || view.Snapshot.At != view.Seq || view.Seq-view.Base >= 100 {
		t.Errorf("the log has %d to %d, the snapshot is at %d: %v", view.Base, view.Seq, view.Snapshot.At, err)
	}
	l.wellFormed()
	holds(l)
}
