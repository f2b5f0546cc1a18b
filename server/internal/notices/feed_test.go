package notices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// source has notices in memory. A cursor is how many lie before it.
type source struct {
	mu      sync.Mutex
	list    []store.Notice
	more    chan struct{}
	trimmed int   // notices that are not kept any more
	failing error // of each reading
	reads   int
	anew    bool // cursors from before are of something else
}

func newSource() *source { return &source{more: make(chan struct{})} }

func (s *source) add(tenant string, threads ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, thread := range threads {
		n := len(s.list)
		s.list = append(s.list, store.Notice{ID: strconv.Itoa(n), Kind: store.NoticeOpened, Tenant: tenant, Thread: store.ThreadKey{Namespace: tenant + "/n", Thread: thread}})
	}
	close(s.more)
	s.more = make(chan struct{})
}

func (s *source) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *source) Notices(ctx context.Context, q store.NoticeQuery) (store.NoticePage, error) {
	timer := time.NewTimer(q.Wait)
	defer timer.Stop()
	s.mu.Lock()
	s.reads++
	for {
		if s.failing != nil && !errors.Is(s.failing, store.ErrPartial) {
			defer s.mu.Unlock()
			return store.NoticePage{}, s.failing
		}
		prefix, at, _ := strings.Cut(q.After, ":")
		n, err := strconv.Atoi(at)
		name := fmt.Sprint(s.anew)
		if q.After == "" {
			n, err, prefix = len(s.list), nil, name
		}
		if err != nil || n > len(s.list) || prefix != name {
			defer s.mu.Unlock()
			return store.NoticePage{}, store.ErrBadCursor
		}
		p := store.NoticePage{Missed: n < s.trimmed}
		from := max(n, s.trimmed)
		p.Notices = slices.Clone(s.list[from:min(from+q.Limit, len(s.list))])
		p.Next = fmt.Sprintf("%s:%d", name, from+len(p.Notices))
		if len(p.Notices) > 0 || q.Wait == 0 || p.Missed {
			defer s.mu.Unlock()
			return p, s.failing
		}
		more := s.more
		s.mu.Unlock()
		select {
		case <-more:
		case <-timer.C:
			q.Wait = 0
		case <-ctx.Done():
			return store.NoticePage{}, ctx.Err()
		}
		s.mu.Lock()
	}
}

func (s *source) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

// told is a watcher of a test, and what it was told.
type told struct {
	*Watcher
	t     *testing.T
	woken int
	ids   []string
}

func watch(t *testing.T, f *Feed, q Query) *told {
	w := &told{t: t}
	w.Watcher = f.Watch(q, func() { w.woken++ })
	return w
}

// all reads all that there is, and whether notices were missed.
func (w *told) all() (missed bool) {
	w.t.Helper()
	for {
		p, err := w.Next(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		for _, item := range p.Items {
			w.ids = append(w.ids, item.Notice.ID)
		}
		missed = missed || p.Missed
		if !p.More {
			return missed
		}
	}
}

func (w *told) wants(ids ...string) {
	w.t.Helper()
	if w.all(); !slices.Equal(w.ids, ids) {
		w.t.Errorf("told %v, not %v", w.ids, ids)
	}
	w.ids = nil
}

func TestManyWatchersCostOneReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource()
		s.add("acme", "before")
		f := New(s, Options{})
		defer f.Close()
		var watchers []*told
		for range 100 {
			watchers = append(watchers, watch(t, f, Query{Topic: Topic{All: true}}))
		}
		synctest.Wait()
		for _, w := range watchers {
			w.wants()
		}
		asked := s.asked()
		for range 5 {
			s.add("acme", "t")
			synctest.Wait()
		}
		for _, w := range watchers {
			if w.woken == 0 {
				t.Error("a watcher was not told that there is something")
			}
			w.wants("1", "2", "3", "4", "5")
			w.Close()
		}
		if more := s.asked() - asked; more != 5 {
			t.Errorf("the source was asked %d times for 5 notices and 100 watchers", more)
		}
	})
}

