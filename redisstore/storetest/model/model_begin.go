package model

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// begins predicts Begin on a node; refused: it is an error and changes nothing.
func (m *model) begins(b store.Begin, node string) (res store.BeginResult, refused bool) {
	res.Position = m.end()
	if r := m.runs[b.RunID]; r != nil {
		res.Position.Seq = r.begin
		if now := b.Claimed(); m.active == r && now != nil && r.token == now.Token {
			res.Claim, res.Execution = m.claimOf(r), m.goesOn(r, b)
		}
		if name, _ := letterOf(b); name != "" {
			res.Headers = stage.Raw(r.headers)
		}
		return res, false
	}
	holder := m.holder(b.Dedupe)
	switch {
	case holder != nil:
		return store.BeginResult{Status: store.BeginDuplicate, Position: m.end(), Of: holder.ID}, false
	case b.Version != m.version:
		return store.BeginResult{Status: store.BeginStale, Position: m.end()}, false
	case b.Deadline > 0 && m.now.UnixMilli() > b.Deadline:
		return store.BeginResult{Status: store.BeginExpired, Position: m.end()}, false
	}
	now, resumes := b.Claimed(), b.Answers() != nil
	if now != nil {
		switch _, same := b.Kind.(store.Resume); {
		case m.active != nil, m.open != nil && !resumes, resumes && m.open == nil:
			return res, true
		case same && m.exe.id != b.Execution:
			return res, true
		}
	}
	name, fresh := letterOf(b)
	letter := m.runs[name]
	if name != "" && !m.requeues(letter, fresh) {
		return store.BeginResult{Status: store.BeginGone, Position: m.end()}, false
	}
	r := m.admit(b)
	if letter != nil {
		letter.ContinuedAs, letter.Updated, letter.Input = r.ID, m.now, nil
		r.headers, letter.headers = letter.headers, ""
		res.Headers = stage.Raw(r.headers)
	}
	m.decide()
	if k, ok := b.Kind.(store.Enqueue); ok {
		r.State, r.status, r.Input = store.DispatchQueued, store.RunQueued, k.Input
		r.cancelled = [2]string{string(k.Cancelled[0]), string(k.Cancelled[1])}
		r.Available, r.agent = k.Available, k.Agent
		r.place = r.rank
		m.queued = append(m.queued, r)
		m.lineUp()
		if m.idle() {
			m.release()
		}
		return res, false
	}
	m.answer(r, b)
	r.agent = m.exe.agent
	m.tellStart(r, b.User)
	m.append(stage.StringsOf(now.Events)...)
	m.claimed(r, now.Token, node)
	m.opens(r, res.Position.Seq+1)
	switch b.Kind.(type) {
	case store.Resume, store.Requeue:
		m.latestX[r.exe] = r.ID
	}
	r.number = 1
	res.Claim, res.Execution = m.claimOf(r), m.goesOn(r, b)
	return res, false
}

// goesOn predicts what Begin says of the execution that a run goes on with.
func (m *model) goesOn(r *run, b store.Begin) *store.ExecutionView {
	switch b.Kind.(type) {
	case store.Resume, store.Requeue:
		return m.journal(r)
	}
	return nil
}

// holder is the queued or claimed dispatch with the dedupe key.
func (m *model) holder(key string) *run {
	for _, r := range m.begun {
		if key != "" && r.Dedupe == key && !r.State.Terminal() {
			return r
		}
	}
	return nil
}

// letterOf is the dead letter that a begin names, and whether its input begins again.
func letterOf(b store.Begin) (name string, fresh bool) {
	switch k := b.Kind.(type) {
	case store.Execute:
		return k.Letter, true
	case store.Requeue:
		return k.Letter, false
	}
	return "", false
}

// requeues reports whether a dead letter can be begun again, or gone on with.
func (m *model) requeues(letter *run, fresh bool) bool {
	if letter == nil || letter.State != store.DispatchDeadLetter || letter.ContinuedAs != "" {
		return false
	}
	return fresh || m.exe != nil && m.exe.id == letter.exe
}

