package runs

import (
	"fmt"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// keyed is a Begin that queues under a dedupe key.
func keyed(th *stage.Thread, run, key string) store.Begin {
	th.Helper()
	b := th.Wait(run)
	b.Dedupe = key
	return b
}

// duplicates wants the key to be held by a dispatch, and nothing to change.
func duplicates(th *stage.Thread, b store.Begin, of string) {
	th.Helper()
	th.Unchanged(func() {
		res := th.Begin(b)
		stage.Same(th, "status, holder", stage.Words(res.Status, res.Of), stage.Words(store.BeginDuplicate, of))
	})
}

var DedupeTests = []stage.Test{
	{"a key is held while its dispatch is queued or claimed", func(e *stage.Env) {
		th := e.Thread()
		b := keyed(th, "r1", "k")
		th.Begun(b)
		duplicates(th, keyed(th, "r2", "k"), "r1")
		inline := th.Execute("r2")
		inline.Dedupe = "k"
		duplicates(th, inline, "r1")
		claim := th.Claimed("t1", store.ClaimQueued).Claim
		duplicates(th, keyed(th, "r2", "k"), "r1")
		th.Activate(claim)
		duplicates(th, keyed(th, "r2", "k"), "r1")
		th.Unchanged(func() { stage.Same(th, "the same begin again", th.Begin(b).Status, store.BeginAccepted) })
		th.OK(stage.Ending(claim, 2, 1, "end", store.EndFinish))
		th.Begun(keyed(th, "r2", "k"))
		stage.Same(th, "list", th.Listed(), "r2:queued r1:acked")
	}},
	{"a dispatch that begins at once holds its key too", func(e *stage.Env) {
		th := e.Thread()
		b := th.Execute("r1")
		b.Dedupe = "k"
		claim := th.Begun(b)
		duplicates(th, keyed(th, "r2", "k"), "r1")
		th.OK(stage.Ending(claim, 2, 1, "asks", store.EndSuspend))
		th.Begun(keyed(th, "r2", "k"))
	}},
	{"a key is one thread's, and other keys pass", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(keyed(th, "r1", "k"))
		th.Begun(keyed(th, "r2", "other"))
		th.Begun(keyed(th, "r3", ""))
		th.Begun(keyed(th, "r4", ""))
		other := e.On(th.Store, "other")
		other.Begun(keyed(other, "r1", "k"))
		duplicates(th, keyed(th, "r5", "other"), "r2")
	}},
	{"a key is free again however its dispatch ended", func(e *stage.Env) {
		c := e.Stopped()
		ends := map[string]func(th *stage.Thread){
			"stopped in the queue": func(th *stage.Thread) { th.Stop("label-r1") },
			"stopped while active": func(th *stage.Thread) { th.Activate(th.Claimed("t", store.ClaimQueued).Claim); th.Stop("label-r1") },
			"stopped with all in the queue": func(th *stage.Thread) {
				th.StopAll("i1", "")
			},
			"stopped with all while active": func(th *stage.Thread) {
				th.Activate(th.Claimed("t", store.ClaimQueued).Claim)
				th.StopAll("i1", "r1")
			},
			"buried": func(th *stage.Thread) { th.Bury(stage.Failing(th.Claimed("t", store.ClaimQueued).Claim)) },
			"tried too often": func(th *stage.Thread) {
				for i := range 3 {
					th.Nack(stage.Failing(th.Claimed(fmt.Sprint("t", i), store.ClaimQueued).Claim))
				}
			},
			"carried after a worker was lost": func(th *stage.Thread) {
				th.Claimed("t", store.ClaimQueued)
				c.Move(e.Lease + time.Millisecond)
				th.Carried("r1")
			},
		}
		for name, end := range ends {
			th := e.On(e.Node("a"), name)
			th.Begun(keyed(th, "r1", "k"))
			end(th)
			if d := th.Dispatch("r1"); !d.State.Terminal() {
				e.Errorf("%s: %s", name, d.State)
			}
			th.Begun(keyed(th, "r2", "k"))
			if !th.Due() {
				e.Errorf("%s: what has the key now is not due", name)
			}
			duplicates(th, keyed(th, "r3", "k"), "r2")
		}
	}},
	{"a key is kept by what is given back", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(keyed(th, "r1", "k"))
		th.Nack(stage.Failing(th.Claimed("t1", store.ClaimQueued).Claim))
		duplicates(th, keyed(th, "r2", "k"), "r1")
		claim := th.Claimed("t2", store.ClaimQueued).Claim
		th.Activate(claim)
		if err := th.Store.HandBack(e.Context(), claim); err != nil {
			e.Fatal(err)
		}
		duplicates(th, keyed(th, "r2", "k"), "r1")
	}},
	{"of many concurrent enqueues under one key one wins", func(e *stage.Env) {
		nodes := []*stage.Thread{e.Thread()}
		nodes = append(nodes, nodes[0].From(e.Node("b")), nodes[0].From(e.Node("c")))
		var group sync.WaitGroup
		var mu sync.Mutex
		count := map[store.BeginStatus]int{}
		holders := map[string]bool{}
		for i := range 128 {
			group.Go(func() {
				th := nodes[i%3]
				for {
					res, err := th.Store.Begin(e.Context(), keyed(th, fmt.Sprint("r", i), "k"))
					if err != nil {
						e.Error(err)
						return
					}
					if res.Status == store.BeginStale {
						continue
					}
					mu.Lock()
					count[res.Status]++
					if res.Status == store.BeginDuplicate {
						holders[res.Of] = true
					} else {
						holders[fmt.Sprint("r", i)] = true
					}
					mu.Unlock()
					return
				}
			})
		}
		group.Wait()
		stage.Same(nodes[0], "answers", count, map[store.BeginStatus]int{store.BeginAccepted: 1, store.BeginDuplicate: 127})
		stage.Same(nodes[0], "holders", len(holders), 1)
		stage.Same(nodes[0], "queued", len(nodes[0].View().Queue), 1)
	}},
}
