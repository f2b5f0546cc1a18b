package threads

import (
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// askingOf suspends a fresh thread of a namespace that somebody uses.
func askingOf(th *stage.Thread, tenant, namespace, user string, reasons ...string) {
	th.Helper()
	th.Key.Namespace = namespace
	b := th.Execute("r1")
	b.Tenant, b.User = tenant, user
	askAbout(th, th.Begun(b), 2, 1, reasons...)
}

// waiting are the threads of an inbox, over all its pages.
func waiting(th *stage.Thread, q store.InboxQuery) string {
	th.Helper()
	var ids []string
	for walked := 0; walked < 100; walked++ {
		p, err := th.Store.Inbox(th.Context(), q)
		p = stage.Must(th, p, err)
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

func waitingCounts(th *stage.Thread, q store.InboxCount) string {
	th.Helper()
	if q.Reasons == nil {
		q.Reasons = []string{"", "tool_call", "confirmation"}
	}
	counts, err := th.Store.CountInbox(th.Context(), q)
	counts = stage.Must(th, counts, err)
	var numbers []any
	for _, reason := range q.Reasons {
		numbers = append(numbers, counts.Waiting[reason])
	}
	return fmt.Sprint(numbers...)
}

var InboxOfTests = []stage.Test{
	{"an inbox is a tenant's, a namespace's, a user's or everybody's, and is counted by reason", func(e *stage.Env) {
		c := e.Stopped()
		s := e.Node("a")
		for i, of := range [][3]string{{"acme", "ann", "acme/ann"}, {"acme", "team", "acme/ann"}, {"acme", "team", "acme/bob"}, {"other", "x", ""}, {"", "", "ann"}} {
			th := e.On(s, fmt.Sprint("t", i))
			reasons := []string{"tool_call"}
			if i%2 == 1 {
				reasons = append(reasons, "confirmation")
			}
			askingOf(th, of[0], of[1], of[2], reasons...)
			c.Move(time.Second)
		}
		th := e.On(s, "t")
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
				stage.Same(th, what, waiting(th, check.q), check.want)
			}
		}
		total := func() string {
			return fmt.Sprint(waitingCounts(th, store.InboxCount{AllTenants: true}), "/", waitingCounts(th, store.InboxCount{Tenant: "acme"}), "/",
				waitingCounts(th, store.InboxCount{}), "/", waitingCounts(th, store.InboxCount{Tenant: "none"}), "/",
				waitingCounts(th, store.InboxCount{Namespace: "team", Reasons: []string{""}}))
		}
		stage.Same(th, "counts", total(), "5 5 2/3 3 1/1 1 0/0 0 0/2")
		t1 := e.On(s, "t1")
		t1.Key.Namespace = "team"
		t1.Begun(t1.Resume("r2", "exe-r1"))
		stage.Same(th, "counts when one was answered", total(), "4 4 1/2 2 0/1 1 0/0 0 0/1")
		stage.Same(th, "a namespace's when one was answered", waiting(th, store.InboxQuery{Namespace: "team"}), "t2")
	}},
	{"what has expired is counted apart, from the millisecond after it on", func(e *stage.Env) {
		s, start := e.Node("a"), time.UnixMilli(1_700_000_000_000)
		for i, expires := range []int64{0, 1000, 2000, 2000, 500} {
			th := e.On(s, fmt.Sprint("t", i))
			th.Key.Namespace = "space"
			b := th.Execute("r1")
			b.Tenant = "acme"
			if i == 4 {
				b.Tenant = "other"
			}
			asks := stage.Ending(th.Begun(b), 2, 1, "asks", store.EndSuspend)
			asks.End.Reasons = []string{"tool_call", "confirmation"}[:1+i%2]
			if expires > 0 {
				asks.End.Expires = start.UnixMilli() + expires
			}
			th.OK(asks)
		}
		th := e.On(s, "t")
		count := func(ms int64, q store.InboxCount) string {
			q.At = start.Add(time.Duration(ms) * time.Millisecond)
			got, err := th.Store.CountInbox(th.Context(), q)
			got = stage.Must(th, got, err)
			next := "never"
			if !got.Next.IsZero() {
				next = fmt.Sprint(got.Next.Sub(start).Milliseconds())
			}
			return stage.Words(got.Waiting[""], got.Waiting["tool_call"], got.Waiting["confirmation"], got.Expired, next)
		}
		acme := store.InboxCount{Tenant: "acme", Reasons: []string{"", "tool_call", "confirmation"}}
		for ms, want := range map[int64]string{0: "4 4 2 0 1000", 1000: "4 4 2 0 1000", 1001: "3 3 1 1 2000", 2000: "3 3 1 1 2000", 2001: "1 1 0 3 never"} {
			stage.Same(th, fmt.Sprint("a tenant's after ", ms), count(ms, acme), want)
		}
		all := acme
		all.AllTenants = true
		stage.Same(th, "everybody's", count(501, all), "4 4 2 1 1000")
		stage.Same(th, "a namespace's", count(501, store.InboxCount{Namespace: "space", Reasons: []string{""}}), "4 0 0 1 1000")
		stage.Same(th, "at no time", waitingCounts(th, store.InboxCount{Tenant: "acme"}), "4 4 2")
		t1 := e.On(s, "t1")
		t1.Key.Namespace = "space"
		claim := t1.Begun(t1.Resume("r2", "exe-r1"))
		stage.Same(th, "when one was answered", count(1001, acme), "3 3 1 0 2000")
		fails := stage.Ending(claim, 2, 3, "failed", store.EndFail)
		fails.End.GiveBack = true
		t1.OK(fails)
		stage.Same(th, "when its answer was given back", count(1001, acme), "3 3 1 1 2000")
	}},
	{"a namespace's inbox is not told apart by reason, and says so", func(e *stage.Env) {
		th := e.Thread()
		if _, err := th.Store.Inbox(e.Context(), store.InboxQuery{Namespace: "space", Reason: "tool_call"}); err == nil {
			e.Error("a page by reason")
		}
		if _, err := th.Store.CountInbox(e.Context(), store.InboxCount{Namespace: "space", Reasons: []string{"tool_call"}}); err == nil {
			e.Error("numbers by reason")
		}
	}},
	{"a namespace and a tenant of one name have two inboxes", func(e *stage.Env) {
		th := e.Thread()
		askingOf(th, "acme", "other", "ann")
		stage.Same(th, "namespace", waiting(th, store.InboxQuery{Namespace: "acme"})+waitingCounts(th, store.InboxCount{Namespace: "acme", Reasons: []string{""}}), "0")
		stage.Same(th, "tenant", waiting(th, store.InboxQuery{Tenant: "other"})+waitingCounts(th, store.InboxCount{Tenant: "other"}), "0 0 0")
	}},
	{"an inbox tells whose a thread is, and which agent asks", func(e *stage.Env) {
		th := e.Thread()
		askingOf(th, "acme", "space", "ann")
		items := inboxItems(th, "acme", "", 0)
		stage.Same(th, "item", fmt.Sprint(len(items), " ", items[0].Tenant, " ", items[0].Agent), "1 acme agent")
	}},
	{"an inbox between two times holds what was asked from the one on and before the other", func(e *stage.Env) {
		c := e.Stopped()
		s := e.Node("a")
		var at []time.Time
		for i := range 5 {
			at = append(at, c.Read())
			asking(e.On(s, fmt.Sprint("t", i)), "acme", "tool_call")
			c.Move(time.Millisecond)
		}
		th := e.On(s, "t")
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
					stage.Same(th, fmt.Sprint(check.from, " to ", check.to), waiting(th, q), check.want)
				}
			}
		}
	}},
	{"a page of one owner's looks at so many of the others and goes on later", func(e *stage.Env) {
		s := e.Node("a")
		for i := range 60 {
			user := "bob"
			if i == 30 {
				user = "ann"
			}
			askingOf(e.On(s, fmt.Sprint("t", i)), "acme", "space", user)
		}
		th := e.On(s, "t")
		stage.Same(th, "ann's", waiting(th, store.InboxQuery{Tenant: "acme", Owner: "ann", Limit: 1}), "t30")
		stage.Same(th, "bob's", fmt.Sprint(len(strings.Fields(waiting(th, store.InboxQuery{Tenant: "acme", Owner: "bob", Limit: 7})))), "59")
	}},
	{"what is given back is counted again, what is erased is not", func(e *stage.Env) {
		th := e.Thread()
		askingOf(th, "acme", "space", "ann", "tool_call")
		counts := func() string {
			return waitingCounts(th, store.InboxCount{Tenant: "acme"}) + "/" + waitingCounts(th, store.InboxCount{Namespace: "space", Reasons: []string{""}})
		}
		stage.Same(th, "asked", counts(), "1 1 0/1")
		b := stage.Ending(th.Begun(th.Resume("r2", "exe-r1")), 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		stage.Same(th, "answered", counts(), "0 0 0/0")
		th.OK(b)
		stage.Same(th, "given back", counts(), "1 1 0/1")
		if err := th.Store.Erase(th.Context(), th.Key, stage.Deleting("")); err != nil {
			e.Fatal(err)
		}
		stage.Same(th, "erased", counts(), "0 0 0/0")
	}},
}

