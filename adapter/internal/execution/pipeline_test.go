package execution

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// told is what a batch was when it was sent.
type told struct {
	number, expect int64
	events         []string
	positions      []int64 // of the entries
	closing        string
	notes          bool
}

func tell(b store.Batch) told {
	d := told{number: b.Number, expect: b.Expect, closing: string(b.Closing), notes: b.Bookkeeping}
	for _, e := range b.Events {
		d.events = append(d.events, string(e))
	}
	for _, text := range b.Entries {
		var entry store.JournalEntry
		if json.Unmarshal(text, &entry) != nil {
			entry.Position = -1
		}
		d.positions = append(d.positions, entry.Position)
	}
	return d
}

func (d told) equal(o told) bool {
	return d.number == o.number && d.expect == o.expect && slices.Equal(d.events, o.events) && slices.Equal(d.positions, o.positions) &&
		d.closing == o.closing && d.notes == o.notes
}

// slowStore takes a second for a batch. What it has not answered it reads until it does.
type slowStore struct {
	t       *testing.T
	unknown int // so many calls end without an answer, and are read for another hour
	told    []told
}

func (s *slowStore) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	sent := tell(b)
	still := func(after time.Duration) {
		select {
		case <-time.After(after):
		case <-ctx.Done():
		}
		if now := tell(b); !now.equal(sent) {
			s.t.Errorf("under way %+v became %+v", sent, now)
		}
	}
	still(time.Second)
	if s.unknown > 0 {
		s.unknown--
		go still(time.Hour)
		return store.CommitResult{}, store.ErrOutcomeUnknown
	}
	if ctx.Err() != nil {
		return store.CommitResult{}, ctx.Err()
	}
	s.told = append(s.told, sent)
	return store.CommitResult{Status: store.CommitOK, End: store.Position{Epoch: "e", Seq: b.Expect + int64(len(b.Events))}}, nil
}

// sends is a store that takes batches for which nobody waits.
type sends struct{ committer }

func (s sends) Send(_ context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	if b.Checkpoint != nil || b.End != nil || b.Join != nil || b.Bookkeeping {
		return false
	}
	go func() { answered(s.Commit(context.Background(), b)) }()
	return true
}

// way is how a batch comes to a store.
type way func(committer) committer

// eachWay runs a test with batches that are committed, and with some that are sent.
func eachWay(t *testing.T, test func(*testing.T, way)) {
	t.Run("committed", func(t *testing.T) { test(t, func(s committer) committer { return s }) })
	t.Run("sent", func(t *testing.T) { test(t, func(s committer) committer { return sends{s} }) })
}

// piped calls fn with a pipeline whose log ends at 10.
func piped(t *testing.T, by way, st *slowStore, fn func(ctx context.Context, cancel func(), p *pipeline)) {
	synctest.Test(t, func(t *testing.T) {
		st.t = t
		ctx, cancel := context.WithCancel(context.Background())
		p := newPipeline(ctx, by(st), node.NewCompany(5*time.Millisecond), store.Claim{}, 1, 10)
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.Run()
		}()
		fn(ctx, cancel, p)
		cancel()
		<-done
		time.Sleep(2 * time.Hour) // calls that were given up end
	})
}

func texts(events ...string) [][]byte {
	list := make([][]byte, len(events))
	for i, e := range events {
		list[i] = []byte(e)
	}
	return list
}

func TestPipelineGathers(t *testing.T) { eachWay(t, gathers) }

