package threads

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// found reads all pages of a query of threads.
func found(th *stage.Thread, q store.ThreadQuery) string {
	th.Helper()
	q.Namespace = "space"
	var ids []string
	for range 99 {
		p, err := th.Store.Threads(th.Context(), q)
		if p = stage.Must(th, p, err); q.Limit > 0 && len(p.Threads) > q.Limit {
			th.Errorf("a page of %d has %d", q.Limit, len(p.Threads))
		}
		for _, info := range p.Threads {
			ids = append(ids, info.Thread.Thread)
		}
		if q.Cursor = p.Next; q.Cursor == "" {
			return strings.Join(ids, " ")
		}
	}
	th.Fatal("the pages have no end")
	return ""
}

// begunBy is execute of an agent's.
func begunBy(th *stage.Thread, agent string) store.Claim {
	b := th.Execute("r1")
	kind := b.Kind.(store.Execute)
	kind.Agent = agent
	b.Kind = kind
	return th.Begun(b)
}

var ThreadQueryTests = []stage.Test{
	{"threads are found by what they are at, by the agent of their latest run, and by the time of their latest input", func(e *stage.Env) {
		c := e.Stopped()
		s := e.Node("a")
		var at []time.Time
		for _, id := range []string{"idle", "idle-other", "active", "waiting", "queued", "waiting-other"} {
			th := e.On(s, id)
			agent := "agent"
			if strings.HasSuffix(id, "other") {
				agent = ""
			}
			claim := begunBy(th, agent)
			switch what, _, _ := strings.Cut(id, "-"); what {
			case "idle":
				th.OK(stage.Ending(claim, 2, 1, "end", store.EndFinish))
			case "waiting":
				askAbout(th, claim, 2, 1)
			case "queued":
				th.Begun(th.Wait("r2"))
			}
			at = append(at, c.Read())
			c.Move(time.Second)
		}
		th := e.On(s, "idle")
		some, none, nobody := "agent", "", "nobody"
		for _, limit := range []int{1, 2, 5, 0} {
			for _, tt := range []struct {
				q    store.ThreadQuery
				want string
			}{
				{store.ThreadQuery{}, "waiting-other queued waiting active idle-other idle"},
				{store.ThreadQuery{ThreadFilter: store.ThreadFilter{Status: store.ThreadActive}}, "queued active"},
				{store.ThreadQuery{ThreadFilter: store.ThreadFilter{Status: store.ThreadWaiting}}, "waiting-other waiting"},
				{store.ThreadQuery{ThreadFilter: store.ThreadFilter{Status: store.ThreadIdle}}, "idle-other idle"},
				{store.ThreadQuery{ThreadFilter: store.ThreadFilter{Agent: &some}}, "queued waiting active idle"},
				{store.ThreadQuery{ThreadFilter: store.ThreadFilter{Agent: &none}}, "waiting-other idle-other"},
				{store.ThreadQuery{ThreadFilter: store.ThreadFilter{Agent: &nobody}}, ""},
				{store.ThreadQuery{ThreadFilter: store.ThreadFilter{Agent: &none, Status: store.ThreadIdle}}, "idle-other"},
				{store.ThreadQuery{From: at[2]}, "waiting-other queued waiting active"},
				{store.ThreadQuery{From: at[2].Add(time.Nanosecond)}, "waiting-other queued waiting"},
				{store.ThreadQuery{To: at[2]}, "idle-other idle"},
				{store.ThreadQuery{To: at[2].Add(time.Nanosecond)}, "active idle-other idle"},
				{store.ThreadQuery{From: at[1], To: at[4]}, "waiting active idle-other"},
				{store.ThreadQuery{From: at[4], To: at[1]}, ""},
				{store.ThreadQuery{From: at[1], To: at[4], ThreadFilter: store.ThreadFilter{Agent: &some}}, "waiting active"},
			} {
				tt.q.Limit = limit
				stage.Same(th, fmt.Sprintf("%+v", tt.q), found(th, tt.q), tt.want)
			}
		}
		p, err := s.Threads(e.Context(), store.ThreadQuery{Namespace: "space", Limit: 1, ThreadFilter: store.ThreadFilter{Agent: &some}})
		if stage.Must(th, p, err); p.Next == "" {
			e.Fatal(p)
		}
		for _, q := range []store.ThreadQuery{{}, {ThreadFilter: store.ThreadFilter{Agent: &none}}, {ThreadFilter: store.ThreadFilter{Agent: &some, Status: store.ThreadActive}},
			{From: at[0], ThreadFilter: store.ThreadFilter{Agent: &some}}} {
			q.Namespace, q.Cursor = "space", p.Next
			if _, err := s.Threads(e.Context(), q); !errors.Is(err, store.ErrBadCursor) {
				e.Errorf("the cursor with %+v: %v", q, err)
			}
		}
	}},
	{"threads are found by their tenant", func(e *stage.Env) {
		s := e.Node("a")
		for _, id := range []string{"acme-1", "other-1", "acme-2", "-1"} {
			th := e.On(s, id)
			b := th.Execute("r1")
			b.Tenant, _, _ = strings.Cut(id, "-")
			th.Begun(b)
		}
		th := e.On(s, "acme-1")
		for _, tenant := range []string{"acme", "other", "", "nobody"} {
			for _, limit := range []int{1, 3, 0} {
				found := strings.Fields(found(th, store.ThreadQuery{Tenant: &tenant, Limit: limit}))
				slices.Sort(found)
				want := map[string]string{"acme": "acme-1 acme-2", "other": "other-1", "": "-1"}[tenant]
				stage.Same(th, fmt.Sprintf("the tenant %q in pages of %d", tenant, limit), strings.Join(found, " "), want)
			}
		}
		acme, other := "acme", "other"
		p, err := s.Threads(e.Context(), store.ThreadQuery{Namespace: "space", Limit: 1, Tenant: &acme})
		if stage.Must(th, p, err); p.Next == "" || p.Threads[0].Tenant != acme {
			e.Fatal(p)
		}
		for _, tenant := range []*string{nil, &other} {
			if _, err := s.Threads(e.Context(), store.ThreadQuery{Namespace: "space", Cursor: p.Next, Tenant: tenant}); !errors.Is(err, store.ErrBadCursor) {
				e.Errorf("the cursor of another tenant: %v", err)
			}
		}
	}},
	{"threads of a tree are found by what they are at, by the agent of their latest run, and by the time they were made", func(e *stage.Env) {
		c := e.Stopped()
		g := newGrove(e, "a")
		var at []time.Time
		for _, path := range []string{"top", "top/asks", "top/runs", "top/new"} {
			g.plants(path)
			at = append(at, c.Read())
			c.Move(time.Second)
		}
		asks := e.On(g.s, "asks")
		askAbout(asks, begunBy(asks, "one"), 2, 1)
		begunBy(e.On(g.s, "runs"), "two")
		one := "one"
		for _, limit := range []int{1, 3, 0} {
			for _, tt := range []struct {
				q    store.TreeQuery
				want string
			}{
				{store.TreeQuery{ThreadFilter: store.ThreadFilter{Status: store.ThreadIdle}}, "new top"},
				{store.TreeQuery{Root: "top", ThreadFilter: store.ThreadFilter{Status: store.ThreadActive}}, "runs"},
				{store.TreeQuery{Parent: "top", ThreadFilter: store.ThreadFilter{Agent: &one}}, "asks"},
				{store.TreeQuery{Parent: "asks", ThreadFilter: store.ThreadFilter{Agent: &one}}, ""},
				{store.TreeQuery{Root: "top", From: at[1], To: at[3]}, "runs asks"},
				{store.TreeQuery{Root: "top", From: at[1].Add(time.Nanosecond)}, "new runs"},
				{store.TreeQuery{From: at[1]}, "asks new runs"},
				{store.TreeQuery{Prefix: "t", To: at[1]}, "top"},
				{store.TreeQuery{Prefix: "t", To: at[0]}, ""},
			} {
				tt.q.Limit = limit
				if got := g.ids(tt.q); got != tt.want {
					e.Errorf("%+v: %s, want %s", tt.q, got, tt.want)
				}
			}
		}
		_, next, err := g.tree.TreePage(e.Context(), store.TreeQuery{Namespace: "space", Root: "top", Limit: 1, From: at[0]})
		if err != nil || next == "" {
			e.Fatal(next, err)
		}
		for _, q := range []store.TreeQuery{{}, {From: at[1]}, {From: at[0], ThreadFilter: store.ThreadFilter{Agent: &one}}, {To: at[0]}} {
			q.Namespace, q.Root, q.Cursor = "space", "top", next
			if _, _, err := g.tree.TreePage(e.Context(), q); !errors.Is(err, store.ErrBadCursor) {
				e.Errorf("the cursor with %+v: %v", q, err)
			}
		}
	}},
}
