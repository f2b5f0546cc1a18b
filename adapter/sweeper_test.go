package adapter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

// mailroom is what a sweep needs of a store. Nothing in it ever runs.
type mailroom struct {
	store.Store
	claim  func(thread string) error // of a thread that is due; nil: it is taken
	retire func()

	mu     sync.Mutex
	due    []store.ThreadKey
	asked  int            // how often for what is due
	claims map[string]int // by thread
	under  int
	widest int // claims at once
	heard  func(store.Delivery)

	entries  bool // what is due has entries
	returned map[string]bool
}

func newMailroom(threads int) *mailroom {
	m := &mailroom{claims: map[string]int{}}
	for i := range threads {
		m.due = append(m.due, store.ThreadKey{Thread: fmt.Sprint(i)})
	}
	return m
}

func (m *mailroom) Listen(f func(store.Delivery)) { m.heard = f }
func (*mailroom) Durable() bool                   { return false }
func (*mailroom) Lease() time.Duration            { return 10 * time.Second }

func (m *mailroom) Retire(context.Context) (bool, error) {
	if m.retire != nil {
		m.retire()
	}
	return false, nil
}

func (m *mailroom) Work(_ context.Context, q store.WorkQuery) (work []store.Work, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	for _, key := range m.due[:min(q.Limit, len(m.due))] {
		w := store.Work{Thread: key}
		if m.entries {
			w.Entry = "entry"
		}
		work = append(work, w)
	}
	return work, nil
}

func (m *mailroom) Return(_ context.Context, work []store.Work) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range work {
		m.returned[w.Thread.Thread] = true
	}
	return nil
}

func (m *mailroom) Claim(_ context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	m.mu.Lock()
	m.claims[c.Thread.Thread]++
	m.under++
	m.widest = max(m.widest, m.under)
	m.mu.Unlock()
	time.Sleep(time.Millisecond)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.under--
	if m.claim != nil {
		if err := m.claim(c.Thread.Thread); err != nil {
			return store.ClaimResult{}, err
		}
	}
	for i, key := range m.due {
		if key == c.Thread {
			m.due = append(m.due[:i:i], m.due[i+1:]...)
			// Its record cannot be read, and so it is buried.
			return store.ClaimResult{Kind: store.ClaimQueued, Claim: store.Claim{Thread: key}, Input: rawJSON(`1`)}, nil
		}
	}
	return store.ClaimResult{}, nil
}

func (*mailroom) Dispatch(context.Context, store.ThreadKey, string) (*store.Dispatch, error) {
	return nil, nil
}

func (m *mailroom) Bury(context.Context, store.Nack) (store.NackResult, error) {
	return store.NackResult{State: store.DispatchDeadLetter}, nil
}