func gathers(t *testing.T, by way) {
	many := strings.Split(strings.Repeat("e", 100), "")
	large := strings.Repeat("x", maxBatchBytes+1)
	step := []*store.JournalEntry{{Kind: store.EntryStep, Key: "s#1"}}
	for name, test := range map[string]struct {
		items []item // they wait while "first" is under way, and the last is waited for
		want  []told
	}{
		"what fits goes together": {
			items: []item{
				{events: texts("a", "b"), closing: json.RawMessage("[1]")}, {events: texts("c"), entries: step},
				{closing: json.RawMessage("[]")}, {events: texts("d")},
			},
			want: []told{{events: []string{"a", "b", "c", "d"}, positions: []int64{14}, closing: "[]"}},
		},
		"an item is whole": {
			items: []item{{events: texts(many[:60]...)}, {events: texts("a", "b", "c", "d", "e")}, {events: texts(many...)}, {events: texts("z")}},
			want:  []told{{events: many[:60]}, {events: []string{"a", "b", "c", "d", "e"}}, {events: many}, {events: []string{"z"}}},
		},
		"bookkeeping goes alone": {
			items: []item{{events: texts("a")}, {entries: []*store.JournalEntry{{Kind: store.EntryRename}}, notes: true}, {events: texts("b")}},
			want:  []told{{events: []string{"a"}}, {positions: []int64{12}, notes: true}, {events: []string{"b"}}},
		},
		"what is large goes alone": {
			items: []item{{events: texts(large)}, {events: texts("b")}, {entries: []*store.JournalEntry{{Kind: store.EntryStep, Result: json.RawMessage(`"` + large + `"`)}}}, {events: texts("c")}},
			want:  []told{{events: []string{large}}, {events: []string{"b"}, positions: []int64{13}}, {events: []string{"c"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := &slowStore{}
			piped(t, by, st, func(ctx context.Context, _ func(), p *pipeline) {
				scratch := texts("first")
				for i, it := range append([]item{{events: scratch}}, test.items...) {
					if err := p.add(ctx, it, i == len(test.items)); err != nil {
						t.Fatal(err)
					}
					scratch[0] = nil // the slice is the caller's again
					synctest.Wait()
				}
			})
			number, at := int64(2), int64(10)
			for i, want := range append([]told{{events: []string{"first"}}}, test.want...) {
				want.number, want.expect = number, at
				number, at = number+1, at+int64(len(want.events))
				if i >= len(st.told) || !st.told[i].equal(want) {
					t.Fatalf("batch %d of %d is not %+v", i, len(st.told), want)
				}
			}
			if len(st.told) > 1+len(test.want) {
				t.Errorf("%d batches", len(st.told))
			}
		})
	}
}

// TestPipelineLeavesSentAlone has calls of the store read on that were given up, while
// what they were sent goes again, and others after it.
func TestPipelineLeavesSentAlone(t *testing.T) { eachWay(t, leavesSentAlone) }

func leavesSentAlone(t *testing.T, by way) {
	st := &slowStore{unknown: 2}
	piped(t, by, st, func(ctx context.Context, _ func(), p *pipeline) {
		for i := range 10 {
			if err := p.add(ctx, item{events: texts(strings.Repeat("e", 1+i))}, true); err != nil {
				t.Fatal(err)
			}
		}
	})
	for i, d := range st.told {
		if len(d.events) != 1 || len(d.events[0]) != 1+i {
			t.Errorf("batch %d is %+v", i, d)
		}
	}
	if len(st.told) != 10 {
		t.Errorf("%d batches", len(st.told))
	}
}

func TestPipelineBoundsWhatIsUnderWay(t *testing.T) { eachWay(t, boundsWhatIsUnderWay) }

func boundsWhatIsUnderWay(t *testing.T, by way) {
	for name, test := range map[string]struct {
		text string
		fit  int // so many are added at once
	}{
		"events": {"e", maxUnacked + 1},
		"bytes":  {strings.Repeat("x", maxUnackedSize/2), 3},
	} {
		t.Run(name, func(t *testing.T) {
			st := &slowStore{}
			piped(t, by, st, func(ctx context.Context, cancel func(), p *pipeline) {
				added := make(chan error)
				add := func() {
					added <- p.add(ctx, item{events: texts(test.text)}, false)
				}
				for range test.fit {
					go add()
					synctest.Wait()
					if err := <-added; err != nil {
						t.Fatal(err)
					}
				}
				go add()
				synctest.Wait()
				select {
				case err := <-added:
					t.Fatalf("one more was added: %v", err)
				default:
				}
				if err := <-added; err != nil { // a batch was taken
					t.Fatal(err)
				}
				for !p.full() {
					go add()
					if err := <-added; err != nil {
						t.Fatal(err)
					}
				}
				go add()
				synctest.Wait()
				cancel()
				if err := <-added; !errors.Is(err, adapter.ErrStopped) {
					t.Errorf("cancelled: %v", err)
				}
			})
		})
	}
}

// timedStore notes when it is sent batches, and takes some time for each.
type timedStore struct {
	takes time.Duration
	began time.Time
	sent  []sending
}

type sending struct {
	after  time.Duration
	events int
}

func (s *timedStore) Commit(_ context.Context, b store.Batch) (store.CommitResult, error) {
	s.sent = append(s.sent, sending{time.Since(s.began), len(b.Events)})
	time.Sleep(s.takes)
	return store.CommitResult{Status: store.CommitOK, End: store.Position{Seq: b.Expect + int64(len(b.Events))}}, nil
}

func TestPipelineWaitsForCompany(t *testing.T) { eachWay(t, waitsForCompany) }

func waitsForCompany(t *testing.T, by way) {
	const ms, wait = time.Millisecond, 5500 * time.Microsecond
	delta, rest := item{events: texts("d"), patient: true}, item{events: texts("r")}
	large := item{events: texts(strings.Repeat("x", lingerBytes)), patient: true}
	for name, test := range map[string]struct {
		takes time.Duration
		items []item // a millisecond apart
		waits bool   // for the last
		want  []sending
	}{
		"deltas go together":             {items: []item{delta, delta, delta}, want: []sending{{wait, 3}}},
		"and those behind them":          {items: slices.Repeat([]item{delta}, 7), want: []sending{{wait, 6}, {6*ms + wait, 1}}},
		"another event takes them along": {items: []item{delta, delta, rest, delta}, want: []sending{{2 * ms, 3}, {wait, 1}}},
		"who waits for one, too":         {items: []item{delta, delta}, waits: true, want: []sending{{ms, 2}}},
		"many go at once":                {items: []item{{events: slices.Repeat(texts("d"), lingerEvents), patient: true}}, want: []sending{{0, lingerEvents}}},
		"much goes at once":              {items: []item{large}, want: []sending{{0, 1}}},
		"the store's time counts":        {takes: 3 * ms, items: []item{rest, delta, delta, delta}, want: []sending{{0, 1}, {ms + wait, 3}}},
		"what has waited goes next":      {takes: 9 * ms, items: []item{rest, delta, delta, delta, delta}, want: []sending{{0, 1}, {9 * ms, 4}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := &timedStore{takes: test.takes, began: time.Now()}
				ctx, cancel := context.WithCancel(t.Context())
				p := newPipeline(ctx, by(st), node.NewCompany(wait), store.Claim{}, 1, 10)
				var over sync.WaitGroup
				over.Go(func() { p.Run() })
				for i, it := range test.items {
					synctest.Wait()
					time.Sleep(time.Until(st.began.Add(time.Duration(i) * ms)))
					if err := p.add(ctx, it, test.waits && i == len(test.items)-1); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Second)
				cancel()
				over.Wait()
				if !slices.Equal(st.sent, test.want) {
					t.Errorf("%v", st.sent)
				}
			})
		})
	}
}

