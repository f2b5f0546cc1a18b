package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// keyed is a Begin that queues under a dedupe key.
func (th *thread) keyed(run, key string) store.Begin {
	th.Helper()
	b := th.wait(run)
	b.Dedupe = key
	return b
}

// duplicates wants the key to be held by a dispatch, and nothing to change.
func (th *thread) duplicates(b store.Begin, of string) {
	th.Helper()
	th.unchanged(func() {
		res := th.begin(b)
		same(th, "status, holder", words(res.Status, res.Of), words(store.BeginDuplicate, of))
	})
}

var dedupeTests = []test{
	{"a key is held while its dispatch is queued or claimed", func(e *env) {
		th := e.thread()
		b := th.keyed("r1", "k")
		th.begun(b)
		th.duplicates(th.keyed("r2", "k"), "r1")
		inline := th.execute("r2")
		inline.Dedupe = "k"
		th.duplicates(inline, "r1")
		claim := th.claimed("t1", store.ClaimQueued).Claim
		th.duplicates(th.keyed("r2", "k"), "r1")
		th.activate(claim)
		th.duplicates(th.keyed("r2", "k"), "r1")
		th.unchanged(func() { same(th, "the same begin again", th.begin(b).Status, store.BeginAccepted) })
		th.ok(ending(claim, 2, 1, "end", store.EndFinish))
		th.begun(th.keyed("r2", "k"))
		same(th, "list", th.listed(), "r2:queued r1:acked")
	}},
	{"a dispatch that begins at once holds its key too", func(e *env) {
		th := e.thread()
		b := th.execute("r1")
		b.Dedupe = "k"
		claim := th.begun(b)
		th.duplicates(th.keyed("r2", "k"), "r1")
		th.ok(ending(claim, 2, 1, "asks", store.EndSuspend))
		th.begun(th.keyed("r2", "k"))
	}},
	{"a key is one thread's, and other keys pass", func(e *env) {
		th := e.thread()
		th.begun(th.keyed("r1", "k"))
		th.begun(th.keyed("r2", "other"))
		th.begun(th.keyed("r3", ""))
		th.begun(th.keyed("r4", ""))
		other := e.on(th.s, "other")
		other.begun(other.keyed("r1", "k"))
		th.duplicates(th.keyed("r5", "other"), "r2")
	}},
	{"a key is free again however its dispatch ended", func(e *env) {
		c := e.stopped()
		ends := map[string]func(th *thread){
			"stopped in the queue": func(th *thread) { th.stop("label-r1") },
			"stopped while active": func(th *thread) { th.activate(th.claimed("t", store.ClaimQueued).Claim); th.stop("label-r1") },
			"stopped with all in the queue": func(th *thread) {
				th.stopAll("i1", "")
			},
			"stopped with all while active": func(th *thread) {
				th.activate(th.claimed("t", store.ClaimQueued).Claim)
				th.stopAll("i1", "r1")
			},
			"buried": func(th *thread) { th.bury(failing(th.claimed("t", store.ClaimQueued).Claim)) },
			"tried too often": func(th *thread) {
				for i := range 3 {
					th.nack(failing(th.claimed(fmt.Sprint("t", i), store.ClaimQueued).Claim))
				}
			},
			"carried after a worker was lost": func(th *thread) {
				th.claimed("t", store.ClaimQueued)
				c.move(e.lease + time.Millisecond)
				th.carried("r1")
			},
		}
		for name, end := range ends {
			th := e.on(e.node("a"), name)
			th.begun(th.keyed("r1", "k"))
			end(th)
			if d := th.dispatch("r1"); !d.State.Terminal() {
				e.Errorf("%s: %s", name, d.State)
			}
			th.begun(th.keyed("r2", "k"))
			if !th.due() {
				e.Errorf("%s: what has the key now is not due", name)
			}
			th.duplicates(th.keyed("r3", "k"), "r2")
		}
	}},
	{"a key is kept by what is given back", func(e *env) {
		th := e.thread()
		th.begun(th.keyed("r1", "k"))
		th.nack(failing(th.claimed("t1", store.ClaimQueued).Claim))
		th.duplicates(th.keyed("r2", "k"), "r1")
		claim := th.claimed("t2", store.ClaimQueued).Claim
		th.activate(claim)
		if err := th.s.HandBack(e.Context(), claim); err != nil {
			e.Fatal(err)
		}
		th.duplicates(th.keyed("r2", "k"), "r1")
	}},
	{"of many concurrent enqueues under one key one wins", func(e *env) {
		nodes := []*thread{e.thread()}
		nodes = append(nodes, nodes[0].from(e.node("b")), nodes[0].from(e.node("c")))
		var group sync.WaitGroup
		var mu sync.Mutex
		count := map[store.BeginStatus]int{}
		holders := map[string]bool{}
		for i := range 128 {
			group.Go(func() {
				th := nodes[i%3]
				for {
					res, err := th.s.Begin(e.Context(), th.keyed(fmt.Sprint("r", i), "k"))
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
		same(nodes[0], "answers", count, map[store.BeginStatus]int{store.BeginAccepted: 1, store.BeginDuplicate: 127})
		same(nodes[0], "holders", len(holders), 1)
		same(nodes[0], "queued", len(nodes[0].view().Queue), 1)
	}},
}
