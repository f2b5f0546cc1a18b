package runs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var DispatchTests = []stage.Test{
	{"an accepted input is at once a queued dispatch with all that it came with", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		available := c.Read().Add(time.Minute)
		b := th.Later("r1", available)
		b.Priority, b.Dedupe, b.MaxAttempts = new(uint8(7)), "key", 2
		th.Begun(b)
		stage.Same(th, "list", th.Listed(), "r1:queued")
		stage.Same(th, "dispatch", stage.Show(th.Dispatch("r1")), stage.Show(store.Dispatch{ID: "r1", Thread: th.Key, State: store.DispatchQueued,
			Priority: 7, Dedupe: "key", Available: available, MaxAttempts: 2, Created: c.Read(), Updated: c.Read(),
			Record: b.Record, Input: b.Kind.(store.Enqueue).Input}))
		v := th.View(store.ReadQuery{RunID: "r1", Label: "label-r1"})
		stage.Same(th, "run", string(v.Run.Status)+string(v.Run.Record), `queued{"run":"r1"}`)
		stage.Same(th, "labelled", len(v.Labelled), 1)
		plain := e.On(th.Store, "plain")
		plain.Begun(plain.Wait("r1"))
		d := plain.Dispatch("r1")
		stage.Same(th, "defaults", stage.Words(d.Priority, d.MaxAttempts, d.Attempts, d.Available.IsZero(), d.Epoch), "128 3 0 true 0")
	}},
	{"a claimed dispatch shows its owner and its lease", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		claim := th.From(e.Node("b")).Claimed("t1", store.ClaimQueued)
		stage.Same(th, "token", claim.Claim.Token, "t1")
		d := th.Dispatch("r1")
		stage.Same(th, "claimed", stage.Words(d.State, d.ClaimedBy, d.Attempts, d.Activated), "claimed b 1 false")
		stage.Same(th, "lease", d.LeaseUntil, c.Read().Add(e.Lease))
		inline := e.On(th.Store, "inline")
		inline.Begun(inline.Execute("r1"))
		d = inline.Dispatch("r1")
		stage.Same(th, "begun at once", stage.Words(d.State, d.ClaimedBy, d.Attempts, d.Activated), "claimed a 1 true")
	}},
	{"an acknowledged dispatch has no claim and keeps its start and its outcome", func(e *stage.Env) {
		c := e.Stopped()
		for kind, want := range map[store.EndKind]string{store.EndFinish: "end", store.EndFail: "end", store.EndCancel: "end", store.EndSuspend: "end"} {
			th := e.On(e.Node("a"), string(kind))
			claim := th.Begun(th.Execute("r1"))
			c.Move(time.Second)
			th.OK(stage.Ending(claim, 2, 1, want, kind))
			d := th.Dispatch("r1")
			stage.Same(th, string(kind), stage.Words(d.State, d.ClaimedBy, d.LeaseUntil.IsZero(), d.Activated, string(d.Outcome)), "acked a true true end")
			stage.Same(th, "completed", d.Completed, c.Read())
		}
	}},
	{"a run that has asked waits until another one goes on with it, or its execution ends", func(e *stage.Env) {
		th := e.Thread()
		claim := th.Begun(th.Execute("r1"))
		how := func(run string) string {
			d := th.Dispatch(run)
			return fmt.Sprintf("%t %s", d.Waits, d.ContinuedAs)
		}
		stage.Same(th, "active", how("r1"), "false ")
		th.OK(stage.Ending(claim, 2, 1, "asks", store.EndSuspend))
		stage.Same(th, "asked", how("r1"), "true ")
		claim = th.Begun(th.Resume("r2", "exe-r1"))
		stage.Same(th, "answered", how("r1"), "false r2")
		th.OK(stage.Ending(claim, 2, 3, "asks again", store.EndSuspend))
		stage.Same(th, "both", how("r1")+" "+how("r2"), "false r2 true ")
		th.Begun(th.Steer("r3"))
		stage.Same(th, "steered away", how("r2"), "false ")
	}},
	{"a run that was answered keeps whether nobody answered in time, or all was cancelled", func(e *stage.Env) {
		for name, of := range map[string][]store.DecisionStatus{
			"":          {store.DecisionExpired, store.DecisionResolved},
			"expired":   {store.DecisionExpired, store.DecisionCancelled},
			"cancelled": {store.DecisionCancelled, store.DecisionCancelled},
		} {
			th := e.On(e.Node("a"), "became"+name)
			th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "asks", store.EndSuspend))
			stage.Same(th, "open", th.Dispatch("r1").Answered, "")
			var decided []store.Decided
			for i, status := range of {
				decided = append(decided, store.Decided{Interrupt: fmt.Sprint("i", i), Status: status})
			}
			th.Begun(stage.With(th.Resume("r2", "exe-r1"), func(k *store.Resume) {
				k.Answers, k.Decided = stage.RawMap(map[string]string{"i0": "0", "i1": "1"}), decided
			}))
			stage.Same(th, name, stage.Words(th.Dispatch("r1").Answered, th.Dispatch("r1").ContinuedAs), stage.Words(name, "r2"))
		}
	}},
	{"a stopped run keeps who had it stopped, and the run for which", func(e *stage.Env) {
		th := e.Thread()
		by := func(run string) string {
			d := th.Dispatch(run)
			return stage.Words(d.State, d.StoppedBy, d.ReplacedBy)
		}
		th.Begun(th.Execute("r1"))
		res, err := th.Store.Stop(e.Context(), store.Stop{Thread: th.Key, Request: "q", RunID: "r1", By: "acme/ann", Terminal: []byte("stopped")})
		stage.Same(th, "stopped", stage.Must(th, res, err).Stopped, true)
		stage.Same(th, "stopped", by("r1"), "superseded acme/ann")
		th.Begun(th.Execute("r2"))
		th.Begun(th.Wait("r3"))
		all, err := th.Store.StopAll(e.Context(), store.StopAll{Thread: th.Key, Request: "p", Active: "r2", Terminal: []byte("stopped"), By: "bob", Instead: "r4"})
		stage.Same(th, "all", stage.Must(th, all, err).Active, "r2")
		stage.Same(th, "replaced", by("r2")+", "+by("r3"), "superseded bob r4, superseded bob r4")
	}},
	{"a run keeps who carried it last, and how often it was taken over", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		for i, node := range []string{"b", "c"} {
			c.Move(2 * e.Lease)
			th.From(e.Node(node)).Claimed("t"+node, store.ClaimTakeover)
			d := th.Dispatch("r1")
			stage.Same(th, node, stage.Words(d.ClaimedBy, d.Takeovers), stage.Words(node, i+1))
		}
		th.Stop("label-r1")
		d := th.Dispatch("r1")
		stage.Same(th, "stopped", stage.Words(d.State, d.ClaimedBy, d.Takeovers), "superseded c 2")
	}},
	{"an ended dispatch keeps the steps that its run has run, and no other has any", func(e *stage.Env) {
		th := e.Thread()
		claim := th.Begun(th.Execute("r1"))
		stage.Same(th, "active", th.Dispatch("r1").Summary == nil, true)
		asks := stage.Ending(claim, 2, 1, "asks", store.EndSuspend)
		asks.End.Summary = stage.Raw(`{"steps":[{"name":"look","n":2}]}`)
		th.OK(asks)
		claim = th.Begun(th.Resume("r2", "exe-r1"))
		ends := stage.Ending(claim, 2, 3, "end", store.EndFinish)
		ends.End.Summary = stage.Raw(`{"steps":[{"name":"write: \"x\"","n":1}]}`)
		th.OK(ends)
		th.Begun(th.Execute("r3"))
		th.Stop("label-r3")
		for run, want := range map[string]string{"r1": `{"steps":[{"name":"look","n":2}]}`, "r2": `{"steps":[{"name":"write: \"x\"","n":1}]}`, "r3": ""} {
			stage.Same(th, run, string(th.Dispatch(run).Summary), want)
		}
	}},
	{"a tenant's dispatches are counted apart, as long as there are any", func(e *stage.Env) {
		s := e.Node("a")
		count := func(tenant string) map[store.DispatchState]int64 {
			e.Helper()
			counts, err := s.CountTenant(e.Context(), tenant)
			return stage.Must(e.On(s, ""), counts, err)
		}
		for _, tenant := range []string{"", "acme", "queued", "a:b"} {
			th := e.On(s, "of "+tenant)
			b := th.Execute("r1")
			b.Tenant = tenant
			claim := th.Begun(b)
			later := th.Wait("r2")
			later.Tenant = "a thread stays its first tenant's"
			th.Begun(later)
			stage.Same(th, "active", count(tenant), map[store.DispatchState]int64{store.DispatchClaimed: 1, store.DispatchQueued: 1})
			th.OK(stage.Ending(claim, 2, 1, "end", store.EndFinish))
			th.Carried("r2")
			stage.Same(th, "ended", count(tenant), map[store.DispatchState]int64{store.DispatchAcked: 2})
		}
		th := e.On(s, "")
		stage.Same(th, "of all", th.Counts(), map[store.DispatchState]int64{store.DispatchAcked: 8})
		stage.Same(th, "of nobody", len(count("acm")), 0)
		stage.Same(th, "deleted", stage.Deleted(e.On(s, "of acme")), true)
		stage.Same(th, "of a deleted thread", len(count("acme")), 0)
	}},
	{"each step of a dispatch's life is counted", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		want := map[store.DispatchState]int64{}
		step := func(what string, change map[store.DispatchState]int64) {
			e.Helper()
			for state, n := range change {
				if want[state] += n; want[state] == 0 {
					delete(want, state)
				}
			}
			stage.Same(th, what, th.Counts(), want)
		}
		step("at first", nil)
		for i := range 6 {
			th.Begun(th.Wait(fmt.Sprint("r", i)))
		}
		step("queued", map[store.DispatchState]int64{store.DispatchQueued: 6})
		claim := th.Claimed("t0", store.ClaimQueued).Claim
		step("claimed", map[store.DispatchState]int64{store.DispatchQueued: -1, store.DispatchClaimed: 1})
		th.Nack(stage.Failing(claim))
		step("given back", map[store.DispatchState]int64{store.DispatchQueued: 1, store.DispatchClaimed: -1})
		th.Carried("r0")
		step("acknowledged", map[store.DispatchState]int64{store.DispatchQueued: -1, store.DispatchAcked: 1})
		th.Bury(stage.Failing(th.Claimed("t1", store.ClaimQueued).Claim))
		step("buried", map[store.DispatchState]int64{store.DispatchQueued: -1, store.DispatchDeadLetter: 1})
		th.Claimed("t2", store.ClaimQueued)
		c.Move(e.Lease + time.Millisecond)
		th.Claimed("t2b", store.ClaimQueued)
		step("claimed again", map[store.DispatchState]int64{store.DispatchQueued: -1, store.DispatchClaimed: 1})
		th.Stop("label-r3")
		step("cancelled", map[store.DispatchState]int64{store.DispatchQueued: -1, store.DispatchCancelled: 1})
		th.Stop("label-r2")
		step("stopped", map[store.DispatchState]int64{store.DispatchClaimed: -1, store.DispatchSuperseded: 1})
		th.StopAll("i1", "")
		step("stop all", map[store.DispatchState]int64{store.DispatchQueued: -2, store.DispatchSuperseded: 2})
		other := e.On(th.Store, "other")
		other.Begun(other.Execute("r1"))
		step("on another thread", map[store.DispatchState]int64{store.DispatchClaimed: 1})
	}},
	{"a start or a result of what is not claimed is refused", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		th.Unchanged(func() {
			for _, run := range []string{"none", "r1"} {
				c := store.Claim{Thread: th.Key, RunID: run, Token: "t1"}
				stage.Same(th, "start of "+run, th.Activate(c).Status, store.CommitFenced)
				stage.Same(th, "result of "+run, th.Commit(stage.Ending(c, 1, 0, "end", store.EndFinish)).Status, store.CommitFenced)
				stage.Same(th, "nack of "+run, th.Nack(stage.Failing(c)).State, store.NackLost)
				stage.Same(th, "burial of "+run, th.Bury(stage.Failing(c)).State, store.NackLost)
			}
		})
		stage.Same(th, "dispatches", th.Listed(), "r1:queued")
	}},
	{"a claim returns what was queued, byte for byte", func(e *stage.Env) {
		th := e.Thread()
		for i, text := range []string{`{"a": 1.0}`, " [ \"\\u00e9\xc3\xa9\" ] ", `"` + strings.Repeat("x", 200_000) + `"`, "{\"\x7f\":\"\\u0000\"}"} {
			input := []byte(text)
			b := stage.With(th.Wait(fmt.Sprint("r", i)), func(k *store.Enqueue) { k.Input = input })
			b.Record = []byte(text + " ")
			th.Begun(b)
			res := th.Claimed(fmt.Sprint("t", i), store.ClaimQueued)
			if !bytes.Equal(res.Input, input) || !bytes.Equal(res.Record, b.Record) {
				e.Errorf("%.40q came back as %.40q and %.40q", text, res.Input, res.Record)
			}
			d := th.Dispatch(b.RunID)
			if !bytes.Equal(d.Input, input) || !bytes.Equal(d.Record, b.Record) {
				e.Errorf("%.40q is shown as %.40q and %.40q", text, d.Input, d.Record)
			}
			th.Stop(b.Label)
		}
	}},
	{"many dispatches are listed, counted and forgotten as few are", func(e *stage.Env) {
		c := e.Stopped()
		e.Keep = time.Hour
		th := e.Thread()
		var want []store.Dispatch // latest first
		over := func(run string, state store.DispatchState, how func()) {
			c.Move(time.Second)
			th.Begun(th.Wait(run))
			how()
			d := th.Dispatch(run)
			stage.Same(th, run, d.State, state)
			want = append([]store.Dispatch{d}, want...)
		}
		check := func() {
			e.Helper()
			count := map[store.DispatchState]int64{}
			for _, d := range want {
				count[d.State]++
			}
			stage.Same(th, "counts", th.Counts(), count)
			for _, states := range [][]store.DispatchState{nil, {store.DispatchAcked}, {store.DispatchCancelled, store.DispatchDeadLetter}, {store.DispatchSuperseded, store.DispatchQueued}} {
				var of []string
				for _, d := range want {
					if states == nil || slices.Contains(states, d.State) {
						of = append(of, stage.Show(d))
					}
				}
				for _, size := range []int{1, 4, 1000} {
					var got []string
					for at := 0; ; at += size {
						page := th.Dispatches(store.DispatchQuery{States: states, Limit: size, Offset: at})
						for _, d := range page {
							got = append(got, stage.Show(d))
						}
						if len(page) < size {
							break
						}
					}
					stage.Same(th, stage.Words(states, "by", size), strings.Join(got, "\n"), strings.Join(of, "\n"))
				}
			}
		}
		for i := range 7 {
			n := fmt.Sprint(i)
			over("a"+n, store.DispatchAcked, func() { th.Carried("a" + n) })
			over("b"+n, store.DispatchCancelled, func() { th.Stop("label-b" + n) })
			over("c"+n, store.DispatchSuperseded, func() { th.StopAll("i"+n, "") })
			over("d"+n, store.DispatchDeadLetter, func() { th.Bury(stage.Failing(th.Claimed("t"+n, store.ClaimQueued).Claim)) })
			check()
			if i == 4 {
				c.Move(40 * time.Minute)
			}
		}
		c.Move(30 * time.Minute)
		more, err := th.Store.Retire(th.Context())
		stage.Same(th, "more to retire", stage.Must(th, more, err), false)
		want = want[:8]
		check()
		stage.Same(th, "deleted", stage.Deleted(th), true)
		want = nil
		check()
		letters, err := th.Store.DeadLetters(th.Context(), store.PageQuery{Limit: 10})
		stage.Same(th, "dead letters", len(stage.Must(th, letters, err).Letters), 0)
	}},
	{"the list of dispatches honours states, limit and offset", func(e *stage.Env) {
		th := e.Thread()
		claim := th.Begun(th.Execute("r0"))
		for i := range 4 {
			th.Begun(th.Wait(fmt.Sprint("r", i+1)))
		}
		th.Stop("label-r4")
		stage.Same(th, "all", th.Listed(), "r0:claimed r1:queued r2:queued r3:queued r4:cancelled")
		stage.Same(th, "queued", th.Listed(store.DispatchQueued), "r1:queued r2:queued r3:queued")
		stage.Same(th, "two states", th.Listed(store.DispatchClaimed, store.DispatchCancelled), "r0:claimed r4:cancelled")
		stage.Same(th, "none", th.Listed(store.DispatchDeadLetter), "")
		stage.Same(th, "limit, offset", len(th.Dispatches(store.DispatchQuery{Limit: 2, Offset: 4})), 1)
		page := th.Dispatches(store.DispatchQuery{States: []store.DispatchState{store.DispatchQueued}, Limit: 1, Offset: 1})
		if len(page) != 1 || page[0].ID != "r2" {
			e.Errorf("the second queued one: %s", stage.Show(page))
		}
		stage.Same(th, "beyond", len(th.Dispatches(store.DispatchQuery{Offset: 5})), 0)
		th.OK(stage.Ending(claim, 2, 1, "end", store.EndFinish))
		none, err := th.Store.Dispatch(e.Context(), th.Key, "none")
		if err != nil || none != nil {
			e.Errorf("an unknown id: %v, %v", none, err)
		}
		stage.Same(th, "an unused thread", len(e.On(th.Store, "unused").Dispatches(store.DispatchQuery{})), 0)
	}},
	{"a run and its dispatch come to their ends in the same step", func(e *stage.Env) {
		c := e.Stopped()
		ends := map[string]func(th *stage.Thread, claim store.Claim){
			"acked":       func(th *stage.Thread, claim store.Claim) { th.OK(stage.Ending(claim, 2, 1, "end", store.EndFinish)) },
			"superseded":  func(th *stage.Thread, claim store.Claim) { th.Stop("label-r1") },
			"dead_letter": func(th *stage.Thread, claim store.Claim) { th.Bury(stage.Failing(claim)) },
		}
		for want, end := range ends {
			th := e.On(e.Node("a"), want)
			end(th, th.Begun(th.Execute("r1")))
			v, d := th.View(store.ReadQuery{RunID: "r1"}), th.Dispatch("r1")
			stage.Same(th, want, stage.Words(v.Run.Status, d.State, v.Active == nil), "ended "+want+" true")
			stage.Same(th, "outcome", string(d.Outcome), string(v.Run.Terminal))
			c.Move(2 * e.Lease)
			th.Claimed("t2", store.ClaimNothing)
		}
	}},
	{"what is active or open is told apart from what ran last", func(e *stage.Env) {
		th := e.Thread()
		th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish))
		th.Begun(th.Wait("r2"))
		claim := th.Claimed("t2", store.ClaimQueued).Claim
		v := th.View()
		stage.Same(th, "claimed", stage.Words(v.Active.ID, v.Latest.ID), "r2 r1")
		at := th.Activate(claim).End.Seq
		stage.Same(th, "started", th.View().Latest.ID, "r2")
		th.OK(stage.Ending(claim, 2, at, "asks", store.EndSuspend))
		th.Begun(th.Wait("r3"))
		v = th.View()
		stage.Same(th, "suspended", stage.Words(v.Active == nil, v.Latest.ID, string(v.Suspension)), `true r2 {"open":["int"]}`)
	}},
}
