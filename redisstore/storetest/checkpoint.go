package storetest

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
)

// checkpointed is the thread as it is, with a message of that id behind the others.
func (th *thread) checkpointed(id string) store.Checkpoint {
	th.Helper()
	v := th.view()
	return store.Checkpoint{Thread: th.key, Version: v.Version, From: v.Snapshot.At, At: store.Position{Epoch: v.Epoch, Seq: v.Seq},
		Snapshot: store.SnapshotUpdate{State: raw(`{"is":"` + id + `"}`), Append: []string{id}, Upsert: map[string]json.RawMessage{id: raw(`"` + id + `"`)}}}
}

func (th *thread) checkpoint(c store.Checkpoint) bool {
	th.Helper()
	moved, err := th.s.Checkpoint(th.Context(), c)
	return must(th, moved, err)
}

// stoppedRun is a run that was stopped, its log "start:run e1 e2 stopped:label-run".
func (th *thread) stoppedRun(run string) {
	th.Helper()
	c := th.begun(th.execute(run))
	th.ok(batch(c, 2, th.view().Seq, "e1 e2"))
	th.stop("label-" + run)
}

// midrun is a batch that moves the snapshot while its run goes on, with a message of that
// id behind the others.
func midrun(c store.Claim, number, expect int64, id string) store.Batch {
	b := batch(c, number, expect, "")
	b.Checkpoint = &store.RunCheckpoint{Undo: raw(`{"undoes":"` + id + `"}`), Snapshot: store.SnapshotUpdate{
		Open: raw(`["` + id + ` is open"]`), Append: []string{id}, Upsert: map[string]json.RawMessage{id: raw(`"` + id + `"`)}}}
	return b
}

