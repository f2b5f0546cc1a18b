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

var checkpointTests = []test{
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
