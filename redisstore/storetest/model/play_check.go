package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// check reads the thread and compares all of it with the model.
func (p *player) check(g *game, node store.Store) {
	q := store.ReadQuery{Label: pick(p, "l1", "l2", "l3"), RunID: p.runID(g), MessageIDs: g.ids[:3], Follower: p.one(4), Inputs: p.one(2)}
	for id := range g.asked {
		q.ToolCallIDs = append(q.ToolCallIDs, id)
		q.InterruptIDs = append(q.InterruptIDs, "i"+id[1:], "j"+id[1:])
	}
	if !p.one(6) {
		q.After = &store.Position{Epoch: g.epoch, Seq: g.witness.at}
	}
	v, err := node.Read(p.ctx(), g.key, q)
	if err != nil {
		p.fail(g, err.Error())
		return
	}
	before := g.version
	g.version = v.Version
	if v.Version < before || g.decided != (v.Version > before) {
		p.fail(g, fmt.Sprintf("version %d after %d, decided %t", v.Version, before, g.decided))
		return
	}
	if difference := alike(v, g.view(q, v)); difference != "" {
		p.fail(g, "reads "+difference)
		return
	}
	if q.After != nil && !v.Recovered {
		p.fail(g, "the log has a gap")
		return
	}
	if q.After == nil && v.Seq > g.witness.at { // a snapshot may stand for events
		q = store.ReadQuery{After: &store.Position{Epoch: g.epoch, Seq: g.witness.at}}
		if v, err = node.Read(p.ctx(), g.key, q); err != nil || !v.Recovered {
			p.fail(g, fmt.Sprintf("the log has a gap: %v", err))
			return
		}
	}
	if p.one(3) {
		have := store.ReadQuery{Have: &store.Position{Epoch: pick(p, g.epoch, g.epoch, "other"), Seq: int64(p.r.IntN(int(v.Seq) + 2))}}
		if held, err := node.Read(p.ctx(), g.key, have); err != nil {
			p.fail(g, err.Error())
			return
		} else if difference := alike(held, g.view(have, held)); difference != "" {
			p.fail(g, fmt.Sprintf("reads with %+v held %s", *have.Have, difference))
			return
		}
	}
	if bad := g.witness.see(v); bad != "" {
		p.fail(g, bad)
		return
	}
	if open := v.Suspension != nil; open && v.Active != nil {
		p.fail(g, "a run is active while interrupts are open")
		return
	}
	if p.one(3) {
		if p.windows(g, node); p.over {
			return
		}
	}
	p.checkDispatches(g, node)
	p.checkBranches(g, node)
	p.checkHeard()
}

// view predicts a Read. The store's own time is taken over.
func (m *model) view(q store.ReadQuery, seen *store.ThreadView) *store.ThreadView {
	v := &store.ThreadView{Thread: m.key, Version: m.version, Epoch: m.epoch, Base: m.base, Seq: int64(len(m.log)),
		Boundary: m.boundary, Now: seen.Now, Active: m.state(m.active), Latest: m.state(m.latest), Run: m.state(m.runs[q.RunID]),
		Tenant: m.tenant, Title: m.title, Used: m.used, DispatchEpoch: m.dispatchEpoch, Paused: m.wish.set, Deleted: m.deleted && !m.used, Drafts: stage.RawMap(m.drafts)}
	if m.owner != "" { // how it is named is the store's affair
		v.Owner = cmp.Or(seen.Owner, m.owner)
	}
	if !seen.Now.Equal(m.now) {
		v.Now = m.now
	}
	if q.After != nil && q.After.Epoch == m.epoch && q.After.Seq >= m.base-1 && q.After.Seq <= v.Seq {
		missed := m.log[q.After.Seq:]
		if n := len(seen.Missed); n > 0 && n < len(missed) { // as many as the store has at hand
			missed = missed[:n]
		}
		v.Recovered, v.Missed = true, bytesOf(missed)
	} else if h := q.Have; h != nil && h.Epoch == m.epoch && h.Seq >= m.base-1 && h.Seq <= v.Seq && (h.Seq >= m.snapshot.at || seen.Held) {
		v.Held, v.From, v.Snapshot = true, h.Seq, store.Snapshot{At: m.snapshot.at, Frozen: stage.Raw(m.snapshot.frozen)}
		v.Log = bytesOf(m.log[h.Seq:])
	} else {
		v.From = m.snapshot.at
		v.Snapshot = store.Snapshot{At: m.snapshot.at, State: stage.Raw(m.snapshot.state), Messages: m.messages(), Frozen: stage.Raw(m.snapshot.frozen), Open: stage.Raw(m.snapshot.open)}
		v.Log = bytesOf(m.log[max(m.snapshot.at, m.base-1):])
	}
	if m.open != nil {
		v.Suspension = stage.Raw(m.open.text)
	}
	for _, r := range m.queued {
		if r.status == store.RunQueued {
			w := store.QueuedRun{ID: r.ID, Record: r.Record}
			if n := len(v.Queue); n < len(seen.Queue) && seen.Queue[n].Size > 0 { // how much it takes is the store's affair
				w.Size = seen.Queue[n].Size
			}
			if q.Inputs {
				w.Input = r.Input
			}
			v.Queue = append(v.Queue, w)
		}
	}
	v.QueueLength = len(m.queued)
	for _, r := range m.begun {
		if r.label == q.Label {
			v.Labelled = append(v.Labelled, *m.state(r))
		}
	}
	v.Bytes = m.bytes()
	answers := map[string]string{}
	for _, id := range q.InterruptIDs {
		if a, ok := m.answers[id]; ok {
			answers[id] = a
		}
	}
	v.Answers, v.Asked, v.Archived = stage.RawMap(answers), map[string]bool{}, map[string]bool{}
	for _, id := range q.ToolCallIDs {
		v.Asked[id] = true
	}
	for _, id := range q.MessageIDs {
		if m.archived[id] {
			v.Archived[id] = true
		}
	}
	return v
}

