package adapter_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// failingStore has no threads. Its calls take as long and end as they are told to.
type failingStore struct {
	store.Store
	mu     sync.Mutex
	takes  time.Duration
	failed error // of what the sweep asks
	unread error // of Read
	denied error // of Await
}

func (s *failingStore) set(takes time.Duration, failed, unread error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes, s.failed, s.unread = takes, failed, unread
}

func (s *failingStore) deny(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied = err
}

func (s *failingStore) call(result *error) error {
	s.mu.Lock()
	takes, err := s.takes, *result
	s.mu.Unlock()
	time.Sleep(takes)
	return err
}

func (s *failingStore) Listen(func(store.Delivery))                               {}
func (s *failingStore) Durable() bool                                             { return false }
func (*failingStore) Lease() time.Duration                                        { return 10 * time.Second }
func (s *failingStore) Retire(context.Context) (bool, error)                      { return false, s.call(&s.failed) }
func (*failingStore) FinishDeletes(context.Context, store.Withdraw) (bool, error) { return false, nil }
func (*failingStore) DuePayloads(context.Context) ([]store.DuePayload, bool, error) {
	return nil, false, nil
}

func (s *failingStore) Work(context.Context, store.WorkQuery) ([]store.Work, error) {
	return nil, s.call(&s.failed)
}

func (s *failingStore) Await(ctx context.Context, _ store.WorkQuery) ([]store.Work, error) {
	for _, failed := range []*error{&s.failed, &s.denied} {
		if err := s.call(failed); err != nil {
			return nil, err
		}
	}
	select {
	case <-ctx.Done():
	case <-time.After(5 * time.Second):
	}
	return nil, nil
}

func (s *failingStore) Tail(_ context.Context, keys []store.ThreadKey) ([]store.Position, error) {
	return make([]store.Position, len(keys)), s.call(&s.failed)
}

func (s *failingStore) Read(context.Context, store.ThreadKey, store.ReadQuery) (*store.ThreadView, error) {
	if err := s.call(&s.unread); err != nil {
		return nil, err
	}
	return &store.ThreadView{Epoch: "e"}, nil
}

var errRefused = fmt.Errorf("redisstore: %w: connection refused", store.ErrOutcomeUnknown)

// failing is a runner on a store that can be made to fail, inside a bubble.
type failing struct {
	t      *testing.T
	store  failingStore
	runner *runner.Runner
	log    bytes.Buffer
	told   []bool // the changes, as it told them
}

func newFailing(t *testing.T, level slog.Level) *failing {
	t.Helper()
	o := &failing{t: t}
	var err error
	o.runner, err = runner.New(&o.store, &runner.Options{
		Agents: map[string]adapter.Agent{"": adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil })},
		Logger: slog.New(slog.NewJSONHandler(&o.log, &slog.HandlerOptions{Level: level})),
	})
	if err != nil {
		t.Fatal(err)
	}
	o.runner.OnStore(func() { o.told = append(o.told, o.runner.StoreAvailable()) })
	synctest.Wait()
	return o
}

// pass lets time pass.
func (o *failing) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (o *failing) end() { o.runner.Shutdown(o.t.Context()) }

// lines are what was logged.
func (o *failing) lines() (list []logLine) {
	o.t.Helper()
	for text := range strings.Lines(o.log.String()) {
		var l logLine
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			o.t.Fatalf("%v in %s", err, text)
		}
		list = append(list, l)
	}
	return list
}

type logLine struct {
	Level, Msg, Error, After, Silent string
	FailedCalls                      int
}

