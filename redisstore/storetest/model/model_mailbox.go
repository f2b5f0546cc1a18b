package model

import (
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// handsBack predicts HandBack.
func (m *model) handsBack(c store.Claim) {
	if r := m.held(c); r != nil {
		r.Attempts = max(r.Attempts-1, 0)
		r.givenUp.ready, r.givenUp.gave = m.again(r, 0), false
	}
}

// again queues the active dispatch again; for a while it is not claimed unless by
// name. It reports whether there is one to claim at once.
func (m *model) again(r *run, wait time.Duration) bool {
	m.decide()
	r.State, r.Updated = store.DispatchQueued, m.now
	r.LeaseUntil, r.token, r.number = time.Time{}, "", 0
	r.Available = time.Time{}
	retry := m.now.Add(wait)
	if wait > 0 {
		r.Available = retry
	}
	if r.runStarted > 0 { // the thread stays this run's
		m.delivery = nil
		if r.lease = 0; wait > 0 {
			r.lease = retry.UnixMilli() - 1
		} else {
			m.offer(r.agent)
		}
		return wait == 0
	}
	r.status = store.RunQueued
	m.active, m.wish, m.closing, m.delivery = nil, wish{}, nil, nil
	r.place = r.rank
	if len(m.queued) > 0 {
		r.place = min(r.place, m.queued[0].place-1)
	}
	m.queued = append(m.queued, r)
	m.lineUp()
	return m.release()
}

// nacked predicts Nack and Bury.
func (m *model) nacked(n store.Nack, bury bool) store.NackResult {
	if r := m.runs[n.Claim.RunID]; r != nil && r.givenUp.token == n.Claim.Token && r.givenUp.call == "nack" {
		state := store.DispatchQueued
		if r.State == store.DispatchDeadLetter {
			state = r.State
		}
		return store.NackResult{State: state, Ready: r.givenUp.ready, GaveBack: r.givenUp.gave}
	}
	r := m.held(n.Claim)
	if r == nil {
		return store.NackResult{}
	}
	r.givenUp = giveUp{token: n.Claim.Token, call: "nack"}
	if n.Error != "" {
		r.Error = n.Error
	}
	res := store.NackResult{State: store.DispatchQueued}
	if bury || r.Attempts >= r.MaxAttempts {
		activated := r.runStarted > 0
		m.cut(r, store.DispatchDeadLetter, r.Error, string(n.Terminal))
		m.tell(store.NoticeDead, store.Notice{RunID: r.ID, Label: r.label, Agent: r.agent})
		res.State = store.DispatchDeadLetter
		if n.GiveBack && activated && m.gives(r, 0) {
			res.GaveBack, r.headers = true, ""
		} else {
			res.Ready = m.release()
		}
	} else {
		res.Ready = m.again(r, max(n.Wait, 0))
	}
	r.givenUp.ready, r.givenUp.gave = res.Ready, res.GaveBack
	return res
}

// cut ends the active run whatever its worker does.
func (m *model) cut(r *run, state store.DispatchState, why, terminal string) {
	r.Attempts = min(r.Attempts, r.MaxAttempts)
	if r.runStarted > 0 {
		m.append(m.closing...)
		m.append(terminal)
	} else {
		m.append(r.cancelled[0], terminal)
		r.runStarted = int64(len(m.log)) - 1
		m.latest = r
	}
	m.unclaim(r, state, why)
	m.over(r)
	how := "cancel"
	if state == store.DispatchDeadLetter {
		how = "fail"
	}
	m.tellEnd(r, how)
}

// stopped predicts Stop.
func (m *model) stopped(s store.Stop) (res store.StopResult) {
	defer func() {
		if res.Stopped && !res.Queued {
			res.Behind = m.behind()
		}
	}()
	var candidates []*run
	for _, r := range m.begun {
		if s.RunID != "" && r.ID == s.RunID || s.RunID == "" && r.label == s.Label {
			candidates = append(candidates, r)
		}
	}
	var target *run
	for _, r := range slices.Backward(candidates) {
		if r.request == s.Request {
			return m.owed(r, store.StopResult{Stopped: true, RunID: r.ID, Ready: r.givenUp.ready})
		}
		if target == nil && (r.status == store.RunActive || r.status == store.RunQueued) {
			target = r
		}
	}
	if target == nil || s.QueuedOnly && target.status == store.RunActive && target.token != "" {
		return store.StopResult{}
	}
	m.decide()
	target.request, target.StoppedBy = s.Request, s.By
	idle := m.idle()
	if target.status == store.RunQueued {
		m.dequeue(target, store.DispatchCancelled, s.Reason)
	} else {
		state, terminal := store.DispatchSuperseded, string(s.Terminal)
		if target.token == "" {
			state = store.DispatchCancelled
		}
		if target.runStarted == 0 {
			terminal = target.cancelled[1]
		}
		m.cut(target, state, s.Reason, terminal)
		m.exe, idle = nil, true
	}
	res = store.StopResult{Stopped: true, RunID: target.ID}
	if idle {
		res.Ready = m.release()
	}
	target.givenUp.ready = res.Ready
	return m.owed(target, res)
}

// owed adds the events that are not logged yet.
func (m *model) owed(r *run, res store.StopResult) store.StopResult {
	if r.status == store.RunCancelled {
		res.Queued, res.Events = true, bytesOf(r.cancelled[:])
	}
	return res
}

// dequeue ends a run in the queue: its events are logged when it is released.
func (m *model) dequeue(r *run, state store.DispatchState, why string) {
	r.status, r.Input = store.RunCancelled, nil
	m.finish(r, state, why)
}

// stopAll predicts StopAll.
func (m *model) stopAll(i store.StopAll) (res store.StopAllResult) {
	defer func() {
		if res.Active != "" {
			res.Behind = m.behind()
		}
	}()
	res, again := m.stoppedAll[i.Request]
	if !again {
		if m.active != nil && m.active.ID != i.Active {
			return store.StopAllResult{Stale: true, Epoch: m.dispatchEpoch}
		}
		m.decide()
		m.dispatchEpoch++
		res.Epoch = m.dispatchEpoch
		for _, r := range m.queued {
			if r.status == store.RunQueued {
				r.StoppedBy, r.ReplacedBy = i.By, i.Instead
				m.dequeue(r, store.DispatchSuperseded, i.Reason)
				res.Superseded = append(res.Superseded, r.ID)
			}
		}
		if r := m.active; r != nil {
			res.Active, r.StoppedBy, r.ReplacedBy = r.ID, i.By, i.Instead
			terminal := string(i.Terminal)
			if r.runStarted == 0 {
				terminal = r.cancelled[1]
			}
			m.cut(r, store.DispatchSuperseded, i.Reason, terminal)
			m.exe = nil
		}
		m.stoppedAll[i.Request] = res
		if m.open == nil {
			m.release()
		}
	}
	res.Owed = nil
	for _, id := range res.Superseded {
		var events [][]byte
		if r := m.runs[id]; r.status == store.RunCancelled {
			events = bytesOf(r.cancelled[:])
		}
		res.Owed = append(res.Owed, events)
	}
	return res
}

// wish is that of the active run to be suspended.
type wish struct {
	set, taken bool
	back       string // the call that took the last one back
}

// pauses predicts Pause.
func (m *model) pauses() bool {
	if m.active != nil {
		m.wish.set, m.wish.back = true, ""
	}
	return m.active != nil
}

// unpauses predicts Unpause.
func (m *model) unpauses(request string) bool {
	switch {
	case m.active == nil || m.wish.taken:
		return false
	case m.wish.set:
		m.wish = wish{back: request}
	}
	return m.wish.back == request
}

// takesPause predicts TakePause.
func (m *model) takesPause(c store.Claim) bool {
	if m.held(c) == nil || !m.wish.set {
		return false
	}
	m.wish.taken = true
	return true
}

// postpones predicts Postpone.
func (m *model) postpones(id string, until time.Time) bool {
	if m.open == nil || !slices.Contains(m.open.ids, id) {
		return false
	}
	m.deadline, m.delivery = until.UnixMilli()-1, nil // due in the first millisecond behind it
	return true
}