var checkpointTests = []test{
	{"a checkpoint in the midst of a run moves the snapshot, and the log forgets what is before it", func(e *env) {
		e.retain = 2
		th := e.thread()
		c := th.begun(th.execute("r1"))
		before := th.view()
		for i := range 3 {
			at, id := int64(1+3*i), fmt.Sprint("m", i)
			th.ok(batch(c, int64(2+2*i), at, "a b c"))
			res := th.ok(midrun(c, int64(3+2*i), at+3, id))
			same(th, "end", res.End.Seq, at+3)
			v := th.view()
			same(th, "numbers", []int64{v.Version, v.Snapshot.At, v.Seq, v.Base, v.Boundary}, []int64{before.Version, at + 3, at + 3, at + 2, 0})
			same(th, "snapshot", words(len(v.Snapshot.Messages), string(v.Snapshot.Messages[i]), string(v.Snapshot.Open)), words(i+1, `"`+id+`"`, `["`+id+` is open"]`))
			same(th, "run", words(v.Active.ID, v.Active.RunStarted, len(v.Log)), words("r1", 1, 0))
			x, err := th.s.Journal(th.Context(), c)
			same(th, "execution", string(must(th, x, err).Frozen)+string(x.Undo), `{"of":"r1"}{"undoes":"`+id+`"}`)
		}
		th.ok(batch(c, 8, 10, "d"))
		same(th, "what follows", show(stringsOf(th.view().Log)), `["d"]`)
	}},
	{"a checkpoint in the midst of a run is fenced, and recognised when it is sent again", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.ok(batch(c, 2, 1, "a b"))
		for what, b := range map[string]store.Batch{
			"another claim":    midrun(store.Claim{Thread: c.Thread, RunID: c.RunID, Token: "other", DispatchEpoch: c.DispatchEpoch}, 3, 3, "m"),
			"another run":      midrun(store.Claim{Thread: c.Thread, RunID: "other", Token: c.Token, DispatchEpoch: c.DispatchEpoch}, 3, 3, "m"),
			"another position": midrun(c, 3, 2, "m"),
			"ahead":            midrun(c, 3, 4, "m"),
			"out of turn":      midrun(c, 4, 3, "m"),
		} {
			th.unchanged(func() {
				if th.commit(b).Status == store.CommitOK {
					th.Errorf("%s is accepted", what)
				}
			})
		}
		first := th.ok(midrun(c, 3, 3, "m"))
		th.unchanged(func() { same(th, "again", th.commit(midrun(c, 3, 3, "m")), first) })
		th.ok(batch(c, 4, 3, "c"))
		th.stop("label-r1")
		th.unchanged(func() {
			same(th, "of a run that was stopped", th.commit(midrun(c, 5, 4, "n")).Status, store.CommitFenced)
		})
	}},
	{"a checkpoint in the midst of a run is alone, and says what is open and what undoes it", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		for what, change := range map[string]func(*store.Batch){
			"with events":  func(b *store.Batch) { b.Events = events("a") },
			"with entries": func(b *store.Batch) { b.Entries = raws("1") },
			"with an end":  func(b *store.Batch) { b.End = &store.End{Kind: store.EndFinish} },
			"without open": func(b *store.Batch) { b.Checkpoint.Snapshot.Open = nil },
			"without undo": func(b *store.Batch) { b.Checkpoint.Undo = nil },
		} {
			b := midrun(c, 2, 1, "m")
			change(&b)
			th.unchanged(func() {
				if _, err := th.s.Commit(th.Context(), b); err == nil {
					th.Errorf("%s: no error", what)
				}
			})
		}
	}},
	{"what a run has open goes with its end, and what undoes a checkpoint stays until the execution asks", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.ok(midrun(c, 2, 1, "m"))
		undo := func(c store.Claim) string {
			x, err := th.s.Journal(th.Context(), c)
			return string(must(th, x, err).Frozen) + string(x.Undo)
		}
		if err := th.s.HandBack(th.Context(), c); err != nil {
			e.Fatal(err)
		}
		taken := th.claimed("t2", store.ClaimTakeover).Claim
		same(th, "taken over", undo(taken), `{"of":"r1"}{"undoes":"m"}`)
		b := ending(taken, 1, 1, "asks", store.EndSuspend)
		b.End.Snapshot = &store.SnapshotUpdate{}
		th.ok(b)
		same(th, "open", string(th.view().Snapshot.Open), "")
		again := th.begun(th.resume("r2", "exe-r1"))
		same(th, "continued", undo(again), `{"of":"r1"}`)
		th.ok(midrun(again, 2, th.view().Seq, "n"))
		th.stop("label-r2")
		same(th, "stopped", string(th.view().Snapshot.Open), `["n is open"]`)
		if !th.checkpoint(th.checkpointed("o")) {
			e.Error("it does not move at rest")
		}
		same(th, "at rest", string(th.view().Snapshot.Open), "")
	}},
	{"a checkpoint moves the snapshot to the log's end, and the log forgets what is before it", func(e *env) {
		e.retain = 2
		th := e.thread()
		for i := range 3 {
			run := fmt.Sprint("r", i)
			th.stoppedRun(run)
			before := th.view()
			same(th, "behind", before.Seq-before.Snapshot.At, 4)
			if !th.checkpoint(th.checkpointed(run)) {
				e.Fatal("it did not move")
			}
			v := th.view(store.ReadQuery{Label: "label-" + run})
			same(th, "numbers", []int64{v.Version, v.Snapshot.At, v.Seq, v.Base}, []int64{before.Version + 1, before.Seq, before.Seq, before.Seq - 1})
			same(th, "log", len(v.Log), 0)
			same(th, "snapshot", words(string(v.Snapshot.State), len(v.Snapshot.Messages), string(v.Snapshot.Messages[i])), words(`{"is":"`+run+`"}`, i+1, `"`+run+`"`))
			same(th, "run", words(v.Labelled[0].Status, string(v.Latest.Terminal)), words(store.RunEnded, "stopped:label-"+run))
		}
		th.carriedAfterwards()
	}},
	{"a checkpoint of a thread that has moved changes nothing", func(e *env) {
		th := e.thread()
		th.stoppedRun("r1")
		for what, change := range map[string]func(*store.Checkpoint){
			"another version":  func(c *store.Checkpoint) { c.Version++ },
			"an older version": func(c *store.Checkpoint) { c.Version-- },
			"another snapshot": func(c *store.Checkpoint) { c.From++ },
			"another end":      func(c *store.Checkpoint) { c.At.Seq++ },
			"not the end":      func(c *store.Checkpoint) { c.At.Seq-- },
			"another epoch":    func(c *store.Checkpoint) { c.At.Epoch += "x" },
		} {
			c := th.checkpointed("m")
			change(&c)
			th.unchanged(func() { same(th, what, th.checkpoint(c), false) })
		}
		old := th.checkpointed("m")
		c := th.begun(th.execute("r2"))
		now := th.checkpointed("m")
		th.unchanged(func() {
			same(th, "while a run has begun since", th.checkpoint(old), false)
			same(th, "while a run is active", th.checkpoint(now), false)
		})
		th.ok(ending(c, 2, th.view().Seq, "end", store.EndFinish))
		th.begun(th.wait("r3"))
		waiting := th.claimed("t3", store.ClaimQueued)
		now = th.checkpointed("m")
		th.unchanged(func() { same(th, "while one is claimed", th.checkpoint(now), false) })
		th.activate(waiting.Claim)
	}},
	{"a checkpoint sent again is recognised, and moves nothing twice", func(e *env) {
		th := e.thread()
		th.stoppedRun("r1")
		c := th.checkpointed("m")
		same(th, "first", th.checkpoint(c), true)
		other := c
		other.Snapshot = store.SnapshotUpdate{State: raw(`{"is":"another's"}`), Remove: []string{"m"}}
		th.unchanged(func() {
			same(th, "again", th.checkpoint(c), true)
			same(th, "another's", th.checkpoint(other), true)
		})
		th.stoppedRun("r2")
		th.unchanged(func() { same(th, "again, and the log has gone on", th.checkpoint(c), true) })
		if !th.checkpoint(th.checkpointed("n")) {
			e.Error("a later one does not move")
		}
		th.unchanged(func() { same(th, "one that is behind", th.checkpoint(c), false) })
	}},
	{"what was judged before a checkpoint is judged again", func(e *env) {
		th := e.thread()
		th.stoppedRun("r1")
		b := th.execute("r2")
		th.checkpoint(th.checkpointed("m"))
		th.unchanged(func() { same(th, "begin", th.begin(b).Status, store.BeginStale) })
	}},
	{"a thread whose execution is to go on has no checkpoint", func(e *env) {
		th := e.thread()
		th.suspended()
		c := th.checkpointed("m")
		th.unchanged(func() { same(th, "while it asks", th.checkpoint(c), false) })
		letter := e.on(th.s, "letter")
		claim := letter.begun(letter.execute("r1"))
		letter.bury(failing(claim))
		c = letter.checkpointed("m")
		letter.unchanged(func() { same(letter, "a dead letter's", letter.checkpoint(c), false) })
		at := letter.view().Seq
		letter.ok(ending(letter.begun(letter.requeue("r2", "exe-r1", "r1")), 2, at+1, "end", store.EndFinish))
		letter.stoppedRun("r3")
		same(letter, "when it has ended", letter.checkpoint(letter.checkpointed("m")), true)
	}},
	{"a checkpoint moves forward in a log that there is", func(e *env) {
		th := e.thread()
		for _, c := range []store.Checkpoint{{Thread: th.key, At: store.Position{Epoch: "e"}}, {Thread: th.key, At: store.Position{Seq: 1}}} {
			if _, err := th.s.Checkpoint(e.Context(), c); err == nil {
				e.Errorf("%+v was taken", c)
			}
		}
		same(th, "of an unused thread", th.checkpoint(store.Checkpoint{Thread: th.key, At: store.Position{Epoch: "e", Seq: 1}}), false)
		same(th, "version", th.view().Version, 0)
	}},
}
