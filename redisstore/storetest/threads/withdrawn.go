package threads

import (
	"fmt"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var WithdrawnTests = []stage.Test{
	{"the open questions of a thread that is erased are on record, and it is told who did it", func(e *stage.Env) {
		withdraw(e, func(g *grove) {
			if err := g.s.Erase(g.Context(), g.key("asks"), stage.Deleting("ann")); err != nil {
				g.Fatal(err)
			}
		})
	}},
	{"the open questions of a thread that is deleted are on record, and it is told who did it", func(e *stage.Env) {
		withdraw(e, func(g *grove) {
			if res, err := g.tree.DeleteTree(g.Context(), g.key("asks"), store.DeleteReject, stage.Deleting("ann")); err != nil || !res.Deleted {
				g.Fatal(res, err)
			}
		})
	}},
	{"a thread whose open questions are to be kept is not deleted, unless it goes with all that is above it", withdrawnNot},
	{"the open questions below a thread that is deleted are on record, and it is told who did it", func(e *stage.Env) {
		withdraw(e, func(g *grove) {
			if _, err := g.tree.DeleteTree(g.Context(), g.key("top"), store.DeleteCascade, stage.Deleting("ann")); err != nil {
				g.Fatal(err)
			}
		})
	}},
	{"who finishes a deletion records its questions for whom it was begun", withdrawnLater},
	{"a question that was opened while its thread is taken away is on record as well", withdrawnAnew},
}

// withdraw deletes a thread that asks two questions, and looks at what is left of them.
func withdraw(e *stage.Env, deletes func(g *grove)) {
	clock := e.Stopped()
	g := newGrove(e, "a")
	g.plants("top top/asks")
	th := g.On(g.s, "asks")
	b := th.Execute("r1")
	b.Tenant = "acme"
	end := stage.Ending(th.Begun(b), 2, 1, "asks", store.EndSuspend)
	end.End.Interrupts = []string{"one", "two"}
	th.OK(end)
	if err := g.s.Refused(e.Context(), th.Key, []string{"two"}); err != nil {
		e.Fatal(err)
	}
	asked := clock.Read()
	clock.Move(time.Minute)
	_, at := stage.Hearing(th, "")
	deletes(g)
	var got []store.Decision
	for _, d := range onRecord(th, store.DecisionQuery{Tenant: "acme", User: "ann", Thread: &th.Key}) {
		d.ID = ""
		got = append(got, d)
	}
	var want []store.Decision
	for _, id := range []string{"one", "two"} {
		want = append(want, store.Decision{At: clock.Read(), Asked: asked, Thread: th.Key, Tenant: "acme", Agent: "agent",
			Decided: store.Decided{Interrupt: id, Status: store.DecisionCancelled, User: "ann", Body: stage.Raw(`{"asked":{"open":["int"]},"by":{"from":"ann"}}`)}})
	}
	want[1].Refused = 1
	stage.Same(th, "on record", stage.Show(got), stage.Show(want))
	var told string
	list, _ := stage.Hearing(th, at)
	for _, n := range list {
		if n.Thread == th.Key {
			told += fmt.Sprint(n.Kind, n.Interrupts, n.By, "; ")
		}
	}
	stage.Same(th, "told", told, "interrupt.cancelled[one two]ann; thread.deleted[]ann; ")
}

func withdrawnNot(e *stage.Env) {
	g := newGrove(e, "a")
	g.plants("top")
	th := g.On(g.s, "top")
	th.Suspended()
	by := stage.Deleting("ann")
	by.Withdraw = func(w store.Withdrawn) ([]store.Decided, bool) {
		list, _ := stage.Withdraws(w)
		return list, true
	}
	th.Unchanged(func() {
		ok, err := g.s.Delete(e.Context(), th.Key, by)
		stage.Same(th, "deleted", stage.Must(th, ok, err), false)
		for _, how := range []store.DeleteChildren{store.DeleteReject, store.DeleteDetach} {
			res, err := g.tree.DeleteTree(e.Context(), th.Key, how, by)
			stage.Same(th, string(how), stage.Must(th, res, err).Deleted, false)
		}
	})
	stage.Same(th, "on record", len(onRecord(th, store.DecisionQuery{})), 0)
	res, err := g.tree.DeleteTree(e.Context(), th.Key, store.DeleteCascade, by)
	stage.Same(th, "deleted", stage.Must(th, res, err).Deleted, true)
	stage.Same(th, "on record", len(onRecord(th, store.DecisionQuery{})), 1)
}

func withdrawnLater(e *stage.Env) {
	g := newGrove(e, "a")
	if !g.s.Durable() {
		suite.Full(e.T)
	}
	g.plants("a")
	for i := range 220 { // more than are deleted at once
		g.plant(fmt.Sprint("b", i), "a")
	}
	th := g.On(g.s, "a")
	th.Suspended()
	if _, err := g.tree.DeleteTree(e.Context(), th.Key, store.DeleteCascade, stage.Deleting("ann")); err != nil {
		e.Fatal(err)
	}
	stage.Same(th, "at first", len(onRecord(th, store.DecisionQuery{})), 0)
	for more := true; more; {
		var err error
		if more, err = e.Node("b").FinishDeletes(e.Context(), stage.Withdraws); err != nil {
			e.Fatal(err)
		}
	}
	list := onRecord(th, store.DecisionQuery{})
	if len(list) != 1 || list[0].Interrupt != "int" || list[0].User != "ann" || string(list[0].Body) != `{"asked":{"open":["int"]},"by":{"from":"ann"}}` {
		e.Errorf("%+v", list)
	}
}

func withdrawnAnew(e *stage.Env) {
	s := e.Node("a")
	for name, deletes := range map[string]func(th *stage.Thread, by store.Deletion) error{
		"erased": func(th *stage.Thread, by store.Deletion) error { return th.Store.Erase(e.Context(), th.Key, by) },
		"deleted": func(th *stage.Thread, by store.Deletion) error {
			ok, err := th.Store.Delete(e.Context(), th.Key, by)
			stage.Same(th, "deleted", ok, true)
			return err
		},
	} {
		th := e.On(s, name)
		th.Suspended()
		by, calls := stage.Deleting("ann"), 0
		by.Withdraw = func(w store.Withdrawn) ([]store.Decided, bool) {
			if calls++; calls == 1 {
				end := stage.Ending(th.Begun(th.Resume("r2", "exe-r1")), 2, 3, "asks again", store.EndSuspend)
				end.End.Interrupts = []string{"next"}
				th.OK(end)
			}
			return stage.Withdraws(w)
		}
		if err := deletes(th, by); err != nil {
			e.Fatal(name, err)
		}
		var got []string
		for _, d := range onRecord(th, store.DecisionQuery{Thread: &th.Key}) {
			got = append(got, fmt.Sprint(d.Interrupt, " ", d.Status, " ", d.User))
		}
		slices.Sort(got) // both may be of one millisecond
		stage.Same(th, name+", on record", got, []string{"int resolved ", "next cancelled ann"})
		stage.Same(th, name+", open", inbox(th, "", "", 0), "")
	}
}
