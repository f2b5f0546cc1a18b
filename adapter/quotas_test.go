package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// by submits an input of a user.
func (l *lab) by(who, tenant string, text string) admission.Admitted {
	l.t.Helper()
	return l.send(who, tenant, user(text))
}

func (l *lab) send(who, tenant string, in *protocol.RunAgentInput) admission.Admitted {
	l.t.Helper()
	l.runs++
	in.ThreadID, in.RunID = l.key.Thread, fmt.Sprint("run-", l.runs)
	a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Tenant: tenant, User: who, Run: in})
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

func (l *lab) refusedFor(code string, a admission.Admitted) map[string]any {
	l.t.Helper()
	if a.Refusal == nil || a.Refusal.Code != code {
		l.t.Fatalf("not %s: %+v %+v", code, a, a.Refusal)
	}
	return details(l.t, a.Refusal)
}

// until polls until something is so.
func (l *lab) eventually(what string, so func() bool) {
	l.t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	ctx := l.ctx()
	for !so() {
		select {
		case <-poll.C:
		case <-ctx.Done():
			l.t.Fatalf("it does not come about that %s", what)
		}
	}
}

func TestRunsAtOnceOfAUser(t *testing.T) {
	c := newCrowd()
	two := func(o *runner.Options) { o.MaxRunsPerUser, o.MaxRunsPerTenant, o.StoreTimeout = 2, 3, patience*10 }
	l := newLab(t, c, two)
	begun := func(l *lab, who, tenant string) {
		t.Helper()
		if a := l.by(who, tenant, "hold"); a.Disposition != admission.Started {
			t.Fatalf("%s: %+v %+v", who, a, a.Refusal)
		}
		await(l, c.began)
	}
	begun(l, "ann", "acme")
	elsewhere := l.on("second")
	elsewhere.runner = l.worker(l.store, c) // with limits of its own: those of the node that takes the input hold
	begun(elsewhere, "ann", "acme")
	third := l.on("third")
	if d := l.refusedFor(adapter.CodeTooManyRuns, third.by("ann", "acme", "hold")); d["limit"] != 2.0 || d["of"] != "user" || d["retryAfterMs"] == nil {
		t.Errorf("details %v", d)
	}
	begun(third, "bob", "acme")
	fourth := l.on("fourth")
	if d := l.refusedFor(adapter.CodeTooManyRuns, fourth.by("bob", "acme", "hold")); d["of"] != "tenant" {
		t.Errorf("details %v", d)
	}
	begun(fourth, "cem", "other")
	if a := l.by("ann", "acme", "wait"); a.Disposition != admission.Queued {
		t.Errorf("what waits for its thread takes no place: %+v", a)
	}
	for range 4 {
		c.end()
	}
	await(l, c.began) // what waited
	c.end()
	l.eventually("all is given back", func() bool {
		ann, err := l.store.Usage(l.ctx(), store.Owner{Name: "ann"})
		acme, err2 := l.store.Usage(l.ctx(), store.Owner{Tenant: true, Name: "acme"})
		return err == nil && err2 == nil && ann.Runs+acme.Runs == 0
	})
}

func (l *lab) underWay(who string, want int) {
	l.t.Helper()
	l.eventually(fmt.Sprintf("%s has %d runs", who, want), func() bool {
		u, err := l.store.Usage(l.ctx(), store.Owner{Name: who})
		return err == nil && u.Runs == want
	})
}

// What an input supersedes is stopped when nothing refuses the input any more, and
// leaves it its place.
func TestSupersedingAtALimit(t *testing.T) {
	c := newCrowd()
	l := newLab(t, c, func(o *runner.Options) {
		o.MaxRunsPerUser, o.Busy, o.MaxThreadBytes, o.StoreTimeout = 1, runner.BusySupersede, 50_000, patience*10
	})
	other := l.on("other")
	for who, at := range map[string]*lab{"ann": l, "bob": other} {
		if a := at.by(who, "", "hold"); a.Disposition != admission.Started {
			t.Fatalf("%+v", a.Refusal)
		}
		await(l, c.began)
	}
	active := func() string {
		t.Helper()
		view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
		if err != nil || view.Active == nil {
			t.Fatalf("%+v %v", view, err)
		}
		return view.Active.ID
	}
	before := active()
	l.refusedFor(adapter.CodeTooManyRuns, l.by("bob", "", "hold"))
	l.refusedFor(adapter.CodeThreadTooLarge, l.send("ann", "", sized("large", 60_000)))
	if active() != before {
		t.Error("a refused input has stopped a run")
	}
	if a := l.by("ann", "", "hold"); a.Disposition != admission.Started {
		t.Fatalf("%+v", a.Refusal)
	}
	await(l, c.began)
	if active() == before {
		t.Error("nothing was superseded")
	}
	c.end()
	c.end()
	l.underWay("ann", 0)
	l.underWay("bob", 0)
}

