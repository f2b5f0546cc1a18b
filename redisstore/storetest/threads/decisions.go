package threads

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var DecisionTests = []stage.Test{
	{"a decision is on record with what was asked and answered", decisionRecorded},
	{"the record outlives run and thread, until it is forgotten", decisionsOutlive},
	{"a repeat writes nothing, and a decision that was given back stays", decisionsStay},
	{"refused answers are counted while the interrupt is open", refusalsCounted},
	{"pages are the latest first, of all partitions", decisionPages},
	{"filters choose among decisions", decisionFilters},
	{"a page of few among many looks at no more than it may", decisionScan},
	{"a page of a namespace is full whatever is on record beside it", decisionsOfNamespace},
	{"decisions go when their time is over", decisionsRetire},
	{"a cursor of another query is refused", decisionCursors},
}

// onRecord reads all pages of a query.
func onRecord(th *stage.Thread, q store.DecisionQuery) (list []store.Decision) {
	th.Helper()
	for {
		page, err := th.Store.Decisions(th.Context(), q)
		page = stage.Must(th, page, err)
		list = append(list, page.Decisions...)
		if q.Cursor = page.Next; q.Cursor == "" {
			return list
		}
	}
}

// interruptsOf are the interrupts of decisions, in order.
func interruptsOf(list []store.Decision) string {
	var ids []string
	for _, d := range list {
		ids = append(ids, d.Interrupt)
	}
	return strings.Join(ids, " ")
}

// decide asks in a run on a fresh thread, and answers.
func decide(th *stage.Thread, tenant string, decided ...store.Decided) {
	th.Helper()
	decideFor(th, tenant, "agent", decided...)
}

func decideFor(th *stage.Thread, tenant, agent string, decided ...store.Decided) {
	th.Helper()
	b := stage.With(th.Execute("asks"), func(k *store.Execute) { k.Agent = agent })
	b.Tenant = tenant
	end := stage.Ending(th.Begun(b), 2, 1, "asks", store.EndSuspend)
	end.End.Interrupts = nil
	answers := map[string]string{}
	for _, d := range decided {
		end.End.Interrupts = append(end.End.Interrupts, d.Interrupt)
		answers[d.Interrupt] = "1"
	}
	th.OK(end)
	th.Begun(stage.With(th.Resume("answers", "exe-asks"), func(k *store.Resume) { k.Answers, k.Decided = stage.RawMap(answers), decided }))
}

func decisionRecorded(e *stage.Env) {
	clock := e.Stopped()
	th := e.Thread()
	b := th.Execute("r1")
	b.Tenant = "acme"
	end := stage.Ending(th.Begun(b), 2, 1, "asks", store.EndSuspend)
	end.End.Interrupts = []string{"one", "two"}
	th.OK(end)
	asked := clock.Read()
	clock.Move(time.Minute)
	given := []store.Decided{
		{Interrupt: "one", Status: store.DecisionResolved, User: "ann", Tool: "pay", Body: stage.Raw(`{"any": ["thing", 1.0]}`)},
		{Interrupt: "two", Status: store.DecisionExpired},
	}
	r := stage.With(th.Resume("r2", "exe-r1"), func(k *store.Resume) {
		k.Answers, k.Decided = stage.RawMap(map[string]string{"one": "1", "two": "2"}), given
	})
	th.Begun(r)
	list := onRecord(th, store.DecisionQuery{Tenant: "acme"})
	if len(list) != 2 || list[0].ID == "" || list[0].ID == list[1].ID {
		th.Fatalf("%+v", list)
	}
	for i, d := range list {
		d.ID = ""
		stage.Same(th, "decision", stage.Show(d), stage.Show(store.Decision{Decided: given[i], At: clock.Read(), Asked: asked, Thread: th.Key, Tenant: "acme", Agent: "agent", RunID: "r2"}))
	}
}