// checkBranches compares the branches, and the messages of one.
func (p *player) checkBranches(g *game, node store.Store) {
	got, err := node.Branches(p.ctx(), g.key)
	if err == nil && len(got) > 0 {
		i := p.r.IntN(len(got))
		got[i].Messages, err = node.BranchMessages(p.ctx(), g.key, got[i].ID)
	}
	if err != nil {
		p.fail(g, err.Error())
		return
	}
	var want []store.Branch
	want = append(want, g.branches...)
	for i := range want {
		if i < len(got) && got[i].Messages == nil {
			want[i].Messages = nil
		}
	}
	if difference := alike(got, want); difference != "" {
		p.fail(g, "has branches "+difference)
	}
}

// checkDispatches compares the dispatches, and holds each to its state's shape.
func (p *player) checkDispatches(g *game, node store.Store) {
	got, err := node.Dispatches(p.ctx(), g.key, store.DispatchQuery{Limit: 2 * playRuns})
	if err != nil {
		p.fail(g, err.Error())
		return
	}
	want := g.list()
	claimed := 0
	for i, d := range got {
		if bad := stage.Misshapen(d); bad != "" {
			p.fail(g, fmt.Sprintf("dispatch %s %s: %s", d.ID, bad, printed(d)))
			return
		}
		if d.State == store.DispatchClaimed {
			claimed++
		}
		if i > 0 && d.Completed.After(got[i-1].Completed) && got[i-1].State.Terminal() {
			p.fail(g, "terminal dispatches are not listed latest first")
			return
		}
	}
	if claimed > 1 {
		p.fail(g, fmt.Sprintf("%d claims on one thread", claimed))
		return
	}
	// Those that ended in the same millisecond may stand in any order.
	for _, list := range [][]store.Dispatch{got, want} {
		slices.SortStableFunc(list, func(a, b store.Dispatch) int {
			if !a.State.Terminal() || !b.State.Terminal() {
				return 0
			}
			if c := b.Completed.Compare(a.Completed); c != 0 {
				return c
			}
			return strings.Compare(a.ID, b.ID)
		})
	}
	if difference := alike(got, want); difference != "" {
		p.fail(g, "lists "+difference)
	}
}

