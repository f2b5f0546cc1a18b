package threads

import (
	"fmt"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var (
	ann  = store.Owner{Name: "acme/ann"}
	bob  = store.Owner{Name: "acme/bob"}
	acme = store.Owner{Tenant: true, Name: "acme"}
)

// takes is what an input of the user takes on the thread; nothing is limited.
func takes(th *stage.Thread, user store.Owner, run string, with ...func(*store.Take)) store.Take {
	t := store.Take{User: user, Tenant: acme, RunID: run, Runs: -1, TenantRuns: -1, Thread: th.Key, Threads: -1, Inputs: -1}
	for _, fn := range with {
		fn(&t)
	}
	return t
}

func take(th *stage.Thread, t store.Take) store.Taken {
	th.Helper()
	taken, err := th.Store.Take(th.Context(), t)
	return stage.Must(th, taken, err)
}

func give(th *stage.Thread, back ...store.Holding) {
	th.Helper()
	err := th.Store.Give(th.Context(), back)
	stage.Must(th, true, err)
}

func keep(th *stage.Thread, runs ...store.Holding) {
	th.Helper()
	err := th.Store.Keep(th.Context(), runs)
	stage.Must(th, true, err)
}

func uses(th *stage.Thread, o store.Owner) store.Usage {
	th.Helper()
	u, err := th.Store.Usage(th.Context(), o)
	return stage.Must(th, u, err)
}

func holds(user store.Owner, run string) store.Holding {
	return store.Holding{User: user, Tenant: acme, RunID: run}
}

var QuotaTests = []stage.Test{
	{"runs at once are bounded for a user, through whichever nodes", func(e *stage.Env) {
		th := e.Thread()
		two := func(t *store.Take) { t.Runs = 2 }
		other := th.From(e.Node("b"))
		stage.Same(th, "first", take(th, takes(th, ann, "r1", two)).Over, store.OverNothing)
		stage.Same(th, "second", take(other, takes(th, ann, "r2", two)).Over, store.OverNothing)
		stage.Same(th, "the second again", take(th, takes(th, ann, "r2", two)).Over, store.OverNothing)
		stage.Same(th, "third", take(th, takes(th, ann, "r3", two)).Over, store.OverRuns)
		stage.Same(th, "another user's", take(th, takes(th, bob, "r4", two)).Over, store.OverNothing)
		give(other, holds(ann, "r1"), holds(ann, "r1"))
		stage.Same(th, "third, when one is over", take(th, takes(th, ann, "r3", two)).Over, store.OverNothing)
		stage.Same(th, "ann's", uses(th, ann).Runs, 2)
	}},
	{"runs at once are bounded for a tenant", func(e *stage.Env) {
		th := e.Thread()
		two := func(t *store.Take) { t.TenantRuns = 2 }
		take(th, takes(th, ann, "r1", two))
		take(th, takes(th, bob, "r2", two))
		stage.Same(th, "third", take(th, takes(th, bob, "r3", two)).Over, store.OverTenantRuns)
		elsewhere := takes(th, ann, "r4", two)
		elsewhere.Tenant = store.Owner{Tenant: true, Name: "other"}
		stage.Same(th, "another tenant's", take(th, elsewhere).Over, store.OverNothing)
		stage.Same(th, "the tenant's", uses(th, acme).Runs, 2)
		stage.Same(th, "what bob has after that", uses(th, bob).Runs, 1)
		none := func(t *store.Take) { t.Runs = 0 }
		stage.Same(th, "one of a user who may have none", take(th, takes(th, store.Owner{Name: "acme/cem"}, "r5", none)).Over, store.OverRuns)
		stage.Same(th, "the tenant's after that", uses(th, acme).Runs, 2)
	}},
	{"of many at once as many are taken as may be", func(e *stage.Env) {
		nodes := []*stage.Thread{e.On(e.Node("a"), "t"), e.On(e.Node("b"), "t")}
		var group sync.WaitGroup
		var mu sync.Mutex
		over := map[store.Over]int{}
		for i := range 40 {
			group.Go(func() {
				th := nodes[i%2]
				taken, err := th.Store.Take(th.Context(), takes(th, ann, fmt.Sprint("r", i), func(t *store.Take) { t.Runs = 7 }))
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					e.Error(err)
				}
				over[taken.Over]++
			})
		}
		group.Wait()
		stage.Same(nodes[0], "taken", over[store.OverNothing], 7)
		stage.Same(nodes[0], "refused", over[store.OverRuns], 33)
	}},
	{"a run that nobody keeps lapses, and one that is kept does not", func(e *stage.Env) {
		clock := e.Stopped()
		th := e.Thread()
		one := func(t *store.Take) { t.Runs = 1 }
		take(th, takes(th, ann, "r1", one))
		clock.Move(store.HoldFor - time.Millisecond)
		stage.Same(th, "before it lapses", take(th, takes(th, ann, "r2", one)).Over, store.OverRuns)
		keep(th, holds(ann, "r1"))
		clock.Move(store.HoldFor - time.Millisecond)
		stage.Same(th, "when it was kept", take(th, takes(th, ann, "r2", one)).Over, store.OverRuns)
		keep(th, holds(ann, "r3"))
		stage.Same(th, "what is kept counts, whatever the limit", uses(th, ann).Runs, 2)
		clock.Move(time.Millisecond)
		give(th, holds(ann, "r3"))
		stage.Same(th, "when it has lapsed", take(th, takes(th, ann, "r2", one)).Over, store.OverNothing)
	}},
	{"inputs a minute are bounded, through whichever nodes", func(e *stage.Env) {
		clock := e.Stopped()
		th := e.Thread()
		other := th.From(e.Node("b"))
		rated := func(t *store.Take) { t.Inputs, t.Burst = 60, 3 }
		for i, at := range []*stage.Thread{th, other, th} {
			stage.Same(th, fmt.Sprint("input ", i), take(at, takes(th, ann, fmt.Sprint("r", i), rated)).Over, store.OverNothing)
		}
		taken := take(other, takes(th, ann, "r3", rated))
		stage.Same(th, "the fourth", taken, store.Taken{Over: store.OverInputs, Wait: time.Second, Owner: taken.Owner})
		stage.Same(th, "runs", uses(th, ann).Runs, 3)
		clock.Move(time.Second)
		stage.Same(th, "a second later", take(th, takes(th, ann, "r3", rated)).Over, store.OverNothing)
		stage.Same(th, "and another", take(th, takes(th, ann, "r4", rated)).Over, store.OverInputs)
		clock.Move(time.Hour)
		for i := range 3 {
			stage.Same(th, "much later", take(th, takes(th, ann, fmt.Sprint("s", i), rated)).Over, store.OverNothing)
		}
		stage.Same(th, "no more at once than the burst", take(th, takes(th, ann, "s3", rated)).Over, store.OverInputs)
	}},
	{"threads count for their user until they are deleted or retired", func(e *stage.Env) {
		e.TTL = time.Hour
		clock := e.Stopped()
		s := e.Node("a")
		begun := func(id string) *stage.Thread {
			th := e.On(s, id)
			taken := take(th, takes(th, ann, id, func(t *store.Take) { t.Threads = 2 }))
			stage.Same(th, id+" is too much", taken.ThreadsFull, false)
			b := th.Execute("r-" + id)
			b.User = ann.Name
			c := th.Begun(b)
			th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))
			stage.Same(th, "owner", th.View().Owner, taken.Owner)
			return th
		}
		full := func(id string) bool {
			th := e.On(s, id)
			return take(th, takes(th, ann, "x"+id, func(t *store.Take) { t.Threads = 2 })).ThreadsFull
		}
		one := begun("one")
		begun("two")
		if !full("three") || full("one") {
			e.Error("a third thread is not too much, or one of the two is")
		}
		if !stage.Deleted(one) {
			e.Fatal("it was not deleted")
		}
		begun("three")
		if !full("four") {
			e.Error("a fourth thread is not too much")
		}
		clock.Move(2 * time.Hour)
		retire(one)
		stage.Same(one, "threads", uses(one, ann).Threads, 0)
	}},
	{"a thread that was never begun, or is another's, makes room", func(e *stage.Env) {
		clock := e.Stopped()
		th := e.Thread()
		one := func(t *store.Take) { t.Threads = 1 }
		full := func(what, id string, want bool) {
			th := e.On(th.Store, id)
			stage.Same(th, what, take(th, takes(th, ann, "r-"+id, one)).ThreadsFull, want)
		}
		full("one", "never begun", false)
		full("another", "bobs", true)
		clock.Move(2 * time.Minute)
		full("another, when the first was not begun in time", "bobs", false)
		bobs := e.On(th.Store, "bobs")
		b := bobs.Execute("r1")
		b.User = bob.Name
		bobs.Begun(b)
		clock.Move(2 * time.Minute)
		full("another, when what was counted is another's", "anns", false)
		anns := e.On(th.Store, "anns")
		b = anns.Execute("r1")
		b.User = ann.Name
		anns.Begun(b)
		clock.Move(2 * time.Minute)
		full("a second", "second", true)
	}},
	{"nobody has no limits", func(e *stage.Env) {
		th := e.Thread()
		none := store.Take{RunID: "r1", Thread: th.Key}
		for range 3 {
			stage.Same(th, "taken", take(th, none), store.Taken{})
		}
		keep(th, store.Holding{RunID: "r1"})
		give(th, store.Holding{RunID: "r1"})
		stage.Same(th, "usage", uses(th, store.Owner{}), store.Usage{})
	}},
}