func decisionsOutlive(e *stage.Env) {
	th := e.Thread()
	decide(th, "acme", store.Decided{Interrupt: "one", Status: store.DecisionResolved})
	other := e.On(th.Store, "other")
	decide(other, "acme", store.Decided{Interrupt: "two", Status: store.DecisionResolved})
	if err := th.Store.Erase(th.Context(), th.Key, stage.Deleting("")); err != nil {
		th.Fatal(err)
	}
	stage.Same(th, "on record", interruptsOf(onRecord(th, store.DecisionQuery{Tenant: "acme", Thread: &th.Key})), "one")
	for range 2 {
		if err := th.Store.ForgetDecisions(th.Context(), th.Key); err != nil {
			th.Fatal(err)
		}
	}
	stage.Same(th, "on record", interruptsOf(onRecord(th, store.DecisionQuery{AllTenants: true})), "two")
	stage.Same(th, "of the thread", interruptsOf(onRecord(th, store.DecisionQuery{AllTenants: true, Thread: &th.Key})), "")
}

func decisionsStay(e *stage.Env) {
	th := e.Thread()
	th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "asks", store.EndSuspend))
	b := th.Resume("r2", "exe-r1")
	c := th.Begun(b)
	th.Begun(b)
	stage.Same(th, "on record", len(onRecord(th, store.DecisionQuery{})), 1)
	stale := th.Resume("r3", "exe-r1")
	stale.Version--
	if res := th.Begin(stale); res.Status != store.BeginStale {
		th.Fatalf("%+v", res)
	}
	end := stage.Ending(c, 2, 3, "fails", store.EndFail)
	end.End.GiveBack = true
	if res := th.OK(end); !res.GaveBack {
		th.Fatalf("%+v", res)
	}
	th.Begun(th.Resume("r4", "exe-r1"))
	list := onRecord(th, store.DecisionQuery{Thread: &th.Key})
	if len(list) != 2 || list[0].RunID != "r4" && list[1].RunID != "r4" {
		th.Fatalf("%+v", list)
	}
}

func refusalsCounted(e *stage.Env) {
	th := e.Thread()
	end := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "asks", store.EndSuspend)
	end.End.Interrupts = []string{"one", "two"}
	th.OK(end)
	version := th.View().Version
	for _, ids := range [][]string{{"one"}, {"one", "two"}, {"other"}, nil} {
		if err := th.Store.Refused(th.Context(), th.Key, ids); err != nil {
			th.Fatal(err)
		}
	}
	stage.Same(th, "version", th.View().Version, version)
	answers := stage.RawMap(map[string]string{"one": "1", "two": "2"})
	answer := func(run string) store.Claim {
		return th.Begun(stage.With(th.Resume(run, "exe-r1"), func(k *store.Resume) { k.Answers, k.Decided = answers, stage.Decided(answers) }))
	}
	c := answer("r2")
	if err := th.Store.Refused(th.Context(), th.Key, []string{"one"}); err != nil {
		th.Fatal(err)
	}
	counts := func() string {
		got := map[string]int{}
		for _, d := range onRecord(th, store.DecisionQuery{Thread: &th.Key}) {
			got[d.RunID+" "+d.Interrupt] = d.Refused
		}
		return fmt.Sprint(got)
	}
	stage.Same(th, "refused", counts(), "map[r2 one:2 r2 two:1]")
	end = stage.Ending(c, 2, 3, "fails", store.EndFail)
	end.End.GiveBack = true
	th.OK(end)
	if err := th.Store.Refused(th.Context(), th.Key, []string{"one"}); err != nil {
		th.Fatal(err)
	}
	answer("r3")
	stage.Same(th, "refused", counts(), "map[r2 one:2 r2 two:1 r3 one:1 r3 two:0]")
}

func decisionPages(e *stage.Env) {
	clock := e.Stopped()
	th := e.Thread()
	const n = 23
	var want []string
	for i := range n {
		id := fmt.Sprint("i", i)
		decide(e.On(th.Store, id), "acme", store.Decided{Interrupt: id, Status: store.DecisionResolved})
		want = append([]string{id}, want...)
		clock.Move(time.Millisecond)
	}
	for _, limit := range []int{1, 5, n, 0} {
		stage.Same(th, "of a tenant", interruptsOf(onRecord(th, store.DecisionQuery{Tenant: "acme", Limit: limit})), strings.Join(want, " "))
		stage.Same(th, "of all", interruptsOf(onRecord(th, store.DecisionQuery{AllTenants: true, Limit: limit})), strings.Join(want, " "))
	}
	page, err := th.Store.Decisions(th.Context(), store.DecisionQuery{Tenant: "acme", Limit: 5})
	if page = stage.Must(th, page, err); len(page.Decisions) != 5 || page.Next == "" {
		th.Errorf("%+v", page)
	}
}

