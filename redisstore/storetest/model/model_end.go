package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// commits predicts Commit.
func (m *model) commits(b store.Batch) store.CommitResult {
	if b.End != nil {
		return m.ends(b)
	}
	status, stored := m.fence(b.Claim, b.Number, b.Expect)
	if status == store.CommitOK && !stored {
		m.write(b)
		m.active.number = b.Number
		if c := b.Checkpoint; c != nil {
			m.snap(&c.Snapshot)
			m.exe.undo = string(c.Undo)
			m.trim()
		}
	}
	return m.committed(status)
}

func (m *model) write(b store.Batch) {
	m.append(stage.StringsOf(b.Events)...)
	if gave := m.giveable(); gave != nil && b.Bookkeeping {
		gave.noted += len(b.Entries)
	}
	if b.Bookkeeping && !m.progressed(m.active) {
		m.active.reached += len(b.Entries)
	}
	for _, record := range b.Entries {
		m.exe.journal = append(m.exe.journal, string(record))
	}
	if b.Closing != nil {
		m.closing = closingEvents(b.Closing)
	}
}

// closingEvents are the elements of a JSON array, each as it is written.
func closingEvents(array json.RawMessage) []string {
	var items []json.RawMessage
	if err := json.Unmarshal(array, &items); err != nil {
		panic(err)
	}
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = string(item)
	}
	return out
}

func (m *model) ends(b store.Batch) store.CommitResult {
	call := strconv.FormatInt(b.Number, 10)
	if r := m.runs[b.Claim.RunID]; r != nil && r.givenUp.token == b.Claim.Token && r.givenUp.call == call {
		return store.CommitResult{End: store.Position{Epoch: m.epoch, Seq: r.givenUp.end}, Ready: r.givenUp.ready, GaveBack: r.givenUp.gave}
	}
	status, stored := m.fence(b.Claim, b.Number, b.Expect)
	if stored {
		status = store.CommitMismatch
	}
	if status != store.CommitOK {
		return m.committed(status)
	}
	r := m.active
	m.write(b)
	m.snap(b.End.Snapshot)
	r.Summary = b.End.Summary
	r.givenUp = giveUp{token: r.token, call: call, end: int64(len(m.log))}
	m.unclaim(r, store.DispatchAcked, r.Error)
	m.over(r)
	m.tellEnd(r, string(b.End.Kind))
	res := store.CommitResult{Status: store.CommitOK, End: m.end()}
	if b.End.Kind == store.EndSuspend {
		m.suspend(r, b.End)
	} else {
		res.GaveBack, res.Ready = m.closes(r, b.End.Kind == store.EndFail && b.End.GiveBack, b.End.Over)
	}
	r.givenUp.gave, r.givenUp.ready = res.GaveBack, res.Ready
	m.trim()
	return res
}

// unclaim takes the claim off the active run, whose dispatch becomes terminal.
func (m *model) unclaim(r *run, state store.DispatchState, why string) {
	m.active, m.wish, m.closing, m.delivery = nil, wish{}, nil, nil
	m.finish(r, state, why)
	m.decide()
}

// closes ends the execution of a run that does not suspend.
func (m *model) closes(r *run, giveBack bool, over int) (gaveBack, ready bool) {
	if giveBack && m.gives(r, over) {
		return true, false
	}
	m.exe = nil
	return false, m.release()
}

// gives gives the latest decisions back, which are the run's, if it can.
func (m *model) gives(r *run, over int) bool {
	gave := m.giveable()
	if n := m.behindDecisions(); gave == nil && over > 0 && n == over {
		gave = m.exe.gave
	}
	if gave == nil {
		return false
	}
	m.exe.journal = m.exe.journal[:gave.length-1]
	m.open, m.deadline, m.exe.gave, m.exe.undo = gave.open, gave.deadline, nil, ""
	for _, id := range gave.ids {
		delete(m.answers, id)
	}
	m.tellOf(store.NoticeReopened, m.open, store.Notice{RunID: r.ID, Label: r.label, Interrupts: gave.ids, Deadline: until(m.deadline)})
	return true
}

// giveable are the latest decisions if nothing but bookkeeping was journaled after
// them.
func (m *model) giveable() *given {
	if m.exe == nil || m.exe.gave == nil || len(m.exe.journal) != m.exe.gave.length+m.exe.gave.noted {
		return nil
	}
	return m.exe.gave
}

// behindDecisions is how many entries stand behind the latest decisions; 0 as well if there
// are no decisions.
func (m *model) behindDecisions() int {
	if m.exe == nil || m.exe.gave == nil {
		return 0
	}
	return len(m.exe.journal) - m.exe.gave.length
}

