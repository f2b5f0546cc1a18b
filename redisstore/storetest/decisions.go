package storetest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var decisionTests = []test{
	{"a decision is on record with what was asked and answered", (*env).decisionRecorded},
	{"the record outlives run and thread, until it is forgotten", (*env).decisionsOutlive},
	{"a repeat writes nothing, and a decision that was given back stays", (*env).decisionsStay},
	{"refused answers are counted while the interrupt is open", (*env).refusalsCounted},
	{"pages are the latest first, of all partitions", (*env).decisionPages},
	{"filters choose among decisions", (*env).decisionFilters},
	{"a page of few among many looks at no more than it may", (*env).decisionScan},
	{"a page of a namespace is full whatever is on record beside it", (*env).decisionsOfNamespace},
	{"decisions go when their time is over", (*env).decisionsRetire},
	{"a cursor of another query is refused", (*env).decisionCursors},
}

// onRecord reads all pages of a query.
func (th *thread) onRecord(q store.DecisionQuery) (list []store.Decision) {
	th.Helper()
	for {
		page, err := th.s.Decisions(th.Context(), q)
		page = must(th, page, err)
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
func (th *thread) decide(tenant string, decided ...store.Decided) {
	th.Helper()
	th.decideFor(tenant, "agent", decided...)
}

func (th *thread) decideFor(tenant, agent string, decided ...store.Decided) {
	th.Helper()
	b := with(th.execute("asks"), func(k *store.Execute) { k.Agent = agent })
	b.Tenant = tenant
	end := ending(th.begun(b), 2, 1, "asks", store.EndSuspend)
	end.End.Interrupts = nil
	answers := map[string]string{}
	for _, d := range decided {
		end.End.Interrupts = append(end.End.Interrupts, d.Interrupt)
		answers[d.Interrupt] = "1"
	}
	th.ok(end)
	th.begun(with(th.resume("answers", "exe-asks"), func(k *store.Resume) { k.Answers, k.Decided = rawMap(answers), decided }))
}

func (e *env) decisionRecorded() {
	clock := e.stopped()
	th := e.thread()
	b := th.execute("r1")
	b.Tenant = "acme"
	end := ending(th.begun(b), 2, 1, "asks", store.EndSuspend)
	end.End.Interrupts = []string{"one", "two"}
	th.ok(end)
	asked := clock.read()
	clock.move(time.Minute)
	given := []store.Decided{
		{Interrupt: "one", Status: store.DecisionResolved, User: "ann", Tool: "pay", Body: raw(`{"any": ["thing", 1.0]}`)},
		{Interrupt: "two", Status: store.DecisionExpired},
	}
	r := with(th.resume("r2", "exe-r1"), func(k *store.Resume) {
		k.Answers, k.Decided = rawMap(map[string]string{"one": "1", "two": "2"}), given
	})
	th.begun(r)
	list := th.onRecord(store.DecisionQuery{Tenant: "acme"})
	if len(list) != 2 || list[0].ID == "" || list[0].ID == list[1].ID {
		th.Fatalf("%+v", list)
	}
	for i, d := range list {
		d.ID = ""
		same(th, "decision", show(d), show(store.Decision{Decided: given[i], At: clock.read(), Asked: asked, Thread: th.key, Tenant: "acme", Agent: "agent", RunID: "r2"}))
	}
}

func (e *env) decisionsOutlive() {
	th := e.thread()
	th.decide("acme", store.Decided{Interrupt: "one", Status: store.DecisionResolved})
	other := e.on(th.s, "other")
	other.decide("acme", store.Decided{Interrupt: "two", Status: store.DecisionResolved})
	if err := th.s.Erase(th.Context(), th.key, Deleting("")); err != nil {
		th.Fatal(err)
	}
	same(th, "on record", interruptsOf(th.onRecord(store.DecisionQuery{Tenant: "acme", Thread: &th.key})), "one")
	for range 2 {
		if err := th.s.ForgetDecisions(th.Context(), th.key); err != nil {
			th.Fatal(err)
		}
	}
	same(th, "on record", interruptsOf(th.onRecord(store.DecisionQuery{AllTenants: true})), "two")
	same(th, "of the thread", interruptsOf(th.onRecord(store.DecisionQuery{AllTenants: true, Thread: &th.key})), "")
}

func (e *env) decisionsStay() {
	th := e.thread()
	th.ok(ending(th.begun(th.execute("r1")), 2, 1, "asks", store.EndSuspend))
	b := th.resume("r2", "exe-r1")
	c := th.begun(b)
	th.begun(b)
	same(th, "on record", len(th.onRecord(store.DecisionQuery{})), 1)
	stale := th.resume("r3", "exe-r1")
	stale.Version--
	if res := th.begin(stale); res.Status != store.BeginStale {
		th.Fatalf("%+v", res)
	}
	end := ending(c, 2, 3, "fails", store.EndFail)
	end.End.GiveBack = true
	if res := th.ok(end); !res.GaveBack {
		th.Fatalf("%+v", res)
	}
	th.begun(th.resume("r4", "exe-r1"))
	list := th.onRecord(store.DecisionQuery{Thread: &th.key})
	if len(list) != 2 || list[0].RunID != "r4" && list[1].RunID != "r4" {
		th.Fatalf("%+v", list)
	}
}

func (e *env) refusalsCounted() {
	th := e.thread()
	end := ending(th.begun(th.execute("r1")), 2, 1, "asks", store.EndSuspend)
	end.End.Interrupts = []string{"one", "two"}
	th.ok(end)
	version := th.view().Version
	for _, ids := range [][]string{{"one"}, {"one", "two"}, {"other"}, nil} {
		if err := th.s.Refused(th.Context(), th.key, ids); err != nil {
			th.Fatal(err)
		}
	}
	same(th, "version", th.view().Version, version)
	answers := rawMap(map[string]string{"one": "1", "two": "2"})
	answer := func(run string) store.Claim {
		return th.begun(with(th.resume(run, "exe-r1"), func(k *store.Resume) { k.Answers, k.Decided = answers, Decided(answers) }))
	}
	c := answer("r2")
	if err := th.s.Refused(th.Context(), th.key, []string{"one"}); err != nil {
		th.Fatal(err)
	}
	counts := func() string {
		got := map[string]int{}
		for _, d := range th.onRecord(store.DecisionQuery{Thread: &th.key}) {
			got[d.RunID+" "+d.Interrupt] = d.Refused
		}
		return fmt.Sprint(got)
	}
	same(th, "refused", counts(), "map[r2 one:2 r2 two:1]")
	end = ending(c, 2, 3, "fails", store.EndFail)
	end.End.GiveBack = true
	th.ok(end)
	if err := th.s.Refused(th.Context(), th.key, []string{"one"}); err != nil {
		th.Fatal(err)
	}
	answer("r3")
	same(th, "refused", counts(), "map[r2 one:2 r2 two:1 r3 one:1 r3 two:0]")
}

func (e *env) decisionPages() {
	clock := e.stopped()
	th := e.thread()
	const n = 23
	var want []string
	for i := range n {
		id := fmt.Sprint("i", i)
		e.on(th.s, id).decide("acme", store.Decided{Interrupt: id, Status: store.DecisionResolved})
		want = append([]string{id}, want...)
		clock.move(time.Millisecond)
	}
	for _, limit := range []int{1, 5, n, 0} {
		same(th, "of a tenant", interruptsOf(th.onRecord(store.DecisionQuery{Tenant: "acme", Limit: limit})), strings.Join(want, " "))
		same(th, "of all", interruptsOf(th.onRecord(store.DecisionQuery{AllTenants: true, Limit: limit})), strings.Join(want, " "))
	}
	page, err := th.s.Decisions(th.Context(), store.DecisionQuery{Tenant: "acme", Limit: 5})
	if page = must(th, page, err); len(page.Decisions) != 5 || page.Next == "" {
		th.Errorf("%+v", page)
	}
}

func (e *env) decisionFilters() {
	clock := e.stopped()
	th := e.thread()
	begun := clock.read()
	for i, tenant := range []string{"acme", "globex", ""} {
		for j, user := range []string{"ann", "bob", ""} {
			on := e.on(th.s, tenant+user)
			on.key.Namespace = "of " + user
			on.decideFor(tenant, tenant+"'s",
				store.Decided{Interrupt: fmt.Sprintf("a%d%d", i, j), Status: store.DecisionResolved, User: user, Tool: "pay"},
				store.Decided{Interrupt: fmt.Sprintf("b%d%d", i, j), Status: store.DecisionCancelled, User: user, Tool: "mail"})
			clock.move(time.Second)
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
			if got := interruptsOf(th.onRecord(c.q)); got != c.want {
				th.Errorf("%s, %d a page: %q, %q was wanted", name, limit, got, c.want)
			}
		}
	}
}

func (e *env) decisionScan() {
	th := e.thread()
	for i := range 6 {
		decided := make([]store.Decided, 100)
		for j := range decided {
			decided[j] = store.Decided{Interrupt: fmt.Sprint("i", j), Status: store.DecisionResolved, Tool: "other"}
		}
		if i == 0 {
			decided[99].Tool = "pay"
		}
		e.on(th.s, fmt.Sprint("t", i)).decide("acme", decided...)
	}
	q := store.DecisionQuery{Tenant: "acme", Tool: "pay"}
	page, err := th.s.Decisions(th.Context(), q)
	if page = must(th, page, err); len(page.Decisions) > 0 || page.Next == "" {
		th.Errorf("the first page has %d, and goes on at %q", len(page.Decisions), page.Next)
	}
	same(th, "found", interruptsOf(th.onRecord(q)), "i99")
}

func (e *env) decisionsOfNamespace() {
	th := e.thread()
	for i := range 6 {
		decided := make([]store.Decided, 100)
		for j := range decided {
			decided[j] = store.Decided{Interrupt: fmt.Sprint("i", j), Status: store.DecisionResolved}
		}
		on := e.on(th.s, fmt.Sprint("t", i))
		if i == 0 {
			on.key.Namespace, decided = "team", decided[:3]
		}
		on.decide("acme", decided...)
	}
	q := store.DecisionQuery{Tenant: "acme", Namespace: "team", Limit: 2}
	page, err := th.s.Decisions(th.Context(), q)
	page = must(th, page, err)
	same(th, "the first page", len(page.Decisions), 2)
	q.Cursor = page.Next
	page, err = th.s.Decisions(th.Context(), q)
	page = must(th, page, err)
	same(th, "the last one", words(len(page.Decisions), page.Next), words(1, ""))
	team := store.ThreadKey{Namespace: "team", Thread: "t0"}
	if err := th.s.ForgetDecisions(th.Context(), team); err != nil {
		th.Fatal(err)
	}
	same(th, "forgotten", interruptsOf(th.onRecord(store.DecisionQuery{Tenant: "acme", Namespace: "team"})), "")
}

func (e *env) decisionsRetire() {
	e.records = time.Millisecond
	th := e.thread()
	th.decide("acme", store.Decided{Interrupt: "one", Status: store.DecisionResolved, User: "ann"})
	eventually(th, "the decision goes", func() bool {
		for more := true; more; {
			var err error
			more, err = th.s.Retire(th.Context())
			must(th, more, err)
		}
		return len(th.onRecord(store.DecisionQuery{Tenant: "acme"})) == 0 &&
			len(th.onRecord(store.DecisionQuery{Thread: &th.key, Tenant: "acme"})) == 0
	})
}

func (e *env) decisionCursors() {
	th := e.thread()
	th.decide("acme", store.Decided{Interrupt: "one", Status: store.DecisionResolved}, store.Decided{Interrupt: "two", Status: store.DecisionResolved})
	page, err := th.s.Decisions(th.Context(), store.DecisionQuery{Tenant: "acme", Limit: 1})
	page = must(th, page, err)
	for _, q := range []store.DecisionQuery{{Tenant: "globex"}, {AllTenants: true}, {Tenant: "acme", Tool: "pay"}, {Tenant: "acme", User: "ann"},
		{Tenant: "acme", From: time.UnixMilli(1)}, {Tenant: "acme", Thread: &th.key},
		{Tenant: "acme", Namespace: "space"}, {Tenant: "acme", Agent: "agent"}} {
		q.Cursor = page.Next
		if _, err := th.s.Decisions(th.Context(), q); !errors.Is(err, store.ErrBadCursor) {
			th.Errorf("%+v: %v", q, err)
		}
	}
}