// TestEventsWakeNoRun has a store take and answer events that waited in company of a pipeline whose Run
// does not run.
func TestEventsWakeNoRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &timedStore{takes: time.Second, began: time.Now()}
		p := newPipeline(t.Context(), sends{st}, node.NewCompany(time.Millisecond), store.Claim{}, 1, 10)
		for i := range 2 {
			for range 3 {
				if err := p.add(t.Context(), item{events: texts("e"), patient: true}, false); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if sent := len(st.sent); sent != i+1 || p.end() != int64(13+3*i) {
				t.Errorf("%d batches, and the log ends at %d", sent, p.end())
			}
		}
		// What goes at once is gathered until Run is awake.
		for range 2 {
			if err := p.add(t.Context(), item{events: texts("e")}, false); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if len(p.wake) != 1 || len(p.pending) != 1 || len(p.pending[0].events) != 2 {
			t.Errorf("Run is woken %d times for %d batches", len(p.wake), len(p.pending))
		}
	})
}

// silent takes what is sent and answers nothing.
type silent struct {
	committer
	sent []context.Context
}

func (s *silent) Send(ctx context.Context, _ store.Batch, _ func(store.CommitResult, error)) bool {
	s.sent = append(s.sent, ctx)
	return true
}

// TestRunCommitsWhatDecides offers no store to send more than events.
func TestRunCommitsWhatDecides(t *testing.T) {
	for name, it := range map[string]item{
		"an end": {events: texts("e"), end: &store.End{}}, "a checkpoint": {checkpoint: &store.RunCheckpoint{}},
		"a join": {join: &store.Join{}}, "bookkeeping": {events: texts("e"), notes: true},
	} {
		st := &silent{}
		p := newPipeline(t.Context(), st, nil, store.Claim{}, 1, 10)
		if err := p.add(t.Context(), it, false); err != nil {
			t.Fatal(err)
		}
		if len(st.sent) != 0 || len(p.wake) != 1 {
			t.Errorf("%s is sent", name)
		}
	}
}

