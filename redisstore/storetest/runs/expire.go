package runs

import (
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// expiring is a thread suspended as by suspended, with a deadline a minute off.
func expiring(th *stage.Thread, c *stage.Clock) {
	th.Helper()
	b := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "asks", store.EndSuspend)
	b.End.Deadline = c.Read().Add(time.Minute).UnixMilli()
	th.OK(b)
}

var ExpireTests = []stage.Test{
	{"a suspension wants a claim strictly after its deadline, and until it is answered", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		expiring(th, c)
		th.Begun(th.Wait("r2")) // it stays behind the suspension all the same
		c.Move(time.Minute)
		if th.Due() {
			e.Error("due in its last millisecond")
		}
		th.Claimed("t1", store.ClaimNothing)
		c.Move(time.Millisecond)
		for range 2 {
			if !th.Due() {
				e.Error("not due after it")
			}
			th.Unchanged(func() {
				stage.Same(th, "claim", th.Claim("t1"), store.ClaimResult{Kind: store.ClaimExpired})
			})
		}
		claim := th.Begun(th.Resume("r3", "exe-r1"))
		if th.Due() {
			e.Error("due although it is answered")
		}
		th.Claimed("t2", store.ClaimNothing)
		th.OK(stage.Ending(claim, 2, 3, "asks", store.EndSuspend))
		c.Move(time.Hour)
		if th.Due() {
			e.Error("a suspension without a deadline is due")
		}
		th.Claimed("t3", store.ClaimNothing)
	}},
	{"a suspension is due when it was postponed to, whatever was delivered of it", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		expiring(th, c)
		postpone := func(id string, until time.Time) bool {
			is, err := th.Store.Postpone(th.Context(), th.Key, id, until)
			if err != nil {
				e.Fatal(err)
			}
			return is
		}
		c.Move(2 * time.Minute)
		if !th.Due() {
			e.Error("not due after its deadline")
		}
		until := c.Read().Add(time.Minute)
		stage.Same(th, "postponed", []bool{postpone("another", until), postpone("int", until), postpone("int", until)}, []bool{false, true, true})
		if th.Due() {
			e.Error("due although it was postponed")
		}
		th.Claimed("t1", store.ClaimNothing)
		c.Move(time.Minute)
		if !th.Due() {
			e.Error("not due when it was postponed to")
		}
		th.Claimed("t1", store.ClaimExpired)
		th.Begun(th.Resume("r3", "exe-r1"))
		stage.Same(th, "postponed when it is answered", postpone("int", until), false)
		if th.Due() {
			e.Error("due although it is answered")
		}
	}},
	{"a suspension that opens again has its deadline again", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		expiring(th, c)
		b := stage.Ending(th.Begun(th.Resume("r2", "exe-r1")), 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		stage.Same(th, "gave back", th.OK(b).GaveBack, true)
		c.Move(time.Minute)
		th.Claimed("t1", store.ClaimNothing)
		c.Move(time.Millisecond)
		if !th.Due() {
			e.Error("not due")
		}
		th.Claimed("t1", store.ClaimExpired)
	}},
	{"steering away and other ends leave no deadline behind", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		expiring(th, c)
		th.OK(stage.Ending(th.Begun(th.Steer("r2")), 2, 3, "end", store.EndFinish))
		c.Move(time.Hour)
		if th.Due() {
			e.Error("due")
		}
		th.Claimed("t1", store.ClaimNothing)
	}},
	{"archived messages are known by their ids", func(e *stage.Env) {
		th := e.Thread()
		b := stage.With(th.Execute("r1"), func(k *store.Execute) {
			k.Archive = map[string]json.RawMessage{"m1": stage.Raws(`{"id":"m1"}`)[0], "m 2": stage.Raws(`{"id":"m 2"}`)[0]}
		})
		th.OK(stage.Ending(th.Begun(b), 2, 1, "end", store.EndFinish))
		v := th.View(store.ReadQuery{MessageIDs: []string{"m0", "m1", "m 2"}, ToolCallIDs: []string{"m1"}, InterruptIDs: []string{"m1"}})
		stage.Same(th, "archived", v.Archived, map[string]bool{"m1": true, "m 2": true})
		stage.Same(th, "asked, answered", len(v.Asked)+len(v.Answers), 0)
		stage.Same(th, "log", stage.Text(v.Log), "start:r1 end")
		other := e.On(th.Store, "other")
		stage.Same(other, "in another thread", len(other.View(store.ReadQuery{MessageIDs: []string{"m1"}}).Archived), 0)
	}},
	{"answers and archived messages of one begin are told apart", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		th.Begun(stage.With(th.Steer("r2"), func(k *store.Steer) { k.Archive = map[string]json.RawMessage{"m1": stage.Raws(`{}`)[0]} }))
		v := th.View(store.ReadQuery{MessageIDs: []string{"m1", "int"}, InterruptIDs: []string{"int", "m1"}})
		stage.Same(th, "archived", v.Archived, map[string]bool{"m1": true})
		stage.Same(th, "answers", stage.Show(v.Answers), `{"int":{"by":"r2"}}`)
		stage.Same(th, "log", stage.Text(v.Log), "start:r1 asks start:r2")
	}},
}