func (m *model) suspend(r *run, e *store.End) {
	m.open = &suspension{text: string(e.Suspension), ids: slices.Clone(e.Interrupts), reasons: slices.Clone(e.Reasons), by: r.ID, at: m.now, quiet: e.Quiet, ends: e.Deadline}
	m.deadline = e.Deadline
	m.exe.gave, m.exe.undo = nil, ""
	for _, id := range e.Interrupts {
		delete(m.answers, id)
	}
	for _, id := range e.ToolCalls {
		m.asked[id] = true
	}
	m.tellOf(store.NoticeOpened, m.open, store.Notice{RunID: r.ID, Label: r.label, Interrupts: m.open.ids, Summaries: e.Summaries, Deadline: until(m.deadline)})
}

func (m *model) snap(u *store.SnapshotUpdate) {
	if u == nil {
		return
	}
	m.snapshot.at, m.snapshot.open = int64(len(m.log)), string(u.Open)
	if u.State != nil {
		m.snapshot.state = string(u.State)
	}
	if u.Order != nil || u.Drop > 0 {
		m.cuts++
	}
	if u.Order != nil {
		m.snapshot.order = slices.Clone(u.Order)
		m.snapshot.by = nil
		m.snapshot.produced(u.Order, u.Producers)
	} else if u.Drop > 0 || len(u.Append) > 0 {
		kept := m.snapshot.order[:max(len(m.snapshot.order)-u.Drop, 0)]
		m.snapshot.order = slices.Concat([]string{}, kept, u.Append)
		m.snapshot.produced(u.Append, u.Producers)
	}
	if u.Frozen != nil {
		m.snapshot.frozen = string(u.Frozen)
	}
	for id, text := range u.Upsert {
		m.snapshot.messages[id] = string(text)
	}
	for _, id := range u.Remove {
		delete(m.snapshot.messages, id)
	}
}

// behind is how many events the log has behind the snapshot.
func (m *model) behind() int64 { return int64(len(m.log)) - m.snapshot.at }

// checkpoint predicts Checkpoint.
func (m *model) checkpoint(c store.Checkpoint) bool {
	switch {
	case c.At.Epoch != m.epoch:
		return false
	case m.snapshot.at == c.At.Seq:
		return true
	case m.active != nil || m.exe != nil || c.Version != m.version || c.From != m.snapshot.at || c.At != m.end():
		return false
	}
	m.decide()
	m.snap(&c.Snapshot)
	m.trim()
	return true
}

// trim forgets events past what is retained, never past the snapshot.
func (m *model) trim() {
	m.base = max(m.base, min(m.snapshot.at+1, int64(len(m.log))-m.retain+1))
}

// messages are the snapshot's, in order.
func (m *model) messages() []json.RawMessage {
	var out []json.RawMessage
	for _, id := range m.snapshot.order {
		if text, ok := m.snapshot.messages[id]; ok {
			out = append(out, stage.Raw(text))
		}
	}
	return out
}

// draft predicts Drafts.
func (m *model) draft(version int64, by string, drafts map[string]json.RawMessage) (map[string]json.RawMessage, bool) {
	changes, replaces := len(drafts) == 0, false
	var changed []string
	for id, text := range drafts {
		if m.open == nil || !slices.Contains(m.open.ids, id) {
			return nil, false
		}
		before, kept := m.drafts[id]
		if before != string(text) {
			changes, changed = true, append(changed, id)
			replaces = replaces || kept
		}
	}
	if changes && version != 0 && version != m.version {
		return nil, false
	}
	if replaces {
		m.version++
	}
	if len(changed) > 0 {
		m.tellOf(store.NoticeDrafted, m.open, store.Notice{RunID: m.open.by, Interrupts: changed, By: by})
	}
	for _, id := range slices.Sorted(maps.Keys(drafts)) {
		if drafts[id] == nil {
			delete(m.drafts, id)
		} else {
			m.drafts[id] = string(drafts[id])
		}
	}
	return stage.RawMap(m.drafts), true
}

// journal predicts Journal for a claim that is held.
func (m *model) journal(r *run) *store.ExecutionView {
	x := &store.ExecutionView{ID: m.exe.id, Agent: m.exe.agent, Frozen: stage.Raw(m.exe.frozen), Undo: stage.Raw(m.exe.undo), Began: m.exe.began,
		RunStarted: r.runStarted, Crashes: max(r.Attempts-1, 0), Active: m.now.Sub(r.since)}
	for _, record := range m.exe.journal {
		x.Journal = append(x.Journal, stage.Raw(record))
	}
	return x
}

// waits is the execution of the open suspension, as a reading tells it.
func (m *model) waits() *store.ExecutionView {
	x := m.journal(&run{})
	return &store.ExecutionView{ID: x.ID, Agent: x.Agent, Frozen: x.Frozen, Began: x.Began, Journal: x.Journal}
}

// bytes is what messages, state and log have. They are too short to be compressed.
func (m *model) bytes() (n int64) {
	texts := append([]string{m.snapshot.state}, m.log[m.base-1:]...)
	for _, id := range m.snapshot.order {
		texts = append(texts, fmt.Sprintf("%d:%s", len(id), id))
	}
	for _, text := range m.snapshot.messages {
		texts = append(texts, text)
	}
	for _, text := range texts {
		n += int64(len(text))
	}
	return n
}
