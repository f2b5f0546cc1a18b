package storetest

import (
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// expiring is a thread suspended as by suspended, with a deadline a minute off.
func (th *thread) expiring(c *clock) {
	th.Helper()
	b := ending(th.begun(th.execute("r1")), 2, 1, "asks", store.EndSuspend)
	b.End.Deadline = c.read().Add(time.Minute).UnixMilli()
	th.ok(b)
}

var expireTests = []test{
	{"a suspension wants a claim strictly after its deadline, and until it is answered", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.expiring(c)
		th.begun(th.wait("r2")) // it stays behind the suspension all the same
		c.move(time.Minute)
		if th.due() {
			e.Error("due in its last millisecond")
		}
		th.claimed("t1", store.ClaimNothing)
		c.move(time.Millisecond)
		for range 2 {
			if !th.due() {
				e.Error("not due after it")
			}
			th.unchanged(func() {
				same(th, "claim", th.claim("t1"), store.ClaimResult{Kind: store.ClaimExpired})
			})
		}
		claim := th.begun(th.resume("r3", "exe-r1"))
		if th.due() {
			e.Error("due although it is answered")
		}
		th.claimed("t2", store.ClaimNothing)
		th.ok(ending(claim, 2, 3, "asks", store.EndSuspend))
		c.move(time.Hour)
		if th.due() {
			e.Error("a suspension without a deadline is due")
		}
		th.claimed("t3", store.ClaimNothing)
	}},
	{"a suspension is due when it was postponed to, whatever was delivered of it", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.expiring(c)
		postpone := func(id string, until time.Time) bool {
			is, err := th.s.Postpone(th.Context(), th.key, id, until)
			if err != nil {
				e.Fatal(err)
			}
			return is
		}
		c.move(2 * time.Minute)
		if !th.due() {
			e.Error("not due after its deadline")
		}
		until := c.read().Add(time.Minute)
		same(th, "postponed", []bool{postpone("another", until), postpone("int", until), postpone("int", until)}, []bool{false, true, true})
		if th.due() {
			e.Error("due although it was postponed")
		}
		th.claimed("t1", store.ClaimNothing)
		c.move(time.Minute)
		if !th.due() {
			e.Error("not due when it was postponed to")
		}
		th.claimed("t1", store.ClaimExpired)
		th.begun(th.resume("r3", "exe-r1"))
		same(th, "postponed when it is answered", postpone("int", until), false)
		if th.due() {
			e.Error("due although it is answered")
		}
	}},
	{"a suspension that opens again has its deadline again", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.expiring(c)
		b := ending(th.begun(th.resume("r2", "exe-r1")), 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		same(th, "gave back", th.ok(b).GaveBack, true)
		c.move(time.Minute)
		th.claimed("t1", store.ClaimNothing)
		c.move(time.Millisecond)
		if !th.due() {
			e.Error("not due")
		}
		th.claimed("t1", store.ClaimExpired)
	}},
	{"steering away and other ends leave no deadline behind", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.expiring(c)
		th.ok(ending(th.begun(th.steer("r2")), 2, 3, "end", store.EndFinish))
		c.move(time.Hour)
		if th.due() {
			e.Error("due")
		}
		th.claimed("t1", store.ClaimNothing)
	}},
	{"archived messages are known by their ids", func(e *env) {
		th := e.thread()
		b := with(th.execute("r1"), func(k *store.Execute) {
			k.Archive = map[string]json.RawMessage{"m1": raws(`{"id":"m1"}`)[0], "m 2": raws(`{"id":"m 2"}`)[0]}
		})
		th.ok(ending(th.begun(b), 2, 1, "end", store.EndFinish))
		v := th.view(store.ReadQuery{MessageIDs: []string{"m0", "m1", "m 2"}, ToolCallIDs: []string{"m1"}, InterruptIDs: []string{"m1"}})
		same(th, "archived", v.Archived, map[string]bool{"m1": true, "m 2": true})
		same(th, "asked, answered", len(v.Asked)+len(v.Answers), 0)
		same(th, "log", text(v.Log), "start:r1 end")
		other := e.on(th.s, "other")
		same(other, "in another thread", len(other.view(store.ReadQuery{MessageIDs: []string{"m1"}}).Archived), 0)
	}},
	{"answers and archived messages of one begin are told apart", func(e *env) {
		th := e.thread()
		th.suspended()
		th.begun(with(th.steer("r2"), func(k *store.Steer) { k.Archive = map[string]json.RawMessage{"m1": raws(`{}`)[0]} }))
		v := th.view(store.ReadQuery{MessageIDs: []string{"m1", "int"}, InterruptIDs: []string{"int", "m1"}})
		same(th, "archived", v.Archived, map[string]bool{"m1": true})
		same(th, "answers", show(v.Answers), `{"int":{"by":"r2"}}`)
		same(th, "log", text(v.Log), "start:r1 asks start:r2")
	}},
}
