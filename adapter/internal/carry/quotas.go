package carry

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

const (
	// lookAgain is after what time a place that was not free is looked for once more: a
	// run's end is told a little before its place is given back.
	lookAgain = 50 * time.Millisecond
	// retryQuota is when to try again what has no place among the owner's runs.
	retryQuota = 2 * time.Second
	// keepRuns is how often the store is told of runs that go on.
	keepRuns = store.HoldFor / 3
	// sayOver is how often the log names an owner that is at a limit.
	sayOver = time.Minute
	// maxTold bounds how many owners the log has named.
	maxTold = 1024
)

// Quotas hold users and tenants to what they may have at once on all nodes.
type Quotas struct {
	*node.Node

	mu      sync.Mutex
	kept    map[string]keptRun // runs that this node carries, by id
	back    []store.Holding    // to be given back
	flowing bool               // a goroutine gives back
	told    map[toldOver]time.Time
}

type keptRun struct {
	store.Holding
	since time.Time // it was taken or kept
}

type toldOver struct {
	owner store.Owner
	what  string
}

func NewQuotas(n *node.Node) *Quotas {
	return &Quotas{Node: n, kept: map[string]keptRun{}, told: map[toldOver]time.Time{}}
}

// Share is what an input takes of its owners. A nil one is nobody's.
type Share struct {
	q       *Quotas
	take    store.Take
	of      *Share        // another input of the request, which counts; nil: this one does
	asked   chan struct{} // closed when the store has answered, or has not
	taken   store.Taken
	err     error
	Carried bool // by this node, which gives the run back when it is over
	instead bool // the run comes in the place of one that counted for the same
}

// Holding is the run of the user and tenant; the zero value is nobody's.
func (s *Share) Holding() store.Holding {
	if s == nil {
		return store.Holding{}
	}
	return store.Holding{User: s.take.User, Tenant: s.take.Tenant, RunID: s.take.RunID}
}

// Counts reports whether the store has counted the run.
func (s *Share) Counts() bool {
	select {
	case <-s.asked:
		return s.err == nil && s.taken.Over == store.OverNothing
	default:
		return false
	}
}

// Replaces notes that the run is to supersede another. The other run leaves its place to it
// if it counts for the owner that is at a limit.
func (s *Share) Replaces(active *store.RunState) error {
	if s == nil || active == nil {
		return nil
	}
	record, err := stored.Record(active)
	if err != nil {
		return err
	}
	if taken := s.heard(); taken != nil {
		h := HoldingOfRecord(record, active.ID)
		s.instead = taken.Over == store.OverRuns && h.User == s.take.User || taken.Over == store.OverTenantRuns && h.Tenant == s.take.Tenant
	}
	return nil
}

// Ask asks the store for what a run takes, and does not wait for the answer. The
// caller settles it.
func (q *Quotas) Ask(t store.Take) *Share {
	if t.User == (store.Owner{}) && t.Tenant == (store.Owner{}) {
		return nil
	}
	s := &Share{q: q, take: t, asked: make(chan struct{})}
	q.Running.Start(func() {
		defer close(s.asked)
		// An input of which nothing is known in this time begins: a part of the store that
		// does not answer costs those no run whose threads are in others.
		ctx, cancel := context.WithTimeout(q.Ctx, q.Options.StoreTimeout/10)
		defer cancel()
		s.taken, s.err = q.Store.Take(ctx, t)
		if over := s.taken.Over; (over == store.OverRuns || over == store.OverTenantRuns) && q.Wait(lookAgain) {
			t.Inputs = -1 // of them it is one
			s.taken, s.err = q.Store.Take(ctx, t)
		}
	})
	return s
}

// OwnersOf are whom an input counts for: users who are not told apart, and the tenant
// of those who are of none, have no limits.
func OwnersOf(user, tenant string) (store.Owner, store.Owner) {
	owner, of := store.Owner{Name: user}, store.Owner{Tenant: true, Name: tenant}
	if tenant == "" {
		of = store.Owner{}
	}
	return owner, of
}

func holdingOf(user, tenant, runID string) store.Holding {
	h := store.Holding{RunID: runID}
	h.User, h.Tenant = OwnersOf(user, tenant)
	return h
}

func HoldingOfRecord(record store.RunRecord, runID string) store.Holding {
	return holdingOf(cmp.Or(record.CountsFor, record.User), record.Tenant, runID)
}

// BeganBy is whom a run counts for that goes on with what waited: who has answered may
// answer for many. otherwise is who that is when it is not known.
func BeganBy(open *store.Suspension, otherwise string) string {
	if len(open.Users) == 0 {
		return otherwise
	}
	return open.Users[0]
}

// Takes is what an input takes.
func (q *Quotas) Takes(user, tenant, runID string) store.Take {
	t := store.Take{RunID: runID, Runs: q.Options.MaxRunsPerUser, TenantRuns: q.Options.MaxRunsPerTenant, Threads: -1, Inputs: -1}
	t.User, t.Tenant = OwnersOf(user, tenant)
	return t
}

