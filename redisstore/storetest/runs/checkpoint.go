package runs

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// checkpointed is the thread as it is, with a message of that id behind the others.
func checkpointed(th *stage.Thread, id string) store.Checkpoint {
	th.Helper()
	v := th.View()
	return store.Checkpoint{Thread: th.Key, Version: v.Version, From: v.Snapshot.At, At: store.Position{Epoch: v.Epoch, Seq: v.Seq},
		Snapshot: store.SnapshotUpdate{State: stage.Raw(`{"is":"` + id + `"}`), Append: []string{id}, Upsert: map[string]json.RawMessage{id: stage.Raw(`"` + id + `"`)}}}
}

func checkpoint(th *stage.Thread, c store.Checkpoint) bool {
	th.Helper()
	moved, err := th.Store.Checkpoint(th.Context(), c)
	return stage.Must(th, moved, err)
}

// stoppedRun is a run that was stopped, its log "start:run e1 e2 stopped:label-run".
func stoppedRun(th *stage.Thread, run string) {
	th.Helper()
	c := th.Begun(th.Execute(run))
	th.OK(stage.Batch(c, 2, th.View().Seq, "e1 e2"))
	th.Stop("label-" + run)
}

// midrun is a batch that moves the snapshot while its run goes on, with a message of that
// id behind the others.
func midrun(c store.Claim, number, expect int64, id string) store.Batch {
	b := stage.Batch(c, number, expect, "")
	b.Checkpoint = &store.RunCheckpoint{Undo: stage.Raw(`{"undoes":"` + id + `"}`), Snapshot: store.SnapshotUpdate{
		Open: stage.Raw(`["` + id + ` is open"]`), Append: []string{id}, Upsert: map[string]json.RawMessage{id: stage.Raw(`"` + id + `"`)}}}
	return b
}

