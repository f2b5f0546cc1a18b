// Package mailbox delivers threads that want a worker to nodes that have one, and looks at
// dispatches. The streams only deliver: what is wanted is in the records, and a claim decides.
package mailbox

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/redis/go-redis/v9"
)

const (
	// Workers is the consumer group of every stream of work.
	Workers = "workers"
	// returned is for how long nobody has had what was returned: longer than any lease.
	returned = 30 * 24 * time.Hour
)

// Mailbox delivers threads that want a claim, by a stream for each partition and agent.
type Mailbox struct {
	conn       *link.Connection
	deliveries *link.Deliveries
	awaits     awaits
	from       atomic.Uint64 // the partition that comes first
	mu         sync.Mutex
	forgets    time.Time // when consumers that are gone are looked for again
}

// New delivers over a connection; it ends with that.
func New(c *link.Connection, d *link.Deliveries) *Mailbox {
	s := &Mailbox{conn: c, deliveries: d, awaits: awaits{turn: make(chan struct{}, 1)}}
	c.AtClose(s.closeAwaits, func() error {
		s.closeAwait()
		return nil
	})
	return s
}

// workStream is one of those that a node reads.
type workStream struct {
	key, agent   string
	unread, late int
	from         string // the first of what is late
}

// Work implements store.Sweep. Partitions take turns at coming first, and streams come in
// any order. Half of the calls look beyond the threads that have been due longest, so that
// those which cannot be offered starve none. Threads without an entry come behind what is
// read, but for every eighth call or so, so that they do not starve either. It takes one
// round trip where nothing is due and nothing waits, one more for what is due, and one for
// what is read.
func (s *Mailbox) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	if q.Near != (store.ThreadKey{}) {
		return s.near(ctx, q)
	}
	streams, due, partial := s.due(ctx, q)
	if link.Most(partial) != nil {
		return nil, partial
	}
	unlisted := s.offer(ctx, q, due, streams)
	room := q.Limit
	if rand.IntN(8) == 0 {
		room -= len(unlisted)
	}
	work, err := s.read(ctx, q, streams, room)
	if partial == nil {
		partial = err
	}
	work = once(append(work, unlisted...))
	return work[:min(len(work), q.Limit)], partial
}

// once leaves out what names a thread again: what is read may be late before the same
// call looks for what is, and a thread may be offered anew while it is read.
func once(work []store.Work) []store.Work {
	named := map[store.ThreadKey]bool{}
	return slices.DeleteFunc(work, func(w store.Work) bool {
		again := named[w.Thread]
		named[w.Thread] = true
		return again
	})
}

// near reads what is new beside a thread.
func (s *Mailbox) near(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	p := s.conn.Keys.Thread(q.Near).Part
	var streams []workStream
	for _, agent := range q.Agents {
		streams = append(streams, workStream{key: p.Work + agent, agent: agent, unread: 1})
	}
	work, err := s.read(ctx, q, streams, q.Limit)
	return once(work), err
}

// idle is after how many ms an entry is given to somebody else.
func (s *Mailbox) idle(q store.WorkQuery) int64 {
	switch {
	case q.Idle < 0:
		return 0
	case q.Idle == 0:
		return s.conn.Settings.Lease.Milliseconds()
	}
	return q.Idle.Milliseconds()
}

// offer offers threads that are due, and counts their entries in the streams. It returns
// those that nobody is asked for and yet are to be claimed: those that cannot be read,
// which a claim finds out, and orphans.
func (s *Mailbox) offer(ctx context.Context, q store.WorkQuery, due []store.ThreadKey, streams []workStream) (work []store.Work) {
	at := map[string]int{}
	for i, st := range streams {
		at[st.key] = i
	}
	calls := make([]link.Call, len(due))
	for i, key := range due {
		calls[i] = s.offerCall(key)
	}
	replies, errs := s.conn.RunAll(ctx, calls)
	for i, key := range due {
		o, err := s.offered(key, replies[i], errs[i])
		j, ours := at[s.conn.Keys.Thread(key).Part.Work+o.agent]
		switch {
		case err != nil && !errors.Is(err, store.ErrOutcomeUnknown):
			work = append(work, store.Work{Thread: key})
		case err != nil || !o.offered:
		case ours:
			streams[j].unread++
		case q.Orphaned > 0 && o.waited >= q.Orphaned.Truncate(time.Millisecond):
			work = append(work, store.Work{Thread: key, Agent: o.agent, Orphan: true})
		}
	}
	return work[:min(len(work), q.Limit)]
}

// offered is what came of offering a thread.
type offered struct {
	offered bool
	waited  time.Duration
	agent   string
}

func (s *Mailbox) offerCall(key store.ThreadKey) link.Call {
	t := s.conn.Keys.Thread(key)
	return link.Call{Script: lua.Offer, Keys: t.All(), Args: lua.Args{{"member", t.Member}}}
}

func (s *Mailbox) offered(key store.ThreadKey, r *link.Reply, err error) (o offered, _ error) {
	if err != nil {
		return o, err
	}
	epoch, before, events := r.Text(), r.Int(), r.Events()
	if len(events) > 0 {
		s.deliveries.Logged(key, epoch, before+1, events)
	}
	o = offered{offered: r.Bool(), waited: time.Duration(r.Int()) * time.Millisecond, agent: r.Text()}
	return o, r.Err
}