// Who answers for many is not at a limit for it, and an answer is taken whatever else
// goes on: the run counts for who began what it goes on with.
func TestAnswersCountForWhoAsked(t *testing.T) {
	c := newCrowd()
	l := newLab(t, c, func(o *runner.Options) {
		o.MaxRunsPerUser, o.Sweep, o.StoreTimeout = 1, 10*time.Millisecond, patience*10
	})
	if a := l.by("ann", "acme", "ask"); a.Disposition != admission.Started {
		t.Fatalf("%+v", a.Refusal)
	}
	open := interrupts(t, l.untilEnd())
	l.underWay("ann", 0)
	other := l.on("other")
	if a := other.by("bob", "acme", "hold"); a.Disposition != admission.Started {
		t.Fatalf("%+v", a.Refusal)
	}
	await(l, c.began)
	answered, err := l.runner.Answer(l.ctx(), l.key, "acme", "bob", "answer", []protocol.ResumeEntry{resolved(open[0].ID, "1")}, store.Origin{}, nil)
	if err != nil || answered.Admitted.Disposition != admission.Started {
		t.Fatalf("%+v %v", answered.Admitted.Refusal, err)
	}
	await(l, c.began)
	l.underWay("ann", 1)
	l.underWay("bob", 1)
	l.refusedFor(adapter.CodeTooManyRuns, l.on("third").by("ann", "acme", "hold"))
	c.end()
	c.end()
	l.underWay("ann", 0)
	l.underWay("bob", 0)
}

// Who sends as soon as a run has ended is at no limit.
func TestOneRunAfterAnotherIsOneAtOnce(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }),
		func(o *runner.Options) { o.MaxRunsPerUser, o.MaxRunsPerTenant, o.StoreTimeout = 1, 1, patience*10 })
	for range 50 {
		if a := l.by("ann", "acme", "hi"); a.Disposition != admission.Started {
			t.Fatalf("%+v", a.Refusal)
		}
		l.untilEnd()
	}
}

// Many inputs that become due at one time begin as many at once as may be, and none is
// lost.
func TestQueuedRunsWaitForAPlaceAmongTheirUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd()
		l := newLab(t, c, func(o *runner.Options) { o.MaxRunsPerUser, o.StoreTimeout = 2, patience*10 })
		const threads = 3
		for i := range threads {
			in := user("hold")
			in.ThreadID, in.RunID = fmt.Sprint("later-", i), "r1"
			a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, User: "ann", Run: in,
				Dispatch: admission.DispatchOptions{Available: time.Now().Add(time.Hour)}})
			if err != nil || a.Disposition != admission.Queued {
				t.Fatalf("%+v %v", a, err)
			}
		}
		l.forward(time.Hour)
		await(l, c.began)
		await(l, c.began)
		l.eventually("the third is put off", func() bool {
			for i := range threads {
				list, err := l.store.Dispatches(l.ctx(), l.on(fmt.Sprint("later-", i)).key, store.DispatchQuery{})
				if err == nil && strings.Contains(list[0].Error, "runs under way") && list[0].State == store.DispatchQueued && list[0].Attempts == 0 {
					return true
				}
			}
			return false
		})
		for range threads {
			c.end()
		}
		await(l, c.began)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.widest > 2 {
			t.Errorf("%d at once", c.widest)
		}
	})
}

func TestThreadsAndInputsOfAUser(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }),
		func(o *runner.Options) {
			o.MaxThreadsPerUser, o.MaxInputs, o.InputBurst, o.StoreTimeout = 2, 1, 6, patience*10
		})
	one, two, three := l.on("one"), l.on("two"), l.on("three")
	for _, at := range []*lab{one, two, one} {
		if a := at.by("ann", "", "hi"); a.Disposition != admission.Started {
			t.Fatalf("%+v", a.Refusal)
		}
		at.untilEnd()
	}
	if d := l.refusedFor(adapter.CodeThreadQuota, three.by("ann", "", "hi")); d["limit"] != 2.0 {
		t.Errorf("details %v", d)
	}
	if deleted, err := l.store.Delete(l.ctx(), one.key, store.Deletion{}); err != nil || !deleted {
		t.Fatal(deleted, err)
	}
	for i := range 2 {
		if a := three.by("ann", "", "hi"); a.Disposition == admission.Refused {
			t.Fatalf("%d: %+v", i, a.Refusal)
		}
	}
	if d := l.refusedFor(adapter.CodeRateLimited, three.by("ann", "", "hi")); d["retryAfterMs"].(float64) < 1000 {
		t.Errorf("details %v", d)
	}
	if a := l.by("", "", "hi"); a.Disposition != admission.Started {
		t.Errorf("nobody's: %+v", a.Refusal)
	}
}

