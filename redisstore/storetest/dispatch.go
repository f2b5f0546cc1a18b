package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var dispatchTests = []test{
	{"an accepted input is at once a queued dispatch with all that it came with", func(e *env) {
		c := e.stopped()
		th := e.thread()
		available := c.read().Add(time.Minute)
		b := th.later("r1", available)
		b.Priority, b.Dedupe, b.MaxAttempts = new(uint8(7)), "key", 2
		th.begun(b)
		same(th, "list", th.listed(), "r1:queued")
		same(th, "dispatch", show(th.dispatch("r1")), show(store.Dispatch{ID: "r1", Thread: th.key, State: store.DispatchQueued,
			Priority: 7, Dedupe: "key", Available: available, MaxAttempts: 2, Created: c.read(), Updated: c.read(),
			Record: b.Record, Input: b.Kind.(store.Enqueue).Input}))
		v := th.view(store.ReadQuery{RunID: "r1", Label: "label-r1"})
		same(th, "run", string(v.Run.Status)+string(v.Run.Record), `queued{"run":"r1"}`)
		same(th, "labelled", len(v.Labelled), 1)
		plain := e.on(th.s, "plain")
		plain.begun(plain.wait("r1"))
		d := plain.dispatch("r1")
		same(th, "defaults", words(d.Priority, d.MaxAttempts, d.Attempts, d.Available.IsZero(), d.Epoch), "128 3 0 true 0")
	}},
	{"a claimed dispatch shows its owner and its lease", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.wait("r1"))
		claim := th.from(e.node("b")).claimed("t1", store.ClaimQueued)
		same(th, "token", claim.Claim.Token, "t1")
		d := th.dispatch("r1")
		same(th, "claimed", words(d.State, d.ClaimedBy, d.Attempts, d.Activated), "claimed b 1 false")
		same(th, "lease", d.LeaseUntil, c.read().Add(e.lease))
		inline := e.on(th.s, "inline")
		inline.begun(inline.execute("r1"))
		d = inline.dispatch("r1")
		same(th, "begun at once", words(d.State, d.ClaimedBy, d.Attempts, d.Activated), "claimed a 1 true")
	}},
	{"an acknowledged dispatch has no claim and keeps its start and its outcome", func(e *env) {
		c := e.stopped()
		for kind, want := range map[store.EndKind]string{store.EndFinish: "end", store.EndFail: "end", store.EndCancel: "end", store.EndSuspend: "end"} {
			th := e.on(e.node("a"), string(kind))
			claim := th.begun(th.execute("r1"))
			c.move(time.Second)
			th.ok(ending(claim, 2, 1, want, kind))
			d := th.dispatch("r1")
			same(th, string(kind), words(d.State, d.ClaimedBy, d.LeaseUntil.IsZero(), d.Activated, string(d.Outcome)), "acked a true true end")
			same(th, "completed", d.Completed, c.read())
		}
	}},
	{"a run that has asked waits until another one goes on with it, or its execution ends", func(e *env) {
		th := e.thread()
		claim := th.begun(th.execute("r1"))
		how := func(run string) string {
			d := th.dispatch(run)
			return fmt.Sprintf("%t %s", d.Waits, d.ContinuedAs)
		}
		same(th, "active", how("r1"), "false ")
		th.ok(ending(claim, 2, 1, "asks", store.EndSuspend))
		same(th, "asked", how("r1"), "true ")
		claim = th.begun(th.resume("r2", "exe-r1"))
		same(th, "answered", how("r1"), "false r2")
		th.ok(ending(claim, 2, 3, "asks again", store.EndSuspend))
		same(th, "both", how("r1")+" "+how("r2"), "false r2 true ")
		th.begun(th.steer("r3"))
		same(th, "steered away", how("r2"), "false ")
	}},
	{"a run that was answered keeps whether nobody answered in time, or all was cancelled", func(e *env) {
		for name, of := range map[string][]store.DecisionStatus{
			"":          {store.DecisionExpired, store.DecisionResolved},
			"expired":   {store.DecisionExpired, store.DecisionCancelled},
			"cancelled": {store.DecisionCancelled, store.DecisionCancelled},
		} {
			th := e.on(e.node("a"), "became"+name)
			th.ok(ending(th.begun(th.execute("r1")), 2, 1, "asks", store.EndSuspend))
			same(th, "open", th.dispatch("r1").Answered, "")
			var decided []store.Decided
			for i, status := range of {
				decided = append(decided, store.Decided{Interrupt: fmt.Sprint("i", i), Status: status})
			}
			th.begun(with(th.resume("r2", "exe-r1"), func(k *store.Resume) {
				k.Answers, k.Decided = rawMap(map[string]string{"i0": "0", "i1": "1"}), decided
			}))
			same(th, name, words(th.dispatch("r1").Answered, th.dispatch("r1").ContinuedAs), words(name, "r2"))
		}
	}},
	{"a stopped run keeps who had it stopped, and the run for which", func(e *env) {
		th := e.thread()
		by := func(run string) string {
			d := th.dispatch(run)
			return words(d.State, d.StoppedBy, d.ReplacedBy)
		}
		th.begun(th.execute("r1"))
		res, err := th.s.Stop(e.Context(), store.Stop{Thread: th.key, Request: "q", RunID: "r1", By: "acme/ann", Terminal: []byte("stopped")})
		same(th, "stopped", must(th, res, err).Stopped, true)
		same(th, "stopped", by("r1"), "superseded acme/ann")
		th.begun(th.execute("r2"))
		th.begun(th.wait("r3"))
		all, err := th.s.StopAll(e.Context(), store.StopAll{Thread: th.key, Request: "p", Active: "r2", Terminal: []byte("stopped"), By: "bob", Instead: "r4"})
		same(th, "all", must(th, all, err).Active, "r2")
		same(th, "replaced", by("r2")+", "+by("r3"), "superseded bob r4, superseded bob r4")
	}},
	{"a run keeps who carried it last, and how often it was taken over", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.execute("r1"))
		for i, node := range []string{"b", "c"} {
			c.move(2 * e.lease)
			th.from(e.node(node)).claimed("t"+node, store.ClaimTakeover)
			d := th.dispatch("r1")
			same(th, node, words(d.ClaimedBy, d.Takeovers), words(node, i+1))
		}
		th.stop("label-r1")
		d := th.dispatch("r1")
		same(th, "stopped", words(d.State, d.ClaimedBy, d.Takeovers), "superseded c 2")
	}},
	{"an ended dispatch keeps the steps that its run has run, and no other has any", func(e *env) {
		th := e.thread()
		claim := th.begun(th.execute("r1"))
		same(th, "active", th.dispatch("r1").Summary == nil, true)
		asks := ending(claim, 2, 1, "asks", store.EndSuspend)
		asks.End.Summary = raw(`{"steps":[{"name":"look","n":2}]}`)
		th.ok(asks)
		claim = th.begun(th.resume("r2", "exe-r1"))
		ends := ending(claim, 2, 3, "end", store.EndFinish)
		ends.End.Summary = raw(`{"steps":[{"name":"write: \"x\"","n":1}]}`)
		th.ok(ends)
		th.begun(th.execute("r3"))
		th.stop("label-r3")
		for run, want := range map[string]string{"r1": `{"steps":[{"name":"look","n":2}]}`, "r2": `{"steps":[{"name":"write: \"x\"","n":1}]}`, "r3": ""} {
			same(th, run, string(th.dispatch(run).Summary), want)
		}
	}},
	{"only the claim's own token acknowledges it", func(e *env) {
		th := e.thread()
		claim := th.begun(th.execute("r1"))
		wrong := claim
		wrong.Token = "other"
		before := th.dispatch("r1")
		th.unchanged(func() {
			same(th, "status", th.commit(ending(wrong, 2, 1, "end", store.EndFinish)).Status, store.CommitFenced)
		})
		same(th, "dispatch", show(th.dispatch("r1")), show(before))
		th.ok(ending(claim, 2, 1, "end", store.EndFinish))
	}},
	{"a lease is extended to now and its length, by its owner alone", func(e *env) {
		c := e.stopped()
		th := e.thread()
		claim := th.begun(th.execute("r1"))
		c.move(4 * time.Second)
		wrong := claim
		wrong.Token = "other"
		until := th.dispatch("r1").LeaseUntil
		same(th, "by another", th.renew(wrong), false)
		same(th, "it stays", th.dispatch("r1").LeaseUntil, until)
		same(th, "by its owner", th.renew(claim), true)
		same(th, "it moves", th.dispatch("r1").LeaseUntil, c.read().Add(e.lease))
	}},
	{"a tenant's dispatches are counted apart, as long as there are any", func(e *env) {
		s := e.node("a")
		count := func(tenant string) map[store.DispatchState]int64 {
			e.Helper()
			counts, err := s.CountTenant(e.Context(), tenant)
			return must(e.on(s, ""), counts, err)
		}
		for _, tenant := range []string{"", "acme", "queued", "a:b"} {
			th := e.on(s, "of "+tenant)
			b := th.execute("r1")
			b.Tenant = tenant
			claim := th.begun(b)
			later := th.wait("r2")
			later.Tenant = "a thread stays its first tenant's"
			th.begun(later)
			same(th, "active", count(tenant), map[store.DispatchState]int64{store.DispatchClaimed: 1, store.DispatchQueued: 1})
			th.ok(ending(claim, 2, 1, "end", store.EndFinish))
			th.carried("r2")
			same(th, "ended", count(tenant), map[store.DispatchState]int64{store.DispatchAcked: 2})
		}
		th := e.on(s, "")
		same(th, "of all", th.counts(), map[store.DispatchState]int64{store.DispatchAcked: 8})
		same(th, "of nobody", len(count("acm")), 0)
		same(th, "deleted", e.on(s, "of acme").deleted(), true)
		same(th, "of a deleted thread", len(count("acme")), 0)
	}},
	{"each step of a dispatch's life is counted", func(e *env) {
		c := e.stopped()
		th := e.thread()
		want := map[store.DispatchState]int64{}
		step := func(what string, change map[store.DispatchState]int64) {
			e.Helper()
			for state, n := range change {
				if want[state] += n; want[state] == 0 {
					delete(want, state)
				}
			}
			same(th, what, th.counts(), want)
		}
		step("at first", nil)
		for i := range 6 {
			th.begun(th.wait(fmt.Sprint("r", i)))
		}
		step("queued", map[store.DispatchState]int64{store.DispatchQueued: 6})
		claim := th.claimed("t0", store.ClaimQueued).Claim
		step("claimed", map[store.DispatchState]int64{store.DispatchQueued: -1, store.DispatchClaimed: 1})
		th.nack(failing(claim))
		step("given back", map[store.DispatchState]int64{store.DispatchQueued: 1, store.DispatchClaimed: -1})
		th.carried("r0")
		step("acknowledged", map[store.DispatchState]int64{store.DispatchQueued: -1, store.DispatchAcked: 1})
		th.bury(failing(th.claimed("t1", store.ClaimQueued).Claim))
		step("buried", map[store.DispatchState]int64{store.DispatchQueued: -1, store.DispatchDeadLetter: 1})
		th.claimed("t2", store.ClaimQueued)
		c.move(e.lease + time.Millisecond)
		th.claimed("t2b", store.ClaimQueued)
		step("claimed again", map[store.DispatchState]int64{store.DispatchQueued: -1, store.DispatchClaimed: 1})
		th.stop("label-r3")
		step("cancelled", map[store.DispatchState]int64{store.DispatchQueued: -1, store.DispatchCancelled: 1})
		th.stop("label-r2")
		step("stopped", map[store.DispatchState]int64{store.DispatchClaimed: -1, store.DispatchSuperseded: 1})
		th.stopAll("i1", "")
		step("stop all", map[store.DispatchState]int64{store.DispatchQueued: -2, store.DispatchSuperseded: 2})
		other := e.on(th.s, "other")
		other.begun(other.execute("r1"))
		step("on another thread", map[store.DispatchState]int64{store.DispatchClaimed: 1})
	}},
	{"terminal dispatches are listed, latest first, and dead letters across threads", func(e *env) {
		c := e.stopped()
		th := e.thread()
		for i := range 5 {
			th.begun(th.wait(fmt.Sprint("r", i)))
		}
		for i := range 3 {
			c.move(time.Second)
			th.carried(fmt.Sprint("r", i))
		}
		c.move(time.Second)
		th.bury(failing(th.claimed("t3", store.ClaimQueued).Claim))
		same(th, "all", th.listed(), "r4:queued r3:dead_letter r2:acked r1:acked r0:acked")
		terminal := []store.DispatchState{store.DispatchAcked, store.DispatchDeadLetter}
		same(th, "terminal", th.listed(terminal...), "r3:dead_letter r2:acked r1:acked r0:acked")
		var paged []string
		for i := range 4 {
			page := th.dispatches(store.DispatchQuery{States: terminal, Limit: 1, Offset: i})
			same(th, "page", len(page), 1)
			paged = append(paged, page[0].ID)
		}
		same(th, "paged", strings.Join(paged, " "), "r3 r2 r1 r0")
		other := e.on(th.s, "other")
		other.begun(other.wait("o1"))
		c.move(time.Second)
		other.bury(failing(other.claimed("t", store.ClaimQueued).Claim))
		letters, err := th.s.DeadLetters(e.Context(), store.PageQuery{Limit: 10})
		var across []string
		for _, d := range must(th, letters, err).Letters {
			across = append(across, d.Thread.Thread+"/"+d.ID)
		}
		same(th, "dead letters", across, []string{th.key.Thread + "/r3", other.key.Thread + "/o1"})
	}},
	{"a recorded start shows that the run has begun, and where", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		other := th.from(e.node("b"))
		claim := other.claimed("t1", store.ClaimQueued).Claim
		if d := th.dispatch("r1"); d.Activated || d.Input == nil {
			e.Errorf("before: %+v", d)
		}
		other.activate(claim)
		d := th.dispatch("r1")
		same(th, "after", words(d.State, d.ClaimedBy, d.Activated, d.Input == nil), "claimed b true true")
	}},
	{"a start or a result of what is not claimed is refused", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		th.unchanged(func() {
			for _, run := range []string{"none", "r1"} {
				c := store.Claim{Thread: th.key, RunID: run, Token: "t1"}
				same(th, "start of "+run, th.activate(c).Status, store.CommitFenced)
				same(th, "result of "+run, th.commit(ending(c, 1, 0, "end", store.EndFinish)).Status, store.CommitFenced)
				same(th, "nack of "+run, th.nack(failing(c)).State, store.NackLost)
				same(th, "burial of "+run, th.bury(failing(c)).State, store.NackLost)
			}
		})
		same(th, "dispatches", th.listed(), "r1:queued")
	}},
	{"a claim returns what was queued, byte for byte", func(e *env) {
		th := e.thread()
		for i, text := range []string{`{"a": 1.0}`, " [ \"\\u00e9\xc3\xa9\" ] ", `"` + strings.Repeat("x", 200_000) + `"`, "{\"\x7f\":\"\\u0000\"}"} {
			input := []byte(text)
			b := with(th.wait(fmt.Sprint("r", i)), func(k *store.Enqueue) { k.Input = input })
			b.Record = []byte(text + " ")
			th.begun(b)
			res := th.claimed(fmt.Sprint("t", i), store.ClaimQueued)
			if !bytes.Equal(res.Input, input) || !bytes.Equal(res.Record, b.Record) {
				e.Errorf("%.40q came back as %.40q and %.40q", text, res.Input, res.Record)
			}
			d := th.dispatch(b.RunID)
			if !bytes.Equal(d.Input, input) || !bytes.Equal(d.Record, b.Record) {
				e.Errorf("%.40q is shown as %.40q and %.40q", text, d.Input, d.Record)
			}
			th.stop(b.Label)
		}
	}},
	{"many dispatches are listed, counted and forgotten as few are", func(e *env) {
		c := e.stopped()
		e.keep = time.Hour
		th := e.thread()
		var want []store.Dispatch // latest first
		over := func(run string, state store.DispatchState, how func()) {
			c.move(time.Second)
			th.begun(th.wait(run))
			how()
			d := th.dispatch(run)
			same(th, run, d.State, state)
			want = append([]store.Dispatch{d}, want...)
		}
		check := func() {
			e.Helper()
			count := map[store.DispatchState]int64{}
			for _, d := range want {
				count[d.State]++
			}
			same(th, "counts", th.counts(), count)
			for _, states := range [][]store.DispatchState{nil, {store.DispatchAcked}, {store.DispatchCancelled, store.DispatchDeadLetter}, {store.DispatchSuperseded, store.DispatchQueued}} {
				var of []string
				for _, d := range want {
					if states == nil || slices.Contains(states, d.State) {
						of = append(of, show(d))
					}
				}
				for _, size := range []int{1, 4, 1000} {
					var got []string
					for at := 0; ; at += size {
						page := th.dispatches(store.DispatchQuery{States: states, Limit: size, Offset: at})
						for _, d := range page {
							got = append(got, show(d))
						}
						if len(page) < size {
							break
						}
					}
					same(th, words(states, "by", size), strings.Join(got, "\n"), strings.Join(of, "\n"))
				}
			}
		}
		for i := range 7 {
			n := fmt.Sprint(i)
			over("a"+n, store.DispatchAcked, func() { th.carried("a" + n) })
			over("b"+n, store.DispatchCancelled, func() { th.stop("label-b" + n) })
			over("c"+n, store.DispatchSuperseded, func() { th.stopAll("i"+n, "") })
			over("d"+n, store.DispatchDeadLetter, func() { th.bury(failing(th.claimed("t"+n, store.ClaimQueued).Claim)) })
			check()
			if i == 4 {
				c.move(40 * time.Minute)
			}
		}
		c.move(30 * time.Minute)
		more, err := th.s.Retire(th.Context())
		same(th, "more to retire", must(th, more, err), false)
		want = want[:8]
		check()
		same(th, "deleted", th.deleted(), true)
		want = nil
		check()
		letters, err := th.s.DeadLetters(th.Context(), store.PageQuery{Limit: 10})
		same(th, "dead letters", len(must(th, letters, err).Letters), 0)
	}},
	{"the list of dispatches honours states, limit and offset", func(e *env) {
		th := e.thread()
		claim := th.begun(th.execute("r0"))
		for i := range 4 {
			th.begun(th.wait(fmt.Sprint("r", i+1)))
		}
		th.stop("label-r4")
		same(th, "all", th.listed(), "r0:claimed r1:queued r2:queued r3:queued r4:cancelled")
		same(th, "queued", th.listed(store.DispatchQueued), "r1:queued r2:queued r3:queued")
		same(th, "two states", th.listed(store.DispatchClaimed, store.DispatchCancelled), "r0:claimed r4:cancelled")
		same(th, "none", th.listed(store.DispatchDeadLetter), "")
		same(th, "limit, offset", len(th.dispatches(store.DispatchQuery{Limit: 2, Offset: 4})), 1)
		page := th.dispatches(store.DispatchQuery{States: []store.DispatchState{store.DispatchQueued}, Limit: 1, Offset: 1})
		if len(page) != 1 || page[0].ID != "r2" {
			e.Errorf("the second queued one: %s", show(page))
		}
		same(th, "beyond", len(th.dispatches(store.DispatchQuery{Offset: 5})), 0)
		th.ok(ending(claim, 2, 1, "end", store.EndFinish))
		none, err := th.s.Dispatch(e.Context(), th.key, "none")
		if err != nil || none != nil {
			e.Errorf("an unknown id: %v, %v", none, err)
		}
		same(th, "an unused thread", len(e.on(th.s, "unused").dispatches(store.DispatchQuery{})), 0)
	}},
	{"what one opening stored the next one finds", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		again := th.from(e.node("later"))
		same(th, "dispatches", again.listed(), "r1:queued")
		again.carried("r1")
	}},
	{"a run and its dispatch come to their ends in the same step", func(e *env) {
		c := e.stopped()
		ends := map[string]func(th *thread, claim store.Claim){
			"acked":       func(th *thread, claim store.Claim) { th.ok(ending(claim, 2, 1, "end", store.EndFinish)) },
			"superseded":  func(th *thread, claim store.Claim) { th.stop("label-r1") },
			"dead_letter": func(th *thread, claim store.Claim) { th.bury(failing(claim)) },
		}
		for want, end := range ends {
			th := e.on(e.node("a"), want)
			end(th, th.begun(th.execute("r1")))
			v, d := th.view(store.ReadQuery{RunID: "r1"}), th.dispatch("r1")
			same(th, want, words(v.Run.Status, d.State, v.Active == nil), "ended "+want+" true")
			same(th, "outcome", string(d.Outcome), string(v.Run.Terminal))
			c.move(2 * e.lease)
			th.claimed("t2", store.ClaimNothing)
		}
	}},
	{"what is active or open is told apart from what ran last", func(e *env) {
		th := e.thread()
		th.ok(ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFinish))
		th.begun(th.wait("r2"))
		claim := th.claimed("t2", store.ClaimQueued).Claim
		v := th.view()
		same(th, "claimed", words(v.Active.ID, v.Latest.ID), "r2 r1")
		at := th.activate(claim).End.Seq
		same(th, "started", th.view().Latest.ID, "r2")
		th.ok(ending(claim, 2, at, "asks", store.EndSuspend))
		th.begun(th.wait("r3"))
		v = th.view()
		same(th, "suspended", words(v.Active == nil, v.Latest.ID, string(v.Suspension)), `true r2 {"open":["int"]}`)
	}},
}
