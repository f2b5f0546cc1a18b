package storetest

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var beginTests = []test{
	{"an accepted run is claimed and its start is logged", func(e *env) {
		th := e.thread()
		res := th.begin(th.execute("r1"))
		same(th, "status", res.Status, store.BeginAccepted)
		same(th, "claim", res.Claim, store.Claim{Thread: th.key, RunID: "r1", Token: "token-r1"})
		v := th.view()
		same(th, "start", res.Position, store.Position{Epoch: v.Epoch, Seq: 0})
		same(th, "log", text(v.Log), "start:r1")
		same(th, "active", v.Active.ID+string(v.Active.Status), "r1active")
		same(th, "latest", v.Latest.ID, "r1")
		same(th, "numbers", []int64{v.Version, v.Seq, v.Boundary, v.Active.RunStarted}, []int64{1, 1, 0, 1})
		x, err := th.s.Journal(e.Context(), res.Claim)
		must(th, x, err)
		same(th, "execution", x.ID+string(x.Frozen)+x.Agent, `exe-r1{"of":"r1"}agent`)
		if d := v.Now.Sub(x.Began); d < 0 || d > time.Minute {
			e.Errorf("began %v ago", d)
		}
	}},
	{"a version that has moved is stale and changes nothing", func(e *env) {
		th := e.thread()
		old := th.execute("r2")
		queued := th.wait("r3")
		th.begun(th.execute("r1"))
		th.unchanged(func() {
			same(th, "status", th.begin(old).Status, store.BeginStale)
			same(th, "status", th.begin(queued).Status, store.BeginStale)
			old.Version = 99
			same(th, "status", th.begin(old).Status, store.BeginStale)
		})
	}},
	{"the deadline itself is in time, a millisecond later is not and changes nothing", func(e *env) {
		c := e.stopped()
		th := e.thread()
		b := th.execute("r1")
		b.Deadline = c.read().UnixMilli()
		c.move(time.Millisecond)
		th.unchanged(func() { same(th, "status", th.begin(b).Status, store.BeginExpired) })
		c.move(-time.Millisecond)
		th.begun(b)
	}},
	{"the same run id again answers as the first time", func(e *env) {
		th := e.thread()
		b := th.execute("r1")
		first := th.begin(b)
		th.ok(batch(first.Claim, 2, 1, "b"))
		th.unchanged(func() { same(th, "answer", th.begin(b), first) })
		other := with(b, func(k *store.Execute) { k.Token = "another" })
		same(th, "claim under another token", th.begin(other).Claim, store.Claim{})
		th.ok(ending(first.Claim, 3, 2, "end", store.EndFinish))
		th.unchanged(func() {
			again := th.begin(b)
			same(th, "status", again.Status, store.BeginAccepted)
			same(th, "start", again.Position, first.Position)
			same(th, "claim of an ended run", again.Claim, store.Claim{})
		})
	}},
	{"a queued run sent again is queued once", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		b := th.wait("r2")
		first := th.begin(b)
		th.unchanged(func() { same(th, "answer", th.begin(b), first) })
		same(th, "queue", len(th.view().Queue), 1)
	}},
	{"a start while a run is active is an error and changes nothing", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		th.unchanged(func() { th.refused(th.execute("r2")) })
	}},
	{"a start past an open interrupt is an error and changes nothing", func(e *env) {
		th := e.thread()
		th.suspended()
		th.unchanged(func() { th.refused(th.execute("r2")) })
	}},
	{"an answer to nothing, or to another execution, is an error and changes nothing", func(e *env) {
		th := e.thread()
		th.unchanged(func() { th.refused(th.resume("r2", "exe-r1")) })
		th.suspended()
		th.unchanged(func() { th.refused(th.resume("r2", "exe-other")) })
	}},
	{"queued runs wait in order with their inputs", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		for _, run := range []string{"r2", "r3", "r4"} {
			res := th.begin(th.wait(run))
			same(th, "start is the log's end", res.Position.Seq, 1)
			same(th, "claim", res.Claim, store.Claim{})
		}
		v := th.view(store.ReadQuery{RunID: "r3", Inputs: true})
		for i, run := range []string{"r2", "r3", "r4"} {
			q := v.Queue[i]
			same(th, "queued", words(q.ID, string(q.Record), string(q.Input)), words(run, `{"run":"`+run+`"}`, `{"input":"`+run+`"}`))
			same(th, "size", q.Size > 0 && q.Size <= int64(2*len(q.Record)+2*len(q.Input)), true)
			same(th, "without its input", th.view().Queue[i].Input == nil, true)
		}
		same(th, "waiting", words(len(v.Queue), v.QueueLength), "3 3")
		same(th, "status", v.Run.Status, store.RunQueued)
		same(th, "started", v.Run.RunStarted, 0)
		same(th, "log", text(v.Log), "start:r1")
	}},
	{"a run queued on a thread at rest is due at once", func(e *env) {
		th := e.thread()
		if th.due() {
			e.Error("an unused thread is due")
		}
		th.begun(th.wait("r1"))
		if !th.due() {
			e.Error("not due")
		}
	}},
	{"a run queued while an interrupt is open waits", func(e *env) {
		th := e.thread()
		th.suspended()
		th.begun(th.wait("r2"))
		if th.due() {
			e.Error("due")
		}
		th.claimed("t", store.ClaimNothing)
	}},
}

// refused wants a Begin to fail for what it says, not for the store's sake.
func (th *thread) refused(b store.Begin) {
	th.Helper()
	if res, err := th.s.Begin(th.Context(), b); err == nil {
		th.Errorf("begin %s: status %d", b.RunID, res.Status)
	}
}
