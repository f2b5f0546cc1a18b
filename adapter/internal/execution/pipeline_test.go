package execution

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
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

// piped calls fn with a pipeline whose log ends at 10.
func piped(t *testing.T, st *slowStore, fn func(ctx context.Context, cancel func(), p *pipeline)) {
	synctest.Test(t, func(t *testing.T) {
		st.t = t
		ctx, cancel := context.WithCancel(context.Background())
		p := newPipeline(st, store.Claim{}, 1, 10)
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.Run(ctx)
		}()
		fn(ctx, cancel, p)
		cancel()
		<-done
		synctest.Wait() // for calls that were given up
	})
}

func texts(events ...string) [][]byte {
	list := make([][]byte, len(events))
	for i, e := range events {
		list[i] = []byte(e)
	}
	return list
}

func TestPipelineGathers(t *testing.T) {
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
			piped(t, st, func(ctx context.Context, _ func(), p *pipeline) {
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
func TestPipelineLeavesSentAlone(t *testing.T) {
	st := &slowStore{unknown: 2}
	piped(t, st, func(ctx context.Context, _ func(), p *pipeline) {
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

func TestPipelineBoundsWhatIsUnderWay(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		fit  int // so many are added at once
	}{
		"events": {"e", maxUnacked + 1},
		"bytes":  {strings.Repeat("x", maxUnackedSize/2), 3},
	} {
		t.Run(name, func(t *testing.T) {
			st := &slowStore{}
			piped(t, st, func(ctx context.Context, cancel func(), p *pipeline) {
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
