package storetest

import (
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// makes makes a thread that counts for ann, and says whether she has too many.
func (g *grove) makes(id string, threads int) (full bool) {
	g.Helper()
	th := g.on(g.s, id)
	taken := th.take(store.Take{User: ann, Runs: -1, TenantRuns: -1, Thread: th.key, Threads: threads, Inputs: -1, Makes: true})
	if taken.ThreadsFull {
		return true
	}
	if _, err := g.put(id, store.NodeChange{Create: true, Version: store.AnyVersion, Owner: taken.Owner}); err != nil {
		g.Fatal(err)
	}
	return false
}

var treeMadeTests = []test{
	{"a thread that is made counts for its user until it is deleted, and once", func(e *env) {
		clock := e.stopped()
		g := e.grove("a")
		if g.makes("one", 2) || g.makes("two", 2) || !g.makes("three", 2) {
			e.Fatal("not two threads, and not more, may be made")
		}
		// The list of those that count is looked through when it is full.
		clock.move(2 * time.Minute)
		if !g.makes("three", 2) {
			e.Error("threads that were made count for a while only")
		}
		one := g.on(g.s, "one")
		same(one, "runs", one.uses(ann).Runs, 0)
		input := one.takes(ann, "r1", func(t *store.Take) { t.Threads = 2 })
		same(one, "the first input of a thread that was made", one.take(input).ThreadsFull, false)
		same(one, "threads", one.uses(ann).Threads, 2)
		g.deletes("two", store.DeleteReject)
		same(one, "threads, after one was deleted", one.uses(ann).Threads, 1)
		if g.makes("four", 2) {
			e.Error("one that was deleted counts")
		}
	}},
	{"a thread that was made is named before its first input, and keeps the name until it is deleted", func(e *env) {
		g := e.grove("a")
		g.plants("one one/two three")
		names := func(id, title string, want bool) {
			e.Helper()
			th := g.on(g.s, id)
			ok, err := g.s.SetTitle(e.Context(), th.key, title)
			same(th, id+" is named", must(th, ok, err), want)
		}
		shows := func(when, id, want string) {
			e.Helper()
			th := g.on(g.s, id)
			infos, err := g.tree.ThreadInfos(e.Context(), []store.ThreadKey{th.key})
			got := "nothing"
			if info := must(th, infos, err)[0]; info != nil {
				got = fmt.Sprint(info.Title, " ", info.Thread.Thread, " ", info.Unused)
			}
			same(th, id+" "+when, got, want)
		}
		for _, id := range []string{"one", "two", "three"} {
			names(id, "Name", true)
			shows("named", id, "Name "+id+" true")
		}
		names("nobody", "Name", false)
		shows("never made", "nobody", "nothing")
		th := g.on(g.s, "one")
		th.view(store.ReadQuery{Follower: true})
		same(th, "list", th.list("space", 0), "")
		names("three", "", true)
		shows("without its name", "three", "nothing")
		names("three", "Other", true)

		b := th.execute("r1")
		b.Title = "What was said"
		th.ok(ending(th.begun(b), 2, 1, "end", store.EndFinish))
		shows("used", "one", "Name one false")

		g.deletes("three", store.DeleteReject)
		shows("deleted", "three", "nothing")
		names("three", "Name", false)
		g.plant("three", "")
		shows("made again", "three", "nothing")
		g.deletes("one", store.DeleteCascade)
		g.plants("one two")
		names("one", "New", true)
		shows("made again after it was used", "one", "New one true")
		shows("made again", "two", "nothing")
		g.deletes("one", store.DeleteCascade)
		shows("deleted again", "one", "nothing")
	}},
	{"a thread that is made and never used is retired by its latest change", func(e *env) {
		e.ttl = time.Hour
		clock := e.stopped()
		g := e.grove("a")
		g.makes("old", -1)
		g.makes("used", -1)
		g.makes("changed", -1)
		if _, err := g.put("below", under("old")); err == nil {
			e.Fatal("a thread that is not there was changed")
		}
		g.plant("below", "old")
		clock.move(40 * time.Minute)
		g.uses("used")
		resource := "r"
		for _, id := range []string{"changed", "below"} {
			if _, err := g.put(id, store.NodeChange{Version: store.AnyVersion, Resource: &resource}); err != nil {
				e.Fatal(err)
			}
		}
		retire := func() {
			for more := true; more; {
				var err error
				if more, err = g.s.Retire(e.Context()); err != nil {
					e.Fatal(err)
				}
			}
		}
		retire()
		g.is("after 40 minutes", "old>below(1)old >changed(0)changed >old(0)old >used(0)used")
		clock.move(25 * time.Minute)
		retire()
		g.is("after 65 minutes", ">below(0)below >changed(0)changed >used(0)used")
		th := g.on(g.s, "used")
		same(th, "threads of the user", th.uses(ann).Threads, 2)
		clock.move(2 * time.Hour)
		retire()
		g.is("in the end", "")
	}},
}