func decisionFilters(e *stage.Env) {
	clock := e.Stopped()
	th := e.Thread()
	begun := clock.Read()
	for i, tenant := range []string{"acme", "globex", ""} {
		for j, user := range []string{"ann", "bob", ""} {
			on := e.On(th.Store, tenant+user)
			on.Key.Namespace = "of " + user
			decideFor(on, tenant, tenant+"'s",
				store.Decided{Interrupt: fmt.Sprintf("a%d%d", i, j), Status: store.DecisionResolved, User: user, Tool: "pay"},
				store.Decided{Interrupt: fmt.Sprintf("b%d%d", i, j), Status: store.DecisionCancelled, User: user, Tool: "mail"})
			clock.Move(time.Second)
		}
	}
	bob := store.ThreadKey{Namespace: "of bob", Thread: "acmebob"}
	for name, c := range map[string]struct {
		q    store.DecisionQuery
		want string
	}{
		"a tenant":              {store.DecisionQuery{Tenant: "globex"}, "a12 b12 a11 b11 a10 b10"},
		"none":                  {store.DecisionQuery{}, "a22 b22 a21 b21 a20 b20"},
		"a user":                {store.DecisionQuery{Tenant: "acme", User: "bob"}, "a01 b01"},
		"a user of any":         {store.DecisionQuery{AllTenants: true, User: "ann"}, "a20 b20 a10 b10 a00 b00"},
		"a tool":                {store.DecisionQuery{Tenant: "acme", Tool: "pay"}, "a02 a01 a00"},
		"a status":              {store.DecisionQuery{Tenant: "acme", Status: store.DecisionCancelled, User: "ann"}, "b00"},
		"a thread":              {store.DecisionQuery{Tenant: "acme", Thread: &bob}, "a01 b01"},
		"a thread of another":   {store.DecisionQuery{Tenant: "globex", Thread: &bob}, ""},
		"a thread, by whomever": {store.DecisionQuery{AllTenants: true, Thread: &bob, Tool: "mail"}, "b01"},
		"a namespace":           {store.DecisionQuery{AllTenants: true, Namespace: "of ann"}, "a20 b20 a10 b10 a00 b00"},
		"a namespace, a tenant": {store.DecisionQuery{Tenant: "globex", Namespace: "of bob"}, "a11 b11"},
		"a namespace, a tool":   {store.DecisionQuery{AllTenants: true, Namespace: "of bob", Tool: "mail"}, "b21 b11 b01"},
		"a namespace, a user":   {store.DecisionQuery{Tenant: "acme", Namespace: "of bob", User: "ann"}, ""},
		"a namespace's thread":  {store.DecisionQuery{Tenant: "acme", Namespace: "of bob", Thread: &bob}, "a01 b01"},
		"another's thread":      {store.DecisionQuery{Tenant: "acme", Namespace: "of ann", Thread: &bob}, ""},
		"no namespace":          {store.DecisionQuery{AllTenants: true, Namespace: "of"}, ""},
		"an agent":              {store.DecisionQuery{AllTenants: true, Agent: "acme's", User: "bob"}, "a01 b01"},
		"an agent of a tenant":  {store.DecisionQuery{Tenant: "globex", Agent: "acme's"}, ""},
		"from":                  {store.DecisionQuery{AllTenants: true, From: begun.Add(7 * time.Second)}, "a22 b22 a21 b21"},
		"to":                    {store.DecisionQuery{AllTenants: true, To: begun.Add(time.Second)}, "a00 b00"},
		"between":               {store.DecisionQuery{Tenant: "acme", From: begun.Add(time.Second), To: begun.Add(2 * time.Second)}, "a01 b01"},
		"nothing":               {store.DecisionQuery{Tenant: "initech"}, ""},
	} {
		for _, limit := range []int{1, 0} {
			c.q.Limit = limit
			if got := interruptsOf(onRecord(th, c.q)); got != c.want {
				th.Errorf("%s, %d a page: %q, %q was wanted", name, limit, got, c.want)
			}
		}
	}
}