// admit makes the run of an accepted begin.
func (m *model) admit(b store.Begin) *run {
	r := &run{label: b.Label, exe: b.Execution, begin: int64(len(m.log)), headers: string(b.Headers)}
	priority := uint8(128)
	if b.Priority != nil {
		priority = *b.Priority
	}
	r.Dispatch = store.Dispatch{ID: b.RunID, Thread: m.key, Epoch: m.dispatchEpoch, Priority: priority,
		Dedupe: b.Dedupe, MaxAttempts: cmp.Or(b.MaxAttempts, 3), Created: m.now, Updated: m.now, Record: b.Record}
	m.runs[b.RunID] = r
	m.begun = append(m.begun, r)
	r.rank = int64(r.Priority)<<40 + int64(len(m.begun))
	if !m.used {
		m.used, m.tenant, m.owner = true, b.Tenant, b.User
	}
	if b.Title != "" && !m.named {
		m.title = b.Title
	}
	return r
}

// answer does with the execution what a begin that starts at once says.
func (m *model) answer(r *run, b store.Begin) {
	m.decides(r, b)
	for id, text := range b.Answers() {
		m.answers[id] = string(text)
	}
	if k, ok := b.Kind.(store.Resume); ok {
		m.runs[m.open.by].ContinuedAs, m.runs[m.open.by].Answered = r.ID, became(k.Decided)
		m.exe.journal = append(m.exe.journal, string(k.Decisions))
		m.exe.gave = &given{open: m.open, ids: slices.Sorted(maps.Keys(k.Answers)), deadline: m.deadline, length: len(m.exe.journal)}
	}
	if b.Answers() != nil {
		m.open, m.deadline = nil, 0
		m.drafts = map[string]string{}
	}
	switch k := b.Kind.(type) {
	case store.Execute:
		m.executes(b.Execution, k.Fresh)
		m.branch(r.ID, k.Fresh)
	case store.Steer:
		m.executes(b.Execution, k.Fresh)
		m.branch(r.ID, k.Fresh)
	}
}

// became is what became of interrupts together: "" if one has an answer.
func became(list []store.Decided) store.DecisionStatus {
	var all store.DecisionStatus
	for _, d := range list {
		switch {
		case d.Status == store.DecisionResolved:
			return ""
		case all == "" || d.Status == store.DecisionExpired:
			all = d.Status
		}
	}
	return all
}

func (m *model) executes(id string, f store.Fresh) {
	m.exe = &execution{id: id, agent: f.Agent, frozen: string(f.Frozen), began: m.now}
	for id, text := range f.Archive {
		m.archived[id] = text != nil
	}
}

// branch keeps what the run takes out, and nothing of what it restores.
func (m *model) branch(run string, f store.Fresh) {
	m.branches = slices.DeleteFunc(m.branches, func(b store.Branch) bool { return b.ID == f.Restores })
	if f.Branch != nil {
		m.branches = slices.Insert(m.branches, 0, store.Branch{ID: run, About: f.Branch.About, Messages: f.Branch.Messages, Kept: f.Branch.Messages != nil})
	}
	m.branches = m.branches[:min(len(m.branches), 16)]
}

// claimed gives a run to a worker.
func (m *model) claimed(r *run, token, node string) {
	m.active, m.wish.taken, m.delivery = r, false, nil
	r.status, r.State = store.RunActive, store.DispatchClaimed
	r.token, r.number = token, 0
	r.Attempts++
	r.ClaimedBy, r.Available, r.Updated = node, time.Time{}, m.now
	m.extend(r)
	if r.runStarted == 0 {
		r.since = m.now
	}
	r.reached = 0
	if m.exe != nil {
		r.reached = len(m.exe.journal)
	}
}

// progressed reports whether the run has recorded anything but bookkeeping since it
// was last claimed.
func (m *model) progressed(r *run) bool { return len(m.exe.journal) > r.reached }

