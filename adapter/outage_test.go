package adapter_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// outage is a store that does not answer for a while: calls wait for it, and then
// their outcome is unknown.
type outage struct {
	patience time.Duration // of a call; 0: it fails at once

	mu   sync.Mutex
	over chan struct{} // nil: it answers
}

func (o *outage) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = make(chan struct{})
}

func (o *outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.over)
	o.over = nil
}

func (o *outage) pass(ctx context.Context) error {
	o.mu.Lock()
	over := o.over
	o.mu.Unlock()
	switch {
	case over == nil:
		return nil
	case o.patience == 0:
		return errCut
	}
	timer := time.NewTimer(o.patience)
	defer timer.Stop()
	select {
	case <-over:
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return errCut
}

// sent has a store's Commit do what is sent to it.
func sent(ctx context.Context, st store.Worker, b store.Batch, answered func(store.CommitResult, error)) bool {
	go func() { answered(st.Commit(ctx, b)) }()
	return true
}

// through is a way to the store that an outage may close.
type through struct {
	store.Store
	all    *outage
	renews *outage // of renewals alone; may be nil
}

func (s through) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	if err := s.all.pass(ctx); err != nil {
		return store.CommitResult{}, err
	}
	return s.Store.Commit(ctx, b)
}

func (s through) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	return sent(ctx, s, b, answered)
}

func (s through) Renew(ctx context.Context, c store.Claim) (bool, error) {
	if err := s.all.pass(ctx); err != nil {
		return false, err
	}
	if s.renews != nil {
		if err := s.renews.pass(ctx); err != nil {
			return false, err
		}
	}
	return s.Store.Renew(ctx, c)
}

func (s through) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	if err := s.all.pass(ctx); err != nil {
		return store.ClaimResult{}, err
	}
	return s.Store.Claim(ctx, c)
}

func (s through) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	if err := s.all.pass(ctx); err != nil {
		return nil, err
	}
	return s.Store.Work(ctx, q)
}

func (s through) HandBack(ctx context.Context, c store.Claim) error {
	if err := s.all.pass(ctx); err != nil {
		return err
	}
	return s.Store.HandBack(ctx, c)
}

// effects counts what steps did, by thread.
type effects struct {
	mu sync.Mutex
	by map[string]int
}

func (e *effects) happen(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.by == nil {
		e.by = map[string]int{}
	}
	e.by[what]++
}

func (e *effects) of(what string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.by[what]
}

// However long the store does not answer, what steps came to is stored when it does,
// and nobody is asked: neither the node's own sweep nor another's is faster than the
// worker.
func TestNobodyIsAskedAboutAStepThatEndedInAnOutage(t *testing.T) {
	runs := 20
	if testing.Short() {
		runs = 3
	}
	for _, patience := range []time.Duration{0, 2 * time.Second} {
		for _, length := range []time.Duration{leaseInTests * 8 / 10, 3 * leaseInTests, 9*leaseInTests + 1234*time.Millisecond} {
			t.Run(fmt.Sprintf("calls wait %v/%v", patience, length), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var done effects
					agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
						for i := range 2 {
							said, err := adapter.Step(ctx, run, "model", func(context.Context) (string, error) {
								time.Sleep(3 * time.Second)
								done.happen(run.ThreadID())
								return fmt.Sprint("said ", i), nil
							})
							if err != nil {
								return err
							}
							if err := run.Say(said); err != nil {
								return err
							}
						}
						return nil
					})
					silent := &outage{patience: patience}
					l := newLabOn(t, func(s store.Store) store.Store { return through{Store: s, all: silent} }, agent)
					l.worker(l.store, agent)
					labs := make([]*lab, runs)
					for i := range labs {
						labs[i] = l.on(fmt.Sprint("thread-", i))
						labs[i].beginOn(l.runner, "hi", "run")
					}
					time.Sleep(time.Second)
					silent.begin()
					time.Sleep(length)
					silent.end()
					for _, l := range labs {
						succeeded(t, l.untilEnd())
						l.wellFormed()
						if n := done.of(l.key.Thread); n != 2 {
							t.Errorf("%s: steps ran %d times", l.key.Thread, n)
						}
						if run := l.theRun(store.DispatchAcked); run.Attempts != 1 {
							t.Errorf("%s: %d workers", l.key.Thread, run.Attempts)
						}
					}
				})
			})
		}
	}
}

// A node whose renewals alone do not arrive leaves the runs that it carries to itself.
func TestANodeTakesNoRunFromItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.Step(ctx, run, "long", func(ctx context.Context) (int, error) {
				time.Sleep(3 * leaseInTests)
				return 1, nil
			})
			return err
		})
		silent := &outage{}
		l := newLabOn(t, func(s store.Store) store.Store { return through{Store: s, all: new(outage), renews: silent} }, agent)
		silent.begin()
		l.beginOn(l.runner, "hi", "run")
		time.Sleep(2 * leaseInTests)
		silent.end()
		succeeded(t, l.untilEnd())
		if run := l.theRun(store.DispatchAcked); run.Attempts != 1 {
			t.Errorf("%d workers", run.Attempts)
		}
	})
}