// sweeps runs a node on the mailroom in a bubble, for that long, and shuts it down.
func (m *mailroom) sweeps(t *testing.T, d time.Duration, log *slog.Logger, check func(*runner.Runner)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, err := runner.New(m, &runner.Options{Agents: map[string]adapter.Agent{"": adapter.AgentFunc(nil)}, Logger: log})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(d)
		synctest.Wait()
		check(r)
		if err := r.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// What is due is claimed as fast as claims can be made side by side, however much
// it is, and asked for no more often than it takes.
func TestMuchThatIsDueIsClaimedAtOnce(t *testing.T) {
	const threads = 3000
	m := newMailroom(threads)
	m.sweeps(t, 900*time.Millisecond, nil, func(*runner.Runner) {
		if len(m.claims) != threads || len(m.due) != 0 {
			t.Errorf("%d of %d claimed before the second sweep", len(m.claims), threads)
		}
		if m.widest < 16 || m.widest > 64 {
			t.Errorf("%d claims at once", m.widest)
		}
		if m.asked > threads/100 {
			t.Errorf("asked %d times", m.asked)
		}
	})
}

// What other nodes release meanwhile holds nothing up.
func TestMuchThatIsDueIsClaimedBesideReleases(t *testing.T) {
	const threads = 3000
	m := newMailroom(threads)
	m.claim = func(thread string) error {
		m.heard(store.Delivery{Kind: store.DeliverWork, Thread: store.ThreadKey{Thread: thread}})
		return nil
	}
	m.sweeps(t, 900*time.Millisecond, nil, func(*runner.Runner) {
		if len(m.claims) != threads || len(m.due) != 0 {
			t.Errorf("%d of %d claimed before the second sweep", len(m.claims), threads)
		}
	})
}

// A node that shuts down keeps nothing of what it was given: neither what waits for a claim,
// nor what it would have tried again.
func TestShutdownReturnsWhatWasDelivered(t *testing.T) {
	for name, failure := range map[string]error{"claims succeed": nil, "claims fail": errors.New("it cannot be read")} {
		t.Run(name, func(t *testing.T) {
			const threads = 200
			m := newMailroom(threads)
			m.entries, m.returned = true, map[string]bool{}
			m.claim = func(string) error { return failure }
			m.sweeps(t, 1500*time.Microsecond, nil, func(*runner.Runner) {})
			kept := len(m.due)
			if kept == 0 || len(m.claims) == 0 {
				t.Fatalf("%d are due, %d were claimed", kept, len(m.claims))
			}
			for _, key := range m.due {
				if !m.returned[key.Thread] {
					t.Errorf("%s is not returned", key.Thread)
				}
			}
		})
	}
}

// Threads whose claims fail are left alone for longer and longer. A page that is
// full of them is asked for at the pace of sweeps, and others are not held up.
func TestClaimsThatFailAreNotRepeatedAtOnce(t *testing.T) {
	const threads, sweeps = 300, 600
	m := newMailroom(threads)
	m.claim = func(thread string) error {
		if thread == "sound" {
			return nil
		}
		return errors.New("it cannot be read")
	}
	m.sweeps(t, sweeps*time.Second, nil, func(*runner.Runner) {
		if m.asked > sweeps+1 {
			t.Errorf("asked %d times in %d sweeps", m.asked, sweeps)
		}
		for thread, n := range m.claims {
			if n < 20 || n > 32 {
				t.Errorf("thread %s was claimed %d times in %d s", thread, n, sweeps)
			}
		}
		m.heard(store.Delivery{Kind: store.DeliverReady, Thread: store.ThreadKey{Thread: "sound"}})
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if m.claims["sound"] != 1 {
			t.Errorf("another thread was claimed %d times", m.claims["sound"])
		}
	})
}

// When the store does not answer, all are tried again at the next sweep.
func TestClaimsThatAreNotAnsweredAreRepeatedAtTheNextSweep(t *testing.T) {
	m := newMailroom(2)
	broken := true
	m.claim = func(string) error {
		if broken {
			return fmt.Errorf("%w: away", store.ErrOutcomeUnknown)
		}
		return nil
	}
	m.sweeps(t, time.Minute, nil, func(*runner.Runner) {
		m.mu.Lock()
		broken = false
		m.mu.Unlock()
		time.Sleep(7 * time.Second) // a claim goes on for five
		synctest.Wait()
		if len(m.due) != 0 {
			t.Errorf("%d are due still", len(m.due))
		}
	})
}

// A panic over what is stored is counted, logged once for its thread, and stops
// nothing else.
func TestPanicsOverStoredDataAreContained(t *testing.T) {
	m := newMailroom(3)
	m.claim = func(thread string) error {
		if thread == "1" {
			panic("thread 1 is torn")
		}
		return nil
	}
	m.retire = func() { panic("an index is torn") }
	var log bytes.Buffer
	m.sweeps(t, 3*time.Minute, slog.New(slog.NewTextHandler(&log, nil)), func(r *runner.Runner) {
		if len(m.due) != 1 || m.due[0].Thread != "1" {
			t.Errorf("due %v", m.due)
		}
		if m.claims["1"] < 5 || r.Load().Panics < int64(m.claims["1"])+2 {
			t.Errorf("%d claims panicked, %d panics are counted", m.claims["1"], r.Load().Panics)
		}
		if m.asked < 170 {
			t.Errorf("%d sweeps", m.asked)
		}
		for _, torn := range []string{"thread 1 is torn", "an index is torn"} {
			if n := strings.Count(log.String(), torn); n != 1 {
				t.Errorf("%q was logged %d times in\n%s", torn, n, log.String())
			}
		}
		if !strings.Contains(log.String(), "doing=claim thread=1 ") {
			t.Errorf("the thread is not in the log:\n%s", log.String())
		}
	})
}

func (*mailroom) FinishDeletes(context.Context, store.Withdraw) (bool, error) { return false, nil }
func (*mailroom) DuePayloads(context.Context) ([]store.DuePayload, bool, error) {
	return nil, false, nil
}
