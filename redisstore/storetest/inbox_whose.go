package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// askingOf suspends a fresh thread of a namespace that somebody uses.
func (th *thread) askingOf(tenant, namespace, user string, reasons ...string) {
	th.Helper()
	th.key.Namespace = namespace
	b := th.execute("r1")
	b.Tenant, b.User = tenant, user
	th.asks(th.begun(b), 2, 1, reasons...)
}

// waiting are the threads of an inbox, over all its pages.
func (th *thread) waiting(q store.InboxQuery) string {
	th.Helper()
	var ids []string
	for walked := 0; walked < 100; walked++ {
		p, err := th.s.Inbox(th.Context(), q)
		p = must(th, p, err)
		if q.Limit > 0 && len(p.Items) > q.Limit {
			th.Errorf("a page has %d items", len(p.Items))
		}
		for _, item := range p.Items {
			ids = append(ids, item.Thread.Thread)
		}
		if q.Cursor = p.Next; p.Next == "" {
			return strings.Join(ids, " ")
		}
	}
	th.Fatal("the pages have no end")
	return ""
}

func (th *thread) waitingCounts(q store.InboxCount) string {
	th.Helper()
	if q.Reasons == nil {
		q.Reasons = []string{"", "tool_call", "confirmation"}
	}
	counts, err := th.s.CountInbox(th.Context(), q)
	counts = must(th, counts, err)
	var numbers []any
	for _, reason := range q.Reasons {
		numbers = append(numbers, counts.Waiting[reason])
	}
	return fmt.Sprint(numbers...)
}