// survey compares what is seen across threads, and looks at the whole space.
func (p *player) survey() {
	want, counts := map[string]bool{}, map[store.DispatchState]int64{}
	tenants := map[string]map[store.DispatchState]int64{}
	for _, g := range p.games {
		g.now = p.clock.Read()
		if g.due() {
			want[g.key.Thread] = true
		}
		if tenants[g.tenant] == nil {
			tenants[g.tenant] = map[store.DispatchState]int64{}
		}
		for _, r := range g.begun {
			if r.State == store.DispatchDeadLetter && r.ContinuedAs != "" {
				continue // it was requeued
			}
			counts[r.State]++
			tenants[g.tenant][r.State]++
		}
	}
	g := p.games[0]
	work, err := p.nodes[0].Work(p.ctx(), store.WorkQuery{Agents: stage.Agents, Limit: 10_000, Idle: -1})
	got := map[string]bool{}
	for _, w := range work {
		if w.Entry == "" || got[w.Thread.Thread] {
			p.fail(g, fmt.Sprintf("%q was not delivered as it should be: %+v", w.Thread.Thread, work))
			return
		}
		got[w.Thread.Thread] = true
	}
	for _, g := range p.games {
		g.sweeps()
		at := slices.IndexFunc(work, func(w store.Work) bool { return w.Thread == g.key })
		if at >= 0 {
			g.entry = work[at].Entry
		}
	}
	if difference := alike(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))); err != nil || difference != "" {
		p.fail(g, fmt.Sprint("due ", difference, err))
		return
	}
	if p.mailbox(); p.over {
		return
	}
	counted, err := p.nodes[1].CountDispatches(p.ctx())
	maps.DeleteFunc(counted, func(_ store.DispatchState, n int64) bool { return n == 0 })
	if difference := alike(counted, counts); err != nil || difference != "" {
		p.fail(g, fmt.Sprint("counts ", difference, err))
		return
	}
	for tenant, counts := range tenants {
		counted, err := p.nodes[1].CountTenant(p.ctx(), tenant)
		if difference := alike(counted, counts); err != nil || difference != "" {
			p.fail(g, fmt.Sprint("counts of the tenant ", tenant, ": ", difference, err))
			return
		}
	}
	if p.how.Inspect != nil {
		if err := p.how.Inspect(p.e.Space); err != nil {
			p.fail(g, err.Error())
		}
	}
}

// checkHeard holds what was delivered to what is logged.
func (p *player) checkHeard() {
	p.mu.Lock()
	heard := p.heard
	p.heard = nil
	p.mu.Unlock()
	for _, d := range heard {
		for _, g := range p.games {
			if d.Kind != store.DeliverEvents || d.Thread != g.key || d.Epoch != g.epoch {
				continue
			}
			for i, e := range d.Events {
				if at := d.First + int64(i); at < 1 || at > int64(len(g.log)) || g.log[at-1] != string(e) {
					p.fail(g, fmt.Sprintf("position %d was delivered as %s", at, e))
					return
				}
			}
		}
	}
}

// witness reads a thread's log as a client does, and knows what it must be
// whatever the model says.
type witness struct {
	at   int64
	open string
	ends map[string]int
}

// see takes what a Read brought, and says what is wrong with it.
func (w *witness) see(v *store.ThreadView) string {
	for _, e := range v.Missed {
		w.at++
		kind, rest, _ := strings.Cut(strings.Trim(string(e), `"`), ":")
		id, _, _ := strings.Cut(rest, ":")
		switch {
		case kind == "S" && w.open == "":
			w.open = id
		case kind == "e" && w.open == id:
		case kind == "T" && w.open == id:
			if w.ends == nil {
				w.ends = map[string]int{}
			}
			w.open, w.ends[id] = "", w.ends[id]+1
			if w.ends[id] > 1 {
				return fmt.Sprintf("run %s ended twice", id)
			}
		default:
			return fmt.Sprintf("position %d: %s while %q is open", w.at, e, w.open)
		}
	}
	if w.at != v.Seq {
		return fmt.Sprintf("%d events are there of %d", w.at, v.Seq)
	}
	return ""
}

// whole wants every run of a thread at rest to have its end.
func (w *witness) whole(p *player, g *game) {
	v, err := p.nodes[0].Read(p.ctx(), g.key, store.ReadQuery{After: &store.Position{Epoch: g.epoch, Seq: w.at}})
	if err != nil || !v.Recovered || w.see(v) != "" {
		p.fail(g, fmt.Sprintf("the end of the log cannot be read: %v", err))
		return
	}
	for _, r := range g.begun {
		if w.ends[r.ID] != 1 {
			p.fail(g, fmt.Sprintf("run %s has %d ends", r.ID, w.ends[r.ID]))
			return
		}
	}
}
