package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/protocol/order"
	"github.com/aguiws/aguiws/redisstore"
)

func checkpointing(bytes int64) func(*runner.Options) {
	return func(o *runner.Options) { o.CheckpointBytes = bytes }
}

// A run whose snapshot is moved again and again is taken over as one whose is not,
// wherever its worker is lost.
func TestTakeoverAtEveryEventBetweenCheckpoints(t *testing.T) {
	plain := runCut(t, -1)
	sizes, each := []int64{1, 700, 1500}, 1
	if testing.Short() {
		sizes, each = sizes[1:2], 3
	}
	for _, bytes := range sizes {
		whole := runCut(t, -1, checkpointing(bytes))
		if whole.held != plain.held {
			t.Errorf("with checkpoints a client holds\n%s\nwithout\n%s", whole.held, plain.held)
		}
		for k := 0; k < whole.passed; k += each {
			t.Run(fmt.Sprintf("after %d, each %d bytes", k, bytes), func(t *testing.T) {
				t.Parallel()
				cut := runCut(t, k, checkpointing(bytes))
				if got := finished(cut.events); got != "inner outer" {
					t.Errorf("finished subagents: %s after %s", got, show(cut.events))
				}
				if cut.held != plain.held {
					t.Errorf("a client holds\n%s\nwant\n%s\nafter %s", cut.held, plain.held, show(cut.events))
				}
			})
		}
	}
}

// toldTwice is a store that compares, after each commit, what a thread is read as with
// what all of its log says.
type toldTwice struct {
	store.Store
	t       *testing.T
	mu      sync.Mutex
	log     []protocol.Event
	checked int // positions behind a snapshot in the midst of a run
}

func (s *toldTwice) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.Store.Begin(ctx, b)
	if err == nil && b.Claimed() != nil {
		s.compare(ctx, b.Thread, b.Claimed().Events)
	}
	return r, err
}

func (s *toldTwice) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.Store.Commit(ctx, b)
	if err == nil && r.Status == store.CommitOK {
		s.compare(ctx, b.Claim.Thread, b.Events)
	}
	return r, err
}

func (s *toldTwice) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	return sent(ctx, s, b, answered)
}

func (s *toldTwice) compare(ctx context.Context, key store.ThreadKey, events [][]byte) {
	for _, text := range events {
		e, err := protocol.Decode(text)
		if err != nil {
			s.t.Error(err)
		}
		s.log = append(s.log, e)
	}
	view, err := s.Store.Read(ctx, key, store.ReadQuery{})
	if err != nil {
		s.t.Error(err)
		return
	}
	if view.Snapshot.Open != nil {
		s.checked++
	}
	read, err := stored.Fold(view, -1)
	if err != nil {
		s.t.Error(err)
		return
	}
	all := fold.New(nil, nil)
	for _, e := range s.log {
		all.Apply(e)
	}
	if got, want := toldBy(read), toldBy(all); got != want {
		s.t.Errorf("at %d, with the snapshot at %d, the thread is\n%s\nand its log says\n%s", view.Seq, view.Snapshot.At, got, want)
	}
}

// toldBy is all that a fold tells whoever attaches.
func toldBy(f *fold.Fold) string {
	var told []any
	for _, e := range append(f.Openings(), f.Closings()...) {
		text, err := protocol.Encode(e)
		told = append(told, string(text), err)
	}
	thread, run, active := f.Run()
	if !active {
		thread, run = "", "" // nobody asks
	}
	text, err := json.Marshal([]any{f.Messages(), f.State(), told, thread, run, active})
	return fmt.Sprint(string(text), err)
}

// Whoever reads a thread in the midst of a run finds what all of its log says.
func TestACheckpointTellsWhatTheLogTells(t *testing.T) {
	for _, bytes := range []int64{1, 500} {
		agent := &steady{restart: true, ran: map[string]int{}}
		st := &toldTwice{t: t}
		l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st }, agent, checkpointing(bytes))
		for range 2 {
			succeeded(t, l.say("hi"))
		}
		l.wellFormed()
		if st.checked < 10 {
			t.Errorf("only %d positions had a snapshot in the midst of the run before them", st.checked)
		}
	}
}

// patient says a word whenever it is told, in one message, and shows its progress in the
// thread's state.
type patient struct {
	more chan int // how many words
	said chan struct{}
}

