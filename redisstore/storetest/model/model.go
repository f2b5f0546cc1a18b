// Package model plays random calls of the whole contract against a plain model of a thread
// (model*.go, play*.go), and prints the seed with which it plays them again.
package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// model is a thread as the contract wants it, in plain Go: it predicts each
// answer of a store, one call after the other, and what a reader sees then.
type model struct {
	key    store.ThreadKey
	lease  time.Duration
	retain int64
	now    time.Time

	version int64  // as last seen: how far a call raises it is the store's affair
	epoch   string // as last seen
	decided bool   // the last call must have raised the version

	dispatchEpoch int64
	deleted       bool // before it was played on
	wish          wish
	tenant, title string
	named         bool   // somebody has given the title
	owner         string // the user who used it first
	used          bool

	log      []string // from position 1
	base     int64
	boundary int64
	snapshot snapshot
	cuts     int // how often its order was changed by more than what was appended

	open     *suspension // what waits for answers
	deadline int64       // of it
	answers  map[string]string
	asked    map[string]bool
	archived map[string]bool
	branches []store.Branch // with their messages, the latest first
	drafts   map[string]string

	exe     *execution        // live, or a dead letter's
	latestX map[string]string // an execution that was continued, to its latest run
	runs    map[string]*run
	begun   []*run // in the order of their begins
	ended   []*run // in the order in which they became terminal
	active  *run
	latest  *run
	closing []string // what stopping the active run must log
	queued  []*run   // stopped ones included, in the order of claiming

	stoppedAll map[string]store.StopAllResult // by request

	delivery *delivery // nil: it asks for no worker
	told     []store.Notice
	recorded []store.Decision
	refused  map[string]int // answers, by the open interrupt
}

type snapshot struct {
	at       int64
	state    string
	order    []string
	by       map[string]store.Producer // of those in order
	frozen   string
	open     string
	messages map[string]string
}

type suspension struct {
	text         string
	ids, reasons []string
	by           string // the run that asked
	quiet        bool
	ends         int64 // Unix ms, as it was suspended: a postponed one is due at another time
	at           time.Time
}

type execution struct {
	id, agent, frozen string
	undo              string
	began             time.Time
	journal           []string
	// gave is what the latest decisions answered, until something but bookkeeping is
	// journaled, or asked.
	gave *given
}

type given struct {
	open     *suspension
	ids      []string // that were answered
	deadline int64
	length   int // of the journal with the decisions
	noted    int // bookkeeping behind them
}

// run is a run with its dispatch as Dispatch should return it.
type run struct {
	store.Dispatch
	label, exe string
	agent      string
	status     store.RunStatus
	begin      int64 // the log's end when it was admitted
	runStarted int64
	terminal   string
	cancelled  [2]string
	rank       int64  // priority, then arrival
	place      int64  // by which it waits: its rank, or ahead of all that waited as it was given back
	request    string // the stop that ended it
	headers    string // for its worker

	token  string
	lease  int64     // Unix ms of its last millisecond
	number int64     // commits of the claim
	queued bool      // claimed from the queue
	since  time.Time // it is active
	// reached is the journal's length at the last claim, or when the run began, with
	// the bookkeeping since.
	reached int

	givenUp giveUp
}

// giveUp is the call by which a claim was given up, and its answer.
type giveUp struct {
	token, call string
	end         int64
	ready, gave bool
}

func newModel(key store.ThreadKey, lease time.Duration, retain int64) *model {
	return &model{key: key, lease: lease, retain: retain, base: 1,
		snapshot: snapshot{messages: map[string]string{}},
		answers:  map[string]string{}, asked: map[string]bool{}, archived: map[string]bool{}, drafts: map[string]string{},
		latestX: map[string]string{}, runs: map[string]*run{}, stoppedAll: map[string]store.StopAllResult{}, refused: map[string]int{}}
}

func (m *model) end() store.Position {
	return store.Position{Epoch: m.epoch, Seq: int64(len(m.log))}
}

// decide notes that the call changed what later ones are judged by.
func (m *model) decide() { m.decided = true }

func (m *model) append(events ...string) { m.log = append(m.log, events...) }

// idle reports whether the queue is released.
func (m *model) idle() bool { return m.active == nil && m.open == nil }

