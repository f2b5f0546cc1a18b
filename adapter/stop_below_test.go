package adapter_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

// treeReads counts what is asked of the store to know of a tree.
type treeReads struct {
	store.Store
	nodes, infos, inbox atomic.Int64
}

func (s *treeReads) TreeNodes(ctx context.Context, namespace string, threads []string) ([]*store.Node, error) {
	s.nodes.Add(1)
	return s.Store.TreeNodes(ctx, namespace, threads)
}

func (s *treeReads) TreeDescribed(ctx context.Context, namespace string, threads []string) ([]*store.Node, error) {
	s.nodes.Add(1)
	return s.Store.TreeDescribed(ctx, namespace, threads)
}

func (s *treeReads) TreeBelow(ctx context.Context, key store.ThreadKey) ([]string, error) {
	s.nodes.Add(1)
	return s.Store.TreeBelow(ctx, key)
}

func (s *treeReads) ThreadInfos(ctx context.Context, threads []store.ThreadKey) ([]*store.ThreadInfo, error) {
	s.infos.Add(1)
	return s.Store.ThreadInfos(ctx, threads)
}

func (s *treeReads) Inbox(ctx context.Context, q store.InboxQuery) (store.InboxPage, error) {
	s.inbox.Add(1)
	return s.Store.Inbox(ctx, q)
}

func (s *treeReads) count() string {
	return fmt.Sprintf("%d %d %d", s.nodes.Swap(0), s.infos.Swap(0), s.inbox.Swap(0))
}

func below(t *testing.T, r *runner.Runner, parent, child store.ThreadKey) {
	t.Helper()
	if _, err := r.CreateThread(t.Context(), child, operate.NewThread{Parent: &parent.Thread}); err != nil {
		t.Fatal(err)
	}
}

// One call stops so many threads, the next one those that are left, and what is read to know
// of them is the same however many there are.
func TestStopBelowIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	const threads = 203
	reads := &treeReads{}
	l := newLabOn(t, func(s store.Store) store.Store { reads.Store = s; return reads }, adapter.AgentFunc(asksOrWaits))
	if _, err := l.runner.CreateThread(t.Context(), l.key, operate.NewThread{}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.runner.Placed(t.Context(), l.key.Namespace, []string{l.key.Thread}); err != nil || reads.count() != "1 0 0" {
		t.Errorf("to place a thread without children: %v, and it is not one read", err)
	}
	for i := range threads {
		child := store.ThreadKey{Namespace: l.key.Namespace, Thread: fmt.Sprintf("child-%d", i)}
		below(t, l.runner, l.key, child)
		in := user("wait")
		in.ThreadID, in.RunID = child.Thread, "run"
		if _, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: child.Namespace, Run: in}); err != nil {
			t.Fatal(err)
		}
	}
	reads.count()
	for i, want := range []operate.StoppedBelow{{Active: threads}, {Active: threads - 200, Stopped: 200}, {Stopped: threads - 200}, {}} {
		got, err := l.runner.StopBelow(l.ctx(), l.key, "test", i > 0, admission.Actor{})
		want.Threads = threads
		if err != nil || got != want {
			t.Errorf("call %d: %+v, %v, want %+v", i, got, err, want)
		}
		if n := reads.count(); n != "1 1 0" {
			t.Errorf("call %d: %s reads of nodes, threads and the inbox, want 1 1 0", i, n)
		}
	}
}

// A thread whose log cannot be read keeps nobody from stopping it, nor those beside it.
func TestStopBelowPassesWhatCannotBeRead(t *testing.T) {
	s := newSpoilt(t, adapter.AgentFunc(asksOrWaits))
	top := store.ThreadKey{Namespace: "n", Thread: "top"}
	if _, err := s.runner.CreateThread(s.ctx(), top, operate.NewThread{}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []store.ThreadKey{s.bad, s.good} {
		below(t, s.runner, top, key)
		s.submit(key, "wait")
		s.until("it goes on", func() bool {
			thread, err := s.runner.Thread(s.ctx(), key)
			return err == nil && thread != nil && len(thread.Messages) > 1
		})
	}
	journal, kept := s.keys()["journal"]
	if !kept {
		t.Fatal("a run that goes on has no journal")
	}
	s.db.Set(s.ctx(), journal, "x", 0)
	got, err := s.runner.StopBelow(s.ctx(), top, "test", true, admission.Actor{})
	if want := (operate.StoppedBelow{Stopped: 2, Threads: 2}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}