var inboxOfTests = []test{
	{"an inbox is a tenant's, a namespace's, a user's or everybody's, and is counted by reason", func(e *env) {
		c := e.stopped()
		s := e.node("a")
		for i, of := range [][3]string{{"acme", "ann", "acme/ann"}, {"acme", "team", "acme/ann"}, {"acme", "team", "acme/bob"}, {"other", "x", ""}, {"", "", "ann"}} {
			th := e.on(s, fmt.Sprint("t", i))
			reasons := []string{"tool_call"}
			if i%2 == 1 {
				reasons = append(reasons, "confirmation")
			}
			th.askingOf(of[0], of[1], of[2], reasons...)
			c.move(time.Second)
		}
		th := e.on(s, "t")
		for _, limit := range []int{1, 2, 3, 0} {
			for what, check := range map[string]struct {
				q    store.InboxQuery
				want string
			}{
				"everybody's":                   {store.InboxQuery{AllTenants: true}, "t0 t1 t2 t3 t4"},
				"everybody's of a reason":       {store.InboxQuery{AllTenants: true, Reason: "confirmation"}, "t1 t3"},
				"a tenant's":                    {store.InboxQuery{Tenant: "acme"}, "t0 t1 t2"},
				"that of no tenant":             {store.InboxQuery{}, "t4"},
				"a namespace's":                 {store.InboxQuery{Namespace: "team"}, "t1 t2"},
				"a user's":                      {store.InboxQuery{Tenant: "acme", Owner: "acme/ann"}, "t0 t1"},
				"a user's of a reason":          {store.InboxQuery{Tenant: "acme", Owner: "acme/ann", Reason: "confirmation"}, "t1"},
				"a user's in a namespace":       {store.InboxQuery{Namespace: "team", Owner: "acme/ann"}, "t1"},
				"a user's of whatever tenant":   {store.InboxQuery{AllTenants: true, Owner: "ann"}, "t4"},
				"that of a user of another one": {store.InboxQuery{Tenant: "other", Owner: "acme/ann"}, ""},
				"nobody's":                      {store.InboxQuery{Tenant: "acme", Owner: "carl"}, ""},
			} {
				check.q.Limit = limit
				same(th, what, th.waiting(check.q), check.want)
			}
		}
		total := func() string {
			return fmt.Sprint(th.waitingCounts(store.InboxCount{AllTenants: true}), "/", th.waitingCounts(store.InboxCount{Tenant: "acme"}), "/",
				th.waitingCounts(store.InboxCount{}), "/", th.waitingCounts(store.InboxCount{Tenant: "none"}), "/",
				th.waitingCounts(store.InboxCount{Namespace: "team", Reasons: []string{""}}))
		}
		same(th, "counts", total(), "5 5 2/3 3 1/1 1 0/0 0 0/2")
		t1 := e.on(s, "t1")
		t1.key.Namespace = "team"
		t1.begun(t1.resume("r2", "exe-r1"))
		same(th, "counts when one was answered", total(), "4 4 1/2 2 0/1 1 0/0 0 0/1")
		same(th, "a namespace's when one was answered", th.waiting(store.InboxQuery{Namespace: "team"}), "t2")
	}},
	{"what has expired is counted apart, from the millisecond after it on", func(e *env) {
		s, start := e.node("a"), time.UnixMilli(1_700_000_000_000)
		for i, expires := range []int64{0, 1000, 2000, 2000, 500} {
			th := e.on(s, fmt.Sprint("t", i))
			th.key.Namespace = "space"
			b := th.execute("r1")
			b.Tenant = "acme"
			if i == 4 {
				b.Tenant = "other"
			}
			asks := ending(th.begun(b), 2, 1, "asks", store.EndSuspend)
			asks.End.Reasons = []string{"tool_call", "confirmation"}[:1+i%2]
			if expires > 0 {
				asks.End.Expires = start.UnixMilli() + expires
			}
			th.ok(asks)
		}
		th := e.on(s, "t")
		count := func(ms int64, q store.InboxCount) string {
			q.At = start.Add(time.Duration(ms) * time.Millisecond)
			got, err := th.s.CountInbox(th.Context(), q)
			got = must(th, got, err)
			next := "never"
			if !got.Next.IsZero() {
				next = fmt.Sprint(got.Next.Sub(start).Milliseconds())
			}
			return words(got.Waiting[""], got.Waiting["tool_call"], got.Waiting["confirmation"], got.Expired, next)
		}
		acme := store.InboxCount{Tenant: "acme", Reasons: []string{"", "tool_call", "confirmation"}}
		for ms, want := range map[int64]string{0: "4 4 2 0 1000", 1000: "4 4 2 0 1000", 1001: "3 3 1 1 2000", 2000: "3 3 1 1 2000", 2001: "1 1 0 3 never"} {
			same(th, fmt.Sprint("a tenant's after ", ms), count(ms, acme), want)
		}
		all := acme
		all.AllTenants = true
		same(th, "everybody's", count(501, all), "4 4 2 1 1000")
		same(th, "a namespace's", count(501, store.InboxCount{Namespace: "space", Reasons: []string{""}}), "4 0 0 1 1000")
		same(th, "at no time", th.waitingCounts(store.InboxCount{Tenant: "acme"}), "4 4 2")
		t1 := e.on(s, "t1")
		t1.key.Namespace = "space"
		claim := t1.begun(t1.resume("r2", "exe-r1"))
		same(th, "when one was answered", count(1001, acme), "3 3 1 0 2000")
		fails := ending(claim, 2, 3, "failed", store.EndFail)
		fails.End.GiveBack = true
		t1.ok(fails)
		same(th, "when its answer was given back", count(1001, acme), "3 3 1 1 2000")
	}},
	{"a namespace's inbox is not told apart by reason, and says so", func(e *env) {
		th := e.thread()
		if _, err := th.s.Inbox(e.Context(), store.InboxQuery{Namespace: "space", Reason: "tool_call"}); err == nil {
			e.Error("a page by reason")
		}
		if _, err := th.s.CountInbox(e.Context(), store.InboxCount{Namespace: "space", Reasons: []string{"tool_call"}}); err == nil {
			e.Error("numbers by reason")
		}
	}},
	{"a namespace and a tenant of one name have two inboxes", func(e *env) {
		th := e.thread()
		th.askingOf("acme", "other", "ann")
		same(th, "namespace", th.waiting(store.InboxQuery{Namespace: "acme"})+th.waitingCounts(store.InboxCount{Namespace: "acme", Reasons: []string{""}}), "0")
		same(th, "tenant", th.waiting(store.InboxQuery{Tenant: "other"})+th.waitingCounts(store.InboxCount{Tenant: "other"}), "0 0 0")
	}},
	{"an inbox tells whose a thread is, and which agent asks", func(e *env) {
		th := e.thread()
		th.askingOf("acme", "space", "ann")
		items := th.inboxItems("acme", "", 0)
		same(th, "item", fmt.Sprint(len(items), " ", items[0].Tenant, " ", items[0].Agent), "1 acme agent")
	}},
	{"an inbox between two times holds what was asked from the one on and before the other", func(e *env) {
		c := e.stopped()
		s := e.node("a")
		var at []time.Time
		for i := range 5 {
			at = append(at, c.read())
			e.on(s, fmt.Sprint("t", i)).asking("acme", "tool_call")
			c.move(time.Millisecond)
		}
		th := e.on(s, "t")
		never := time.Time{}
		for _, limit := range []int{1, 2, 0} {
			for _, q := range []store.InboxQuery{{Tenant: "acme"}, {Tenant: "acme", Reason: "tool_call"}, {Namespace: "space"}, {AllTenants: true}} {
				for _, check := range []struct {
					from, to time.Time
					want     string
				}{
					{never, never, "t0 t1 t2 t3 t4"}, {at[2], never, "t2 t3 t4"}, {never, at[2], "t0 t1"},
					{at[1], at[4], "t1 t2 t3"}, {at[3], at[3], ""}, {at[4], at[1], ""}, {time.UnixMilli(-5), time.UnixMilli(0), ""},
				} {
					q.From, q.To, q.Limit = check.from, check.to, limit
					same(th, fmt.Sprint(check.from, " to ", check.to), th.waiting(q), check.want)
				}
			}
		}
	}},
	{"a page of one owner's looks at so many of the others and goes on later", func(e *env) {
		s := e.node("a")
		for i := range 60 {
			user := "bob"
			if i == 30 {
				user = "ann"
			}
			e.on(s, fmt.Sprint("t", i)).askingOf("acme", "space", user)
		}
		th := e.on(s, "t")
		same(th, "ann's", th.waiting(store.InboxQuery{Tenant: "acme", Owner: "ann", Limit: 1}), "t30")
		same(th, "bob's", fmt.Sprint(len(strings.Fields(th.waiting(store.InboxQuery{Tenant: "acme", Owner: "bob", Limit: 7})))), "59")
	}},
	{"what is given back is counted again, what is erased is not", func(e *env) {
		th := e.thread()
		th.askingOf("acme", "space", "ann", "tool_call")
		counts := func() string {
			return th.waitingCounts(store.InboxCount{Tenant: "acme"}) + "/" + th.waitingCounts(store.InboxCount{Namespace: "space", Reasons: []string{""}})
		}
		same(th, "asked", counts(), "1 1 0/1")
		b := ending(th.begun(th.resume("r2", "exe-r1")), 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		same(th, "answered", counts(), "0 0 0/0")
		th.ok(b)
		same(th, "given back", counts(), "1 1 0/1")
		if err := th.s.Erase(th.Context(), th.key, Deleting("")); err != nil {
			e.Fatal(err)
		}
		same(th, "erased", counts(), "0 0 0/0")
	}},
}

// reviewed notes that a user looks at the thread's questions, and returns who does by then.
func (th *thread) reviewed(by string, length time.Duration) string {
	th.Helper()
	users, open, err := th.s.Review(th.Context(), th.key, by, length)
	if users = must(th, users, err); !open {
		return "nothing is open"
	}
	return strings.Join(users, " ")
}

// listedReviewers are the users whom the tenant's inbox tells of.
func (th *thread) listedReviewers() string {
	th.Helper()
	var all []string
	for _, item := range th.inboxItems("acme", "", 0) {
		all = append(all, item.Reviewers...)
	}
	return strings.Join(all, " ")
}

var reviewTests = []test{
	{"who looks at what is open is told until the time is over, and changes nothing else", func(e *env) {
		c := e.stopped()
		th := e.thread()
		same(th, "before", th.reviewed("ann", time.Minute), "nothing is open")
		th.asking("acme")
		th.unchanged(func() {
			for _, step := range []struct {
				by     string
				length time.Duration
				after  time.Duration
				want   string
			}{
				{"bob", time.Minute, 0, "bob"},
				{"ann", time.Minute, 30 * time.Second, "ann bob"},
				{"bob", 2 * time.Minute, 0, "ann bob"},
				{"eve", 0, 0, "ann bob"},
				{"", 0, 50 * time.Second, "ann bob"},
				{"", 0, 20 * time.Second, "bob"},
				{"bob", 0, 0, ""},
			} {
				c.move(step.after)
				same(th, "noted", th.reviewed(step.by, step.length), step.want)
				same(th, "once more", th.reviewed(step.by, step.length), step.want)
				same(th, "listed", th.listedReviewers(), step.want)
			}
		})
	}},
	{"who looks goes with the suspension, and comes back with it", func(e *env) {
		th := e.thread()
		th.openTwo()
		same(th, "asked", th.reviewed("bob", time.Minute), "bob")
		claim := th.begun(th.resume("r2", "exe-r1"))
		same(th, "answered", th.reviewed("ann", time.Minute), "nothing is open")
		b := ending(claim, 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		th.ok(b)
		same(th, "given back", th.reviewed("ann", time.Minute), "ann bob")
	}},
	{"who has looked at what a thread asked before does not look at what it asks now", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.openTwo()
		for i := range store.MostReviewers {
			th.reviewed(fmt.Sprint("user", i), time.Minute)
		}
		c.move(time.Second)
		b := ending(th.begun(th.resume("r2", "exe-r1")), 2, 3, "asks", store.EndSuspend)
		b.End.Interrupts = []string{"three"}
		th.ok(b)
		same(th, "asked again", th.reviewed("", 0), "")
		same(th, "noted", th.reviewed("ann", time.Minute), "ann")
	}},
	{"so many are noted, and no further one until one of them goes", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.openTwo()
		var all []string
		for i := range store.MostReviewers {
			all = append(all, fmt.Sprint("user", i))
			th.reviewed(all[i], time.Duration(i+1)*time.Minute)
		}
		full := strings.Join(all, " ")
		same(th, "full", th.reviewed("zoe", time.Minute), full)
		same(th, "one of them", th.reviewed(all[0], time.Minute), full)
		c.move(time.Minute)
		same(th, "one has gone", th.reviewed("zoe", time.Hour), strings.Join(append(all[1:], "zoe"), " "))
	}},
}
