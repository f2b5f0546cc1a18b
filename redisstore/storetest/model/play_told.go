package model

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// listen compares the notices since it last did with what the calls since then have
// made true, thread by thread.
func (p *player) listen() {
	if p.over {
		return
	}
	got, want := map[string][]string{}, p.gone
	for {
		page, err := p.nodes[p.r.IntN(len(p.nodes))].Notices(p.ctx(), store.NoticeQuery{After: p.cursor, Limit: 1000})
		if err != nil || page.Missed {
			p.fail(p.games[0], fmt.Sprintf("notices, missed %t: %v", page.Missed, err))
			return
		}
		p.cursor = page.Next
		for _, n := range page.Notices {
			if p.notices[n.ID] {
				p.fail(p.games[0], "notice "+n.ID+" is told twice")
				return
			}
			p.notices[n.ID] = true
			got[n.Thread.Thread] = append(got[n.Thread.Thread], noticeText(n))
		}
		if len(page.Notices) == 0 {
			break
		}
	}
	for _, g := range p.games {
		p.note(g)
	}
	p.gone = map[string][]string{}
	for _, thread := range slices.Sorted(maps.Keys(want)) {
		if difference := alike(got[thread], want[thread]); difference != "" {
			p.fail(p.of(thread), "tells "+difference)
			return
		}
		delete(got, thread)
	}
	if len(got) > 0 {
		p.fail(p.games[0], fmt.Sprint("threads in which nothing was done tell ", got))
	}
}

// note takes over what a thread must have told.
func (p *player) note(g *game) {
	for _, n := range g.told {
		p.gone[g.key.Thread] = append(p.gone[g.key.Thread], noticeText(n))
	}
	g.told = nil
}

// of is the game on a thread, or any.
func (p *player) of(thread string) *game {
	for _, g := range p.games {
		if g.key.Thread == thread {
			return g
		}
	}
	return p.games[0]
}

// noticeText is all of a notice but its id. Which of its interrupts comes first means nothing.
func noticeText(n store.Notice) string {
	n.Interrupts = slices.Sorted(slices.Values(n.Interrupts))
	return stage.Told(n) + fmt.Sprint(" at ", n.At.UnixMilli())
}

// mailbox compares which threads ask for a worker, and whose.
func (p *player) mailbox() {
	want, waiting := map[string][]string{}, map[string]int64{}
	for _, g := range p.games {
		if g.delivery != nil {
			want[g.key.Thread] = []string{g.delivery.agent}
			waiting[g.delivery.agent]++
		}
	}
	if p.how.Delivered != nil {
		got, err := p.how.Delivered(p.e.Space, stage.Agents)
		if err != nil {
			p.fail(p.games[0], err.Error())
			return
		}
		for _, thread := range slices.Sorted(maps.Keys(got)) {
			if difference := alike(got[thread], want[thread]); difference != "" {
				p.fail(p.of(thread), "asks workers of "+difference)
				return
			}
			delete(want, thread)
		}
		for thread, of := range want {
			p.fail(p.of(thread), fmt.Sprintf("%s asks no worker of %q", thread, of))
			return
		}
	}
	stats, err := p.nodes[2].WorkStats(p.ctx(), stage.Agents)
	if err != nil {
		p.fail(p.games[0], err.Error())
		return
	}
	for _, s := range stats {
		if s.Waiting != waiting[s.Agent] || s.Pending < 0 || s.Pending > s.Waiting {
			p.fail(p.games[0], fmt.Sprintf("%+v, %d wait", s, waiting[s.Agent]))
			return
		}
	}
}

// records compares what is on record of the decisions of each thread there is.
func (p *player) records() {
	for _, g := range p.games {
		p.recorded(g.key.Thread, g.model.recorded, store.DecisionQuery{AllTenants: true, Thread: &g.key})
	}
}

// all compares the whole record, of threads too that are gone.
func (p *player) all() {
	tenants := map[string][]store.Decision{}
	var all []store.Decision
	for _, list := range p.kept {
		all = append(all, list...)
	}
	for _, g := range p.games {
		all = append(all, g.model.recorded...)
	}
	for _, d := range all {
		tenants[d.Tenant] = append(tenants[d.Tenant], d)
	}
	for _, tenant := range []string{"acme", "other", ""} {
		p.recorded("the tenant "+tenant, tenants[tenant], store.DecisionQuery{Tenant: tenant})
		p.recorded("ann of the tenant "+tenant, slices.DeleteFunc(slices.Clone(tenants[tenant]), func(d store.Decision) bool { return d.User != "ann" }),
			store.DecisionQuery{Tenant: tenant, User: "ann"})
	}
	p.recorded("all", all, store.DecisionQuery{AllTenants: true})
}

// recorded compares decisions that a query finds, the latest first.
func (p *player) recorded(what string, want []store.Decision, q store.DecisionQuery) {
	seen := map[string]bool{}
	var last store.Decision
	var texts []string
	for _, d := range want {
		texts = append(texts, printed(d))
	}
	p.compare("decisions of "+what, texts, func(ctx context.Context, page store.PageQuery) ([]string, string, error) {
		q.Limit, q.Cursor = 5*page.Limit, page.Cursor
		got, err := p.nodes[1].Decisions(ctx, q)
		var list []string
		for _, d := range got.Decisions {
			if seen[d.ID] || !last.At.IsZero() && d.At.After(last.At) {
				return nil, "", fmt.Errorf("%s comes behind %s", printed(d), printed(last))
			}
			seen[d.ID], last = true, d
			d.ID = ""
			list = append(list, printed(d))
		}
		return list, got.Next, err
	})
}
