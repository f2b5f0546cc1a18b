package adapter_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
)

// seldom sweeps so rarely that only nudges make a node claim.
func seldom(o *runner.Options) { o.Sweep = time.Hour }

// leasing is a store with leases of another length than the lab's.
func leasing(t *testing.T, lease time.Duration) store.Store {
	t.Helper()
	store, err := redisstore.Embedded(&redisstore.Options{Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// garbage queues what this version cannot read.
func (l *lab) garbage(id string) {
	l.t.Helper()
	view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
	if err != nil {
		l.t.Fatal(err)
	}
	b := store.Begin{Thread: l.key, Version: view.Version, RunID: id, Label: id, Execution: id, Record: rawJSON(`{"label":"` + id + `"}`)}
	k := store.Enqueue{Input: rawJSON(`"of another version"`)}
	for i, e := range []protocol.Event{
		&protocol.RunStarted{ThreadID: l.key.Thread, RunID: id, ProtocolVersion: "1.0"},
		&protocol.RunFinished{ThreadID: l.key.Thread, RunID: id, Outcome: &protocol.RunOutcome{Type: protocol.OutcomeCancelled}},
	} {
		if k.Cancelled[i], err = protocol.Encode(e); err != nil {
			l.t.Fatal(err)
		}
	}
	b.Kind = k
	if res, err := l.store.Begin(l.ctx(), b); err != nil || res.Status != store.BeginAccepted {
		l.t.Fatalf("%+v %v", res, err)
	}
}

// node is another node on the lab's store.
func (l *lab) node(agent adapter.Agent, configure ...func(*runner.Options)) *runner.Runner {
	l.t.Helper()
	o := &runner.Options{Agents: map[string]adapter.Agent{"": agent}, Lease: leaseInTests, Sweep: 5 * time.Millisecond}
	for _, f := range configure {
		f(o)
	}
	r, err := runner.New(deaf{l.store}, o)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { r.Shutdown(l.ctx()) })
	return r
}

var dispatchBehaviours = []behaviour{
	{"a nudge is enough to claim and run what waits", func(t *testing.T) {
		agent, gate := gated()
		l := newLab(t, agent, seldom)
		l.submit(user("one"))
		l.submit(user("two"))
		close(gate)
		l.untilLabel("run-2")
		l.wellFormed()
	}},
	{"a claim that fails is made again", func(t *testing.T) {
		agent, gate := gated()
		fails := failsFirst(2)
		l := newLabOn(t, func(s store.Store) store.Store {
			return &faulty{Store: s, claim: func(store.ClaimRequest) error { return fails() }}
		}, agent)
		l.submit(user("one"))
		l.submit(user("two"))
		close(gate)
		l.untilLabel("run-2")
	}},
	{"an agent's own error ends its run after one call", func(t *testing.T) {
		var calls atomic.Int32
		l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error {
			calls.Add(1)
			return fmt.Errorf("no luck")
		}))
		failedWith(t, l.say("hi"), adapter.CodeAgentError)
		failedWith(t, l.say("again"), adapter.CodeAgentError)
		if n := calls.Load(); n != 2 {
			t.Errorf("called %d times for two inputs", n)
		}
	}},
	{"an input that nobody can read is buried at its first attempt, and the next one is run", func(t *testing.T) {
		agent, _ := counting()
		l := newLab(t, agent)
		l.garbage("garbage")
		a := l.submit(user("good"))
		if a.Disposition != admission.Queued && a.Disposition != admission.Started {
			t.Fatalf("%s %+v", a.Disposition, a.Refusal)
		}
		l.untilLabel("run-1")
		d, err := l.store.Dispatch(l.ctx(), l.key, "garbage")
		if err != nil || d.State != store.DispatchDeadLetter || d.Attempts != 1 {
			t.Errorf("%+v %v", d, err)
		}
		l.wellFormed()
	}},
	{"a burial that fails is made again", func(t *testing.T) {
		agent, _ := counting()
		fails := failsFirst(2)
		var l *lab
		l = newLabOn(t, func(s store.Store) store.Store {
			return &faulty{Store: s, bury: func() error {
				err := fails()
				if err != nil {
					l.lapse()
				}
				return err
			}}
		}, agent)
		l.garbage("garbage")
		l.untilLabel("garbage")
		d, err := l.store.Dispatch(l.ctx(), l.key, "garbage")
		if err != nil || d.State != store.DispatchDeadLetter {
			t.Errorf("%+v %v", d, err)
		}
	}},
	{"each attempt waits twice as long as the one before", func(t *testing.T) {
		agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			if _, err := adapter.StepWith(ctx, run, "one", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil }); err != nil {
				return err
			}
			return run.Say("hello")
		})
		nacks := make(chan time.Duration, 10)
		var whole store.Store
		l := newLabOn(t, func(s store.Store) store.Store {
			whole = s
			// What this node goes on from it cannot read.
			return &faulty{Store: foreign(s), nack: func(n store.Nack) { nacks <- n.Wait }}
		}, agent)
		cut := l.cutBefore(whole, protocol.TypeTextMessageStart)
		l.beginOn(l.worker(cut, agent), "one", "run-0")
		await(l, cut.lost)
		first, second := await(l, nacks), await(l, nacks)
		if first != 250*time.Millisecond || second != 2*first {
			t.Errorf("waits of %v and %v", first, second)
		}
	}},
	{"fifty inputs that all fail cost claims in proportion", func(t *testing.T) {
		const inputs = 50
		var claims atomic.Int32
		first := make(chan struct{})
		l := newLabOn(t, func(s store.Store) store.Store {
			return &faulty{Store: s, claim: func(store.ClaimRequest) error { claims.Add(1); return nil }}
		}, adapter.AgentFunc(func(context.Context, *adapter.Run) error {
			<-first
			return fmt.Errorf("over quota")
		}), seldom)
		for i := range inputs {
			l.submit(user(fmt.Sprint(i)))
		}
		close(first)
		l.untilLabel(fmt.Sprint("run-", inputs))
		if n := claims.Load(); n > 3*inputs {
			t.Errorf("%d claims for %d inputs", n, inputs)
		}
	}},
	{"what is stopped between its claim and its start never reaches the agent", func(t *testing.T) {
		agent, gate := gated()
		s := &faulty{}
		l := newLabOn(t, func(inner store.Store) store.Store { s.Store = inner; return s }, agent)
		var once sync.Once
		s.start = func() {
			once.Do(func() {
				if c, err := l.runner.Cancel(context.Background(), l.key, "run-2", admission.Actor{}); err != nil || !c.Stopped {
					t.Errorf("%+v %v", c, err)
				}
			})
		}
		l.submit(user("one"))
		l.submit(user("two"))
		gate <- struct{}{}
		l.untilLabel("run-2")
		close(gate)
		succeeded(t, l.say("three"))
		l.wellFormed()
		if got := l.texts(); fmt.Sprint(got) != "[begun ended begun ended]" {
			t.Errorf("texts %q", got)
		}
	}},
	{"a run is cancelled from another node, and its agent is told", func(t *testing.T) {
		told := make(chan error, 1)
		l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			if err := run.Say("begun"); err != nil {
				return err
			}
			<-ctx.Done()
			told <- context.Cause(ctx)
			return context.Cause(ctx)
		}))
		l.submit(user("one"))
		l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
		other := l.worker(l.store, asker())
		if c, err := other.Cancel(l.ctx(), l.key, "run-1", admission.Actor{}); err != nil || !c.Stopped {
			t.Fatalf("%+v %v", c, err)
		}
		l.untilEnd()
		if err := await(l, told); err == nil {
			t.Error("no cause")
		}
	}},
	{"nothing begins in place of what could not be stopped", func(t *testing.T) {
		agent, gate := gated()
		l := newLabOn(t, func(s store.Store) store.Store {
			return &faulty{Store: s, cut: func() error { return errFault }}
		}, agent, func(o *runner.Options) { o.Busy = runner.BusySupersede })
		l.submit(user("one"))
		in := user("two")
		in.ThreadID, in.RunID = l.key.Thread, "run-2"
		if a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err == nil {
			t.Errorf("%s %+v", a.Disposition, a.Refusal)
		}
		close(gate)
		succeeded(t, l.untilEnd())
		if view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{Label: "run-2"}); err != nil || len(view.Labelled)+len(view.Queue) > 0 {
			t.Errorf("%+v %v", view, err)
		}
	}},
	{"thirty-two submits at once on two nodes lose no message and run one at a time", func(t *testing.T) {
		const inputs = 32
		var running, most atomic.Int32
		agent := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
			if n := running.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer running.Add(-1)
			return run.Say("heard")
		})
		patient := func(o *runner.Options) { o.Lease, o.StoreTimeout = time.Minute, time.Minute }
		l := newLabOn(t, func(store.Store) store.Store { return leasing(t, time.Minute) }, agent, patient)
		nodes := []*runner.Runner{l.runner, l.node(agent, patient)}
		answers := make(chan error, inputs)
		for i := range inputs {
			go func() {
				in := user(fmt.Sprint(i))
				in.ThreadID, in.RunID = l.key.Thread, fmt.Sprint("run-", i)
				a, err := nodes[i%2].Submit(context.Background(), admission.Input{Namespace: l.key.Namespace, Run: in})
				if err == nil && a.Disposition == admission.Refused {
					err = fmt.Errorf("%+v", a.Refusal)
				}
				answers <- err
			}()
		}
		for range inputs {
			if err := await(l, answers); err != nil {
				t.Error(err)
			}
		}
		ends := 0
		l.until(func(e protocol.Event) bool {
			if isEnd(e) {
				ends++
			}
			return ends == inputs
		})
		l.wellFormed()
		said := map[string]bool{}
		for _, text := range l.contents(protocol.RoleUser) {
			said[text] = true
		}
		if len(said) != inputs || most.Load() != 1 {
			t.Errorf("%d messages, up to %d runs at once", len(said), most.Load())
		}
	}},
	{"an input without ids, or for an agent that is not there, is refused", func(t *testing.T) {
		agent, _ := counting()
		l := newLab(t, agent)
		endless := user("x")
		endless.Messages[0].ID = strings.Repeat("x", 1025)
		for name, in := range map[string]admission.Input{
			"agent":   {Namespace: "test", Agent: "nobody", Run: &protocol.RunAgentInput{ThreadID: "thread", RunID: "r", Messages: user("x").Messages}},
			"thread":  {Namespace: "test", Run: &protocol.RunAgentInput{RunID: "r", Messages: user("x").Messages}},
			"run":     {Namespace: "test", Run: &protocol.RunAgentInput{ThreadID: "thread", Messages: user("x").Messages}},
			"message": {Namespace: "test", Run: &protocol.RunAgentInput{ThreadID: "thread", RunID: "r", Messages: endless.Messages}},
		} {
			a, err := l.runner.Submit(l.ctx(), in)
			if err != nil || a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodeInvalidInput {
				t.Errorf("%s: %s %+v %v", name, a.Disposition, a.Refusal, err)
			}
		}
	}},
}
