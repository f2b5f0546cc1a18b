package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var inboxTests = []test{
	{"an open suspension is in its tenant's inbox with what is needed to show it", func(e *env) {
		c := e.stopped()
		th := e.thread()
		b := th.execute("r1")
		b.Tenant, b.User, b.Title = "acme", "ann", "Name"
		claim := th.begun(b)
		c.move(time.Second)
		opened := c.read()
		th.asks(claim, 2, 1, "tool_call")
		c.move(time.Second)
		th.draft(0, map[string]json.RawMessage{"int": raws(`"half"`)[0]})
		items := th.inboxItems("acme", "", 0)
		if len(items) != 1 {
			e.Fatalf("%d items", len(items))
		}
		item := items[0]
		if !item.Since.Equal(opened) {
			e.Errorf("since %v, opened %v", item.Since, opened)
		}
		item.Since = time.Time{}
		same(th, "item", show(item), show(store.InboxItem{Thread: th.key, Tenant: "acme", User: "ann", Agent: "agent", Version: th.view().Version, Title: "Name",
			Suspension: json.RawMessage(`{"open":["int"]}`),
			Drafts:     map[string]json.RawMessage{"int": raws(`"half"`)[0]}}))
	}},
	{"an inbox holds its tenant's threads of every namespace and no other's", func(e *env) {
		s := e.node("a")
		for i, tenant := range []string{"", "acme", "acme", "other", "acm", "acme\x00"} {
			th := e.on(s, fmt.Sprint(i))
			th.key.Namespace = fmt.Sprint("space", i%2)
			th.asking(tenant)
		}
		th := e.on(s, "t")
		for tenant, want := range map[string]int{"": 1, "acme": 2, "other": 1, "acm": 1, "acme\x00": 1, "none": 0} {
			same(th, "threads of "+tenant, len(th.inboxItems(tenant, "", 0)), want)
		}
	}},
	{"many inboxes that are read at once are each their own", func(e *env) {
		nodes := []store.Store{e.node("a"), e.node("b")}
		const tenants = 6
		for i := range 2 * tenants {
			e.on(nodes[0], fmt.Sprint("t", i)).asking(fmt.Sprint("tenant", i%tenants))
		}
		inParallel(120, 24, func(i int) {
			tenant := fmt.Sprint("tenant", i%tenants)
			page, err := nodes[i%2].Inbox(e.Context(), store.InboxQuery{Tenant: tenant, Limit: 10})
			if err != nil || len(page.Items) != 2 {
				e.Errorf("%s has %d, %v", tenant, len(page.Items), err)
			}
			for _, item := range page.Items {
				if item.Tenant != tenant {
					e.Errorf("%s is told of a thread of %s", tenant, item.Tenant)
				}
			}
		})
	}},
	{"the tenant is that of the input that used the thread first", func(e *env) {
		th := e.thread()
		b := th.execute("r1")
		b.Tenant = "first"
		th.ok(ending(th.begun(b), 2, 1, "end", store.EndFinish))
		b = th.execute("r2")
		b.Tenant = "second"
		th.asks(th.begun(b), 2, 3)
		same(th, "tenant", th.view().Tenant, "first")
		same(th, "inboxes", th.inbox("first", "", 0)+"/"+th.inbox("second", "", 0), "t/")
	}},
	{"who has waited longest comes first, on pages of any size", func(e *env) {
		c := e.stopped()
		s := e.node("a")
		var want []string
		for i := range 25 {
			th := e.on(s, fmt.Sprintf("t%02d", i))
			th.asking("acme", "tool_call")
			want = append(want, th.key.Thread)
			c.move(time.Millisecond)
		}
		th := e.on(s, "t")
		for _, limit := range []int{1, 2, 7, 24, 25, 26, 0} {
			same(th, fmt.Sprint("pages of ", limit), th.inbox("acme", "", limit), strings.Join(want, " "))
			same(th, fmt.Sprint("pages of ", limit, " by reason"), th.inbox("acme", "tool_call", limit), strings.Join(want, " "))
		}
	}},
	{"threads that were suspended in the same millisecond are all listed once", func(e *env) {
		e.stopped()
		s := e.node("a")
		for i := range 20 {
			e.on(s, fmt.Sprint("t", i)).asking("acme")
		}
		seen := map[string]bool{}
		for _, id := range strings.Fields(e.on(s, "t").inbox("acme", "", 3)) {
			if seen[id] {
				e.Errorf("%s comes twice", id)
			}
			seen[id] = true
		}
		if len(seen) != 20 {
			e.Errorf("%d of 20", len(seen))
		}
	}},
	{"a reason finds the suspensions that have it, each once", func(e *env) {
		c := e.stopped()
		s := e.node("a")
		for id, reasons := range map[string][]string{"t1": {"tool_call"}, "t2": {"input_required", "tool_call"}, "t3": {"acme:else"}, "t4": nil} {
			e.on(s, id).asking("acme", reasons...)
			c.move(time.Second)
		}
		th := e.on(s, "t")
		for reason, want := range map[string]int{"tool_call": 2, "input_required": 1, "acme:else": 1, "confirmation": 0, "": 4} {
			same(th, "threads with "+reason, len(th.inboxItems("acme", reason, 0)), want)
		}
		e.on(s, "t2").begun(e.on(s, "t2").resume("r2", "exe-r1"))
		for reason, want := range map[string]int{"tool_call": 1, "input_required": 0, "": 3} {
			same(th, "threads with "+reason+" after an answer", len(th.inboxItems("acme", reason, 0)), want)
		}
	}},
	{"an answered suspension is in no inbox, and is again when its answers are given back", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.asking("acme", "tool_call")
		before := th.inboxItems("acme", "tool_call", 0)
		c.move(time.Minute)
		claim := th.begun(th.resume("r2", "exe-r1"))
		same(th, "answered", th.inbox("acme", "", 0)+th.inbox("acme", "tool_call", 0), "")
		b := ending(claim, 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		if !th.ok(b).GaveBack {
			e.Fatal("nothing was given back")
		}
		after := th.inboxItems("acme", "tool_call", 0)
		for i := range after {
			after[i].Version = before[i].Version
		}
		same(th, "given back", show(after), show(before))
		same(th, "for any reason", th.inbox("acme", "", 0), "t")
		claim = th.begun(th.resume("r3", "exe-r1"))
		same(th, "answered again", th.inbox("acme", "", 0)+th.inbox("acme", "tool_call", 0), "")
		c.move(time.Minute)
		th.asks(claim, 2, 5, "confirmation")
		items := th.inboxItems("acme", "", 0)
		same(th, "asked again", fmt.Sprint(len(items), items[0].Since.Equal(c.read())), "1 true")
		same(th, "its reasons", th.inbox("acme", "tool_call", 0)+"/"+th.inbox("acme", "confirmation", 0), "/t")
		th.begun(with(th.steer("r4"), func(k *store.Steer) { k.Answers = map[string]json.RawMessage{"int": raws("null")[0]} }))
		same(th, "steered away", th.inbox("acme", "", 0)+th.inbox("acme", "confirmation", 0), "")
	}},
	{"a suspension that asks nobody is in no inbox, and is a suspension all the same", func(e *env) {
		th := e.thread()
		b := th.execute("r1")
		b.Tenant = "acme"
		waits := ending(th.begun(b), 2, 1, "waits", store.EndSuspend)
		waits.End.Quiet, waits.End.Reasons = true, []string{"timer"}
		th.ok(waits)
		same(th, "inbox", len(th.inboxItems("acme", "", 0)), 0)
		same(th, "waits", th.dispatch("r1").Waits, true)
		claim := th.begun(th.resume("r2", "exe-r1"))
		end := ending(claim, 2, 3, "fails", store.EndFail)
		end.End.GiveBack = true
		th.ok(end)
		same(th, "given back", words(len(th.inboxItems("acme", "", 0)), th.dispatch("r1").Waits), "0 true")
	}},
	{"a cursor stays where it is when suspensions come and go", func(e *env) {
		c := e.stopped()
		s := e.node("a")
		for i := range 6 {
			e.on(s, fmt.Sprint("t", i)).asking("acme")
			c.move(time.Second)
		}
		th := e.on(s, "t")
		read := func(cursor string) (string, string) {
			p, err := s.Inbox(e.Context(), store.InboxQuery{Tenant: "acme", Limit: 2, Cursor: cursor})
			p = must(th, p, err)
			ids := ""
			for _, item := range p.Items {
				ids += item.Thread.Thread
			}
			return ids, p.Next
		}
		page, next := read("")
		same(th, "first page", page, "t0t1")
		for _, id := range []string{"t0", "t1", "t3"} {
			th := e.on(s, id)
			th.begun(th.resume("r2", "exe-r1"))
		}
		e.on(s, "t6").asking("acme")
		page, next = read(next)
		same(th, "second page", page, "t2t4")
		page, next = read(next)
		same(th, "third page", page+next, "t5t6")
	}},
	{"a cursor of no query or of another one is refused", func(e *env) {
		s := e.node("a")
		for i := range 3 {
			e.on(s, fmt.Sprint("t", i)).asking("acme", "tool_call")
		}
		p, err := s.Inbox(e.Context(), store.InboxQuery{Tenant: "acme", Limit: 1})
		if err != nil || p.Next == "" {
			e.Fatalf("%+v, %v", p, err)
		}
		for _, q := range []store.InboxQuery{{Tenant: "other", Cursor: p.Next}, {AllTenants: true, Cursor: p.Next}, {Namespace: "space", Cursor: p.Next}, {Tenant: "acme", Owner: "ann", Cursor: p.Next},
			{Tenant: "acme", From: time.UnixMilli(1), Cursor: p.Next}, {Tenant: "acme", Reason: "tool_call", Cursor: p.Next},
			{Tenant: "acme", Cursor: p.Next[1:]}, {Tenant: "acme", Cursor: p.Next + "A"}, {Tenant: "acme", Cursor: "\x00"},
			{Tenant: "acme", Cursor: "AAAA"}, {Tenant: "acme", Limit: -1}} {
			if got, err := s.Inbox(e.Context(), q); err == nil {
				e.Errorf("%+v: %+v", q, got)
			}
		}
		if _, err := s.Threads(e.Context(), store.ThreadQuery{Namespace: "space", Cursor: p.Next}); err == nil || !strings.Contains(err.Error(), "cursor") {
			e.Errorf("another index: %v", err)
		}
	}},
}