// heard waits for the answer; nil: nobody is asked. A limit of which nothing is known is
// not used up.
func (s *Share) heard() *store.Taken {
	if s == nil {
		return nil
	}
	<-s.asked
	return &s.taken
}

// TooMany refuses an input of which too many have come.
func (s *Share) TooMany() *protocol.RunError {
	taken := s.heard()
	if s != nil && s.of != nil {
		taken = s.of.heard()
	}
	if taken == nil || taken.Over != store.OverInputs {
		return nil
	}
	limit := s.q.Options.MaxInputs
	s.q.tell(s.take.User, "inputs a minute", limit)
	return judge.Refuse(adapter.CodeRateLimited, fmt.Sprintf("the user has sent more than %d inputs a minute: send the same later", limit),
		map[string]any{"retryAfterMs": taken.Wait.Milliseconds() + 1})
}

// TooManyRuns refuses a run that would begin at once.
func (s *Share) TooManyRuns() *protocol.RunError {
	taken := s.heard()
	if taken == nil || s.instead || taken.Over != store.OverRuns && taken.Over != store.OverTenantRuns {
		return nil
	}
	whose, limit, owner := "user", s.take.Runs, s.take.User
	if taken.Over == store.OverTenantRuns {
		whose, limit, owner = "tenant", s.take.TenantRuns, s.take.Tenant
	}
	s.q.tell(owner, "runs", limit)
	return judge.Refuse(adapter.CodeTooManyRuns, fmt.Sprintf("the %s has %d runs under way, as many as may be: wait for one to end, or cancel one", whose, limit),
		map[string]any{"limit": limit, "of": whose, "retryAfterMs": retryQuota.Milliseconds()})
}

// TooManyThreads refuses an input to a thread that would be one too many.
func (s *Share) TooManyThreads(view *store.ThreadView) *protocol.RunError {
	if view.Used {
		return nil
	}
	return s.threadsFull()
}

func (s *Share) threadsFull() *protocol.RunError {
	taken := s.heard()
	if taken == nil || !taken.ThreadsFull {
		return nil
	}
	s.q.tell(s.take.User, "threads", s.take.Threads)
	return judge.Refuse(adapter.CodeThreadQuota, fmt.Sprintf("the user has %d threads, as many as may be: delete some, or go on in one of them", s.take.Threads),
		map[string]any{"limit": s.take.Threads})
}

// Settle gives the run back, unless this node carries it.
func (s *Share) Settle() {
	if s == nil || s.Carried {
		return
	}
	s.q.Running.Start(func() {
		<-s.asked
		if s.err != nil || s.taken.Over == store.OverNothing {
			s.q.give(s.Holding())
		}
	})
}

// carry keeps counting a run that this node carries, until done. A run that does not count
// yet does from the next sweep on.
func (q *Quotas) carry(h store.Holding, counts bool) (done func()) {
	if h.User == (store.Owner{}) && h.Tenant == (store.Owner{}) {
		return func() {}
	}
	k := keptRun{Holding: h}
	if counts {
		k.since = time.Now()
	}
	q.mu.Lock()
	q.kept[h.RunID] = k
	q.mu.Unlock()
	return func() {
		q.mu.Lock()
		delete(q.kept, h.RunID)
		q.mu.Unlock()
		q.give(h)
	}
}

// give gives back, beside what its caller does. Runs that wait meanwhile are given back
// together.
func (q *Quotas) give(h store.Holding) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.back = append(q.back, h)
	if !q.flowing {
		q.flowing = true
		q.Running.Start(q.flow)
	}
}

func (q *Quotas) flow() {
	for {
		q.mu.Lock()
		back := q.back
		q.back = nil
		q.flowing = len(back) > 0
		q.mu.Unlock()
		if len(back) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), q.Options.StoreTimeout)
		_ = q.Store.Give(ctx, back) // or it lapses
		cancel()
	}
}

// Keep tells the store of runs that have been going on for a while. The sweep calls it.
func (q *Quotas) Keep(ctx context.Context) bool {
	q.mu.Lock()
	var going []store.Holding
	now := time.Now()
	for id, k := range q.kept {
		if now.Sub(k.since) >= keepRuns {
			going = append(going, k.Holding)
			q.kept[id] = keptRun{k.Holding, now}
		}
	}
	q.mu.Unlock()
	if len(going) == 0 {
		return false
	}
	_ = q.Store.Keep(ctx, going) // or they lapse, and others may come in their place
	for _, h := range going {
		q.mu.Lock()
		_, goesOn := q.kept[h.RunID]
		q.mu.Unlock()
		if !goesOn { // it was given back meanwhile, and may have been kept after that
			q.give(h)
		}
	}
	return false
}

// tell names an owner in the log that is at a limit, once a minute.
func (q *Quotas) tell(owner store.Owner, what string, limit int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	of := toldOver{owner, what}
	now := time.Now()
	if now.Sub(q.told[of]) < sayOver {
		return
	}
	if len(q.told) >= maxTold {
		clear(q.told)
	}
	q.told[of] = now
	whose := "user"
	if owner.Tenant {
		whose = "tenant"
	}
	q.Log.Warn("an owner is at a limit", whose, owner.Name, "limit", what, "of", limit)
}