// reviewed notes that a user looks at the thread's questions, and returns who does by then.
func reviewed(th *stage.Thread, by string, length time.Duration) string {
	th.Helper()
	users, open, err := th.Store.Review(th.Context(), th.Key, by, length)
	if users = stage.Must(th, users, err); !open {
		return "nothing is open"
	}
	return strings.Join(users, " ")
}

// listedReviewers are the users whom the tenant's inbox tells of.
func listedReviewers(th *stage.Thread) string {
	th.Helper()
	var all []string
	for _, item := range inboxItems(th, "acme", "", 0) {
		all = append(all, item.Reviewers...)
	}
	return strings.Join(all, " ")
}

var ReviewTests = []stage.Test{
	{"who looks at what is open is told until the time is over, and changes nothing else", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		stage.Same(th, "before", reviewed(th, "ann", time.Minute), "nothing is open")
		asking(th, "acme")
		th.Unchanged(func() {
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
				c.Move(step.after)
				stage.Same(th, "noted", reviewed(th, step.by, step.length), step.want)
				stage.Same(th, "once more", reviewed(th, step.by, step.length), step.want)
				stage.Same(th, "listed", listedReviewers(th), step.want)
			}
		})
	}},
	{"what is open is one user's to answer, until another takes it over, it is released or the time is over", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		assign := func(to string, length time.Duration) bool {
			open, err := th.Store.Assign(th.Context(), th.Key, to, length)
			return stage.Must(th, open, err)
		}
		stage.Same(th, "before", assign("ann", time.Minute), false)
		asking(th, "acme")
		reviewed(th, "bob", 4*time.Minute)
		th.Unchanged(func() {
			for _, step := range []struct {
				to     string
				length time.Duration
				after  time.Duration
				want   string
			}{
				{"ann", time.Hour, 0, "ann"},
				{"bob", 0, 0, "ann"},
				{"bob", 2 * time.Minute, 0, "bob"},
				{"eve", 0, 90 * time.Second, "bob"},
				{"bob", 0, 0, ""},
				{"ann", time.Minute, 0, "ann"},
				{"", 0, 2 * time.Minute, ""},
			} {
				c.Move(step.after)
				stage.Same(th, "open", assign(step.to, step.length), true)
				stage.Same(th, "listed", inboxItems(th, "acme", "", 0)[0].Assignee, step.want)
				stage.Same(th, "who looks", listedReviewers(th), "bob")
			}
		})
	}},
	{"who looks goes with the suspension, and comes back with it", func(e *stage.Env) {
		th := e.Thread()
		openTwo(th)
		stage.Same(th, "asked", reviewed(th, "bob", time.Minute), "bob")
		claim := th.Begun(th.Resume("r2", "exe-r1"))
		stage.Same(th, "answered", reviewed(th, "ann", time.Minute), "nothing is open")
		b := stage.Ending(claim, 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		th.OK(b)
		stage.Same(th, "given back", reviewed(th, "ann", time.Minute), "ann bob")
	}},
	{"who has looked at what a thread asked before does not look at what it asks now", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		openTwo(th)
		for i := range store.MostReviewers {
			reviewed(th, fmt.Sprint("user", i), time.Minute)
		}
		c.Move(time.Second)
		b := stage.Ending(th.Begun(th.Resume("r2", "exe-r1")), 2, 3, "asks", store.EndSuspend)
		b.End.Interrupts = []string{"three"}
		th.OK(b)
		stage.Same(th, "asked again", reviewed(th, "", 0), "")
		stage.Same(th, "noted", reviewed(th, "ann", time.Minute), "ann")
	}},
	{"so many are noted, and no further one until one of them goes", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		openTwo(th)
		var all []string
		for i := range store.MostReviewers {
			all = append(all, fmt.Sprint("user", i))
			reviewed(th, all[i], time.Duration(i+1)*time.Minute)
		}
		full := strings.Join(all, " ")
		stage.Same(th, "full", reviewed(th, "zoe", time.Minute), full)
		stage.Same(th, "one of them", reviewed(th, all[0], time.Minute), full)
		open, err := th.Store.Assign(th.Context(), th.Key, "zoe", time.Hour)
		stage.Same(th, "assigned", stage.Must(th, open, err), true)
		stage.Same(th, "listed", inboxItems(th, "", "", 0)[0].Assignee, "zoe")
		c.Move(time.Minute)
		stage.Same(th, "one has gone", reviewed(th, "zoe", time.Hour), strings.Join(append(all[1:], "zoe"), " "))
	}},
}
