package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var (
	ann  = store.Owner{Name: "acme/ann"}
	bob  = store.Owner{Name: "acme/bob"}
	acme = store.Owner{Tenant: true, Name: "acme"}
)

// takes is what an input of the user takes on the thread; nothing is limited.
func (th *thread) takes(user store.Owner, run string, with ...func(*store.Take)) store.Take {
	t := store.Take{User: user, Tenant: acme, RunID: run, Runs: -1, TenantRuns: -1, Thread: th.key, Threads: -1, Inputs: -1}
	for _, fn := range with {
		fn(&t)
	}
	return t
}

func (th *thread) take(t store.Take) store.Taken {
	th.Helper()
	taken, err := th.s.Take(th.Context(), t)
	return must(th, taken, err)
}

func (th *thread) give(back ...store.Holding) {
	th.Helper()
	err := th.s.Give(th.Context(), back)
	must(th, true, err)
}

func (th *thread) keep(runs ...store.Holding) {
	th.Helper()
	err := th.s.Keep(th.Context(), runs)
	must(th, true, err)
}

func (th *thread) uses(o store.Owner) store.Usage {
	th.Helper()
	u, err := th.s.Usage(th.Context(), o)
	return must(th, u, err)
}

func holds(user store.Owner, run string) store.Holding {
	return store.Holding{User: user, Tenant: acme, RunID: run}
}