func TestStoreOutage(t *testing.T) {
	for name, takes := range map[string]time.Duration{"refuses at once": 0, "hangs": 2 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newFailing(t, slog.LevelInfo)
				defer o.end()
				o.pass(10 * time.Second)
				o.store.set(takes, errRefused, errRefused)
				o.pass(5 * time.Second)
				if o.runner.StoreAvailable() || !slices.Equal(o.told, []bool{false}) {
					t.Fatalf("after 5 s it is available: %v, told %v", o.runner.StoreAvailable(), o.told)
				}
				for range 3 { // each follower, socket and run meets it
					if _, err := o.runner.Follow(store.ThreadKey{Thread: "t"}, func() {}).Attach(t.Context(), nil); err == nil {
						t.Fatal("attached")
					}
				}
				o.pass(150*time.Second - 3*takes)
				o.store.set(0, nil, nil)
				o.pass(5 * time.Second)
				if !o.runner.StoreAvailable() || !slices.Equal(o.told, []bool{false, true}) {
					t.Errorf("it answers, available: %v, told %v", o.runner.StoreAvailable(), o.told)
				}
				var said []string
				lines := o.lines()
				for _, l := range lines {
					said = append(said, l.Level+" "+l.Msg)
				}
				still := "WARN the store still does not answer"
				if want := []string{"WARN the store does not answer", still, still, "WARN the store answers again"}; !slices.Equal(said, want) {
					t.Fatalf("said %q", said)
				}
				if lines[0].Error != errRefused.Error() {
					t.Errorf("the first line has the error %q", lines[0].Error)
				}
				last := lines[len(lines)-1]
				if after, err := time.ParseDuration(last.After); err != nil || after < 150*time.Second || after > 160*time.Second {
					t.Errorf("it was down for %q", last.After)
				}
				if last.FailedCalls < 70 || last.FailedCalls <= lines[2].FailedCalls {
					t.Errorf("%d calls failed in two minutes and a half, %d at the reminder", last.FailedCalls, lines[2].FailedCalls)
				}
			})
		})
	}
}

// A store that answers and lets nobody await work is named once, and once more when it does.
func TestWorkThatCannotBeAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newFailing(t, slog.LevelInfo)
		defer o.end()
		denied := errors.New("NOPERM this user has no permissions to run the 'xreadgroup' command")
		o.store.deny(denied)
		o.pass(time.Minute)
		if l := o.lines(); len(l) != 1 || l[0].Level != "WARN" || l[0].Error != denied.Error() || !o.runner.StoreAvailable() {
			t.Errorf("said %v, available: %v", l, o.runner.StoreAvailable())
		}
		o.store.deny(nil)
		o.pass(time.Minute)
		if l := o.lines(); len(l) != 2 || l[1].Msg != "work is awaited again" {
			t.Errorf("said %v", l)
		}
	})
}

// A store of which a part is gone is there, and so is one that failed a call.
func TestStoreIsNotDown(t *testing.T) {
	for name, fail := range map[string]func(*failing){
		"one thread cannot be read": func(o *failing) {
			o.store.set(0, nil, errRefused)
			f := o.runner.Follow(store.ThreadKey{Thread: "t"}, func() {})
			defer f.Close()
			for range 100 {
				f.Attach(o.t.Context(), nil)
				o.pass(100 * time.Millisecond)
			}
		},
		"the sweep fails, threads can be read": func(o *failing) {
			o.store.set(0, errRefused, nil)
			f := o.runner.Follow(store.ThreadKey{Thread: "t"}, func() {})
			defer f.Close()
			for range 100 {
				f.Attach(o.t.Context(), nil)
				o.pass(100 * time.Millisecond)
			}
		},
		"a short time": func(o *failing) {
			for range 5 {
				o.store.set(0, errRefused, errRefused)
				o.pass(1200 * time.Millisecond)
				o.store.set(0, nil, nil)
				o.pass(1200 * time.Millisecond)
			}
			if l := o.lines(); len(l) != 5 || l[0].Msg != "calls of the store failed" || l[0].Error != errRefused.Error() {
				o.t.Errorf("said %v", l)
			}
		},
		"a call of which the caller has gone": func(o *failing) {
			o.store.set(0, fmt.Errorf("%w: %w", store.ErrOutcomeUnknown, context.Canceled), nil)
			o.pass(10 * time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newFailing(t, slog.LevelInfo)
				defer o.end()
				o.pass(10 * time.Second)
				fail(o)
				if len(o.told) > 0 || !o.runner.StoreAvailable() {
					t.Errorf("told %v", o.told)
				}
			})
		})
	}
}

