package threads

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// ages lets ten years pass, and the store forget what it need not keep.
func ages(th *stage.Thread, c *stage.Clock) {
	th.Helper()
	c.Move(10 * 365 * 24 * time.Hour)
	for range 1000 {
		more, err := th.Store.Retire(th.Context())
		if !stage.Must(th, more, err) {
			return
		}
	}
	th.Fatal("there is always more to retire")
}

var RetentionTests = []stage.Test{
	{"terminal dispatches go when they are old, from lists and counts", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		for _, run := range []string{"r1", "r2", "r3", "r4"} {
			th.Begun(th.Wait(run))
		}
		th.Carried("r1")
		th.Stop("label-r2")
		th.Bury(stage.Failing(th.Claimed("t3", store.ClaimQueued).Claim))
		th.StopAll("i1", "")
		stage.Same(th, "before", len(th.Dispatches(store.DispatchQuery{})), 4)
		ages(th, c)
		ages(th, c) // what went is gone, and nothing stands in the way
		list, counts := th.Dispatches(store.DispatchQuery{}), th.Counts()
		if len(list) > 1 || len(counts) > 1 { // a thread may keep its latest run
			e.Errorf("after: %s, %v", stage.Show(list), counts)
		}
		stage.CarriedAfterwards(th)
	}},
	{"what waits, is active or is open is kept however old it is", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		open := e.On(th.Store, "open")
		open.Suspended()
		open.Begun(open.Wait("r2"))
		ages(th, c)
		stage.Same(th, "dispatches", th.Listed(store.DispatchQueued), "r1:queued")
		stage.Same(th, "input", string(th.View(store.ReadQuery{Inputs: true}).Queue[0].Input), `{"input":"r1"}`)
		th.Carried("r1")
		stage.Same(open, "suspension", string(open.View().Suspension), `{"open":["int"]}`)
		at := open.View().Seq
		open.OK(stage.Ending(open.Begun(open.Resume("r3", "exe-r1")), 2, at+1, "end", store.EndFinish))
		open.Carried("r2")
	}},
	{"a thread's epochs outlive its dispatches", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		th.StopAll("i1", "")
		before := th.View()
		ages(th, c)
		after := th.View()
		stage.Same(th, "epochs, log", stage.Words(after.Epoch, after.DispatchEpoch, after.Seq), stage.Words(before.Epoch, 1, before.Seq))
		old := store.Claim{Thread: th.Key, RunID: "r1", Token: "t1"}
		stage.Same(th, "an old claim", th.Renew(old), false)
	}},
}
