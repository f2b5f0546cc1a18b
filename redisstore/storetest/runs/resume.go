package runs

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var ResumeTests = []stage.Test{
	{"an answer continues the execution with its journal", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Ending(c, 2, 1, "asks", store.EndSuspend)
		// A long value may be stored in another form, and comes back as it was.
		asked := `"` + strings.Repeat("asked", 100) + `"`
		b.Entries = stage.Raws(asked)
		th.OK(b)
		if v := th.View(); v.Execution != nil {
			e.Errorf("told unasked: %+v", v.Execution)
		}
		if x := th.View(store.ReadQuery{Journal: true}).Execution; x == nil || x.ID+x.Agent+string(x.Frozen)+stage.Show(x.Journal) != `exe-r1agent{"of":"r1"}`+stage.Show(stage.Raws(asked)) {
			e.Errorf("what waits: %+v", x)
		}
		begun := th.Begin(th.Resume("r2", "exe-r1"))
		c = begun.Claim
		if x := th.View(store.ReadQuery{Journal: true}).Execution; x != nil {
			e.Errorf("told when nothing is open: %+v", x)
		}
		v := th.View(store.ReadQuery{InterruptIDs: []string{"int", "other"}, ToolCallIDs: []string{"call"}, RunID: "r1"})
		if v.Suspension != nil {
			e.Errorf("still open: %s", v.Suspension)
		}
		stage.Same(th, "answers", stage.Show(v.Answers), `{"int":{"by":"r2"}}`)
		stage.Same(th, "asked", v.Asked, map[string]bool{"call": true})
		stage.Same(th, "the execution's latest run", v.Run.LatestOfExe, "r2")
		x, err := th.Store.Journal(e.Context(), c)
		stage.Same(th, "journal", stage.Show(stage.Must(th, x, err).Journal), stage.Show(stage.Raws(asked+` "answer-r2"`)))
		stage.Same(th, "execution", x.ID+string(x.Frozen), `exe-r1{"of":"r1"}`)
		stage.Same(th, "started", x.RunStarted, 3)
		if begun.Execution == nil {
			e.Fatal("the answer does not say what it goes on with")
		}
		begun.Execution.Active = x.Active // which goes by the clock
		stage.Same(th, "told with the answer", stage.Show(begun.Execution), stage.Show(x))
	}},
	{"an answer to what was read with its journal is told the same, and so is one sent again", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Ending(c, 2, 1, "asks", store.EndSuspend)
		b.Entries = stage.Raws(`"asked"`)
		th.OK(b)
		answer := th.Resume("r2", "exe-r1")
		resume := answer.Kind.(store.Resume)
		resume.Waits = th.View(store.ReadQuery{Journal: true}).Execution
		answer.Kind = resume
		for _, entries := range []string{`"asked" "answer-r2"`, `"asked" "answer-r2" "step"`} {
			begun := th.Begin(answer)
			x, err := th.Store.Journal(e.Context(), begun.Claim)
			stage.Same(th, "journal", stage.Show(stage.Must(th, x, err).Journal), stage.Show(stage.Raws(entries)))
			begun.Execution.Active = x.Active // which goes by the clock
			stage.Same(th, "told with the answer", stage.Show(begun.Execution), stage.Show(x))
			step := stage.Batch(begun.Claim, 2, 3, "")
			step.Entries = stage.Raws(`"step"`)
			th.OK(step)
		}
	}},
	{"a resume goes ahead of the queue", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		th.Begun(th.Wait("r2"))
		c := th.Begun(th.Resume("r3", "exe-r1"))
		if !th.OK(stage.Ending(c, 2, 3, "end", store.EndFinish)).Ready {
			e.Error("not released afterwards")
		}
		stage.Same(th, "next", th.Claimed("t2", store.ClaimQueued).Claim.RunID, "r2")
	}},
	{"one of many concurrent answers is accepted", func(e *stage.Env) {
		nodes := []*stage.Thread{e.Thread()}
		nodes[0].Suspended()
		nodes = append(nodes, nodes[0].From(e.Node("b")), nodes[0].From(e.Node("c")))
		version := nodes[0].View().Version
		var group sync.WaitGroup
		var accepted, stale atomic.Int64
		for i := range 30 {
			group.Go(func() {
				th := nodes[i%len(nodes)]
				b := th.Resume("r"+string(rune('A'+i)), "exe-r1")
				b.Version = version
				switch res, err := th.Store.Begin(e.Context(), b); {
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
		stage.Same(nodes[0], "accepted, stale", []int64{accepted.Load(), stale.Load()}, []int64{1, 29})
		stage.Same(nodes[0], "events", nodes[0].View().Seq, 3)
	}},
	{"decisions are given back when nothing was journaled after them", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		before := th.View()
		c := th.Begun(th.Resume("r2", "exe-r1"))
		th.Begun(th.Wait("r3"))
		th.OK(stage.Batch(c, 2, 3, "text"))
		b := stage.Ending(c, 3, 4, "failed", store.EndFail)
		b.End.GiveBack = true
		res := th.OK(b)
		stage.Same(th, "gave back, ready", []bool{res.GaveBack, res.Ready}, []bool{true, false})
		v := th.View(store.ReadQuery{InterruptIDs: []string{"int"}, RunID: "r2"})
		stage.Same(th, "suspension", string(v.Suspension), string(before.Suspension))
		stage.Same(th, "answers", len(v.Answers), 0)
		stage.Same(th, "run", v.Run.Status, store.RunEnded)
		th.Claimed("t", store.ClaimNothing)
		th.Unchanged(func() { stage.Same(th, "sent again", th.Commit(b), res) })
		c = th.Begun(th.Resume("r4", "exe-r1"))
		x, err := th.Store.Journal(e.Context(), c)
		stage.Same(th, "journal", stage.Show(stage.Must(th, x, err).Journal), stage.Show(stage.Raws(`"answer-r4"`)))
	}},
	{"decisions stay when something was journaled after them, or nobody asks for them", func(e *stage.Env) {
		for i, how := range []string{"earlier", "with the end", "not asked for"} {
			th := e.On(e.Node("a"), how)
			th.Suspended()
			c := th.Begun(th.Resume("r2", "exe-r1"))
			b := stage.Ending(c, 3, 3, "failed", store.EndFail)
			b.End.GiveBack = i != 2
			first := stage.Batch(c, 2, 3, "")
			if i == 0 {
				first.Entries = stage.Raws(`"step"`)
			}
			th.OK(first)
			if i == 1 {
				b.Entries = stage.Raws(`"step"`)
			}
			stage.Same(th, how, th.OK(b).GaveBack, false)
			v := th.View(store.ReadQuery{InterruptIDs: []string{"int"}})
			if v.Suspension != nil || len(v.Answers) != 1 {
				e.Errorf("%s: suspension %s, answers %s", how, v.Suspension, stage.Show(v.Answers))
			}
		}
	}},
	{"bookkeeping is no progress: decisions are given back over it, and it goes with them", func(e *stage.Env) {
		// These lie behind the decisions: n is bookkeeping, s a step's record.
		for behind, gave := range map[string]bool{"n": true, "nn": true, "s": false, "ns": false, "sn": false, "nsn": false} {
			for _, how := range []string{"end", "nack"} {
				th := e.On(e.Node("a"), behind+how)
				th.Suspended()
				c := th.Begun(th.Resume("r2", "exe-r1"))
				journal := `"answer-r2"`
				at := int64(3)
				for i, kind := range behind {
					b := stage.Batch(c, int64(i)+2, at, "text text")
					b.Entries, b.Bookkeeping = stage.Raws(fmt.Sprintf(`"%c%d" "more"`, kind, i)), kind == 'n'
					b.Closing = stage.Raws(`["close"]`)[0]
					res := th.OK(b)
					th.Unchanged(func() { stage.Same(th, "sent again", th.Commit(b), res) })
					journal += " " + stage.Words(string(b.Entries[0]), string(b.Entries[1]))
					at = res.End.Seq
				}
				x, err := th.Store.Journal(e.Context(), c)
				stage.Same(th, "journal", stage.Show(stage.Must(th, x, err).Journal), stage.Show(stage.Raws(journal)))
				var given bool
				if how == "end" {
					b := stage.Ending(c, int64(len(behind))+2, at, "failed", store.EndFail)
					b.End.GiveBack = true
					given = th.OK(b).GaveBack
				} else {
					res, err := th.Store.Bury(e.Context(), store.Nack{Claim: c, Error: "no", Terminal: []byte("failed"), GiveBack: true})
					given = stage.Must(th, res, err).GaveBack
					stage.Same(th, "what was open is closed", strings.HasSuffix(th.Logged(), ` "close" failed`), true)
				}
				if given != gave {
					e.Fatalf("%s, then %s: gave back %t", behind, how, given)
				}
				if !gave {
					continue
				}
				c = th.Begun(th.Resume("r4", "exe-r1"))
				x, err = th.Store.Journal(e.Context(), c)
				stage.Same(th, "journal", stage.Show(stage.Must(th, x, err).Journal), stage.Show(stage.Raws(`"answer-r4"`)))
			}
		}
	}},
	{"decisions are given back over so many entries as are said to have had no effect", func(e *stage.Env) {
		for _, how := range []struct {
			behind string // as above, of one entry each
			over   int
			gave   bool
		}{
			{"", 0, true}, {"s", 0, false}, {"s", 1, true}, {"s", 2, false}, {"ss", 1, false}, {"ss", 2, true},
			{"ns", 1, false}, {"ns", 2, true}, {"sn", 1, false}, {"sn", 2, true}, {"nsn", 3, true}, {"n", 0, true}, {"n", 1, true}, {"s", -1, false},
		} {
			th := e.On(e.Node("a"), fmt.Sprint(how.behind, how.over))
			th.Suspended()
			before := th.View()
			c := th.Begun(th.Resume("r2", "exe-r1"))
			for i, kind := range how.behind {
				b := stage.Batch(c, int64(i)+2, 3, "")
				b.Entries, b.Bookkeeping = stage.Raws(fmt.Sprintf(`"%c%d"`, kind, i)), kind == 'n'
				th.OK(b)
			}
			b := stage.Ending(c, int64(len(how.behind))+2, 3, "failed", store.EndFail)
			b.End.GiveBack, b.End.Over = true, how.over
			res := th.OK(b)
			if res.GaveBack != how.gave {
				e.Fatalf("%+v: gave back %t", how, res.GaveBack)
			}
			th.Unchanged(func() { stage.Same(th, "sent again", th.Commit(b), res) })
			if !how.gave {
				continue
			}
			v := th.View(store.ReadQuery{InterruptIDs: []string{"int"}})
			stage.Same(th, "suspension", string(v.Suspension), string(before.Suspension))
			stage.Same(th, "answers", len(v.Answers), 0)
			c = th.Begun(th.Resume("r4", "exe-r1"))
			x, err := th.Store.Journal(e.Context(), c)
			stage.Same(th, "journal", stage.Show(stage.Must(th, x, err).Journal), stage.Show(stage.Raws(`"answer-r4"`)))
		}
	}},
	{"nothing is given back over entries that come with the end, or by who has lost the claim", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		c := th.Begun(th.Resume("r2", "exe-r1"))
		start := stage.Batch(c, 2, 3, "")
		start.Entries = stage.Raws(`"start"`)
		th.OK(start)
		b := stage.Ending(c, 3, 3, "failed", store.EndFail)
		b.End.GiveBack, b.End.Over = true, 1
		th.Unchanged(func() {
			lost := b
			lost.Claim.Token = "another"
			stage.Same(th, "another's", th.Commit(lost).Status, store.CommitFenced)
		})
		b.Entries = stage.Raws(`"step"`)
		stage.Same(th, "gave back", th.OK(b).GaveBack, false)
	}},
	{"bookkeeping is fenced, and ends no run", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		note := func(number, expect int64) store.Batch {
			b := stage.Batch(c, number, expect, "text")
			b.Entries, b.Bookkeeping = stage.Raws(`"note"`), true
			return b
		}
		th.Unchanged(func() {
			lost := note(2, 1)
			lost.Claim.Token = "another"
			stage.Same(th, "another's", th.Commit(lost).Status, store.CommitFenced)
			stage.Same(th, "elsewhere", th.Commit(note(2, 0)).Status, store.CommitMismatch)
			stage.Same(th, "too far", th.Commit(note(2, 2)).Status, store.CommitAhead)
			b := stage.Ending(c, 2, 1, "end", store.EndFinish)
			b.Bookkeeping = true
			if _, err := th.Store.Commit(e.Context(), b); err == nil {
				e.Error("a run ended with bookkeeping")
			}
		})
		if _, err := th.Store.Pause(e.Context(), th.Key, store.Wish{}); err != nil {
			e.Fatal(err)
		}
		stage.Same(th, "paused", th.OK(note(2, 1)).Paused, true)
		stage.Same(th, "the batch behind it", th.OK(stage.Batch(c, 3, 2, "more")).End.Seq, 3)
	}},
	{"an interrupt opened again is unanswered", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		c := th.Begun(th.Resume("r2", "exe-r1"))
		th.OK(stage.Ending(c, 2, 3, "asks", store.EndSuspend))
		v := th.View(store.ReadQuery{InterruptIDs: []string{"int"}})
		if len(v.Answers) != 0 || v.Suspension == nil {
			e.Errorf("answers %s, suspension %s", stage.Show(v.Answers), v.Suspension)
		}
	}},
	{"steering away keeps the answers and begins a new execution", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		c := th.Begun(th.Steer("r2"))
		v := th.View(store.ReadQuery{InterruptIDs: []string{"int"}})
		if v.Suspension != nil || len(v.Answers) != 1 {
			e.Errorf("suspension %s, answers %s", v.Suspension, stage.Show(v.Answers))
		}
		x, err := th.Store.Journal(e.Context(), c)
		stage.Same(th, "journal", len(stage.Must(th, x, err).Journal), 0)
		stage.Same(th, "execution", x.ID+string(x.Frozen), `exe-r2{"of":"r2"}`)
		end := stage.Ending(c, 2, 3, "failed", store.EndFail)
		end.End.GiveBack = true
		stage.Same(th, "nothing to give back", th.OK(end).GaveBack, false)
	}},
}
