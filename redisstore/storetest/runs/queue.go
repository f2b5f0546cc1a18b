package runs

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var QueueTests = []stage.Test{
	{"a dispatch is not claimed before it is available, unless by its id", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		b := th.Later("r1", c.Read().Add(time.Minute))
		th.Begun(b)
		later := e.On(th.Store, "by id")
		b.Thread, b.Version = later.Key, 0
		later.Begun(b)
		c.Move(time.Minute - time.Millisecond)
		if th.Due() {
			e.Error("due a millisecond too early")
		}
		th.Claimed("t1", store.ClaimNothing)
		res := later.ClaimRun("r1", "t1")
		stage.Same(th, "by id", stage.Words(res.Kind, res.Claim.RunID, string(res.Input)), `1 r1 {"input":"r1"}`)
		c.Move(time.Millisecond)
		if !th.Due() {
			e.Error("not due in time")
		}
		th.Carried("r1")
	}},
	{"what is not available yet does not hold what stands behind it", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Later("r1", c.Read().Add(time.Minute)))
		th.Begun(th.Wait("r2"))
		if !th.Due() {
			e.Error("not due")
		}
		th.Carried("r2")
		th.Claimed("t1", store.ClaimNothing)
		c.Move(time.Minute)
		th.Carried("r1")
	}},
	{"a time long past, even before 1970, is no time to wait for", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Later("r1", time.UnixMilli(-1)))
		if !th.Due() {
			e.Error("not due")
		}
		n := stage.Failing(th.Claimed("t1", store.ClaimQueued).Claim)
		n.Wait = -time.Hour
		th.Nack(n)
		th.Carried("r1")
	}},
	{"the better priority goes first, then the earlier arrival", func(e *stage.Env) {
		th := e.Thread()
		for i, p := range []*uint8{new(uint8(255)), nil, new(uint8(1)), new(uint8(128)), nil, new(uint8(0)), new(uint8(254)), new(uint8(255))} {
			b := th.Wait(fmt.Sprintf("r%d", i))
			b.Priority = p
			th.Begun(b)
		}
		order := []string{"r5", "r2", "r1", "r3", "r4", "r6", "r0", "r7"}
		var listed, view []string
		for _, d := range th.Dispatches(store.DispatchQuery{}) {
			listed = append(listed, d.ID)
		}
		for _, q := range th.View().Queue {
			view = append(view, q.ID)
		}
		stage.Same(th, "listed", listed, order)
		stage.Same(th, "in the view", view, order)
		for _, run := range order {
			th.Carried(run)
		}
	}},
	{"a better dispatch that comes later is claimed first, even beside an offered one", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		b := th.Wait("r2")
		b.Priority = new(uint8(1))
		th.Begun(b)
		th.Carried("r2")
		th.Carried("r1")
	}},
	{"a queued dispatch that is stopped is cancelled, with the reason", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		th.Begun(th.Wait("r2"))
		res, err := th.Store.Stop(e.Context(), store.Stop{Thread: th.Key, Request: "q", RunID: "r2", QueuedOnly: true, Reason: "no need", Terminal: []byte("x")})
		stage.Same(th, "answer", stage.Show(stage.Must(th, res, err)), stage.Show(store.StopResult{Stopped: true, Queued: true, RunID: "r2", Events: stage.Events("start:r2 cancelled:r2")}))
		d := th.Dispatch("r2")
		stage.Same(th, "dispatch", stage.Words(d.State, d.Error), "cancelled no need")
		stage.Same(th, "the other", th.Dispatch("r1").State, store.DispatchClaimed)
	}},
	{"stopping only what waits leaves a claimed dispatch and an unknown id alone", func(e *stage.Env) {
		th := e.Thread()
		claim := th.Begun(th.Execute("r1"))
		th.Unchanged(func() {
			for i, run := range []string{"r1", "none"} {
				res, err := th.Store.Stop(e.Context(), store.Stop{Thread: th.Key, Request: fmt.Sprint("q", i), RunID: run, QueuedOnly: true, Terminal: []byte("x")})
				stage.Same(th, run, stage.Must(th, res, err), store.StopResult{})
			}
			stage.Same(th, "renewing an unknown claim", th.Renew(store.Claim{Thread: th.Key, RunID: "none", Token: "none"}), false)
		})
		stage.Same(th, "dispatch", th.Dispatch("r1").State, store.DispatchClaimed)
		th.OK(stage.Batch(claim, 2, 1, "goes on"))
	}},
	{"a run is stopped by its id, whatever others have its label", func(e *stage.Env) {
		th := e.Thread()
		for _, run := range []string{"r1", "r2", "r3"} {
			b := th.Wait(run)
			b.Label = "same"
			th.Begun(b)
		}
		stop := func(request, run string) store.StopResult {
			res, err := th.Store.Stop(e.Context(), store.Stop{Thread: th.Key, Request: request, RunID: run, Terminal: []byte("x")})
			return stage.Must(th, res, err)
		}
		first := stop("q1", "r2")
		stage.Same(th, "stopped", stage.Words(first.Stopped, first.RunID), "true r2")
		th.Unchanged(func() { stage.Same(th, "sent again", stage.Show(stop("q1", "r2")), stage.Show(first)) })
		th.Carried("r1")
		th.Carried("r3")
	}},
	{"a dispatch is claimed by its id, ahead of what stands before it", func(e *stage.Env) {
		th := e.Thread()
		for _, run := range []string{"r1", "r2", "r3"} {
			th.Begun(th.Wait(run))
		}
		th.Unchanged(func() { stage.Same(th, "an unknown one", th.ClaimRun("none", "t0").Kind, store.ClaimNothing) })
		res := th.ClaimRun("r2", "t1")
		stage.Same(th, "claim", res, store.ClaimResult{Kind: store.ClaimQueued, Attempts: 1, Input: stage.Raws(`{"input":"r2"}`)[0],
			Record: stage.Raws(`{"run":"r2"}`)[0], Claim: store.Claim{Thread: th.Key, RunID: "r2", Token: "t1"}})
		th.Unchanged(func() { stage.Same(th, "sent again", th.ClaimRun("r2", "t1"), res) })
		th.Activate(res.Claim)
		th.OK(stage.Ending(res.Claim, 2, 1, "end", store.EndFinish))
		th.Carried("r1")
		th.Carried("r3")
		stage.Same(th, "one that has ended", th.ClaimRun("r2", "t2").Kind, store.ClaimNothing)
	}},
	{"a thread with a claimed dispatch gives none, not even by id", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		th.Begun(th.Wait("r2"))
		th.Claimed("t1", store.ClaimQueued)
		th.Unchanged(func() {
			th.Claimed("t2", store.ClaimNothing)
			stage.Same(th, "by id", th.ClaimRun("r2", "t3").Kind, store.ClaimNothing)
		})
		suspended := e.On(th.Store, "suspended")
		suspended.Suspended()
		suspended.Begun(suspended.Wait("r2"))
		stage.Same(th, "by id past an open interrupt", suspended.ClaimRun("r2", "t1").Kind, store.ClaimNothing)
	}},
	{"concurrent enqueues lose nothing and keep their order of arrival", func(e *stage.Env) {
		nodes := []*stage.Thread{e.Thread()}
		nodes = append(nodes, nodes[0].From(e.Node("b")))
		const senders, each = 16, 4 // each sends one after the other
		var group sync.WaitGroup
		for i := range senders {
			group.Go(func() {
				th := nodes[i%2]
				for n := 0; n < each; { // others move the version
					res, err := th.Store.Begin(e.Context(), th.Wait(fmt.Sprintf("%d-%d", i, n)))
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
		for _, d := range nodes[0].Dispatches(store.DispatchQuery{Limit: senders * each}) {
			listed = append(listed, d.ID)
			from, n, _ := strings.Cut(d.ID, "-")
			stage.Same(nodes[0], "of "+from, n, fmt.Sprint(came[from]))
			came[from]++
		}
		stage.Same(nodes[0], "senders, queued", stage.Words(len(came), len(listed)), stage.Words(senders, senders*each))
		for _, q := range nodes[0].View().Queue {
			view = append(view, q.ID)
		}
		stage.Same(nodes[0], "in the view", view, listed)
		for i := range 3 {
			claim := nodes[1].Claimed(fmt.Sprint("t", i), store.ClaimQueued).Claim
			carried = append(carried, claim.RunID)
			nodes[1].Stop("label-" + claim.RunID)
		}
		stage.Same(nodes[0], "claimed", carried, listed[:3])
	}},
	{"every node is told the same threads, each once, and only those with work", func(e *stage.Env) {
		a, b := e.Node("a"), e.Node("b")
		want := map[store.ThreadKey]bool{}
		for i := range 9 {
			th := e.On(a, fmt.Sprint("t", i))
			switch i % 3 {
			case 0:
				th.Begun(th.Wait("r1"))
				th.Begun(th.Wait("r2"))
				want[th.Key] = true
			case 1:
				th.Begun(th.Execute("r1"))
				th.Begun(th.Wait("r2"))
			default:
				th.View()
			}
		}
		for _, s := range []store.Store{a, b, a} {
			keys, err := stage.Wanting(e.Context(), s, 100)
			th := e.On(s, "t0")
			got := map[store.ThreadKey]bool{}
			for _, key := range stage.Must(th, keys, err) {
				got[key] = true
			}
			stage.Same(th, "threads", fmt.Sprint(got), fmt.Sprint(want))
			stage.Same(th, "each once", len(keys), len(want))
		}
	}},
	{"a dispatch has the thread's dispatch epoch of when it was queued", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		stage.Same(th, "at first", th.Dispatch("r1").Epoch, 0)
		th.StopAll("i1", "")
		th.Begun(th.Wait("r2"))
		stage.Same(th, "after an interrupt", th.Dispatch("r2").Epoch, 1)
		stage.Same(th, "the older one", th.Dispatch("r1").Epoch, 0)
		claim := th.Claimed("t2", store.ClaimQueued).Claim
		stage.Same(th, "its claim", claim.DispatchEpoch, th.View().DispatchEpoch)
		th.Activate(claim)
		older := claim
		older.DispatchEpoch = 0
		th.Unchanged(func() {
			stage.Same(th, "under the epoch before", th.Commit(stage.Batch(older, 2, 3, "x")).Status, store.CommitFenced)
		})
	}},
	{"an id that was used is never begun again, whatever comes with it", func(e *stage.Env) {
		th := e.Thread()
		first := th.Wait("r1")
		th.Begun(first)
		other := stage.With(th.Wait("r1"), func(k *store.Enqueue) { k.Input = stage.Raws(`"other"`)[0] })
		other.Record, other.Priority, other.Label = stage.Raws(`"other"`)[0], new(uint8(1)), "other"
		th.Unchanged(func() { th.Begin(other) })
		d := th.Dispatch("r1")
		stage.Same(th, "dispatch", stage.Words(string(d.Input), string(d.Record), d.Priority), string(first.Kind.(store.Enqueue).Input)+" "+string(first.Record)+" 128")
		th.Carried("r1")
		th.Unchanged(func() { th.Begin(th.Execute("r1")) })
		stage.Same(th, "log", th.Logged(), "start:r1 end:r1")
	}},
}
