package storetest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/store"
)

var resumeTests = []test{
	{"an answer continues the execution with its journal", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := ending(c, 2, 1, "asks", store.EndSuspend)
		// A long value may be stored in another form, and comes back as it was.
		asked := `"` + strings.Repeat("asked", 100) + `"`
		b.Entries = raws(asked)
		th.ok(b)
		if v := th.view(); v.Execution != nil {
			e.Errorf("told unasked: %+v", v.Execution)
		}
		if x := th.view(store.ReadQuery{Journal: true}).Execution; x == nil || x.ID+x.Agent+string(x.Frozen)+show(x.Journal) != `exe-r1agent{"of":"r1"}`+show(raws(asked)) {
			e.Errorf("what waits: %+v", x)
		}
		begun := th.begin(th.resume("r2", "exe-r1"))
		c = begun.Claim
		if x := th.view(store.ReadQuery{Journal: true}).Execution; x != nil {
			e.Errorf("told when nothing is open: %+v", x)
		}
		v := th.view(store.ReadQuery{InterruptIDs: []string{"int", "other"}, ToolCallIDs: []string{"call"}, RunID: "r1"})
		if v.Suspension != nil {
			e.Errorf("still open: %s", v.Suspension)
		}
		same(th, "answers", show(v.Answers), `{"int":{"by":"r2"}}`)
		same(th, "asked", v.Asked, map[string]bool{"call": true})
		same(th, "the execution's latest run", v.Run.LatestOfExe, "r2")
		x, err := th.s.Journal(e.Context(), c)
		same(th, "journal", show(must(th, x, err).Journal), show(raws(asked+` "answer-r2"`)))
		same(th, "execution", x.ID+string(x.Frozen), `exe-r1{"of":"r1"}`)
		same(th, "started", x.RunStarted, 3)
		if begun.Execution == nil {
			e.Fatal("the answer does not say what it goes on with")
		}
		begun.Execution.Active = x.Active // which goes by the clock
		same(th, "told with the answer", show(begun.Execution), show(x))
	}},
	{"an answer to what was read with its journal is told the same, and so is one sent again", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := ending(c, 2, 1, "asks", store.EndSuspend)
		b.Entries = raws(`"asked"`)
		th.ok(b)
		answer := th.resume("r2", "exe-r1")
		resume := answer.Kind.(store.Resume)
		resume.Waits = th.view(store.ReadQuery{Journal: true}).Execution
		answer.Kind = resume
		for _, entries := range []string{`"asked" "answer-r2"`, `"asked" "answer-r2" "step"`} {
			begun := th.begin(answer)
			x, err := th.s.Journal(e.Context(), begun.Claim)
			same(th, "journal", show(must(th, x, err).Journal), show(raws(entries)))
			begun.Execution.Active = x.Active // which goes by the clock
			same(th, "told with the answer", show(begun.Execution), show(x))
			step := batch(begun.Claim, 2, 3, "")
			step.Entries = raws(`"step"`)
			th.ok(step)
		}
	}},
	{"a resume goes ahead of the queue", func(e *env) {
		th := e.thread()
		th.suspended()
		th.begun(th.wait("r2"))
		c := th.begun(th.resume("r3", "exe-r1"))
		if !th.ok(ending(c, 2, 3, "end", store.EndFinish)).Ready {
			e.Error("not released afterwards")
		}
		same(th, "next", th.claimed("t2", store.ClaimQueued).Claim.RunID, "r2")
	}},
	{"one of many concurrent answers is accepted", func(e *env) {
		nodes := []*thread{e.thread()}
		nodes[0].suspended()
		nodes = append(nodes, nodes[0].from(e.node("b")), nodes[0].from(e.node("c")))
		version := nodes[0].view().Version
		var group sync.WaitGroup
		var accepted, stale atomic.Int64
		for i := range 30 {
			group.Go(func() {
				th := nodes[i%len(nodes)]
				b := th.resume("r"+string(rune('A'+i)), "exe-r1")
				b.Version = version
				switch res, err := th.s.Begin(e.Context(), b); {
				case err != nil:
					e.Error(err)
				case res.Status == store.BeginAccepted:
					accepted.Add(1)
				case res.Status == store.BeginStale:
					stale.Add(1)
				}
			})
		}
		group.Wait()
		same(nodes[0], "accepted, stale", []int64{accepted.Load(), stale.Load()}, []int64{1, 29})
		same(nodes[0], "events", nodes[0].view().Seq, 3)
	}},
	{"decisions are given back when nothing was journaled after them", func(e *env) {
		th := e.thread()
		th.suspended()
		before := th.view()
		c := th.begun(th.resume("r2", "exe-r1"))
		th.begun(th.wait("r3"))
		th.ok(batch(c, 2, 3, "text"))
		b := ending(c, 3, 4, "failed", store.EndFail)
		b.End.GiveBack = true
		res := th.ok(b)
		same(th, "gave back, ready", []bool{res.GaveBack, res.Ready}, []bool{true, false})
		v := th.view(store.ReadQuery{InterruptIDs: []string{"int"}, RunID: "r2"})
		same(th, "suspension", string(v.Suspension), string(before.Suspension))
		same(th, "answers", len(v.Answers), 0)
		same(th, "run", v.Run.Status, store.RunEnded)
		th.claimed("t", store.ClaimNothing)
		th.unchanged(func() { same(th, "sent again", th.commit(b), res) })
		c = th.begun(th.resume("r4", "exe-r1"))
		x, err := th.s.Journal(e.Context(), c)
		same(th, "journal", show(must(th, x, err).Journal), show(raws(`"answer-r4"`)))
	}},
	{"decisions stay when something was journaled after them, or nobody asks for them", func(e *env) {
		for i, how := range []string{"earlier", "with the end", "not asked for"} {
			th := e.on(e.node("a"), how)
			th.suspended()
			c := th.begun(th.resume("r2", "exe-r1"))
			b := ending(c, 3, 3, "failed", store.EndFail)
			b.End.GiveBack = i != 2
			first := batch(c, 2, 3, "")
			if i == 0 {
				first.Entries = raws(`"step"`)
			}
			th.ok(first)
			if i == 1 {
				b.Entries = raws(`"step"`)
			}
			same(th, how, th.ok(b).GaveBack, false)
			v := th.view(store.ReadQuery{InterruptIDs: []string{"int"}})
			if v.Suspension != nil || len(v.Answers) != 1 {
				e.Errorf("%s: suspension %s, answers %s", how, v.Suspension, show(v.Answers))
			}
		}
	}},
	{"bookkeeping is no progress: decisions are given back over it, and it goes with them", func(e *env) {
		// These lie behind the decisions: n is bookkeeping, s a step's record.
		for behind, gave := range map[string]bool{"n": true, "nn": true, "s": false, "ns": false, "sn": false, "nsn": false} {
			for _, how := range []string{"end", "nack"} {
				th := e.on(e.node("a"), behind+how)
				th.suspended()
				c := th.begun(th.resume("r2", "exe-r1"))
				journal := `"answer-r2"`
				at := int64(3)
				for i, kind := range behind {
					b := batch(c, int64(i)+2, at, "text text")
					b.Entries, b.Bookkeeping = raws(fmt.Sprintf(`"%c%d" "more"`, kind, i)), kind == 'n'
					b.Closing = raws(`["close"]`)[0]
					res := th.ok(b)
					th.unchanged(func() { same(th, "sent again", th.commit(b), res) })
					journal += " " + words(string(b.Entries[0]), string(b.Entries[1]))
					at = res.End.Seq
				}
				x, err := th.s.Journal(e.Context(), c)
				same(th, "journal", show(must(th, x, err).Journal), show(raws(journal)))
				var given bool
				if how == "end" {
					b := ending(c, int64(len(behind))+2, at, "failed", store.EndFail)
					b.End.GiveBack = true
					given = th.ok(b).GaveBack
				} else {
					res, err := th.s.Bury(e.Context(), store.Nack{Claim: c, Error: "no", Terminal: []byte("failed"), GiveBack: true})
					given = must(th, res, err).GaveBack
					same(th, "what was open is closed", strings.HasSuffix(th.log(), ` "close" failed`), true)
				}
				if given != gave {
					e.Fatalf("%s, then %s: gave back %t", behind, how, given)
				}
				if !gave {
					continue
				}
				c = th.begun(th.resume("r4", "exe-r1"))
				x, err = th.s.Journal(e.Context(), c)
				same(th, "journal", show(must(th, x, err).Journal), show(raws(`"answer-r4"`)))
			}
		}
	}},
	{"decisions are given back over so many entries as are said to have had no effect", func(e *env) {
		for _, how := range []struct {
			behind string // as above, of one entry each
			over   int
			gave   bool
		}{
			{"", 0, true}, {"s", 0, false}, {"s", 1, true}, {"s", 2, false}, {"ss", 1, false}, {"ss", 2, true},
			{"ns", 1, false}, {"ns", 2, true}, {"sn", 1, false}, {"sn", 2, true}, {"nsn", 3, true}, {"n", 0, true}, {"n", 1, true}, {"s", -1, false},
		} {
			th := e.on(e.node("a"), fmt.Sprint(how.behind, how.over))
			th.suspended()
			before := th.view()
			c := th.begun(th.resume("r2", "exe-r1"))
			for i, kind := range how.behind {
				b := batch(c, int64(i)+2, 3, "")
				b.Entries, b.Bookkeeping = raws(fmt.Sprintf(`"%c%d"`, kind, i)), kind == 'n'
				th.ok(b)
			}
			b := ending(c, int64(len(how.behind))+2, 3, "failed", store.EndFail)
			b.End.GiveBack, b.End.Over = true, how.over
			res := th.ok(b)
			if res.GaveBack != how.gave {
				e.Fatalf("%+v: gave back %t", how, res.GaveBack)
			}
			th.unchanged(func() { same(th, "sent again", th.commit(b), res) })
			if !how.gave {
				continue
			}
			v := th.view(store.ReadQuery{InterruptIDs: []string{"int"}})
			same(th, "suspension", string(v.Suspension), string(before.Suspension))
			same(th, "answers", len(v.Answers), 0)
			c = th.begun(th.resume("r4", "exe-r1"))
			x, err := th.s.Journal(e.Context(), c)
			same(th, "journal", show(must(th, x, err).Journal), show(raws(`"answer-r4"`)))
		}
	}},
	{"nothing is given back over entries that come with the end, or by who has lost the claim", func(e *env) {
		th := e.thread()
		th.suspended()
		c := th.begun(th.resume("r2", "exe-r1"))
		start := batch(c, 2, 3, "")
		start.Entries = raws(`"start"`)
		th.ok(start)
		b := ending(c, 3, 3, "failed", store.EndFail)
		b.End.GiveBack, b.End.Over = true, 1
		th.unchanged(func() {
			lost := b
			lost.Claim.Token = "another"
			same(th, "another's", th.commit(lost).Status, store.CommitFenced)
		})
		b.Entries = raws(`"step"`)
		same(th, "gave back", th.ok(b).GaveBack, false)
	}},
	{"bookkeeping is fenced, and ends no run", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		note := func(number, expect int64) store.Batch {
			b := batch(c, number, expect, "text")
			b.Entries, b.Bookkeeping = raws(`"note"`), true
			return b
		}
		th.unchanged(func() {
			lost := note(2, 1)
			lost.Claim.Token = "another"
			same(th, "another's", th.commit(lost).Status, store.CommitFenced)
			same(th, "elsewhere", th.commit(note(2, 0)).Status, store.CommitMismatch)
			same(th, "too far", th.commit(note(2, 2)).Status, store.CommitAhead)
			b := ending(c, 2, 1, "end", store.EndFinish)
			b.Bookkeeping = true
			if _, err := th.s.Commit(e.Context(), b); err == nil {
				e.Error("a run ended with bookkeeping")
			}
		})
		if _, err := th.s.Pause(e.Context(), th.key, store.Wish{}); err != nil {
			e.Fatal(err)
		}
		same(th, "paused", th.ok(note(2, 1)).Paused, true)
		same(th, "the batch behind it", th.ok(batch(c, 3, 2, "more")).End.Seq, 3)
	}},
	{"an interrupt opened again is unanswered", func(e *env) {
		th := e.thread()
		th.suspended()
		c := th.begun(th.resume("r2", "exe-r1"))
		th.ok(ending(c, 2, 3, "asks", store.EndSuspend))
		v := th.view(store.ReadQuery{InterruptIDs: []string{"int"}})
		if len(v.Answers) != 0 || v.Suspension == nil {
			e.Errorf("answers %s, suspension %s", show(v.Answers), v.Suspension)
		}
	}},
	{"steering away keeps the answers and begins a new execution", func(e *env) {
		th := e.thread()
		th.suspended()
		c := th.begun(th.steer("r2"))
		v := th.view(store.ReadQuery{InterruptIDs: []string{"int"}})
		if v.Suspension != nil || len(v.Answers) != 1 {
			e.Errorf("suspension %s, answers %s", v.Suspension, show(v.Answers))
		}
		x, err := th.s.Journal(e.Context(), c)
		same(th, "journal", len(must(th, x, err).Journal), 0)
		same(th, "execution", x.ID+string(x.Frozen), `exe-r2{"of":"r2"}`)
		end := ending(c, 2, 3, "failed", store.EndFail)
		end.End.GiveBack = true
		same(th, "nothing to give back", th.ok(end).GaveBack, false)
	}},
}