func decisionScan(e *stage.Env) {
	th := e.Thread()
	for i := range 6 {
		decided := make([]store.Decided, 100)
		for j := range decided {
			decided[j] = store.Decided{Interrupt: fmt.Sprint("i", j), Status: store.DecisionResolved, Tool: "other"}
		}
		if i == 0 {
			decided[99].Tool = "pay"
		}
		decide(e.On(th.Store, fmt.Sprint("t", i)), "acme", decided...)
	}
	q := store.DecisionQuery{Tenant: "acme", Tool: "pay"}
	page, err := th.Store.Decisions(th.Context(), q)
	if page = stage.Must(th, page, err); len(page.Decisions) > 0 || page.Next == "" {
		th.Errorf("the first page has %d, and goes on at %q", len(page.Decisions), page.Next)
	}
	stage.Same(th, "found", interruptsOf(onRecord(th, q)), "i99")
}

func decisionsOfNamespace(e *stage.Env) {
	th := e.Thread()
	for i := range 6 {
		decided := make([]store.Decided, 100)
		for j := range decided {
			decided[j] = store.Decided{Interrupt: fmt.Sprint("i", j), Status: store.DecisionResolved}
		}
		on := e.On(th.Store, fmt.Sprint("t", i))
		if i == 0 {
			on.Key.Namespace, decided = "team", decided[:3]
		}
		decide(on, "acme", decided...)
	}
	q := store.DecisionQuery{Tenant: "acme", Namespace: "team", Limit: 2}
	page, err := th.Store.Decisions(th.Context(), q)
	page = stage.Must(th, page, err)
	stage.Same(th, "the first page", len(page.Decisions), 2)
	q.Cursor = page.Next
	page, err = th.Store.Decisions(th.Context(), q)
	page = stage.Must(th, page, err)
	stage.Same(th, "the last one", stage.Words(len(page.Decisions), page.Next), stage.Words(1, ""))
	team := store.ThreadKey{Namespace: "team", Thread: "t0"}
	if err := th.Store.ForgetDecisions(th.Context(), team); err != nil {
		th.Fatal(err)
	}
	stage.Same(th, "forgotten", interruptsOf(onRecord(th, store.DecisionQuery{Tenant: "acme", Namespace: "team"})), "")
}

func decisionsRetire(e *stage.Env) {
	e.Records = time.Millisecond
	th := e.Thread()
	decide(th, "acme", store.Decided{Interrupt: "one", Status: store.DecisionResolved, User: "ann"})
	stage.Eventually(th, "the decision goes", func() bool {
		for more := true; more; {
			var err error
			more, err = th.Store.Retire(th.Context())
			stage.Must(th, more, err)
		}
		return len(onRecord(th, store.DecisionQuery{Tenant: "acme"})) == 0 &&
			len(onRecord(th, store.DecisionQuery{Thread: &th.Key, Tenant: "acme"})) == 0
	})
}

func decisionCursors(e *stage.Env) {
	th := e.Thread()
	decide(th, "acme", store.Decided{Interrupt: "one", Status: store.DecisionResolved}, store.Decided{Interrupt: "two", Status: store.DecisionResolved})
	page, err := th.Store.Decisions(th.Context(), store.DecisionQuery{Tenant: "acme", Limit: 1})
	page = stage.Must(th, page, err)
	for _, q := range []store.DecisionQuery{{Tenant: "globex"}, {AllTenants: true}, {Tenant: "acme", Tool: "pay"}, {Tenant: "acme", User: "ann"},
		{Tenant: "acme", From: time.UnixMilli(1)}, {Tenant: "acme", Thread: &th.Key},
		{Tenant: "acme", Namespace: "space"}, {Tenant: "acme", Agent: "agent"}} {
		q.Cursor = page.Next
		if _, err := th.Store.Decisions(th.Context(), q); !errors.Is(err, store.ErrBadCursor) {
			th.Errorf("%+v: %v", q, err)
		}
	}
}