var quotaTests = []test{
	{"runs at once are bounded for a user, through whichever nodes", func(e *env) {
		th := e.thread()
		two := func(t *store.Take) { t.Runs = 2 }
		other := th.from(e.node("b"))
		same(th, "first", th.take(th.takes(ann, "r1", two)).Over, store.OverNothing)
		same(th, "second", other.take(th.takes(ann, "r2", two)).Over, store.OverNothing)
		same(th, "the second again", th.take(th.takes(ann, "r2", two)).Over, store.OverNothing)
		same(th, "third", th.take(th.takes(ann, "r3", two)).Over, store.OverRuns)
		same(th, "another user's", th.take(th.takes(bob, "r4", two)).Over, store.OverNothing)
		other.give(holds(ann, "r1"), holds(ann, "r1"))
		same(th, "third, when one is over", th.take(th.takes(ann, "r3", two)).Over, store.OverNothing)
		same(th, "ann's", th.uses(ann).Runs, 2)
	}},
	{"runs at once are bounded for a tenant", func(e *env) {
		th := e.thread()
		two := func(t *store.Take) { t.TenantRuns = 2 }
		th.take(th.takes(ann, "r1", two))
		th.take(th.takes(bob, "r2", two))
		same(th, "third", th.take(th.takes(bob, "r3", two)).Over, store.OverTenantRuns)
		elsewhere := th.takes(ann, "r4", two)
		elsewhere.Tenant = store.Owner{Tenant: true, Name: "other"}
		same(th, "another tenant's", th.take(elsewhere).Over, store.OverNothing)
		same(th, "the tenant's", th.uses(acme).Runs, 2)
		same(th, "what bob has after that", th.uses(bob).Runs, 1)
		none := func(t *store.Take) { t.Runs = 0 }
		same(th, "one of a user who may have none", th.take(th.takes(store.Owner{Name: "acme/cem"}, "r5", none)).Over, store.OverRuns)
		same(th, "the tenant's after that", th.uses(acme).Runs, 2)
	}},
	{"of many at once as many are taken as may be", func(e *env) {
		nodes := []*thread{e.on(e.node("a"), "t"), e.on(e.node("b"), "t")}
		var group sync.WaitGroup
		var mu sync.Mutex
		over := map[store.Over]int{}
		for i := range 40 {
			group.Go(func() {
				th := nodes[i%2]
				taken, err := th.s.Take(th.Context(), th.takes(ann, fmt.Sprint("r", i), func(t *store.Take) { t.Runs = 7 }))
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					e.Error(err)
				}
				over[taken.Over]++
			})
		}
		group.Wait()
		same(nodes[0], "taken", over[store.OverNothing], 7)
		same(nodes[0], "refused", over[store.OverRuns], 33)
	}},
	{"a run that nobody keeps lapses, and one that is kept does not", func(e *env) {
		clock := e.stopped()
		th := e.thread()
		one := func(t *store.Take) { t.Runs = 1 }
		th.take(th.takes(ann, "r1", one))
		clock.move(store.HoldFor - time.Millisecond)
		same(th, "before it lapses", th.take(th.takes(ann, "r2", one)).Over, store.OverRuns)
		th.keep(holds(ann, "r1"))
		clock.move(store.HoldFor - time.Millisecond)
		same(th, "when it was kept", th.take(th.takes(ann, "r2", one)).Over, store.OverRuns)
		th.keep(holds(ann, "r3"))
		same(th, "what is kept counts, whatever the limit", th.uses(ann).Runs, 2)
		clock.move(time.Millisecond)
		th.give(holds(ann, "r3"))
		same(th, "when it has lapsed", th.take(th.takes(ann, "r2", one)).Over, store.OverNothing)
	}},
	{"inputs a minute are bounded, through whichever nodes", func(e *env) {
		clock := e.stopped()
		th := e.thread()
		other := th.from(e.node("b"))
		rated := func(t *store.Take) { t.Inputs, t.Burst = 60, 3 }
		for i, at := range []*thread{th, other, th} {
			same(th, fmt.Sprint("input ", i), at.take(th.takes(ann, fmt.Sprint("r", i), rated)).Over, store.OverNothing)
		}
		taken := other.take(th.takes(ann, "r3", rated))
		same(th, "the fourth", taken, store.Taken{Over: store.OverInputs, Wait: time.Second, Owner: taken.Owner})
		same(th, "runs", th.uses(ann).Runs, 3)
		clock.move(time.Second)
		same(th, "a second later", th.take(th.takes(ann, "r3", rated)).Over, store.OverNothing)
		same(th, "and another", th.take(th.takes(ann, "r4", rated)).Over, store.OverInputs)
		clock.move(time.Hour)
		for i := range 3 {
			same(th, "much later", th.take(th.takes(ann, fmt.Sprint("s", i), rated)).Over, store.OverNothing)
		}
		same(th, "no more at once than the burst", th.take(th.takes(ann, "s3", rated)).Over, store.OverInputs)
	}},
	{"threads count for their user until they are deleted or retired", func(e *env) {
		e.ttl = time.Hour
		clock := e.stopped()
		s := e.node("a")
		begun := func(id string) *thread {
			th := e.on(s, id)
			taken := th.take(th.takes(ann, id, func(t *store.Take) { t.Threads = 2 }))
			same(th, id+" is too much", taken.ThreadsFull, false)
			b := th.execute("r-" + id)
			b.User = ann.Name
			c := th.begun(b)
			th.ok(ending(c, 2, 1, "end", store.EndFinish))
			same(th, "owner", th.view().Owner, taken.Owner)
			return th
		}
		full := func(id string) bool {
			th := e.on(s, id)
			return th.take(th.takes(ann, "x"+id, func(t *store.Take) { t.Threads = 2 })).ThreadsFull
		}
		one := begun("one")
		begun("two")
		if !full("three") || full("one") {
			e.Error("a third thread is not too much, or one of the two is")
		}
		if !one.deleted() {
			e.Fatal("it was not deleted")
		}
		begun("three")
		if !full("four") {
			e.Error("a fourth thread is not too much")
		}
		clock.move(2 * time.Hour)
		one.retire()
		same(one, "threads", one.uses(ann).Threads, 0)
	}},
	{"a thread that was never begun, or is another's, makes room", func(e *env) {
		clock := e.stopped()
		th := e.thread()
		one := func(t *store.Take) { t.Threads = 1 }
		full := func(what, id string, want bool) {
			th := e.on(th.s, id)
			same(th, what, th.take(th.takes(ann, "r-"+id, one)).ThreadsFull, want)
		}
		full("one", "never begun", false)
		full("another", "bobs", true)
		clock.move(2 * time.Minute)
		full("another, when the first was not begun in time", "bobs", false)
		bobs := e.on(th.s, "bobs")
		b := bobs.execute("r1")
		b.User = bob.Name
		bobs.begun(b)
		clock.move(2 * time.Minute)
		full("another, when what was counted is another's", "anns", false)
		anns := e.on(th.s, "anns")
		b = anns.execute("r1")
		b.User = ann.Name
		anns.begun(b)
		clock.move(2 * time.Minute)
		full("a second", "second", true)
	}},
	{"nobody has no limits", func(e *env) {
		th := e.thread()
		none := store.Take{RunID: "r1", Thread: th.key}
		for range 3 {
			same(th, "taken", th.take(none), store.Taken{})
		}
		th.keep(store.Holding{RunID: "r1"})
		th.give(store.Holding{RunID: "r1"})
		same(th, "usage", th.uses(store.Owner{}), store.Usage{})
	}},
}
