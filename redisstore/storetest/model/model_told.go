package model

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// tell notes the notice that the call makes.
func (m *model) tell(kind store.NoticeKind, n store.Notice) {
	n.Kind, n.At, n.Thread, n.Tenant, n.Owner = kind, m.now, m.key, m.tenant, m.owner
	m.told = append(m.told, n)
}

func (m *model) tellStart(r *run, by string) {
	m.tell(store.NoticeRunStarted, store.Notice{RunID: r.ID, Label: r.label, Agent: r.agent, By: by})
}

func (m *model) tellEnd(r *run, how string) {
	m.tell(store.NoticeRunEnded, store.Notice{RunID: r.ID, Label: r.label, Agent: r.agent, How: how})
}

// tellOf notes what became of interrupts of a suspension, while its execution is live.
func (m *model) tellOf(kind store.NoticeKind, of *suspension, n store.Notice) {
	if of.quiet {
		return
	}
	n.Agent, n.Reasons = m.exe.agent, of.reasons
	m.tell(kind, n)
}

// until is a deadline as a notice has it.
func until(deadline int64) time.Time {
	if deadline == 0 {
		return time.Time{}
	}
	return time.UnixMilli(deadline)
}

// decides notes what a run decides of the open interrupts: each on record, and a notice for
// those of which the same user says the same.
func (m *model) decides(r *run, b store.Begin) {
	var list []store.Decided
	steers := false
	switch k := b.Kind.(type) {
	case store.Resume:
		list = k.Decided
	case store.Steer:
		list, steers = k.Decided, true
	}
	var told []store.Notice
	for _, d := range list {
		m.recorded = append(m.recorded, store.Decision{Decided: d, At: m.now, Asked: m.open.at, Thread: m.key,
			Tenant: m.tenant, Agent: m.exe.agent, RunID: r.ID, Refused: m.refused[d.Interrupt]})
		delete(m.refused, d.Interrupt)
		n := store.Notice{Kind: store.NoticeDecided, RunID: r.ID, Label: r.label, By: d.User, How: string(d.Status)}
		switch {
		case d.Status == store.DecisionExpired:
			n.Kind, n.How = store.NoticeExpired, ""
		case steers: // by resolving some and cancelling others alike
			n.Kind = store.NoticeCancelled
		}
		same := func(o store.Notice) bool { return o.Kind == n.Kind && o.By == n.By && o.How == n.How }
		at := slices.IndexFunc(told, same)
		if at < 0 {
			at, told = len(told), append(told, n)
		}
		told[at].Interrupts = append(told[at].Interrupts, d.Interrupt)
	}
	for _, n := range told {
		if n.Kind == store.NoticeCancelled {
			n.How = ""
		}
		m.tellOf(n.Kind, m.open, n)
	}
}

// refuses predicts Refused.
func (m *model) refuses(ids []string) {
	for _, id := range ids {
		if m.open != nil && slices.Contains(m.open.ids, id) {
			m.refused[id]++
		}
	}
}

// erased notes what Delete or Erase tells of a thread that it takes away.
func (m *model) erased() {
	if m.open != nil {
		list, _ := stage.Withdraws(store.Withdrawn{Suspension: json.RawMessage(m.open.text), Interrupts: m.open.ids})
		for _, d := range list {
			m.recorded = append(m.recorded, store.Decision{Decided: d, At: m.now, Asked: m.open.at, Thread: m.key,
				Tenant: m.tenant, Agent: m.exe.agent, Refused: m.refused[d.Interrupt]})
		}
		m.tellOf(store.NoticeCancelled, m.open, store.Notice{RunID: m.open.by, Interrupts: m.open.ids})
	}
	m.tell(store.NoticeThreadGone, store.Notice{})
}

// delivery is the entry by which a thread asks for a worker.
type delivery struct {
	agent string
	look  time.Time // when a sweep looks again whose run is next
}

// lookAgain is after how long it does.
const lookAgain = time.Minute

// offer asks an agent's workers for one. It changes nothing if they are asked already.
func (m *model) offer(agent string) {
	if m.delivery == nil || m.delivery.agent != agent {
		m.delivery = &delivery{agent, m.now.Add(lookAgain)}
	}
}

// sweeps predicts what Work offers.
func (m *model) sweeps() {
	if !m.due() || m.delivery != nil && m.now.Before(m.delivery.look) {
		return
	}
	switch {
	case m.active != nil:
		m.offer(m.active.agent)
	case m.open != nil:
		m.offer(m.exe.agent)
	default:
		m.offer(m.ready().agent)
	}
	m.delivery.look = m.now.Add(lookAgain)
}
