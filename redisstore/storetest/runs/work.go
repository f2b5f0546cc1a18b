package runs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// workFor is what a node is given; late: also what others were given.
func workFor(th *stage.Thread, late bool, agents ...string) []store.Work {
	th.Helper()
	q := store.WorkQuery{Agents: agents, Limit: 100, Idle: time.Hour}
	if late {
		q.Idle = -1
	}
	work, err := th.Store.Work(th.Context(), q)
	return stage.Must(th, work, err)
}

// one is the only work that a node is given.
func one(th *stage.Thread, late bool, agents ...string) store.Work {
	th.Helper()
	work := workFor(th, late, agents...)
	if len(work) != 1 || work[0].Entry == "" {
		th.Fatalf("given %+v", work)
	}
	return work[0]
}

func claims(th *stage.Thread, w store.Work, token string) store.ClaimResult {
	th.Helper()
	res, err := th.Store.Claim(th.Context(), store.ClaimRequest{Thread: w.Thread, Token: token, Entry: w.Entry, Agents: []string{w.Agent}})
	return stage.Must(th, res, err)
}

// of makes a run wait for an agent's workers.
func of(b store.Begin, agent string) store.Begin {
	return stage.With(b, func(k *store.Enqueue) { k.Agent = agent })
}

var WorkTests = []stage.Test{
	{"a thread that wants a worker is delivered to one node", func(e *stage.Env) {
		th := e.Thread()
		other := th.From(e.Node("b"))
		th.Begun(of(th.Wait("r1"), "agent"))
		th.Begun(of(th.Wait("r2"), "agent"))
		w := one(th, false, "agent")
		stage.Same(th, "delivered", stage.Words(w.Thread, w.Agent, w.Orphan), stage.Words(th.Key, "agent", false))
		for range 2 {
			stage.Same(th, "to another", len(workFor(other, false, "agent")), 0)
			stage.Same(th, "again", len(workFor(th, false, "agent")), 0)
		}
		stage.Same(th, "claim", claims(th, w, "t1").Claim.RunID, "r1")
		stage.Same(th, "once it is claimed", len(workFor(other, true, "agent")), 0)
	}},
	{"what was delivered to a node that died is delivered to another", func(e *stage.Env) {
		th := e.Thread()
		other := th.From(e.Node("b"))
		th.Begun(th.Wait("r1"))
		w := one(th, false, "")
		stage.Same(th, "the same", one(other, true, ""), w)
		stage.Same(th, "claim", claims(other, w, "t1").Kind, store.ClaimQueued)
		stage.Same(th, "afterwards", len(workFor(th, true, "")), 0)
	}},
	{"what a node returns is delivered to another", func(e *stage.Env) {
		th := e.Thread()
		other := th.From(e.Node("b"))
		th.Begun(of(th.Wait("r1"), "agent"))
		w := one(th, false, "agent")
		stage.Same(th, "to another", len(workFor(other, false, "agent")), 0)
		stage.Must(th, true, th.Store.Return(e.Context(), []store.Work{w, {Thread: th.Key}}))
		stage.Same(th, "returned", one(other, false, "agent"), w)
		stage.Same(th, "to the one again", len(workFor(th, false, "agent")), 0)
		stage.Same(th, "claim", claims(other, w, "t1").Kind, store.ClaimQueued)
		stage.Must(th, true, th.Store.Return(e.Context(), []store.Work{w}))
		stage.Same(th, "when it is claimed", len(workFor(th, true, "agent")), 0)
	}},
	// A consumer group does not fence: only the claim does.
	{"nodes that were given the same thread make one claim of it", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		const nodes = 4
		var threads [nodes]*stage.Thread
		var given [nodes]store.Work
		for i := range nodes {
			threads[i] = th.From(e.Node(fmt.Sprint("n", i)))
			given[i] = one(threads[i], true, "")
		}
		var group sync.WaitGroup
		var kinds [nodes]store.ClaimKind
		for i := range nodes {
			group.Go(func() {
				res, err := threads[i].Store.Claim(e.Context(), store.ClaimRequest{Thread: th.Key, Token: fmt.Sprint("t", i), Entry: given[i].Entry})
				if err != nil {
					e.Error(err)
				}
				kinds[i] = res.Kind
			})
		}
		group.Wait()
		won := 0
		for _, k := range kinds {
			if k == store.ClaimQueued {
				won++
			}
		}
		stage.Same(th, "claims", won, 1)
		stage.Same(th, "left", len(workFor(th, true, "")), 0)
	}},
	{"work is for the nodes that carry runs of its agent", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(of(th.Wait("r1"), "other"))
		stage.Same(th, "of another agent", len(workFor(th, true, "", "agent")), 0)
		res, err := th.Store.Claim(e.Context(), store.ClaimRequest{Thread: th.Key, Token: "t0", Agents: []string{"agent"}})
		stage.Same(th, "claim for another agent", stage.Must(th, res, err).Kind, store.ClaimNothing)
		w := one(th, false, "agent", "other")
		claim := claims(th, w, "t1").Claim
		th.Activate(claim) // an execution of "agent"
		if err := th.Store.HandBack(e.Context(), claim); err != nil {
			e.Fatal(err)
		}
		stage.Same(th, "to go on", len(workFor(th, true, "other")), 0)
		stage.Same(th, "to go on, of its agent", claims(th, one(th, false, "agent"), "t2").Kind, store.ClaimTakeover)
	}},
	{"what comes due is delivered then, and no sooner", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		nothing := func() {
			th.Helper()
			stage.Same(th, "too soon", len(workFor(th, true, "", "agent")), 0)
		}
		th.Begun(stage.With(th.Wait("r1"), func(k *store.Enqueue) { k.Available = c.Read().Add(time.Minute) }))
		nothing()
		c.Move(time.Minute)
		claim := claims(th, one(th, false, "", "agent"), "t1").Claim
		n := stage.Failing(claim)
		n.Wait = time.Minute
		res, err := th.Store.Nack(e.Context(), n)
		stage.Same(th, "nack", stage.Must(th, res, err).Ready, false)
		nothing()
		c.Move(time.Minute)
		claim = claims(th, one(th, false, "", "agent"), "t2").Claim
		th.Activate(claim)
		c.Move(e.Lease)
		nothing()
		c.Move(time.Millisecond)
		w := one(th, false, "", "agent")
		stage.Same(th, "renew", th.Renew(claim), true)
		nothing() // it is kept after all
		stage.Same(th, "claim", claims(th, w, "t3").Kind, store.ClaimNothing)
		c.Move(e.Lease + time.Millisecond)
		claim = claims(th, one(th, false, "", "agent"), "t4").Claim
		b := stage.Ending(claim, 1, 1, "asks", store.EndSuspend)
		b.End.Deadline = c.Read().Add(time.Minute).UnixMilli()
		th.OK(b)
		c.Move(time.Minute)
		nothing()
		c.Move(time.Millisecond)
		w = one(th, false, "", "agent")
		stage.Same(th, "claim", claims(th, w, "t5").Kind, store.ClaimExpired)
		stage.Same(th, "until it is answered", one(th, true, "", "agent"), w)
		th.Begun(th.Resume("r2", "exe-r1"))
		nothing()
	}},
	{"what nobody wants to have carried is not delivered any more", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		w := one(th, false, "")
		th.Stop("label-r1")
		stage.Same(th, "stopped", len(workFor(th, true, "")), 0)
		stage.Same(th, "claim", claims(th, w, "t1").Kind, store.ClaimNothing)
		th.Begun(th.Wait("r2"))
		one(th, false, "")
		th.StopAll("i1", "")
		stage.Same(th, "all stopped", len(workFor(th, true, "")), 0)
		deleted, err := th.Store.Delete(e.Context(), th.Key, stage.Deleting(""))
		stage.Same(th, "deleted", stage.Must(th, deleted, err), true)
		th.Begun(th.Wait("r3"))
		stage.Same(th, "claim", claims(th, one(th, false, ""), "t2").Claim.RunID, "r3")
		if err := th.Store.Erase(e.Context(), th.Key, stage.Deleting("")); err != nil {
			e.Fatal(err)
		}
		stage.Same(th, "erased", len(workFor(th, true, "")), 0)
	}},
	{"no more is delivered than there is room for", func(e *stage.Env) {
		s := e.Node("a")
		for i := range 9 {
			th := e.On(s, fmt.Sprint("t", i))
			th.Begun(th.Wait("r1"))
		}
		th := e.On(s, "t0")
		left := 9
		for _, limit := range []int{0, 1, 3, 100} {
			work, err := s.Work(e.Context(), store.WorkQuery{Agents: []string{""}, Limit: limit, Idle: time.Hour})
			stage.Same(th, fmt.Sprint("of ", limit), len(stage.Must(th, work, err)), min(limit, left))
			left -= min(limit, left)
		}
	}},
	{"beside a thread there is what is new there", func(e *stage.Env) {
		th := e.Thread()
		near := func() int {
			work, err := th.Store.Work(e.Context(), store.WorkQuery{Agents: []string{""}, Limit: 1, Near: th.Key})
			return len(stage.Must(th, work, err))
		}
		stage.Same(th, "at first", near(), 0)
		th.Begun(th.Wait("r1"))
		stage.Same(th, "one", near(), 1)
		stage.Same(th, "again", near(), 0)
	}},
	{"what comes is given to one of those who wait for it", func(e *stage.Env) {
		const threads, nodes = 12, 3
		s := e.Node("a")
		given := make(chan store.Work, nodes*threads)
		ctx, cancel := context.WithCancel(e.Context())
		var group sync.WaitGroup
		for i := range nodes {
			other := e.Node(fmt.Sprint("n", i))
			group.Go(func() {
				for ctx.Err() == nil {
					work, err := other.Await(ctx, store.WorkQuery{Agents: []string{"agent"}, Limit: 100})
					if errors.Is(err, store.ErrCannotAwait) {
						work, err = other.Work(ctx, store.WorkQuery{Agents: []string{"agent"}, Limit: 100, Idle: time.Hour})
					}
					if err != nil && ctx.Err() == nil {
						e.Error(err)
						return
					}
					for _, w := range work {
						given <- w
					}
				}
			})
		}
		var th *stage.Thread
		for i := range threads {
			th = e.On(s, fmt.Sprint("t", i))
			th.Begun(of(th.Wait("r1"), "agent"))
			th.Begun(of(th.Wait("r2"), "other"))
		}
		seen := map[store.ThreadKey]int{}
		for range threads {
			select {
			case w := <-given:
				stage.Same(th, "agent", w.Agent, "agent")
				seen[w.Thread]++
			case <-e.Context().Done():
				e.Fatal(len(seen), "of", threads, "were given")
			}
		}
		stage.Same(th, "threads", len(seen), threads)
		cancel()
		group.Wait()
		stage.Same(th, "given again", len(given), 0)
	}},
	{"who waits no more is given nothing, and nothing is lost", func(e *stage.Env) {
		th := e.Thread()
		q := store.WorkQuery{Agents: []string{""}, Limit: 1}
		ctx, cancel := context.WithCancel(e.Context())
		ended := make(chan error)
		go func() {
			work, err := th.Store.Await(ctx, q)
			if len(work) > 0 {
				err = fmt.Errorf("given %+v", work)
			}
			ended <- err
		}()
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, store.ErrCannotAwait) {
			e.Fatal(err)
		}
		th.Begun(th.Wait("r1"))
		stage.Same(th, "claim", claims(th, one(th, false, ""), "t1").Kind, store.ClaimQueued)
	}},
	{"who waits is given no more than there is room for, and others the rest", func(e *stage.Env) {
		const threads = 9
		s := e.Node("a")
		for i := range threads {
			th := e.On(s, fmt.Sprint("t", i))
			th.Begun(th.Wait("r1"))
		}
		work, err := s.Await(e.Context(), store.WorkQuery{Agents: []string{""}, Limit: 2})
		if errors.Is(err, store.ErrCannotAwait) {
			return
		}
		th := e.On(e.Node("b"), "t0")
		if stage.Must(th, work, err); len(work) == 0 || len(work) > 2 {
			e.Fatalf("given %+v", work)
		}
		stage.Same(th, "the rest", len(work)+len(workFor(th, false, "")), threads)
	}},
	{"what waits is counted by agent", func(e *stage.Env) {
		s := e.Node("a")
		for i := range 6 {
			th := e.On(s, fmt.Sprint("t", i))
			th.Begun(of(th.Wait("r1"), []string{"agent", "other"}[i%2]))
		}
		th := e.On(s, "t0")
		work, err := s.Work(e.Context(), store.WorkQuery{Agents: []string{"agent"}, Limit: 2})
		stage.Must(th, work, err)
		stats, err := s.WorkStats(e.Context(), []string{"agent", "other", "none"})
		text := ""
		for _, st := range stage.Must(th, stats, err) {
			text += stage.Words(st.Agent, st.Waiting, st.Pending, st.Lag(), st.Oldest >= 0) + "; "
		}
		stage.Same(th, "stats", text, "agent 3 2 1 true; other 3 0 3 true; none 0 0 0 true; ")
	}},
}
