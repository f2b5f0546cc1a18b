package mailbox

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

const (
	// maxTurn is beyond the pages that any partition has due.
	maxTurn = 1 << 30
	// MaxDue is how many threads a partition names at once that have come due.
	MaxDue = 256
	// maxChecks is how many entries a partition names at once to look whether they are
	// still there, and maxChecked of how many one call does.
	maxChecks, maxChecked = 16, 256
	// dueTogether is of how many partitions one script tells what is due: it keeps the
	// server from others meanwhile.
	dueTogether = 16
	// CountEvery is each how many calls streams are looked at by a node that awaits what
	// comes: what others have had for too long, or returned, is found so much later.
	CountEvery = 3
	// maxOffers is how many threads that have come due one call offers.
	maxOffers = 512
	// forgetConsumers is how often consumers are looked for that are gone, and
	// for how long they have been.
	forgetConsumers = 10 * time.Minute
)

// due asks all partitions what is due, and how much there is to read in the streams of
// the agents.
func (s *Mailbox) due(ctx context.Context, q store.WorkQuery) ([]workStream, []store.ThreadKey, error) {
	var counted []string
	var gone time.Duration
	if s.counts(q) {
		counted, gone = q.Agents, s.forgetsNow()
	}
	parts, replies, errs := s.askDue(ctx, q, counted, gone)
	partial := s.conn.Missing(errs)
	if link.Most(partial) != nil {
		return nil, nil, partial
	}
	var streams []workStream
	var due, checks []store.ThreadKey
	seen := map[store.ThreadKey]bool{}
	name := func(to *[]store.ThreadKey, members *link.Reply, most int) {
		for members.More() && len(*to) < most {
			key, ok := keyspace.ThreadOf(members.Text())
			if ok && !seen[key] { // what is no thread hides none
				seen[key] = true
				*to = append(*to, key)
			}
		}
	}
	for i, r := range replies {
		if errs[i] != nil {
			continue
		}
		members, counts := r.List(), r.List()
		name(&due, members, maxOffers)
		name(&checks, r.List(), maxChecked)
		for _, agent := range q.Agents {
			st := workStream{key: parts[i].Work + agent, agent: agent}
			if counts.More() {
				st.unread, st.late, st.from = int(counts.Int()), int(counts.Int()), counts.Text()
			}
			streams = append(streams, st)
		}
		for wrong := r.List(); wrong.More(); {
			s.conn.WrongKey(wrong.Text())
		}
	}
	return streams, append(due, checks...), partial
}

// askDue asks partitions, some of them in a script, where one server has them all. Any
// comes first.
func (s *Mailbox) askDue(ctx context.Context, q store.WorkQuery, agents []string, gone time.Duration) (parts []*keyspace.Partition, answers []*link.Reply, errs []error) {
	n, together := len(s.conn.Keys.Parts), 1
	if s.conn.OneSlot() {
		together = dueTogether
	}
	from := int(s.from.Add(1) % uint64(n))
	for i := range n {
		parts = append(parts, &s.conn.Keys.Parts[(from+i)%n])
	}
	var calls []link.Call
	check := maxChecks
	if len(agents) == 0 {
		check = 0
	}
	turn := max(rand.IntN(2*maxTurn)-maxTurn, 0)
	for group := range slices.Chunk(parts, together) {
		c := link.Call{Script: lua.Due, Args: lua.Args{{"limit", MaxDue}, {"turn", turn}, {"idle", s.idle(q)},
			{"check", check}, {"gone", gone.Milliseconds()}}, Rest: link.AppendStrings(nil, agents)}
		for _, p := range group {
			c.Keys = append(c.Keys, p.Leases, p.Ready, p.Work)
		}
		calls = append(calls, c)
	}
	replies, failed := s.conn.RunAll(ctx, calls)
	answers, errs = make([]*link.Reply, n), make([]error, n)
	for i := range parts {
		at := i / together
		if link.RefusedWith(failed[at], "CROSSSLOT") && !s.conn.Apart.Swap(true) {
			return s.askDue(ctx, q, agents, gone)
		}
		if errs[i] = failed[at]; errs[i] == nil {
			answers[i] = replies[at].List()
		}
	}
	return parts, answers, errs
}

// counts reports whether it is to be looked what streams hold: not each time while a
// blocking read of the same node is given what comes.
func (s *Mailbox) counts(q store.WorkQuery) bool {
	held := s.awaits.held.Load()
	return q.Backlog || held == nil || !slices.Equal(*held, q.Agents) || s.awaits.uncounted.Add(1)%CountEvery == 0
}

// forgetsNow is for how long consumers have been gone that are to be forgotten now; 0:
// none is.
func (s *Mailbox) forgetsNow() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.After(s.forgets) {
		s.forgets = now.Add(forgetConsumers)
		return forgetConsumers
	}
	return 0
}
