package storetest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var queueTests = []test{
	{"a dispatch is not claimed before it is available, unless by its id", func(e *env) {
		c := e.stopped()
		th := e.thread()
		b := th.later("r1", c.read().Add(time.Minute))
		th.begun(b)
		later := e.on(th.s, "by id")
		b.Thread, b.Version = later.key, 0
		later.begun(b)
		c.move(time.Minute - time.Millisecond)
		if th.due() {
			e.Error("due a millisecond too early")
		}
		th.claimed("t1", store.ClaimNothing)
		res := later.claimRun("r1", "t1")
		same(th, "by id", words(res.Kind, res.Claim.RunID, string(res.Input)), `1 r1 {"input":"r1"}`)
		c.move(time.Millisecond)
		if !th.due() {
			e.Error("not due in time")
		}
		th.carried("r1")
	}},
	{"what is not available yet does not hold what stands behind it", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.later("r1", c.read().Add(time.Minute)))
		th.begun(th.wait("r2"))
		if !th.due() {
			e.Error("not due")
		}
		th.carried("r2")
		th.claimed("t1", store.ClaimNothing)
		c.move(time.Minute)
		th.carried("r1")
	}},
	{"a time long past, even before 1970, is no time to wait for", func(e *env) {
		th := e.thread()
		th.begun(th.later("r1", time.UnixMilli(-1)))
		if !th.due() {
			e.Error("not due")
		}
		n := failing(th.claimed("t1", store.ClaimQueued).Claim)
		n.Wait = -time.Hour
		th.nack(n)
		th.carried("r1")
	}},
	{"the better priority goes first, then the earlier arrival", func(e *env) {
		th := e.thread()
		for i, p := range []*uint8{new(uint8(255)), nil, new(uint8(1)), new(uint8(128)), nil, new(uint8(0)), new(uint8(254)), new(uint8(255))} {
			b := th.wait(fmt.Sprintf("r%d", i))
			b.Priority = p
			th.begun(b)
		}
		order := []string{"r5", "r2", "r1", "r3", "r4", "r6", "r0", "r7"}
		var listed, view []string
		for _, d := range th.dispatches(store.DispatchQuery{}) {
			listed = append(listed, d.ID)
		}
		for _, q := range th.view().Queue {
			view = append(view, q.ID)
		}
		same(th, "listed", listed, order)
		same(th, "in the view", view, order)
		for _, run := range order {
			th.carried(run)
		}
	}},
	{"a better dispatch that comes later is claimed first, even beside an offered one", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		b := th.wait("r2")
		b.Priority = new(uint8(1))
		th.begun(b)
		th.carried("r2")
		th.carried("r1")
	}},
	{"what is queued and stopped again leaves nothing to claim", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		th.stop("label-r1")
		if th.due() {
			e.Error("due")
		}
		th.claimed("t1", store.ClaimNothing)
		same(th, "by id", th.claimRun("r1", "t2").Kind, store.ClaimNothing)
	}},
	{"a queued dispatch that is stopped is cancelled, with the reason", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		th.begun(th.wait("r2"))
		res, err := th.s.Stop(e.Context(), store.Stop{Thread: th.key, Request: "q", RunID: "r2", QueuedOnly: true, Reason: "no need", Terminal: []byte("x")})
		same(th, "answer", show(must(th, res, err)), show(store.StopResult{Stopped: true, Queued: true, RunID: "r2", Events: events("start:r2 cancelled:r2")}))
		d := th.dispatch("r2")
		same(th, "dispatch", words(d.State, d.Error), "cancelled no need")
		same(th, "the other", th.dispatch("r1").State, store.DispatchClaimed)
	}},
	{"stopping only what waits leaves a claimed dispatch and an unknown id alone", func(e *env) {
		th := e.thread()
		claim := th.begun(th.execute("r1"))
		th.unchanged(func() {
			for i, run := range []string{"r1", "none"} {
				res, err := th.s.Stop(e.Context(), store.Stop{Thread: th.key, Request: fmt.Sprint("q", i), RunID: run, QueuedOnly: true, Terminal: []byte("x")})
				same(th, run, must(th, res, err), store.StopResult{})
			}
			same(th, "renewing an unknown claim", th.renew(store.Claim{Thread: th.key, RunID: "none", Token: "none"}), false)
		})
		same(th, "dispatch", th.dispatch("r1").State, store.DispatchClaimed)
		th.ok(batch(claim, 2, 1, "goes on"))
	}},
	{"a run is stopped by its id, whatever others have its label", func(e *env) {
		th := e.thread()
		for _, run := range []string{"r1", "r2", "r3"} {
			b := th.wait(run)
			b.Label = "same"
			th.begun(b)
		}
		stop := func(request, run string) store.StopResult {
			res, err := th.s.Stop(e.Context(), store.Stop{Thread: th.key, Request: request, RunID: run, Terminal: []byte("x")})
			return must(th, res, err)
		}
		first := stop("q1", "r2")
		same(th, "stopped", words(first.Stopped, first.RunID), "true r2")
		th.unchanged(func() { same(th, "sent again", show(stop("q1", "r2")), show(first)) })
		th.carried("r1")
		th.carried("r3")
	}},
	{"a dispatch is claimed by its id, ahead of what stands before it", func(e *env) {
		th := e.thread()
		for _, run := range []string{"r1", "r2", "r3"} {
			th.begun(th.wait(run))
		}
		th.unchanged(func() { same(th, "an unknown one", th.claimRun("none", "t0").Kind, store.ClaimNothing) })
		res := th.claimRun("r2", "t1")
		same(th, "claim", res, store.ClaimResult{Kind: store.ClaimQueued, Attempts: 1, Input: raws(`{"input":"r2"}`)[0],
			Record: raws(`{"run":"r2"}`)[0], Claim: store.Claim{Thread: th.key, RunID: "r2", Token: "t1"}})
		th.unchanged(func() { same(th, "sent again", th.claimRun("r2", "t1"), res) })
		th.activate(res.Claim)
		th.ok(ending(res.Claim, 2, 1, "end", store.EndFinish))
		th.carried("r1")
		th.carried("r3")
		same(th, "one that has ended", th.claimRun("r2", "t2").Kind, store.ClaimNothing)
	}},
	{"a thread with a claimed dispatch gives none, not even by id", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		th.begun(th.wait("r2"))
		th.claimed("t1", store.ClaimQueued)
		th.unchanged(func() {
			th.claimed("t2", store.ClaimNothing)
			same(th, "by id", th.claimRun("r2", "t3").Kind, store.ClaimNothing)
		})
		suspended := e.on(th.s, "suspended")
		suspended.suspended()
		suspended.begun(suspended.wait("r2"))
		same(th, "by id past an open interrupt", suspended.claimRun("r2", "t1").Kind, store.ClaimNothing)
	}},
	{"concurrent enqueues lose nothing and keep their order of arrival", func(e *env) {
		nodes := []*thread{e.thread()}
		nodes = append(nodes, nodes[0].from(e.node("b")))
		const senders, each = 16, 4 // each sends one after the other
		var group sync.WaitGroup
		for i := range senders {
			group.Go(func() {
				th := nodes[i%2]
				for n := 0; n < each; { // others move the version
					res, err := th.s.Begin(e.Context(), th.wait(fmt.Sprintf("%d-%d", i, n)))
					if err != nil {
						e.Error(err)
						return
					}
					if res.Status == store.BeginAccepted {
						n++
					}
				}
			})
		}
		group.Wait()
		var listed, view, carried []string
		came := map[string]int{}
		for _, d := range nodes[0].dispatches(store.DispatchQuery{Limit: senders * each}) {
			listed = append(listed, d.ID)
			from, n, _ := strings.Cut(d.ID, "-")
			same(nodes[0], "of "+from, n, fmt.Sprint(came[from]))
			came[from]++
		}
		same(nodes[0], "senders, queued", words(len(came), len(listed)), words(senders, senders*each))
		for _, q := range nodes[0].view().Queue {
			view = append(view, q.ID)
		}
		same(nodes[0], "in the view", view, listed)
		for i := range 3 {
			claim := nodes[1].claimed(fmt.Sprint("t", i), store.ClaimQueued).Claim
			carried = append(carried, claim.RunID)
			nodes[1].stop("label-" + claim.RunID)
		}
		same(nodes[0], "claimed", carried, listed[:3])
	}},
	{"of many concurrent claims by id on one thread one wins", func(e *env) {
		nodes := []*thread{e.thread()}
		nodes = append(nodes, nodes[0].from(e.node("b")))
		nodes[0].begun(nodes[0].wait("r0"))
		nodes[0].begun(nodes[0].wait("r1"))
		var group sync.WaitGroup
		var won atomic.Int64
		for i := range 16 {
			group.Go(func() {
				res, err := nodes[i%2].s.Claim(e.Context(), store.ClaimRequest{Thread: nodes[0].key, Token: fmt.Sprint("t", i), RunID: fmt.Sprint("r", i/2%2)})
				if err != nil {
					e.Error(err)
				} else if res.Kind != store.ClaimNothing {
					won.Add(1)
				}
			})
		}
		group.Wait()
		same(nodes[0], "winners", won.Load(), 1)
		same(nodes[0], "claimed", len(strings.Fields(nodes[0].listed(store.DispatchClaimed))), 1)
	}},
	{"threads are claimed independently, each under its own token", func(e *env) {
		s := e.node("a")
		one, two := e.on(s, "one"), e.on(s, "two")
		one.begun(one.wait("r1"))
		two.begun(two.wait("r1"))
		a, b := one.claimed("t1", store.ClaimQueued).Claim, two.claimed("t2", store.ClaimQueued).Claim
		one.activate(a)
		two.activate(b)
		a.Token, b.Token = b.Token, a.Token
		same(one, "with the other's token", one.commit(batch(a, 2, 1, "x")).Status, store.CommitFenced)
		same(two, "with the other's token", two.commit(batch(b, 2, 1, "x")).Status, store.CommitFenced)
	}},
	{"every node is told the same threads, each once, and only those with work", func(e *env) {
		a, b := e.node("a"), e.node("b")
		want := map[store.ThreadKey]bool{}
		for i := range 9 {
			th := e.on(a, fmt.Sprint("t", i))
			switch i % 3 {
			case 0:
				th.begun(th.wait("r1"))
				th.begun(th.wait("r2"))
				want[th.key] = true
			case 1:
				th.begun(th.execute("r1"))
				th.begun(th.wait("r2"))
			default:
				th.view()
			}
		}
		for _, s := range []store.Store{a, b, a} {
			keys, err := wanting(e.Context(), s, 100)
			th := e.on(s, "t0")
			got := map[store.ThreadKey]bool{}
			for _, key := range must(th, keys, err) {
				got[key] = true
			}
			same(th, "threads", fmt.Sprint(got), fmt.Sprint(want))
			same(th, "each once", len(keys), len(want))
		}
	}},
	{"a dispatch has the thread's dispatch epoch of when it was queued", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		same(th, "at first", th.dispatch("r1").Epoch, 0)
		th.stopAll("i1", "")
		th.begun(th.wait("r2"))
		same(th, "after an interrupt", th.dispatch("r2").Epoch, 1)
		same(th, "the older one", th.dispatch("r1").Epoch, 0)
		claim := th.claimed("t2", store.ClaimQueued).Claim
		same(th, "its claim", claim.DispatchEpoch, th.view().DispatchEpoch)
		th.activate(claim)
		older := claim
		older.DispatchEpoch = 0
		th.unchanged(func() {
			same(th, "under the epoch before", th.commit(batch(older, 2, 3, "x")).Status, store.CommitFenced)
		})
	}},
	{"a claim that finds nothing changes nothing", func(e *env) {
		th := e.thread()
		th.unchanged(func() { th.claimed("t1", store.ClaimNothing) })
		claim := th.begun(th.execute("r1"))
		th.unchanged(func() { th.claimed("t2", store.ClaimNothing) })
		th.ok(batch(claim, 2, 1, "goes on"))
	}},
	{"an id that was used is never begun again, whatever comes with it", func(e *env) {
		th := e.thread()
		first := th.wait("r1")
		th.begun(first)
		other := with(th.wait("r1"), func(k *store.Enqueue) { k.Input = raws(`"other"`)[0] })
		other.Record, other.Priority, other.Label = raws(`"other"`)[0], new(uint8(1)), "other"
		th.unchanged(func() { th.begin(other) })
		d := th.dispatch("r1")
		same(th, "dispatch", words(string(d.Input), string(d.Record), d.Priority), string(first.Kind.(store.Enqueue).Input)+" "+string(first.Record)+" 128")
		th.carried("r1")
		th.unchanged(func() { th.begin(th.execute("r1")) })
		same(th, "log", th.log(), "start:r1 end:r1")
	}},
}