// What others log of the store goes to debug while it is down, and there are few
// such lines before. What is not of the store stays.
func TestStoreLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newFailing(t, slog.LevelDebug)
		defer o.end()
		log := o.runner.StoreLog(slog.New(slog.NewJSONHandler(&o.log, &slog.HandlerOptions{Level: slog.LevelDebug}))).With("user", "u")
		say := func(times int) (levels map[string]int) {
			o.log.Reset()
			for range times {
				log.Warn("attaching failed", "thread", "t", "error", errRefused)
			}
			levels = map[string]int{}
			for _, l := range o.lines() {
				levels[l.Level]++
			}
			return levels
		}
		if got := say(100); got["WARN"] != 5 || got["DEBUG"] != 95 {
			t.Errorf("of a store that is there: %v", got)
		}
		o.pass(time.Minute)
		if got := say(100); got["WARN"] != 5 {
			t.Errorf("a minute later: %v", got)
		}
		o.pass(time.Minute)
		o.store.set(0, errRefused, errRefused)
		o.pass(5 * time.Second)
		if got := say(100); got["WARN"] != 0 || got["DEBUG"] != 100 {
			t.Errorf("of a store that is down: %v", got)
		}
		o.log.Reset()
		log.Warn("something else", "error", context.DeadlineExceeded)
		log.Error("the run failed", "code", "agent_error")
		if l := o.lines(); len(l) != 2 || l[0].Level != "WARN" || l[1].Level != "ERROR" {
			t.Errorf("what is not of the store: %v", l)
		}
	})
}

// Whatever was said of single calls before, the log says that a part is gone.
func TestPartOfTheStoreIsToldAfterFailedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newFailing(t, slog.LevelInfo)
		defer o.end()
		o.store.set(0, nil, errRefused)
		for range 6 {
			o.runner.Thread(t.Context(), store.ThreadKey{Thread: "t"})
			o.pass(time.Second)
		}
		o.store.set(0, fmt.Errorf("%w: %w: a master", store.ErrPartial, store.ErrOutcomeUnknown), nil)
		o.pass(10 * time.Second)
		o.store.set(0, nil, nil)
		o.pass(10 * time.Second)
		if log := o.log.String(); !strings.Contains(log, "a part of the store does not answer") {
			t.Errorf("it is not told in\n%s", log)
		}
	})
}

// sendsCounted counts what is sent to a store by callers that do not wait, and answers the first
// as if the store had not.
type sendsCounted struct {
	store.Store
	mu   sync.Mutex
	sent int
	met  chan struct{} // closed with the first
}

func (s *sendsCounted) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent++; s.sent == 1 {
		close(s.met)
	} else {
		return s.Store.(store.Sender).Send(ctx, b, answered)
	}
	return s.Store.(store.Sender).Send(ctx, b, func(store.CommitResult, error) { answered(store.CommitResult{}, errNoAnswer) })
}

var errNoAnswer = fmt.Errorf("no answer came: %w", store.ErrOutcomeUnknown)

// TestEventsAreSent has an agent whose events reach the log once each, by calls for which nobody
// waits, the first of which is not answered.
func TestEventsAreSent(t *testing.T) {
	st, heard := &sendsCounted{met: make(chan struct{})}, make(chan struct{})
	l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st }, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		text, err := run.Text()
		for _, after := range []<-chan struct{}{nil, heard, st.met} {
			if after != nil {
				<-after
			}
			if err == nil {
				_, err = fmt.Fprint(text, "word ")
			}
		}
		return errors.Join(err, text.Close())
	}))
	l.submit(user("hi"))
	l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageContent })
	close(heard)
	succeeded(t, l.untilEnd())
	l.wellFormed()
}
