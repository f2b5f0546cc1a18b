package threads

import (
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// makes makes a thread that counts for ann, and says whether she has too many.
func (g *grove) makes(id string, threads int) (full bool) {
	g.Helper()
	th := g.On(g.s, id)
	taken := take(th, store.Take{User: ann, Runs: -1, TenantRuns: -1, Thread: th.Key, Threads: threads, Inputs: -1, Makes: true})
	if taken.ThreadsFull {
		return true
	}
	if _, err := g.put(id, store.NodeChange{Create: true, Version: store.AnyVersion, Owner: taken.Owner}); err != nil {
		g.Fatal(err)
	}
	return false
}

var TreeMadeTests = []stage.Test{
	{"a thread that is made counts for its user until it is deleted, and once", func(e *stage.Env) {
		clock := e.Stopped()
		g := newGrove(e, "a")
		if g.makes("one", 2) || g.makes("two", 2) || !g.makes("three", 2) {
			e.Fatal("not two threads, and not more, may be made")
		}
		// The list of those that count is looked through when it is full.
		clock.Move(2 * time.Minute)
		if !g.makes("three", 2) {
			e.Error("threads that were made count for a while only")
		}
		one := g.On(g.s, "one")
		stage.Same(one, "runs", uses(one, ann).Runs, 0)
		input := takes(one, ann, "r1", func(t *store.Take) { t.Threads = 2 })
		stage.Same(one, "the first input of a thread that was made", take(one, input).ThreadsFull, false)
		stage.Same(one, "threads", uses(one, ann).Threads, 2)
		g.deletes("two", store.DeleteReject)
		stage.Same(one, "threads, after one was deleted", uses(one, ann).Threads, 1)
		if g.makes("four", 2) {
			e.Error("one that was deleted counts")
		}
	}},
	{"a thread that was made is named before its first input, and keeps the name until it is deleted", func(e *stage.Env) {
		g := newGrove(e, "a")
		g.plants("one one/two three")
		names := func(id, title string, want bool) {
			e.Helper()
			th := g.On(g.s, id)
			ok, err := g.s.SetTitle(e.Context(), th.Key, title)
			stage.Same(th, id+" is named", stage.Must(th, ok, err), want)
		}
		shows := func(when, id, want string) {
			e.Helper()
			th := g.On(g.s, id)
			infos, err := g.tree.ThreadInfos(e.Context(), []store.ThreadKey{th.Key})
			got := "nothing"
			if info := stage.Must(th, infos, err)[0]; info != nil {
				got = fmt.Sprint(info.Title, " ", info.Thread.Thread, " ", info.Unused)
			}
			stage.Same(th, id+" "+when, got, want)
		}
		for _, id := range []string{"one", "two", "three"} {
			names(id, "Name", true)
			shows("named", id, "Name "+id+" true")
		}
		names("nobody", "Name", false)
		shows("never made", "nobody", "nothing")
		th := g.On(g.s, "one")
		th.View(store.ReadQuery{Follower: true})
		stage.Same(th, "list", list(th, "space", 0), "")
		names("three", "", true)
		shows("without its name", "three", "nothing")
		names("three", "Other", true)

		b := th.Execute("r1")
		b.Title = "What was said"
		th.OK(stage.Ending(th.Begun(b), 2, 1, "end", store.EndFinish))
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
	{"a thread that is made and never used is retired by its latest change", func(e *stage.Env) {
		e.TTL = time.Hour
		clock := e.Stopped()
		g := newGrove(e, "a")
		g.makes("old", -1)
		g.makes("used", -1)
		g.makes("changed", -1)
		if _, err := g.put("below", under("old")); err == nil {
			e.Fatal("a thread that is not there was changed")
		}
		g.plant("below", "old")
		clock.Move(40 * time.Minute)
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
		clock.Move(25 * time.Minute)
		retire()
		g.is("after 65 minutes", ">below(0)below >changed(0)changed >used(0)used")
		th := g.On(g.s, "used")
		stage.Same(th, "threads of the user", uses(th, ann).Threads, 2)
		clock.Move(2 * time.Hour)
		retire()
		g.is("in the end", "")
	}},
}