// A worker that was lost in an outage is not waited for much longer than one that
// was lost at another time.
func TestALostWorkersRunIsTakenOverAfterAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.StepWith(ctx, run, "long", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (int, error) {
				time.Sleep(time.Second)
				return 1, nil
			})
			return err
		})
		silent := &outage{}
		l := newLabOn(t, func(s store.Store) store.Store { return through{Store: s, all: silent} }, restart{agent})
		dying := l.cutAfter(l.store, 1)
		dying.lapse = func() {}
		l.beginOn(l.worker(dying, restart{agent}), "hi", "run")
		silent.begin()
		time.Sleep(2 * leaseInTests)
		dying.sever()
		silent.end()
		back := time.Now()
		succeeded(t, l.untilEnd())
		if waited := time.Since(back); waited > leaseInTests/2 {
			t.Errorf("taken over after %v", waited)
		}
		if run := l.theRun(store.DispatchAcked); run.Attempts != 2 {
			t.Errorf("%d workers", run.Attempts)
		}
	})
}

// A worker whose lease is over, as far as it knows, begins nothing that has an
// effect until it has renewed it, and never if somebody else has the run by then.
func TestNothingWithAnEffectBeginsWithoutTheLease(t *testing.T) {
	kinds := map[string]func(ctx context.Context, run *adapter.Run, do func()) error{
		"step": func(ctx context.Context, run *adapter.Run, do func()) error {
			_, err := adapter.Step(ctx, run, "pay", func(context.Context) (int, error) { do(); return 1, nil })
			return err
		},
		"idempotent step": func(ctx context.Context, run *adapter.Run, do func()) error {
			_, err := adapter.StepWith(ctx, run, "pay", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { do(); return 1, nil })
			return err
		},
		"tool call": func(ctx context.Context, run *adapter.Run, do func()) error {
			_, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: "pay", Policy: adapter.PolicyAllow,
				Do: func(context.Context, adapter.Invocation) (rawJSON, error) { do(); return rawJSON("1"), nil }})
			return err
		},
	}
	for kind, do := range kinds {
		if testing.Short() && kind != "step" {
			continue
		}
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, lost %t", kind, lost), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var did effects
					agent := func(name string) adapter.Agent {
						return restart{adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
							return do(ctx, run, func() { did.happen(name) })
						})}
					}
					l := newLab(t, agent("second"))
					silent := &outage{}
					w, err := runner.New(deaf{through{Store: l.store, all: silent}}, &runner.Options{
						Agents: map[string]adapter.Agent{"": agent("first")}, Lease: leaseInTests, Sweep: time.Hour,
						Hook: func(point string) {
							if point == "step_before_effect" { // and here the machine stands still
								silent.begin()
								time.Sleep(leaseInTests * 9 / 10)
							}
						},
					})
					if err != nil {
						t.Fatal(err)
					}
					l.abandon(w)
					l.beginOn(w, "hi", "run-0")
					if !lost {
						time.Sleep(leaseInTests * 19 / 20)
						if n := did.of("first"); n != 0 {
							t.Errorf("it took effect %d times when the lease was over", n)
						}
						silent.end()
						succeeded(t, l.untilEnd())
						if did.of("first") != 1 || did.of("second") != 0 {
							t.Errorf("effects %v", did.by)
						}
						return
					}
					events := l.untilEnd()
					if kind != "idempotent step" {
						events = l.answer(resolved(interrupts(t, events)[0].ID, `{"action":"rerun"}`))
					}
					succeeded(t, events)
					silent.end()
					time.Sleep(leaseInTests)
					if did.of("first") != 0 || did.of("second") != 1 {
						t.Errorf("effects %v", did.by)
					}
				})
			})
		}
	}
}

// The start of a step is not stored by a worker whose lease is over, so that nobody
// is asked about a step that never began.
func TestAStepThatNeverBeganIsNotAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var did effects
		agent := func(name string) adapter.Agent {
			return restart{adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				if name == "first" {
					time.Sleep(leaseInTests * 9 / 10)
				}
				_, err := adapter.Step(ctx, run, "pay", func(context.Context) (int, error) { did.happen(name); return 1, nil })
				return err
			})}
		}
		l := newLab(t, agent("second"))
		silent := &outage{}
		w, err := runner.New(deaf{through{Store: l.store, all: new(outage), renews: silent}}, &runner.Options{
			Agents: map[string]adapter.Agent{"": agent("first")}, Lease: leaseInTests, Sweep: time.Hour,
		})
		if err != nil {
			t.Fatal(err)
		}
		l.abandon(w)
		silent.begin()
		l.beginOn(w, "hi", "run-0")
		succeeded(t, l.untilEnd())
		if did.of("first") != 0 || did.of("second") != 1 {
			t.Errorf("effects %v", did.by)
		}
	})
}

// What a run emits while the store does not answer waits in its agent, not in memory.
func TestARunInAnOutageHoldsBackItsAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes large inputs; -short leaves it out")
	}
	const size, many = 64 << 10, 100
	for name, delta := range map[string]string{"large events": strings.Repeat("x", size), "small ones": "x"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				silent := &outage{}
				var emitted, bytes atomic.Int64
				agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
					text, err := run.Text()
					if err != nil {
						return err
					}
					time.Sleep(time.Second)
					silent.begin()
					for range many * 10 {
						if _, err := text.Write([]byte(delta)); err != nil {
							return err
						}
						emitted.Add(1)
						bytes.Add(int64(len(delta)))
					}
					return text.Close()
				})
				l := newLabOn(t, func(s store.Store) store.Store { return through{Store: s, all: silent} }, agent)
				l.beginOn(l.runner, "hi", "run")
				time.Sleep(3 * leaseInTests)
				if emitted.Load() > 600 || bytes.Load() > 2<<20 {
					t.Errorf("%d events of %d bytes wait", emitted.Load(), bytes.Load())
				}
				silent.end()
				l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
				succeeded(t, l.untilEnd())
				if emitted.Load() != many*10 {
					t.Errorf("%d events", emitted.Load())
				}
			})
		})
	}
}
