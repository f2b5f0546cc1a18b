package model

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// browse compares what lists and indexes say of all threads, page by page.
func (p *player) browse() {
	var threads []string
	inboxes, letters := map[string][]string{}, map[string][]string{}
	for _, g := range p.games {
		if g.used {
			info := store.ThreadInfo{Suspended: g.open != nil}
			if g.open != nil && g.open.quiet && len(g.open.reasons) > 0 {
				info.WaitsOn = g.open.reasons[0]
			}
			if g.open != nil && g.open.quiet {
				info.Until = until(g.open.ends)
			}
			threads = append(threads, standing(g.key.Thread, info))
		}
		if g.open != nil && !g.open.quiet {
			inboxes[g.tenant] = append(inboxes[g.tenant], printed([]any{g.key.Thread, stage.Raw(g.open.text), len(g.drafts), stage.RawMap(g.drafts)}))
		}
		for _, r := range g.begun {
			if r.State == store.DispatchDeadLetter && r.ContinuedAs == "" {
				letters[g.tenant] = append(letters[g.tenant], printed(r.Dispatch))
			}
		}
	}
	p.waiting()
	p.compare("threads", threads, func(ctx context.Context, q store.PageQuery) ([]string, string, error) {
		page, err := p.nodes[0].Threads(ctx, store.ThreadQuery{Namespace: "play", Limit: q.Limit, Cursor: q.Cursor})
		var ids []string
		for _, info := range page.Threads {
			ids = append(ids, standing(info.Thread.Thread, info))
		}
		return ids, page.Next, err
	})
	for _, tenant := range []string{"acme", "other", ""} {
		p.compare("inbox of "+tenant, inboxes[tenant], func(ctx context.Context, q store.PageQuery) ([]string, string, error) {
			page, err := p.nodes[1].Inbox(ctx, store.InboxQuery{Tenant: tenant, Limit: q.Limit, Cursor: q.Cursor})
			var items []string
			for _, item := range page.Items {
				drafts := item.Drafts
				if drafts == nil {
					drafts = map[string]json.RawMessage{}
				}
				items = append(items, printed([]any{item.Thread.Thread, item.Suspension, len(item.Drafts), drafts}))
			}
			return items, page.Next, err
		})
		p.compare("dead letters of "+tenant, letters[tenant], func(ctx context.Context, q store.PageQuery) ([]string, string, error) {
			q.Tenant = tenant
			page, err := p.nodes[2].DeadLetters(ctx, q)
			var items []string
			for _, d := range page.Letters {
				items = append(items, printed(d))
			}
			return items, page.Next, err
		})
	}
}

// standing is what a list says of for what a thread waits.
func standing(thread string, of store.ThreadInfo) string {
	return fmt.Sprint(thread, " ", of.Suspended, " ", of.WaitsOn, " ", of.Until.UnixMilli())
}

// waiting compares the inboxes that are nobody's alone, and what is counted in them.
func (p *player) waiting() {
	var all []string
	open := map[string]int64{}
	for _, g := range p.games {
		if g.open != nil && !g.open.quiet {
			all = append(all, g.tenant+" "+g.key.Thread)
			open[g.tenant]++
		}
	}
	for what, of := range map[string]store.InboxQuery{"namespace": {Namespace: "play"}, "all tenants": {AllTenants: true}} {
		p.compare("inbox of the "+what, all, func(ctx context.Context, q store.PageQuery) ([]string, string, error) {
			of.Limit, of.Cursor = q.Limit, q.Cursor
			page, err := p.nodes[0].Inbox(ctx, of)
			var items []string
			for _, item := range page.Items {
				items = append(items, item.Tenant+" "+item.Thread.Thread)
			}
			return items, page.Next, err
		})
	}
	counts := func(what string, q store.InboxCount, want int64) {
		if p.over {
			return
		}
		q.Reasons = []string{""}
		got, err := p.nodes[2].CountInbox(p.ctx(), q)
		if err != nil || got.Waiting[""] != want {
			p.fail(p.games[0], fmt.Sprint(what, ": ", got.Waiting, " wait, not ", want, ": ", err))
		}
	}
	for tenant, n := range open {
		counts("tenant "+tenant, store.InboxCount{Tenant: tenant}, n)
	}
	counts("all tenants", store.InboxCount{AllTenants: true}, int64(len(all)))
	counts("namespace", store.InboxCount{Namespace: "play"}, int64(len(all)))
}

// compare reads all pages, and compares what is in them, in any order.
func (p *player) compare(what string, want []string, page func(context.Context, store.PageQuery) ([]string, string, error)) {
	if p.over {
		return
	}
	var got []string
	q := store.PageQuery{Limit: 1 + p.r.IntN(5)}
	for {
		items, next, err := page(p.ctx(), q)
		if err != nil {
			p.fail(p.games[0], what+": "+err.Error())
			return
		}
		got = append(got, items...)
		if q.Cursor = next; next == "" {
			break
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if difference := alike(got, want); difference != "" {
		p.fail(p.games[0], what+": "+difference)
	}
}