// held finds the run of a claim that may write.
func (m *model) held(c store.Claim) *run {
	if m.active == nil || c.Token == "" || m.active.ID != c.RunID || m.active.token != c.Token || m.dispatchEpoch != c.DispatchEpoch {
		return nil
	}
	return m.active
}

// fence judges a batch.
func (m *model) fence(c store.Claim, number, expect int64) (status store.CommitStatus, stored bool) {
	end := int64(len(m.log))
	r := m.held(c)
	switch {
	case expect > end:
		return store.CommitAhead, false
	case r == nil:
		return store.CommitFenced, false
	case number == r.number:
		return store.CommitOK, true
	case number > r.number+1:
		return store.CommitAhead, false
	case number < r.number || expect != end:
		return store.CommitMismatch, false
	}
	return store.CommitOK, false
}

// lineUp puts the queued runs in the order of claiming.
func (m *model) lineUp() {
	slices.SortFunc(m.queued, func(a, b *run) int { return cmp.Compare(a.place, b.place) })
}

func (m *model) leaves(r *run) {
	m.queued = slices.DeleteFunc(m.queued, func(w *run) bool { return w == r })
}

// finish makes a dispatch terminal.
func (m *model) finish(r *run, state store.DispatchState, why string) {
	r.State, r.Completed, r.Updated, r.Error = state, m.now, m.now, why
	r.LeaseUntil, r.token = time.Time{}, ""
	m.ended = append(m.ended, r)
	if state != store.DispatchDeadLetter {
		r.headers = ""
	}
}

// over notes a run's terminal event, which is the log's last.
func (m *model) over(r *run) {
	m.boundary = int64(len(m.log))
	r.status, r.terminal = store.RunEnded, m.log[len(m.log)-1]
	r.Outcome, r.Activated = json.RawMessage(r.terminal), true
	if r.State != store.DispatchDeadLetter {
		r.Input = nil
	}
}

// never logs the two events of a run that never ran.
func (m *model) never(r *run) {
	m.append(r.cancelled[:]...)
	r.runStarted = int64(len(m.log)) - 1
	m.latest = r
	m.over(r)
	m.tellEnd(r, "cancel")
}

// release is for a thread without an active run and without a suspension: what
// was stopped while it waited is logged when it comes to the front. The agent of the
// dispatch to claim now is asked for a worker. It reports whether there is one.
func (m *model) release() bool {
	next := m.ready()
	for _, r := range slices.Clone(m.queued) {
		if r == next {
			break
		}
		if r.status == store.RunCancelled {
			m.leaves(r)
			m.never(r)
		}
	}
	if next == nil {
		m.delivery = nil
	} else {
		m.offer(next.agent)
	}
	return next != nil
}

// ready is the dispatch to claim next.
func (m *model) ready() *run {
	for _, r := range m.queued {
		if r.status == store.RunQueued && !r.Available.After(m.now) {
			return r
		}
	}
	return nil
}

// due predicts whether the thread wants a claim.
func (m *model) due() bool {
	switch {
	case m.active != nil:
		return m.active.lease < m.now.UnixMilli()
	case m.open != nil:
		return m.deadline > 0 && m.now.UnixMilli() > m.deadline
	}
	return m.ready() != nil
}

// state is a run as Read returns it.
func (m *model) state(r *run) *store.RunState {
	if r == nil {
		return nil
	}
	s := &store.RunState{ID: r.ID, Record: r.Record, Status: r.status, RunStarted: r.runStarted, Execution: r.exe, LatestOfExe: cmp.Or(m.latestX[r.exe], r.ID)}
	if r.terminal != "" {
		s.Terminal = json.RawMessage(r.terminal)
	}
	return s
}

// list predicts Dispatches.
func (m *model) list() []store.Dispatch {
	var list []store.Dispatch
	if m.active != nil {
		list = append(list, m.active.Dispatch)
	}
	for _, r := range m.queued {
		if r.status == store.RunQueued {
			list = append(list, r.Dispatch)
		}
	}
	for _, r := range slices.Backward(m.ended) {
		d := r.Dispatch
		if m.open != nil && m.open.by == r.ID {
			d.Waits, d.ContinuedAs, d.Answered = true, "", ""
		}
		list = append(list, d)
	}
	return list
}

func bytesOf(events []string) [][]byte {
	out := make([][]byte, len(events))
	for i, e := range events {
		out[i] = []byte(e)
	}
	return out
}