// The answers of one request are one input of a user: all of them have its place, or none.
func TestAnswersOfOneRequestAreOneInput(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := run.Confirm(ctx, "sure?")
		return err
	}), func(o *runner.Options) { o.MaxInputs, o.InputBurst = 1, 2 })
	answer := func(request string, threads int) (codes []string) {
		t.Helper()
		var at []*lab
		var open []protocol.Interrupt
		for i := range threads {
			one := l.on(fmt.Sprint(request, i))
			if a := one.by("", "", "hi"); a.Disposition != admission.Started {
				t.Fatalf("%+v", a.Refusal)
			}
			at, open = append(at, one), append(open, interrupts(t, one.untilEnd())[0])
		}
		codes = make([]string, threads)
		ctx := admission.OneOfMany(l.ctx())
		var group sync.WaitGroup
		for i, one := range at {
			group.Go(func() {
				a, err := l.runner.Answer(ctx, one.key, "", "boss", "answer", []protocol.ResumeEntry{resolved(open[i].ID, `{"approved":true}`)}, store.Origin{}, nil)
				switch {
				case err != nil:
					t.Error(err)
				case a.Admitted.Refusal != nil:
					codes[i] = a.Admitted.Refusal.Code
				}
			})
		}
		group.Wait()
		return codes
	}
	const over = adapter.CodeRateLimited
	for i, want := range [][]string{{"", "", "", ""}, {""}, {over, over, over, over}} {
		if got := answer(fmt.Sprint("request-", i, "-"), len(want)); !slices.Equal(got, want) {
			t.Errorf("request %d: %q, not %q", i, got, want)
		}
	}
}

// meeting is a store whose first Read and Take wait for each other.
type meeting struct {
	store.Store
	reads chan struct{}
}

func (m meeting) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	if q.Label != "" {
		select {
		case m.reads <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return m.Store.Read(ctx, key, q)
}

func (m meeting) Take(ctx context.Context, t store.Take) (store.Taken, error) {
	select {
	case <-m.reads:
	case <-ctx.Done():
		return store.Taken{}, ctx.Err()
	}
	return m.Store.Take(ctx, t)
}

// What an input takes of its owners is asked for while its thread is read: it takes no
// round trip of its own.
func TestOwnersAreAskedBesideTheThread(t *testing.T) {
	l := newLabOn(t, func(s store.Store) store.Store { return meeting{Store: s, reads: make(chan struct{})} },
		adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }))
	if a := l.by("ann", "acme", "hi"); a.Disposition != admission.Started {
		t.Fatalf("%+v", a.Refusal)
	}
	succeeded(t, l.untilEnd())
}

// silentQuotas is a store of which the part does not answer that has the owner.
type silentQuotas struct{ store.Store }

func (silentQuotas) Take(ctx context.Context, _ store.Take) (store.Taken, error) {
	<-ctx.Done()
	return store.Taken{}, errors.Join(store.ErrOutcomeUnknown, ctx.Err())
}

// A part of the store that does not answer refuses nobody.
func TestOwnersThatCannotBeAskedHaveNoLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLabOn(t, func(s store.Store) store.Store { return silentQuotas{s} },
			adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }))
		asked := time.Now()
		if a := l.by("ann", "acme", "hi"); a.Disposition != admission.Started {
			t.Fatalf("%+v", a.Refusal)
		}
		if took := time.Since(asked); took > 4*time.Second {
			t.Errorf("it took %s", took)
		}
		succeeded(t, l.untilEnd())
	})
}

// keeping counts what is kept.
type keeping struct {
	store.Store
	kept chan []store.Holding
}

func (k keeping) Keep(ctx context.Context, runs []store.Holding) error {
	k.kept <- runs
	return k.Store.Keep(ctx, runs)
}

// A run that goes on for long counts for as long, and a taken over run at once.
func TestLongRunsGoOnCounting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd()
		kept := make(chan []store.Holding, 10)
		l := newLabOn(t, func(s store.Store) store.Store { return keeping{s, kept} }, c)
		l.by("ann", "acme", "hold")
		await(l, c.began)
		began := time.Now()
		if runs := <-kept; len(runs) != 1 || runs[0].User.Name != "ann" || runs[0].Tenant.Name != "acme" || time.Since(began) > store.HoldFor/2 {
			t.Errorf("after %s: %+v", time.Since(began), runs)
		}
		c.end()
		l.untilEnd()
	})
}

// lateKeep does something before it keeps.
type lateKeep struct {
	store.Store
	before func()
	kept   chan bool
}

func (k *lateKeep) Keep(ctx context.Context, runs []store.Holding) error {
	k.before()
	err := k.Store.Keep(ctx, runs)
	close(k.kept)
	return err
}

// A run that ends while it is kept counts no more.
func TestRunThatEndsWhileItIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd()
		late := &lateKeep{kept: make(chan bool)}
		l := newLabOn(t, func(s store.Store) store.Store { late.Store = s; return late }, c)
		late.before = func() {
			c.end()
			l.underWay("ann", 0)
		}
		l.by("ann", "acme", "hold")
		await(l, c.began)
		<-late.kept
		began := time.Now()
		l.underWay("ann", 0)
		if took := time.Since(began); took > store.HoldFor/2 {
			t.Errorf("it took %s", took)
		}
	})
}