// read reads as many entries as there is room for, in one round trip where the connection
// allows it. In turn by chance those come first that nobody has had, and those that somebody
// has had for too long: neither starves the other.
func (s *Mailbox) read(ctx context.Context, q store.WorkQuery, streams []workStream, room int) ([]store.Work, error) {
	var cmds []redis.Cmder
	var keys []string
	var agents []string
	add := func(st workStream, cmd redis.Cmder) {
		cmds, keys, agents = append(cmds, cmd), append(keys, st.key), append(agents, st.agent)
	}
	unread := func() {
		for _, st := range streams {
			if n := min(st.unread, room); n > 0 {
				add(st, redis.NewXStreamSliceCmd(ctx, "xreadgroup", "group", Workers, s.conn.Settings.Node, "count", n, "streams", st.key, ">"))
				room -= n
			}
		}
	}
	late := func() {
		for _, st := range streams {
			if n := min(st.late, room); n > 0 {
				add(st, redis.NewXAutoClaimCmd(ctx, "xautoclaim", st.key, Workers, s.conn.Settings.Node, s.idle(q), st.from, "count", n))
				room -= n
			}
		}
	}
	rand.Shuffle(len(streams), func(i, j int) { streams[i], streams[j] = streams[j], streams[i] })
	if rand.IntN(2) == 0 {
		unread()
		late()
	} else {
		late()
		unread()
	}
	errs := link.AskAt(ctx, s.conn, keys, cmds)
	var work []store.Work
	for i, cmd := range cmds {
		var messages []redis.XMessage
		switch cmd := cmd.(type) {
		case *redis.XStreamSliceCmd:
			for _, st := range cmd.Val() {
				messages = append(messages, st.Messages...)
			}
		case *redis.XAutoClaimCmd:
			messages, _ = cmd.Val()
		}
		if errors.Is(cmd.Err(), redis.Nil) || strings.HasPrefix(errText(cmd.Err()), "NOGROUP") {
			errs[i] = nil // somebody was faster; or the next sweep makes the group
		}
		work = append(work, s.delivered(ctx, keys[i], agents[i], messages)...)
	}
	return work, s.conn.Missing(errs)
}

// delivered is what entries of a stream ask for.
func (s *Mailbox) delivered(ctx context.Context, stream, agent string, messages []redis.XMessage) (work []store.Work) {
	for _, m := range messages {
		member, _ := m.Values["thread"].(string)
		key, ok := keyspace.ThreadOf(member)
		if !ok || s.conn.Keys.Thread(key).Part.Work+agent != stream {
			s.drop(ctx, stream, m.ID)
			continue
		}
		work = append(work, store.Work{Thread: key, Entry: m.ID + " " + agent, Agent: agent})
	}
	return work
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Return implements store.Sweep.
func (s *Mailbox) Return(ctx context.Context, work []store.Work) error {
	var cmds []redis.Cmder
	var keys []string
	for _, w := range work {
		if id, agent, ok := strings.Cut(w.Entry, " "); ok {
			key := s.conn.Keys.Thread(w.Thread).Part.Work + agent
			keys = append(keys, key)
			cmds = append(cmds, redis.NewStringSliceCmd(ctx, "xclaim", key, Workers, s.conn.Settings.Node, 0, id,
				"idle", returned.Milliseconds(), "justid"))
		}
	}
	errs := link.AskAt(ctx, s.conn, keys, cmds)
	for i, err := range errs {
		if strings.HasPrefix(errText(err), "NOGROUP") {
			errs[i] = nil // then there is nothing that was delivered
		}
	}
	return s.conn.Missing(errs)
}

// drop takes out an entry that none of our scripts has made.
func (s *Mailbox) drop(ctx context.Context, key, id string) {
	s.conn.Settings.Logger.Warn("a stream of work holds an entry that names no thread of its partition; the entry is removed", "stream", key, "entry", id)
	_ = link.AskAt(ctx, s.conn, []string{key, key}, []redis.Cmder{
		redis.NewIntCmd(ctx, "xack", key, Workers, id), redis.NewIntCmd(ctx, "xdel", key, id)})
}

// WorkStats implements store.Sweep.
func (s *Mailbox) WorkStats(ctx context.Context, agents []string) ([]store.WorkStats, error) {
	calls := make([]link.Call, len(s.conn.Keys.Parts))
	for i, p := range s.conn.Keys.Parts {
		calls[i] = link.Call{Script: lua.Waiting, Keys: []string{p.Work}, Args: nil, Rest: link.AppendStrings(nil, agents)}
	}
	replies, errs := s.conn.RunAll(ctx, calls)
	partial := s.conn.Missing(errs)
	if link.Most(partial) != nil {
		return nil, partial
	}
	stats := make([]store.WorkStats, len(agents))
	for i, agent := range agents {
		stats[i].Agent = agent
		for j, r := range replies {
			if errs[j] != nil {
				continue
			}
			stats[i].Waiting += r.Int()
			stats[i].Pending += r.Int()
			stats[i].Oldest = max(stats[i].Oldest, time.Duration(r.Int())*time.Millisecond)
		}
	}
	return stats, partial
}
