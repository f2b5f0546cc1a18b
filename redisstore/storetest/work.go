package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// work is what a node is given; late: also what others were given.
func (th *thread) work(late bool, agents ...string) []store.Work {
	th.Helper()
	q := store.WorkQuery{Agents: agents, Limit: 100, Idle: time.Hour}
	if late {
		q.Idle = -1
	}
	work, err := th.s.Work(th.Context(), q)
	return must(th, work, err)
}

// one is the only work that a node is given.
func (th *thread) one(late bool, agents ...string) store.Work {
	th.Helper()
	work := th.work(late, agents...)
	if len(work) != 1 || work[0].Entry == "" {
		th.Fatalf("given %+v", work)
	}
	return work[0]
}

func (th *thread) claims(w store.Work, token string) store.ClaimResult {
	th.Helper()
	res, err := th.s.Claim(th.Context(), store.ClaimRequest{Thread: w.Thread, Token: token, Entry: w.Entry, Agents: []string{w.Agent}})
	return must(th, res, err)
}

// of makes a run wait for an agent's workers.
func of(b store.Begin, agent string) store.Begin {
	return with(b, func(k *store.Enqueue) { k.Agent = agent })
}

var workTests = []test{
	{"a thread that wants a worker is delivered to one node", func(e *env) {
		th := e.thread()
		other := th.from(e.node("b"))
		th.begun(of(th.wait("r1"), "agent"))
		th.begun(of(th.wait("r2"), "agent"))
		w := th.one(false, "agent")
		same(th, "delivered", words(w.Thread, w.Agent, w.Orphan), words(th.key, "agent", false))
		for range 2 {
			same(th, "to another", len(other.work(false, "agent")), 0)
			same(th, "again", len(th.work(false, "agent")), 0)
		}
		same(th, "claim", th.claims(w, "t1").Claim.RunID, "r1")
		same(th, "once it is claimed", len(other.work(true, "agent")), 0)
	}},
	{"what was delivered to a node that died is delivered to another", func(e *env) {
		th := e.thread()
		other := th.from(e.node("b"))
		th.begun(th.wait("r1"))
		w := th.one(false, "")
		same(th, "the same", other.one(true, ""), w)
		same(th, "claim", other.claims(w, "t1").Kind, store.ClaimQueued)
		same(th, "afterwards", len(th.work(true, "")), 0)
	}},
	{"what a node returns is delivered to another", func(e *env) {
		th := e.thread()
		other := th.from(e.node("b"))
		th.begun(of(th.wait("r1"), "agent"))
		w := th.one(false, "agent")
		same(th, "to another", len(other.work(false, "agent")), 0)
		must(th, true, th.s.Return(e.Context(), []store.Work{w, {Thread: th.key}}))
		same(th, "returned", other.one(false, "agent"), w)
		same(th, "to the one again", len(th.work(false, "agent")), 0)
		same(th, "claim", other.claims(w, "t1").Kind, store.ClaimQueued)
		must(th, true, th.s.Return(e.Context(), []store.Work{w}))
		same(th, "when it is claimed", len(th.work(true, "agent")), 0)
	}},
	// A consumer group does not fence: only the claim does.
	{"nodes that were given the same thread make one claim of it", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		const nodes = 4
		var threads [nodes]*thread
		var given [nodes]store.Work
		for i := range nodes {
			threads[i] = th.from(e.node(fmt.Sprint("n", i)))
			given[i] = threads[i].one(true, "")
		}
		var group sync.WaitGroup
		var kinds [nodes]store.ClaimKind
		for i := range nodes {
			group.Go(func() {
				res, err := threads[i].s.Claim(e.Context(), store.ClaimRequest{Thread: th.key, Token: fmt.Sprint("t", i), Entry: given[i].Entry})
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
		same(th, "claims", won, 1)
		same(th, "left", len(th.work(true, "")), 0)
	}},
	{"work is for the nodes that carry runs of its agent", func(e *env) {
		th := e.thread()
		th.begun(of(th.wait("r1"), "other"))
		same(th, "of another agent", len(th.work(true, "", "agent")), 0)
		res, err := th.s.Claim(e.Context(), store.ClaimRequest{Thread: th.key, Token: "t0", Agents: []string{"agent"}})
		same(th, "claim for another agent", must(th, res, err).Kind, store.ClaimNothing)
		w := th.one(false, "agent", "other")
		claim := th.claims(w, "t1").Claim
		th.activate(claim) // an execution of "agent"
		if err := th.s.HandBack(e.Context(), claim); err != nil {
			e.Fatal(err)
		}
		same(th, "to go on", len(th.work(true, "other")), 0)
		same(th, "to go on, of its agent", th.claims(th.one(false, "agent"), "t2").Kind, store.ClaimTakeover)
	}},
	{"what comes due is delivered then, and no sooner", func(e *env) {
		c := e.stopped()
		th := e.thread()
		nothing := func() {
			th.Helper()
			same(th, "too soon", len(th.work(true, "", "agent")), 0)
		}
		th.begun(with(th.wait("r1"), func(k *store.Enqueue) { k.Available = c.read().Add(time.Minute) }))
		nothing()
		c.move(time.Minute)
		claim := th.claims(th.one(false, "", "agent"), "t1").Claim
		n := failing(claim)
		n.Wait = time.Minute
		res, err := th.s.Nack(e.Context(), n)
		same(th, "nack", must(th, res, err).Ready, false)
		nothing()
		c.move(time.Minute)
		claim = th.claims(th.one(false, "", "agent"), "t2").Claim
		th.activate(claim)
		c.move(e.lease)
		nothing()
		c.move(time.Millisecond)
		w := th.one(false, "", "agent")
		same(th, "renew", th.renew(claim), true)
		nothing() // it is kept after all
		same(th, "claim", th.claims(w, "t3").Kind, store.ClaimNothing)
		c.move(e.lease + time.Millisecond)
		claim = th.claims(th.one(false, "", "agent"), "t4").Claim
		b := ending(claim, 1, 1, "asks", store.EndSuspend)
		b.End.Deadline = c.read().Add(time.Minute).UnixMilli()
		th.ok(b)
		c.move(time.Minute)
		nothing()
		c.move(time.Millisecond)
		w = th.one(false, "", "agent")
		same(th, "claim", th.claims(w, "t5").Kind, store.ClaimExpired)
		same(th, "until it is answered", th.one(true, "", "agent"), w)
		th.begun(th.resume("r2", "exe-r1"))
		nothing()
	}},
	{"what nobody wants to have carried is not delivered any more", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		w := th.one(false, "")
		th.stop("label-r1")
		same(th, "stopped", len(th.work(true, "")), 0)
		same(th, "claim", th.claims(w, "t1").Kind, store.ClaimNothing)
		th.begun(th.wait("r2"))
		th.one(false, "")
		th.stopAll("i1", "")
		same(th, "all stopped", len(th.work(true, "")), 0)
		deleted, err := th.s.Delete(e.Context(), th.key, Deleting(""))
		same(th, "deleted", must(th, deleted, err), true)
		th.begun(th.wait("r3"))
		same(th, "claim", th.claims(th.one(false, ""), "t2").Claim.RunID, "r3")
		if err := th.s.Erase(e.Context(), th.key, Deleting("")); err != nil {
			e.Fatal(err)
		}
		same(th, "erased", len(th.work(true, "")), 0)
	}},
	{"no more is delivered than there is room for", func(e *env) {
		s := e.node("a")
		for i := range 9 {
			th := e.on(s, fmt.Sprint("t", i))
			th.begun(th.wait("r1"))
		}
		th := e.on(s, "t0")
		left := 9
		for _, limit := range []int{0, 1, 3, 100} {
			work, err := s.Work(e.Context(), store.WorkQuery{Agents: []string{""}, Limit: limit, Idle: time.Hour})
			same(th, fmt.Sprint("of ", limit), len(must(th, work, err)), min(limit, left))
			left -= min(limit, left)
		}
	}},
	{"beside a thread there is what is new there", func(e *env) {
		th := e.thread()
		near := func() int {
			work, err := th.s.Work(e.Context(), store.WorkQuery{Agents: []string{""}, Limit: 1, Near: th.key})
			return len(must(th, work, err))
		}
		same(th, "at first", near(), 0)
		th.begun(th.wait("r1"))
		same(th, "one", near(), 1)
		same(th, "again", near(), 0)
	}},
	{"what comes is given to one of those who wait for it", func(e *env) {
		const threads, nodes = 12, 3
		s := e.node("a")
		given := make(chan store.Work, nodes*threads)
		ctx, cancel := context.WithCancel(e.Context())
		var group sync.WaitGroup
		for i := range nodes {
			other := e.node(fmt.Sprint("n", i))
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
		var th *thread
		for i := range threads {
			th = e.on(s, fmt.Sprint("t", i))
			th.begun(of(th.wait("r1"), "agent"))
			th.begun(of(th.wait("r2"), "other"))
		}
		seen := map[store.ThreadKey]int{}
		for range threads {
			select {
			case w := <-given:
				same(th, "agent", w.Agent, "agent")
				seen[w.Thread]++
			case <-e.Context().Done():
				e.Fatal(len(seen), "of", threads, "were given")
			}
		}
		same(th, "threads", len(seen), threads)
		cancel()
		group.Wait()
		same(th, "given again", len(given), 0)
	}},
	{"who waits no more is given nothing, and nothing is lost", func(e *env) {
		th := e.thread()
		q := store.WorkQuery{Agents: []string{""}, Limit: 1}
		ctx, cancel := context.WithCancel(e.Context())
		ended := make(chan error)
		go func() {
			work, err := th.s.Await(ctx, q)
			if len(work) > 0 {
				err = fmt.Errorf("given %+v", work)
			}
			ended <- err
		}()
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, store.ErrCannotAwait) {
			e.Fatal(err)
		}
		th.begun(th.wait("r1"))
		same(th, "claim", th.claims(th.one(false, ""), "t1").Kind, store.ClaimQueued)
	}},
	{"who waits is given no more than there is room for, and others the rest", func(e *env) {
		const threads = 9
		s := e.node("a")
		for i := range threads {
			th := e.on(s, fmt.Sprint("t", i))
			th.begun(th.wait("r1"))
		}
		work, err := s.Await(e.Context(), store.WorkQuery{Agents: []string{""}, Limit: 2})
		if errors.Is(err, store.ErrCannotAwait) {
			return
		}
		th := e.on(e.node("b"), "t0")
		if must(th, work, err); len(work) == 0 || len(work) > 2 {
			e.Fatalf("given %+v", work)
		}
		same(th, "the rest", len(work)+len(th.work(false, "")), threads)
	}},
	{"what waits is counted by agent", func(e *env) {
		s := e.node("a")
		for i := range 6 {
			th := e.on(s, fmt.Sprint("t", i))
			th.begun(of(th.wait("r1"), []string{"agent", "other"}[i%2]))
		}
		th := e.on(s, "t0")
		work, err := s.Work(e.Context(), store.WorkQuery{Agents: []string{"agent"}, Limit: 2})
		must(th, work, err)
		stats, err := s.WorkStats(e.Context(), []string{"agent", "other", "none"})
		text := ""
		for _, st := range must(th, stats, err) {
			text += words(st.Agent, st.Waiting, st.Pending, st.Lag(), st.Oldest >= 0) + "; "
		}
		same(th, "stats", text, "agent 3 2 1 true; other 3 0 3 true; none 0 0 0 true; ")
	}},
}