func (m *model) extend(r *run) {
	r.LeaseUntil = m.now.Add(m.lease)
	r.lease = r.LeaseUntil.UnixMilli()
}

// opens notes that a run's RUN_STARTED is logged.
func (m *model) opens(r *run, at int64) {
	r.runStarted, r.Activated, r.Input = at, true, nil
	m.latest = r
}

func (m *model) claimOf(r *run) store.Claim {
	return store.Claim{Thread: m.key, RunID: r.ID, Token: r.token, DispatchEpoch: m.dispatchEpoch}
}

// wants reports whether a claim is for runs of the agent.
func wants(c store.ClaimRequest, agent string) bool {
	return c.Agents == nil || slices.Contains(c.Agents, agent)
}

// claims predicts Claim.
func (m *model) claims(c store.ClaimRequest, node string) store.ClaimResult {
	if r := m.active; r != nil {
		if r.token == c.Token {
			return m.claimResult(r)
		}
		// A run that was given back until a time may be had before it by name.
		byName := c.RunID == r.ID && r.token == ""
		if c.RunID != "" && c.RunID != r.ID || !m.due() && !byName {
			return store.ClaimResult{}
		}
		if !wants(c, r.agent) {
			return store.ClaimResult{}
		}
		m.decide()
		if r.queued = r.runStarted == 0; !r.queued && m.progressed(r) {
			r.Attempts = 0
		}
		if !r.queued {
			r.Takeovers++
		}
		m.claimed(r, c.Token, node)
		return m.claimResult(r)
	}
	if m.open != nil {
		if m.due() {
			return store.ClaimResult{Kind: store.ClaimExpired}
		}
		return store.ClaimResult{}
	}
	before := len(m.log)
	m.release()
	next := m.ready()
	if c.RunID != "" {
		if next = m.runs[c.RunID]; next != nil && next.status != store.RunQueued {
			next = nil
		}
	}
	if next == nil || !wants(c, next.agent) {
		m.decided = len(m.log) > before
		return store.ClaimResult{}
	}
	m.decide()
	m.leaves(next)
	next.queued = true
	m.claimed(next, c.Token, node)
	return m.claimResult(next)
}

func (m *model) claimResult(r *run) store.ClaimResult {
	res := store.ClaimResult{Kind: store.ClaimTakeover, Claim: m.claimOf(r), Attempts: r.Attempts,
		Exhausted: r.Attempts > r.MaxAttempts, Record: r.Record, Headers: stage.Raw(r.headers)}
	if r.queued {
		res.Kind, res.Input = store.ClaimQueued, r.Input
	}
	return res
}

// activates predicts Activate.
func (m *model) activates(a store.Activation) store.CommitResult {
	status, stored := m.fence(a.Claim, 1, int64(len(m.log)))
	r := m.active
	if stored && !r.queued {
		status = store.CommitMismatch
	}
	if status != store.CommitOK || stored {
		return m.committed(status)
	}
	if r.runStarted > 0 {
		return m.committed(store.CommitMismatch)
	}
	at := int64(len(m.log)) + 1
	m.append(stage.StringsOf(a.Events)...)
	r.exe, r.number, r.reached, r.agent = a.Execution, 1, 0, a.Agent
	m.exe = &execution{id: a.Execution, agent: a.Agent, frozen: string(a.Frozen), began: m.now}
	m.opens(r, at)
	m.tellStart(r, a.User)
	m.decide()
	return m.committed(store.CommitOK)
}

// committed is the answer to a batch.
func (m *model) committed(status store.CommitStatus) store.CommitResult {
	return store.CommitResult{Status: status, End: m.end(), Paused: status == store.CommitOK && m.wish.set && !m.wish.taken}
}

// renews predicts Renew.
func (m *model) renews(c store.Claim) bool {
	r := m.held(c)
	if r != nil {
		m.extend(r)
		m.delivery = nil
	}
	return r != nil
}