// TestNothingGoesBehindTheEnd has a delta wait for company when the end is stored.
func TestNothingGoesBehindTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &timedStore{takes: time.Millisecond, began: time.Now()}
		p := newPipeline(t.Context(), sends{st}, node.NewCompany(time.Second), store.Claim{}, 1, 10)
		for _, it := range []item{{events: texts("end"), end: &store.End{}}, {events: texts("d"), patient: true}} {
			if err := p.add(t.Context(), it, false); err != nil {
				t.Fatal(err)
			}
		}
		p.Run()
		time.Sleep(time.Minute)
		if len(st.sent) != 1 {
			t.Errorf("%v", st.sent)
		}
	})
}

// TestBatchesLeaveWithTheirRun has a run end while its batch is under way.
func TestBatchesLeaveWithTheirRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &silent{}
		ctx, cancel := context.WithCancel(t.Context())
		p := newPipeline(ctx, st, node.NewCompany(time.Millisecond), store.Claim{}, 1, 10)
		if err := p.add(ctx, item{events: texts("e"), patient: true}, false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		cancel()
		p.Run()
		if len(st.sent) != 1 || st.sent[0].Err() == nil {
			t.Errorf("%d batches were sent, and may go though their run has left", len(st.sent))
		}
	})
}

// TestCompanyLeavesTogether has the runs of a node send at the same moment, and at once when
// they are enough.
func TestCompanyLeavesTogether(t *testing.T) {
	for runs, want := range map[int]time.Duration{10: 5 * time.Millisecond, 64: 0} {
		synctest.Test(t, func(t *testing.T) {
			began, company := time.Now(), node.NewCompany(5*time.Millisecond)
			ctx, cancel := context.WithCancel(t.Context())
			var over sync.WaitGroup
			var stores []*timedStore
			for range runs {
				st := &timedStore{began: began}
				p := newPipeline(ctx, st, company, store.Claim{}, 1, 10)
				over.Go(func() { p.Run() })
				if err := p.add(ctx, item{events: texts("d"), patient: true}, false); err != nil {
					t.Fatal(err)
				}
				stores = append(stores, st)
			}
			time.Sleep(time.Second)
			cancel()
			over.Wait()
			for _, st := range stores {
				if !slices.Equal(st.sent, []sending{{want, 1}}) {
					t.Fatalf("of %d runs: %v", runs, st.sent)
				}
			}
		})
	}
}

// TestFirstDeltaWaitsForNobody says which events wait for company.
func TestFirstDeltaWaitsForNobody(t *testing.T) {
	text := func(id string) protocol.Event { return &protocol.TextMessageContent{MessageID: id, Delta: "x"} }
	args := &protocol.ToolCallArgs{ToolCallID: "c", Delta: "1"}
	x := emitting(t).x
	for i, test := range []struct {
		events  []protocol.Event
		patient bool
	}{
		{[]protocol.Event{text("m")}, false}, // emitting has opened it
		{[]protocol.Event{text("m")}, true},
		{[]protocol.Event{&protocol.ReasoningMessageContent{MessageID: "r", Delta: "x"}}, false},
		{[]protocol.Event{args}, false},
		{[]protocol.Event{args, text("m")}, true},
		{[]protocol.Event{text("m"), &protocol.Custom{Name: "n", Value: json.RawMessage("1")}}, false},
		{[]protocol.Event{&protocol.TextMessageStart{MessageID: "n", Role: protocol.RoleAssistant}}, false},
		{[]protocol.Event{text("m")}, true},
		{[]protocol.Event{text("n")}, false},
		{[]protocol.Event{text("n")}, true},
		{[]protocol.Event{&protocol.TextMessageEnd{MessageID: "n"}}, false},
		{[]protocol.Event{&protocol.StepStarted{StepName: "s"}}, false},
		{[]protocol.Event{text("m")}, true},
	} {
		it, err := x.admit(x.main, test.events, nil)
		if err != nil {
			t.Fatal(err)
		}
		if it.patient != test.patient {
			t.Errorf("%d: patient is %t", i, it.patient)
		}
		if err := x.add(it, true); err != nil {
			t.Fatal(err)
		}
	}
}