var CheckpointTests = []stage.Test{
	{"a checkpoint in the midst of a run moves the snapshot, and the log forgets what is before it", func(e *stage.Env) {
		e.Retain = 2
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		before := th.View()
		for i := range 3 {
			at, id := int64(1+3*i), fmt.Sprint("m", i)
			th.OK(stage.Batch(c, int64(2+2*i), at, "a b c"))
			res := th.OK(midrun(c, int64(3+2*i), at+3, id))
			stage.Same(th, "end", res.End.Seq, at+3)
			v := th.View()
			stage.Same(th, "numbers", []int64{v.Version, v.Snapshot.At, v.Seq, v.Base, v.Boundary}, []int64{before.Version, at + 3, at + 3, at + 2, 0})
			stage.Same(th, "snapshot", stage.Words(len(v.Snapshot.Messages), string(v.Snapshot.Messages[i]), string(v.Snapshot.Open)), stage.Words(i+1, `"`+id+`"`, `["`+id+` is open"]`))
			stage.Same(th, "run", stage.Words(v.Active.ID, v.Active.RunStarted, len(v.Log)), stage.Words("r1", 1, 0))
			x, err := th.Store.Journal(th.Context(), c)
			stage.Same(th, "execution", string(stage.Must(th, x, err).Frozen)+string(x.Undo), `{"of":"r1"}{"undoes":"`+id+`"}`)
		}
		th.OK(stage.Batch(c, 8, 10, "d"))
		stage.Same(th, "what follows", stage.Show(stage.StringsOf(th.View().Log)), `["d"]`)
	}},
	{"a checkpoint in the midst of a run is fenced, and recognised when it is sent again", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.OK(stage.Batch(c, 2, 1, "a b"))
		for what, b := range map[string]store.Batch{
			"another claim":    midrun(store.Claim{Thread: c.Thread, RunID: c.RunID, Token: "other", DispatchEpoch: c.DispatchEpoch}, 3, 3, "m"),
			"another run":      midrun(store.Claim{Thread: c.Thread, RunID: "other", Token: c.Token, DispatchEpoch: c.DispatchEpoch}, 3, 3, "m"),
			"another position": midrun(c, 3, 2, "m"),
			"ahead":            midrun(c, 3, 4, "m"),
			"out of turn":      midrun(c, 4, 3, "m"),
		} {
			th.Unchanged(func() {
				if th.Commit(b).Status == store.CommitOK {
					th.Errorf("%s is accepted", what)
				}
			})
		}
		first := th.OK(midrun(c, 3, 3, "m"))
		th.Unchanged(func() { stage.Same(th, "again", th.Commit(midrun(c, 3, 3, "m")), first) })
		th.OK(stage.Batch(c, 4, 3, "c"))
		th.Stop("label-r1")
		th.Unchanged(func() {
			stage.Same(th, "of a run that was stopped", th.Commit(midrun(c, 5, 4, "n")).Status, store.CommitFenced)
		})
	}},
	{"a checkpoint in the midst of a run is alone, and says what is open and what undoes it", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		for what, change := range map[string]func(*store.Batch){
			"with events":  func(b *store.Batch) { b.Events = stage.Events("a") },
			"with entries": func(b *store.Batch) { b.Entries = stage.Raws("1") },
			"with an end":  func(b *store.Batch) { b.End = &store.End{Kind: store.EndFinish} },
			"without open": func(b *store.Batch) { b.Checkpoint.Snapshot.Open = nil },
			"without undo": func(b *store.Batch) { b.Checkpoint.Undo = nil },
		} {
			b := midrun(c, 2, 1, "m")
			change(&b)
			th.Unchanged(func() {
				if _, err := th.Store.Commit(th.Context(), b); err == nil {
					th.Errorf("%s: no error", what)
				}
			})
		}
	}},
	{"what a run has open goes with its end, and what undoes a checkpoint stays until the execution asks", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.OK(midrun(c, 2, 1, "m"))
		undo := func(c store.Claim) string {
			x, err := th.Store.Journal(th.Context(), c)
			return string(stage.Must(th, x, err).Frozen) + string(x.Undo)
		}
		if err := th.Store.HandBack(th.Context(), c); err != nil {
			e.Fatal(err)
		}
		taken := th.Claimed("t2", store.ClaimTakeover).Claim
		stage.Same(th, "taken over", undo(taken), `{"of":"r1"}{"undoes":"m"}`)
		b := stage.Ending(taken, 1, 1, "asks", store.EndSuspend)
		b.End.Snapshot = &store.SnapshotUpdate{}
		th.OK(b)
		stage.Same(th, "open", string(th.View().Snapshot.Open), "")
		again := th.Begun(th.Resume("r2", "exe-r1"))
		stage.Same(th, "continued", undo(again), `{"of":"r1"}`)
		th.OK(midrun(again, 2, th.View().Seq, "n"))
		th.Stop("label-r2")
		stage.Same(th, "stopped", string(th.View().Snapshot.Open), `["n is open"]`)
		if !checkpoint(th, checkpointed(th, "o")) {
			e.Error("it does not move at rest")
		}
		stage.Same(th, "at rest", string(th.View().Snapshot.Open), "")
	}},
	{"a checkpoint moves the snapshot to the log's end, and the log forgets what is before it", func(e *stage.Env) {
		e.Retain = 2
		th := e.Thread()
		for i := range 3 {
			run := fmt.Sprint("r", i)
			stoppedRun(th, run)
			before := th.View()
			stage.Same(th, "behind", before.Seq-before.Snapshot.At, 4)
			if !checkpoint(th, checkpointed(th, run)) {
				e.Fatal("it did not move")
			}
			v := th.View(store.ReadQuery{Label: "label-" + run})
			stage.Same(th, "numbers", []int64{v.Version, v.Snapshot.At, v.Seq, v.Base}, []int64{before.Version + 1, before.Seq, before.Seq, before.Seq - 1})
			stage.Same(th, "log", len(v.Log), 0)
			stage.Same(th, "snapshot", stage.Words(string(v.Snapshot.State), len(v.Snapshot.Messages), string(v.Snapshot.Messages[i])), stage.Words(`{"is":"`+run+`"}`, i+1, `"`+run+`"`))
			stage.Same(th, "run", stage.Words(v.Labelled[0].Status, string(v.Latest.Terminal)), stage.Words(store.RunEnded, "stopped:label-"+run))
		}
		stage.CarriedAfterwards(th)
	}},
	{"a checkpoint of a thread that has moved changes nothing", func(e *stage.Env) {
		th := e.Thread()
		stoppedRun(th, "r1")
		for what, change := range map[string]func(*store.Checkpoint){
			"another version":  func(c *store.Checkpoint) { c.Version++ },
			"an older version": func(c *store.Checkpoint) { c.Version-- },
			"another snapshot": func(c *store.Checkpoint) { c.From++ },
			"another end":      func(c *store.Checkpoint) { c.At.Seq++ },
			"not the end":      func(c *store.Checkpoint) { c.At.Seq-- },
			"another epoch":    func(c *store.Checkpoint) { c.At.Epoch += "x" },
		} {
			c := checkpointed(th, "m")
			change(&c)
			th.Unchanged(func() { stage.Same(th, what, checkpoint(th, c), false) })
		}
		old := checkpointed(th, "m")
		c := th.Begun(th.Execute("r2"))
		now := checkpointed(th, "m")
		th.Unchanged(func() {
			stage.Same(th, "while a run has begun since", checkpoint(th, old), false)
			stage.Same(th, "while a run is active", checkpoint(th, now), false)
		})
		th.OK(stage.Ending(c, 2, th.View().Seq, "end", store.EndFinish))
		th.Begun(th.Wait("r3"))
		waiting := th.Claimed("t3", store.ClaimQueued)
		now = checkpointed(th, "m")
		th.Unchanged(func() { stage.Same(th, "while one is claimed", checkpoint(th, now), false) })
		th.Activate(waiting.Claim)
	}},
	{"a checkpoint sent again is recognised, and moves nothing twice", func(e *stage.Env) {
		th := e.Thread()
		stoppedRun(th, "r1")
		c := checkpointed(th, "m")
		stage.Same(th, "first", checkpoint(th, c), true)
		other := c
		other.Snapshot = store.SnapshotUpdate{State: stage.Raw(`{"is":"another's"}`), Remove: []string{"m"}}
		th.Unchanged(func() {
			stage.Same(th, "again", checkpoint(th, c), true)
			stage.Same(th, "another's", checkpoint(th, other), true)
		})
		stoppedRun(th, "r2")
		th.Unchanged(func() { stage.Same(th, "again, and the log has gone on", checkpoint(th, c), true) })
		if !checkpoint(th, checkpointed(th, "n")) {
			e.Error("a later one does not move")
		}
		th.Unchanged(func() { stage.Same(th, "one that is behind", checkpoint(th, c), false) })
	}},
	{"what was judged before a checkpoint is judged again", func(e *stage.Env) {
		th := e.Thread()
		stoppedRun(th, "r1")
		b := th.Execute("r2")
		checkpoint(th, checkpointed(th, "m"))
		th.Unchanged(func() { stage.Same(th, "begin", th.Begin(b).Status, store.BeginStale) })
	}},
	{"a thread whose execution is to go on has no checkpoint", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		c := checkpointed(th, "m")
		th.Unchanged(func() { stage.Same(th, "while it asks", checkpoint(th, c), false) })
		letter := e.On(th.Store, "letter")
		claim := letter.Begun(letter.Execute("r1"))
		letter.Bury(stage.Failing(claim))
		c = checkpointed(letter, "m")
		letter.Unchanged(func() { stage.Same(letter, "a dead letter's", checkpoint(letter, c), false) })
		at := letter.View().Seq
		letter.OK(stage.Ending(letter.Begun(letter.Requeue("r2", "exe-r1", "r1")), 2, at+1, "end", store.EndFinish))
		stoppedRun(letter, "r3")
		stage.Same(letter, "when it has ended", checkpoint(letter, checkpointed(letter, "m")), true)
	}},
	{"a checkpoint moves forward in a log that there is", func(e *stage.Env) {
		th := e.Thread()
		for _, c := range []store.Checkpoint{{Thread: th.Key, At: store.Position{Epoch: "e"}}, {Thread: th.Key, At: store.Position{Seq: 1}}} {
			if _, err := th.Store.Checkpoint(e.Context(), c); err == nil {
				e.Errorf("%+v was taken", c)
			}
		}
		stage.Same(th, "of an unused thread", checkpoint(th, store.Checkpoint{Thread: th.Key, At: store.Position{Epoch: "e", Seq: 1}}), false)
		stage.Same(th, "version", th.View().Version, 0)
	}},
}
