package threads

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var InboxTests = []stage.Test{
	{"an open suspension is in its tenant's inbox with what is needed to show it", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		b := th.Execute("r1")
		b.Tenant, b.User, b.Title = "acme", "ann", "Name"
		claim := th.Begun(b)
		c.Move(time.Second)
		opened := c.Read()
		askAbout(th, claim, 2, 1, "tool_call")
		c.Move(time.Second)
		drafting(th, 0, map[string]json.RawMessage{"int": stage.Raws(`"half"`)[0]})
		items := inboxItems(th, "acme", "", 0)
		if len(items) != 1 {
			e.Fatalf("%d items", len(items))
		}
		item := items[0]
		if !item.Since.Equal(opened) {
			e.Errorf("since %v, opened %v", item.Since, opened)
		}
		item.Since = time.Time{}
		stage.Same(th, "item", stage.Show(item), stage.Show(store.InboxItem{Thread: th.Key, Tenant: "acme", User: "ann", Agent: "agent", Version: th.View().Version, Title: "Name",
			Suspension: json.RawMessage(`{"open":["int"]}`),
			Drafts:     map[string]json.RawMessage{"int": stage.Raws(`"half"`)[0]}}))
	}},
	{"an inbox holds its tenant's threads of every namespace and no other's", func(e *stage.Env) {
		s := e.Node("a")
		for i, tenant := range []string{"", "acme", "acme", "other", "acm", "acme\x00"} {
			th := e.On(s, fmt.Sprint(i))
			th.Key.Namespace = fmt.Sprint("space", i%2)
			asking(th, tenant)
		}
		th := e.On(s, "t")
		for tenant, want := range map[string]int{"": 1, "acme": 2, "other": 1, "acm": 1, "acme\x00": 1, "none": 0} {
			stage.Same(th, "threads of "+tenant, len(inboxItems(th, tenant, "", 0)), want)
		}
	}},
	{"many inboxes that are read at once are each their own", func(e *stage.Env) {
		nodes := []store.Store{e.Node("a"), e.Node("b")}
		const tenants = 6
		for i := range 2 * tenants {
			asking(e.On(nodes[0], fmt.Sprint("t", i)), fmt.Sprint("tenant", i%tenants))
		}
		stage.InParallel(120, 24, func(i int) {
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
	{"the tenant is that of the input that used the thread first", func(e *stage.Env) {
		th := e.Thread()
		b := th.Execute("r1")
		b.Tenant = "first"
		th.OK(stage.Ending(th.Begun(b), 2, 1, "end", store.EndFinish))
		b = th.Execute("r2")
		b.Tenant = "second"
		askAbout(th, th.Begun(b), 2, 3)
		stage.Same(th, "tenant", th.View().Tenant, "first")
		stage.Same(th, "inboxes", inbox(th, "first", "", 0)+"/"+inbox(th, "second", "", 0), "t/")
	}},
	{"who has waited longest comes first, on pages of any size", func(e *stage.Env) {
		c := e.Stopped()
		s := e.Node("a")
		var want []string
		for i := range 25 {
			th := e.On(s, fmt.Sprintf("t%02d", i))
			asking(th, "acme", "tool_call")
			want = append(want, th.Key.Thread)
			c.Move(time.Millisecond)
		}
		th := e.On(s, "t")
		for _, limit := range []int{1, 2, 7, 24, 25, 26, 0} {
			stage.Same(th, fmt.Sprint("pages of ", limit), inbox(th, "acme", "", limit), strings.Join(want, " "))
			stage.Same(th, fmt.Sprint("pages of ", limit, " by reason"), inbox(th, "acme", "tool_call", limit), strings.Join(want, " "))
		}
	}},
	{"threads that were suspended in the same millisecond are all listed once", func(e *stage.Env) {
		e.Stopped()
		s := e.Node("a")
		for i := range 20 {
			asking(e.On(s, fmt.Sprint("t", i)), "acme")
		}
		seen := map[string]bool{}
		for _, id := range strings.Fields(inbox(e.On(s, "t"), "acme", "", 3)) {
			if seen[id] {
				e.Errorf("%s comes twice", id)
			}
			seen[id] = true
		}
		if len(seen) != 20 {
			e.Errorf("%d of 20", len(seen))
		}
	}},
	{"a reason finds the suspensions that have it, each once", func(e *stage.Env) {
		c := e.Stopped()
		s := e.Node("a")
		for id, reasons := range map[string][]string{"t1": {"tool_call"}, "t2": {"input_required", "tool_call"}, "t3": {"acme:else"}, "t4": nil} {
			asking(e.On(s, id), "acme", reasons...)
			c.Move(time.Second)
		}
		th := e.On(s, "t")
		for reason, want := range map[string]int{"tool_call": 2, "input_required": 1, "acme:else": 1, "confirmation": 0, "": 4} {
			stage.Same(th, "threads with "+reason, len(inboxItems(th, "acme", reason, 0)), want)
		}
		e.On(s, "t2").Begun(e.On(s, "t2").Resume("r2", "exe-r1"))
		for reason, want := range map[string]int{"tool_call": 1, "input_required": 0, "": 3} {
			stage.Same(th, "threads with "+reason+" after an answer", len(inboxItems(th, "acme", reason, 0)), want)
		}
	}},
	{"an answered suspension is in no inbox, and is again when its answers are given back", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		asking(th, "acme", "tool_call")
		before := inboxItems(th, "acme", "tool_call", 0)
		c.Move(time.Minute)
		claim := th.Begun(th.Resume("r2", "exe-r1"))
		stage.Same(th, "answered", inbox(th, "acme", "", 0)+inbox(th, "acme", "tool_call", 0), "")
		b := stage.Ending(claim, 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		if !th.OK(b).GaveBack {
			e.Fatal("nothing was given back")
		}
		after := inboxItems(th, "acme", "tool_call", 0)
		for i := range after {
			after[i].Version = before[i].Version
		}
		stage.Same(th, "given back", stage.Show(after), stage.Show(before))
		stage.Same(th, "for any reason", inbox(th, "acme", "", 0), "t")
		claim = th.Begun(th.Resume("r3", "exe-r1"))
		stage.Same(th, "answered again", inbox(th, "acme", "", 0)+inbox(th, "acme", "tool_call", 0), "")
		c.Move(time.Minute)
		askAbout(th, claim, 2, 5, "confirmation")
		items := inboxItems(th, "acme", "", 0)
		stage.Same(th, "asked again", fmt.Sprint(len(items), items[0].Since.Equal(c.Read())), "1 true")
		stage.Same(th, "its reasons", inbox(th, "acme", "tool_call", 0)+"/"+inbox(th, "acme", "confirmation", 0), "/t")
		th.Begun(stage.With(th.Steer("r4"), func(k *store.Steer) { k.Answers = map[string]json.RawMessage{"int": stage.Raws("null")[0]} }))
		stage.Same(th, "steered away", inbox(th, "acme", "", 0)+inbox(th, "acme", "confirmation", 0), "")
	}},
	{"a suspension that asks nobody is in no inbox, and is a suspension all the same", func(e *stage.Env) {
		th := e.Thread()
		b := th.Execute("r1")
		b.Tenant = "acme"
		waits := stage.Ending(th.Begun(b), 2, 1, "waits", store.EndSuspend)
		waits.End.Quiet, waits.End.Reasons = true, []string{"timer"}
		th.OK(waits)
		stage.Same(th, "inbox", len(inboxItems(th, "acme", "", 0)), 0)
		stage.Same(th, "waits", th.Dispatch("r1").Waits, true)
		claim := th.Begun(th.Resume("r2", "exe-r1"))
		end := stage.Ending(claim, 2, 3, "fails", store.EndFail)
		end.End.GiveBack = true
		th.OK(end)
		stage.Same(th, "given back", stage.Words(len(inboxItems(th, "acme", "", 0)), th.Dispatch("r1").Waits), "0 true")
	}},
	{"a cursor stays where it is when suspensions come and go", func(e *stage.Env) {
		c := e.Stopped()
		s := e.Node("a")
		for i := range 6 {
			asking(e.On(s, fmt.Sprint("t", i)), "acme")
			c.Move(time.Second)
		}
		th := e.On(s, "t")
		read := func(cursor string) (string, string) {
			p, err := s.Inbox(e.Context(), store.InboxQuery{Tenant: "acme", Limit: 2, Cursor: cursor})
			p = stage.Must(th, p, err)
			ids := ""
			for _, item := range p.Items {
				ids += item.Thread.Thread
			}
			return ids, p.Next
		}
		page, next := read("")
		stage.Same(th, "first page", page, "t0t1")
		for _, id := range []string{"t0", "t1", "t3"} {
			th := e.On(s, id)
			th.Begun(th.Resume("r2", "exe-r1"))
		}
		asking(e.On(s, "t6"), "acme")
		page, next = read(next)
		stage.Same(th, "second page", page, "t2t4")
		page, next = read(next)
		stage.Same(th, "third page", page+next, "t5t6")
	}},
	{"a cursor of no query or of another one is refused", func(e *stage.Env) {
		s := e.Node("a")
		for i := range 3 {
			asking(e.On(s, fmt.Sprint("t", i)), "acme", "tool_call")
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