// Whoever is not concerned is not woken, and stands behind what was for others.
func TestWatchersOfOthersAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource()
		f := New(s, Options{Kept: 3})
		defer f.Close()
		mine := watch(t, f, Query{Topic: Topic{Tenant: "acme"}})
		theirs := watch(t, f, Query{Topic: Topic{Namespace: "other/n"}})
		some := watch(t, f, Query{Topic: Topic{Tenant: "acme"}, Passes: func(n *store.Notice) bool { return n.Thread.Thread == "b" }})
		synctest.Wait()
		for _, w := range []*told{mine, theirs, some} {
			w.wants()
			w.woken = 0
		}
		asked := s.asked()
		for range 10 { // more than are kept
			s.add("acme", "a")
			synctest.Wait()
		}
		if theirs.woken+some.woken > 0 || mine.woken == 0 {
			t.Errorf("woken: %d of the tenant, %d of another namespace, %d of another thread", mine.woken, theirs.woken, some.woken)
		}
		s.add("acme", "b")
		s.add("other", "c")
		synctest.Wait()
		some.wants("10")
		theirs.wants("11")
		if more := s.asked() - asked; more > 13 {
			t.Errorf("%d readings for 12 notices", more)
		}
		mine.wants("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10") // it fell behind, and reads for itself
		for _, w := range []*told{mine, theirs, some} {
			w.Close()
		}
	})
}

// A watcher that comes with a cursor is told everything behind it once, while more comes,
// and reads for itself until it has caught up and no longer.
func TestWatcherCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource()
		var want []string
		add := func(n int) {
			for range n {
				want = append(want, strconv.Itoa(len(want)))
				s.add("acme", "t")
			}
		}
		add(3*pageSize + 7)
		f := New(s, Options{})
		defer f.Close()
		first := watch(t, f, Query{Topic: Topic{All: true}})
		defer first.Close()
		synctest.Wait()
		w := watch(t, f, Query{Topic: Topic{Tenant: "acme"}, After: "false:0"})
		defer w.Close()
		for range 3 {
			p, err := w.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range p.Items {
				w.ids = append(w.ids, item.Notice.ID)
			}
			add(5) // of which its own reading or the feed's has some first
		}
		w.all()
		synctest.Wait()
		w.wants(want...)
		asked := s.asked()
		add(3)
		synctest.Wait()
		w.wants(want[len(want)-3:]...)
		if more := s.asked() - asked; more > 3 {
			t.Errorf("a watcher that has caught up cost %d readings beside the feed's", more-3)
		}
		if w.Cursor() != fmt.Sprintf("false:%d", len(want)) {
			t.Errorf("it stands at %q of %d", w.Cursor(), len(want))
		}
		// Who comes back to where another was given a page reads nothing.
		asked = s.asked()
		back := watch(t, f, Query{Topic: Topic{All: true}, After: w.Cursor()})
		defer back.Close()
		if back.wants(); s.asked() != asked {
			t.Error("a watcher that has missed nothing read for itself")
		}
	})
}

func TestMissedIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource()
		s.add("acme", "a", "b", "c")
		s.trimmed = 2
		f := New(s, Options{})
		defer f.Close()
		w := watch(t, f, Query{Topic: Topic{Tenant: "acme"}, After: "false:0"})
		defer w.Close()
		synctest.Wait()
		if !w.all() || !slices.Equal(w.ids, []string{"2"}) {
			t.Errorf("it was told %v, and not that it missed some", w.ids)
		}
		// The store has begun anew: everybody may have missed something.
		s.set(func() { s.anew = true })
		s.add("acme", "d")
		time.Sleep(time.Minute)
		synctest.Wait()
		if !w.all() {
			t.Error("it was not told that the store began anew")
		}
	})
}

// A source that fails is asked again, ever less often, and nothing is lost.
func TestSourceThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource()
		failed := 0
		f := New(s, Options{Failed: func(error) { failed++ }})
		defer f.Close()
		w := watch(t, f, Query{Topic: Topic{All: true}})
		defer w.Close()
		synctest.Wait()
		w.wants()
		s.set(func() { s.failing = errors.New("away") })
		s.add("acme", "a")
		time.Sleep(time.Minute)
		synctest.Wait()
		if failed < 5 || failed > 25 {
			t.Errorf("it was asked %d times in a minute in which it failed", failed)
		}
		s.set(func() { s.failing = nil })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		w.wants("0")
		s.set(func() { s.failing = fmt.Errorf("some: %w", store.ErrPartial) })
		s.add("acme", "b")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		w.wants("1")
	})
}

// Without watchers nothing is read, and nothing is kept.
func TestNobodyWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource()
		f := New(s, Options{})
		defer f.Close()
		for range 3 {
			w := watch(t, f, Query{Topic: Topic{All: true}})
			synctest.Wait()
			w.wants()
			s.add("acme", "t")
			synctest.Wait()
			w.Close()
			w.Close()
			asked := s.asked()
			time.Sleep(time.Hour)
			synctest.Wait()
			if s.asked() != asked || len(f.pages) > 0 || len(f.watchers) > 0 {
				t.Errorf("%d readings, %d pages and %d topics of nobody", s.asked()-asked, len(f.pages), len(f.watchers))
			}
		}
	})
}