func (p *patient) Run(ctx context.Context, run *adapter.Run) error {
	text, err := run.Text()
	if err != nil {
		return err
	}
	if err := run.SetState(map[string]int{"n": 0}); err != nil {
		return err
	}
	total := 0
	for {
		select {
		case n, ok := <-p.more:
			if !ok {
				return text.Close()
			}
			for range n {
				total++
				if _, err := fmt.Fprintf(text, "%d ", total); err != nil {
					return err
				}
				if err := run.PatchState(json.RawMessage(fmt.Sprintf(`[{"op":"replace","path":"/n","value":%d}]`, total))); err != nil {
					return err
				}
			}
			p.said <- struct{}{}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Restartable says that a lost run begins again.
func (p *patient) Restartable() bool { return true }

func newPatient() *patient { return &patient{more: make(chan int), said: make(chan struct{}, 1)} }

// retaining keeps so few events in logs, and moves snapshots often.
func retaining(t *testing.T, agent adapter.Agent, events int) *lab {
	return newLabOn(t, func(store.Store) store.Store {
		inner, err := redisstore.Embedded(&redisstore.Options{Lease: time.Minute, Retain: events})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { inner.Close() })
		return inner
	}, agent, func(o *runner.Options) { o.Lease, o.CheckpointBytes = time.Minute, 4<<10 })
}

// A log keeps no more than it is to, however long its run goes on, and nor does it when
// the run is cancelled; who attaches in the midst of it is told what the others know, and
// goes on with the message that is open.
func TestALongRunKeepsAShortLog(t *testing.T) {
	agent := newPatient()
	l := retaining(t, agent, 50)
	l.submit(user("go on"))
	for range 20 {
		agent.more <- 100
		await(l, agent.said)
	}
	const most = 50 + 3*(4<<10)/128
	l.polled(func() bool { return l.view().Seq >= 4000 })
	if view := l.view(); view.Seq-view.Base > most || view.Seq-view.Snapshot.At > most {
		t.Errorf("the log has %d to %d, the snapshot is at %d", view.Base, view.Seq, view.Snapshot.At)
	}

	late := l.runner.Follow(l.key, func() {})
	defer late.Close()
	attached, err := late.Attach(l.ctx(), nil)
	if err != nil {
		t.Fatal(err)
	}
	told := decoded(t, attached.Restatement)
	agent.more <- 10
	await(l, agent.said)
	close(agent.more)
	for over := false; !over; {
		page, err := late.Next(l.ctx())
		if err != nil || page.Restated != nil {
			t.Fatalf("%+v %v", page, err)
		}
		for _, e := range decoded(t, page.Events) {
			told, over = append(told, e), over || e.Type() == protocol.TypeRunFinished
		}
	}
	var sequence order.Sequence
	f := fold.New(nil, nil)
	for i, e := range told {
		if err := sequence.Check(e); err != nil {
			t.Errorf("event %d of who came late: %v", i, err)
		}
		f.Apply(e)
	}
	if err := sequence.End(); err != nil {
		t.Error(err)
	}
	m := f.Messages()
	if want := 1 + 1; len(m) != want || !strings.HasSuffix(m[1].Content.String(), " 2009 2010 ") || string(f.State()) != `{"n":2010}` {
		t.Errorf("%d messages, the last ends with %.30q, state %s", len(m), m[len(m)-1].Content.String(), f.State())
	}
	thread, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil || !reflect.DeepEqual(thread.Messages, m) {
		t.Errorf("the thread holds other messages than who came late: %v", err)
	}
}

// A run that is cancelled in its midst leaves a short log, too.
func TestALongRunThatIsCancelledLeavesAShortLog(t *testing.T) {
	agent := newPatient()
	l := retaining(t, agent, 50)
	a := l.submit(user("go on"))
	agent.more <- 2000
	await(l, agent.said)
	if c, err := l.runner.CancelRun(l.ctx(), l.key, a.RunID, "enough", admission.Actor{}); err != nil || !c.Stopped {
		t.Fatalf("%+v %v", c, err)
	}
	l.polled(func() bool {
		view := l.view()
		return view.Active == nil && view.Seq-view.Base <= 50+64 && view.Seq-view.Snapshot.At <= 64
	})
	view := l.view()
	f, err := stored.Fold(view, -1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, active := f.Run(); active || len(f.Openings()) > 0 || f.Len() != 2 {
		t.Errorf("%d messages, and open are %s", f.Len(), show(f.Openings()))
	}
	if view.Snapshot.At == view.Seq && view.Snapshot.Open != nil {
		t.Error("the snapshot at rest has a run open")
	}
}

// polled waits until it is so.
func (l *lab) polled(so func() bool) {
	l.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-l.ctx().Done():
			l.t.Fatalf("it never came true; the log ends at %d", l.view().Seq)
		}
	}
}

func (l *lab) view() *store.ThreadView {
	l.t.Helper()
	view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
	if err != nil {
		l.t.Fatal(err)
	}
	return view
}
