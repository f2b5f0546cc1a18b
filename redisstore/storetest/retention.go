package storetest

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// ages lets ten years pass, and the store forget what it need not keep.
func (th *thread) ages(c *clock) {
	th.Helper()
	c.move(10 * 365 * 24 * time.Hour)
	for range 1000 {
		more, err := th.s.Retire(th.Context())
		if !must(th, more, err) {
			return
		}
	}
	th.Fatal("there is always more to retire")
}

var retentionTests = []test{
	{"terminal dispatches go when they are old, from lists and counts", func(e *env) {
		c := e.stopped()
		th := e.thread()
		for _, run := range []string{"r1", "r2", "r3", "r4"} {
			th.begun(th.wait(run))
		}
		th.carried("r1")
		th.stop("label-r2")
		th.bury(failing(th.claimed("t3", store.ClaimQueued).Claim))
		th.stopAll("i1", "")
		same(th, "before", len(th.dispatches(store.DispatchQuery{})), 4)
		th.ages(c)
		th.ages(c) // what went is gone, and nothing stands in the way
		list, counts := th.dispatches(store.DispatchQuery{}), th.counts()
		if len(list) > 1 || len(counts) > 1 { // a thread may keep its latest run
			e.Errorf("after: %s, %v", show(list), counts)
		}
		th.carriedAfterwards()
	}},
	{"what waits, is active or is open is kept however old it is", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.wait("r1"))
		open := e.on(th.s, "open")
		open.suspended()
		open.begun(open.wait("r2"))
		th.ages(c)
		same(th, "dispatches", th.listed(store.DispatchQueued), "r1:queued")
		same(th, "input", string(th.view(store.ReadQuery{Inputs: true}).Queue[0].Input), `{"input":"r1"}`)
		th.carried("r1")
		same(open, "suspension", string(open.view().Suspension), `{"open":["int"]}`)
		at := open.view().Seq
		open.ok(ending(open.begun(open.resume("r3", "exe-r1")), 2, at+1, "end", store.EndFinish))
		open.carried("r2")
	}},
	{"a thread's epochs outlive its dispatches", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.wait("r1"))
		th.stopAll("i1", "")
		before := th.view()
		th.ages(c)
		after := th.view()
		same(th, "epochs, log", words(after.Epoch, after.DispatchEpoch, after.Seq), words(before.Epoch, 1, before.Seq))
		old := store.Claim{Thread: th.key, RunID: "r1", Token: "t1"}
		same(th, "an old claim", th.renew(old), false)
	}},
}
