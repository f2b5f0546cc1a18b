package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
)

var withdrawnTests = []test{
	{"the open questions of a thread that is erased are on record, and it is told who did it", func(e *env) {
		e.withdraws(func(g *grove) {
			if err := g.s.Erase(g.Context(), g.key("asks"), Deleting("ann")); err != nil {
				g.Fatal(err)
			}
		})
	}},
	{"the open questions of a thread that is deleted are on record, and it is told who did it", func(e *env) {
		e.withdraws(func(g *grove) {
			if res, err := g.tree.DeleteTree(g.Context(), g.key("asks"), store.DeleteReject, Deleting("ann")); err != nil || !res.Deleted {
				g.Fatal(res, err)
			}
		})
	}},
	{"a thread whose open questions are to be kept is not deleted, unless it goes with all that is above it", (*env).withdrawnNot},
	{"the open questions below a thread that is deleted are on record, and it is told who did it", func(e *env) {
		e.withdraws(func(g *grove) {
			if _, err := g.tree.DeleteTree(g.Context(), g.key("top"), store.DeleteCascade, Deleting("ann")); err != nil {
				g.Fatal(err)
			}
		})
	}},
	{"who finishes a deletion records its questions for whom it was begun", (*env).withdrawnLater},
	{"a question that was opened while its thread is taken away is on record as well", (*env).withdrawnAnew},
}

// withdraws deletes a thread that asks two questions, and looks at what is left of them.
func (e *env) withdraws(deletes func(g *grove)) {
	clock := e.stopped()
	g := e.grove("a")
	g.plants("top top/asks")
	th := g.on(g.s, "asks")
	b := th.execute("r1")
	b.Tenant = "acme"
	end := ending(th.begun(b), 2, 1, "asks", store.EndSuspend)
	end.End.Interrupts = []string{"one", "two"}
	th.ok(end)
	if err := g.s.Refused(e.Context(), th.key, []string{"two"}); err != nil {
		e.Fatal(err)
	}
	asked := clock.read()
	clock.move(time.Minute)
	_, at := th.heard("")
	deletes(g)
	var got []store.Decision
	for _, d := range th.onRecord(store.DecisionQuery{Tenant: "acme", User: "ann", Thread: &th.key}) {
		d.ID = ""
		got = append(got, d)
	}
	var want []store.Decision
	for _, id := range []string{"one", "two"} {
		want = append(want, store.Decision{At: clock.read(), Asked: asked, Thread: th.key, Tenant: "acme", Agent: "agent",
			Decided: store.Decided{Interrupt: id, Status: store.DecisionCancelled, User: "ann", Body: raw(`{"asked":{"open":["int"]},"by":{"from":"ann"}}`)}})
	}
	want[1].Refused = 1
	same(th, "on record", show(got), show(want))
	var told string
	list, _ := th.heard(at)
	for _, n := range list {
		if n.Thread == th.key {
			told += fmt.Sprint(n.Kind, n.Interrupts, n.By, "; ")
		}
	}
	same(th, "told", told, "interrupt.cancelled[one two]ann; thread.deleted[]ann; ")
}

func (e *env) withdrawnNot() {
	g := e.grove("a")
	g.plants("top")
	th := g.on(g.s, "top")
	th.suspended()
	by := Deleting("ann")
	by.Withdraw = func(w store.Withdrawn) ([]store.Decided, bool) {
		list, _ := withdraws(w)
		return list, true
	}
	th.unchanged(func() {
		ok, err := g.s.Delete(e.Context(), th.key, by)
		same(th, "deleted", must(th, ok, err), false)
		for _, how := range []store.DeleteChildren{store.DeleteReject, store.DeleteDetach} {
			res, err := g.tree.DeleteTree(e.Context(), th.key, how, by)
			same(th, string(how), must(th, res, err).Deleted, false)
		}
	})
	same(th, "on record", len(th.onRecord(store.DecisionQuery{})), 0)
	res, err := g.tree.DeleteTree(e.Context(), th.key, store.DeleteCascade, by)
	same(th, "deleted", must(th, res, err).Deleted, true)
	same(th, "on record", len(th.onRecord(store.DecisionQuery{})), 1)
}

func (e *env) withdrawnLater() {
	g := e.grove("a")
	if !g.s.Durable() {
		suite.Full(e.T)
	}
	g.plants("a")
	for i := range 220 { // more than are deleted at once
		g.plant(fmt.Sprint("b", i), "a")
	}
	th := g.on(g.s, "a")
	th.suspended()
	if _, err := g.tree.DeleteTree(e.Context(), th.key, store.DeleteCascade, Deleting("ann")); err != nil {
		e.Fatal(err)
	}
	same(th, "at first", len(th.onRecord(store.DecisionQuery{})), 0)
	for more := true; more; {
		var err error
		if more, err = e.node("b").FinishDeletes(e.Context(), withdraws); err != nil {
			e.Fatal(err)
		}
	}
	list := th.onRecord(store.DecisionQuery{})
	if len(list) != 1 || list[0].Interrupt != "int" || list[0].User != "ann" || string(list[0].Body) != `{"asked":{"open":["int"]},"by":{"from":"ann"}}` {
		e.Errorf("%+v", list)
	}
}

func (e *env) withdrawnAnew() {
	s := e.node("a")
	for name, deletes := range map[string]func(th *thread, by store.Deletion) error{
		"erased": func(th *thread, by store.Deletion) error { return th.s.Erase(e.Context(), th.key, by) },
		"deleted": func(th *thread, by store.Deletion) error {
			ok, err := th.s.Delete(e.Context(), th.key, by)
			same(th, "deleted", ok, true)
			return err
		},
	} {
		th := e.on(s, name)
		th.suspended()
		by, calls := Deleting("ann"), 0
		by.Withdraw = func(w store.Withdrawn) ([]store.Decided, bool) {
			if calls++; calls == 1 {
				end := ending(th.begun(th.resume("r2", "exe-r1")), 2, 3, "asks again", store.EndSuspend)
				end.End.Interrupts = []string{"next"}
				th.ok(end)
			}
			return withdraws(w)
		}
		if err := deletes(th, by); err != nil {
			e.Fatal(name, err)
		}
		var got []string
		for _, d := range th.onRecord(store.DecisionQuery{Thread: &th.key}) {
			got = append(got, fmt.Sprint(d.Interrupt, " ", d.Status, " ", d.User))
		}
		slices.Sort(got) // both may be of one millisecond
		same(th, name+", on record", got, []string{"int resolved ", "next cancelled ann"})
		same(th, name+", open", th.inbox("", "", 0), "")
	}
}
