package redisstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

const (
	recountPage  = 512         // threads that a recount looks at
	recountEvery = time.Second // for one owner
	recountAfter = time.Minute // since it was counted a thread may not have begun yet
	maxRecounts  = 4096        // owners of whom it is known when they were recounted, or their lists renewed
)

// quotas counts what owners have.
type quotas struct {
	conn     *link.Connection
	mu       sync.Mutex
	recounts map[string]time.Time // owners by id, and when they were recounted
	renewed  map[string]time.Time // and since when their lists of runs are sure to stay
}

// Take implements store.Quotas. User and tenant are asked at once.
func (s *quotas) Take(ctx context.Context, t store.Take) (store.Taken, error) {
	taken := store.Taken{Owner: keyspace.OwnerID(t.User)}
	var calls []link.Call
	var renewed []string // of each call, whose list it renews
	now := s.now()
	ask := func(id string, t store.Take) {
		renews := s.renews(id, now)
		calls = append(calls, s.takeCall(id, t, renews))
		if !renews {
			id = ""
		}
		renewed = append(renewed, id)
	}
	if taken.Owner != "" {
		ask(taken.Owner, t)
	}
	users := len(calls)
	if tenant := keyspace.OwnerID(t.Tenant); tenant != "" {
		ask(tenant, store.Take{RunID: t.RunID, Runs: t.TenantRuns, Threads: -1, Inputs: -1})
	}
	replies, errs := s.conn.RunAll(ctx, calls)
	for i, r := range replies {
		if errs[i] != nil {
			continue
		}
		over, wait, full := store.Over(r.Int()), r.Int(), r.Bool()
		if renewed[i] != "" && r.Err == nil && over == store.OverNothing && t.RunID != "" {
			s.nowRenewed(renewed[i], now)
		}
		if errs[i] = r.Err; r.Err != nil || i < users {
			taken.Over, taken.Wait, taken.ThreadsFull = over, time.Duration(wait)*time.Millisecond, full
		} else if over != store.OverNothing && taken.Over == store.OverNothing {
			taken.Over = store.OverTenantRuns
		}
	}
	if taken.Over != store.OverNothing && len(calls) > 1 {
		// A run that one of the two has no place for is not to take a place of the other.
		errs = append(errs, s.Give(ctx, []store.Holding{{User: t.User, Tenant: t.Tenant, RunID: t.RunID}}))
	}
	if taken.ThreadsFull && s.recount(ctx, taken.Owner) {
		t.Inputs = -1
		if r, err := s.conn.Run(ctx, s.takeCall(taken.Owner, t, false)); err == nil {
			_, _ = r.Int(), r.Int()
			taken.ThreadsFull = r.Bool()
		}
	}
	return taken, errors.Join(errs...)
}

func (s *quotas) takeCall(id string, t store.Take, renews bool) link.Call {
	thread, made := "", ""
	if t.Thread != (store.ThreadKey{}) {
		thread, made = s.conn.Keys.Thread(t.Thread).Owned(), keyspace.OwnedAsMade(t.Thread)
	}
	o := s.conn.Keys.Owner(id)
	return link.Call{Script: lua.Quotas, Keys: []string{o.Runs, o.Owned, o.Inputs}, Args: lua.Args{
		{"run", t.RunID}, {"hold", store.HoldFor.Milliseconds()}, {"renews", renews}, {"runs", t.Runs}, {"thread", thread}, {"made", made}, {"makes", t.Makes},
		{"threads", t.Threads},
		{"rate", t.Inputs}, {"burst", max(t.Burst, 1)},
	}}
}

// Keep implements store.Quotas.
func (s *quotas) Keep(ctx context.Context, runs []store.Holding) error {
	var calls []link.Call
	s.ofOwners(runs, func(o keyspace.Owner, run string) {
		calls = append(calls, link.Call{Script: lua.Hold, Keys: []string{o.Runs},
			Args: lua.Args{{"run", run}, {"hold", store.HoldFor.Milliseconds()}}})
	})
	_, errs := s.conn.RunAll(ctx, calls)
	return errors.Join(errs...)
}

// Give implements store.Quotas. Runs that go off one list go together.
func (s *quotas) Give(ctx context.Context, back []store.Holding) error {
	runs := map[string][]any{}
	s.ofOwners(back, func(o keyspace.Owner, run string) { runs[o.Runs] = append(runs[o.Runs], run) })
	var cmds []*redis.IntCmd
	for key, of := range runs {
		cmds = append(cmds, redis.NewIntCmd(ctx, append([]any{"zrem", key}, of...)...))
	}
	return errors.Join(link.Ask(ctx, s.conn, cmds)...)
}

// ofOwners tells of each run for whom it counts.
func (s *quotas) ofOwners(runs []store.Holding, tell func(o keyspace.Owner, run string)) {
	for _, h := range runs {
		for _, owner := range []store.Owner{h.User, h.Tenant} {
			if id := keyspace.OwnerID(owner); id != "" {
				tell(s.conn.Keys.Owner(id), h.RunID)
			}
		}
	}
}

// Usage implements store.Quotas.
func (s *quotas) Usage(ctx context.Context, of store.Owner) (u store.Usage, err error) {
	id := keyspace.OwnerID(of)
	if id == "" {
		return u, nil
	}
	o := s.conn.Keys.Owner(id)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Usage, Keys: []string{o.Runs, o.Owned}})
	if err != nil {
		return u, err
	}
	u.Runs, u.Threads = int(r.Int()), int(r.Int())
	return u, r.Err
}

// disown lets a thread that is gone count for nobody. If that does not come about, recounts
// make up for it.
func (s *quotas) disown(ctx context.Context, key store.ThreadKey, owner string) {
	if owner != "" {
		link.Ask(ctx, s.conn, []*redis.IntCmd{redis.NewIntCmd(ctx, "zrem", s.conn.Keys.Owner(owner).Owned, s.conn.Keys.Thread(key).Owned())})
	}
}

// disownMade is disown for a thread that was made.
func (s *quotas) disownMade(ctx context.Context, key store.ThreadKey, owner string) {
	if owner != "" {
		link.Ask(ctx, s.conn, []*redis.IntCmd{redis.NewIntCmd(ctx, "zrem", s.conn.Keys.Owner(owner).Owned, keyspace.OwnedAsMade(key))})
	}
}

// recount takes off an owner's list some of the threads that are none of it: those that
// were never begun, that a server has deleted which keeps no such list, and those of
// others that the owner has used. It returns whether there were any.
func (s *quotas) recount(ctx context.Context, owner string) bool {
	now := s.now()
	if !s.recountNow(owner, now) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, s.conn.Settings.Timeout)
	defer cancel()
	owned := s.conn.Keys.Owner(owner).Owned
	count, err := s.conn.Client.ZCard(ctx, owned).Result()
	if err != nil {
		return false
	}
	first := rand.Int64N(max(count-recountPage, 0) + 1)
	page, err := s.conn.Client.ZRangeWithScores(ctx, owned, first, first+recountPage-1).Result()
	if err != nil {
		return false
	}
	var names []any
	var cmds []*redis.SliceCmd
	nodes := map[any]*redis.BoolCmd{}
	var has []*redis.BoolCmd
	for _, z := range page {
		name, _ := z.Member.(string)
		old := now.Sub(time.UnixMilli(int64(z.Score))) > recountAfter
		if key, ok := keyspace.MadeOwned(name); ok && old {
			nodes[name] = redis.NewBoolCmd(ctx, "hexists", s.conn.Keys.Tree(key.Namespace)[0], key.Thread)
			has = append(has, nodes[name])
			names, cmds = append(names, name), append(cmds, redis.NewSliceCmd(ctx, "hmget", s.conn.Keys.Thread(key).Rec(), "input", "owner"))
		}
		if rec, ok := s.conn.Keys.OwnedRecord(name); ok && old {
			names, cmds = append(names, name), append(cmds, redis.NewSliceCmd(ctx, "hmget", rec, "input", "owner"))
		}
	}
	if len(cmds) == 0 {
		return false
	}
	link.Ask(ctx, s.conn, has)
	var gone []any
	for i, err := range link.Ask(ctx, s.conn, cmds) {
		if err != nil {
			continue
		}
		input, by := cmds[i].Val()[0], cmds[i].Val()[1]
		if node := nodes[names[i]]; node != nil {
			if node.Err() == nil && (input != nil || !node.Val()) {
				gone = append(gone, names[i])
			}
			continue
		}
		if input == nil || by != nil && by != owner {
			gone = append(gone, names[i])
		}
	}
	return len(gone) > 0 && s.conn.Client.ZRem(ctx, owned, gone...).Err() == nil
}

// recountNow reports whether it is time to recount an owner's threads.
func (s *quotas) recountNow(owner string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.recounts[owner]) < recountEvery {
		return false
	}
	if len(s.recounts) >= maxRecounts {
		clear(s.recounts)
	}
	s.recounts[owner] = now
	return true
}

// renews reports whether a take is to renew an owner's list of runs.
func (s *quotas) renews(owner string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(s.renewed[owner]) >= store.HoldFor
}

// nowRenewed notes that it has.
func (s *quotas) nowRenewed(owner string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.renewed) >= maxRecounts {
		clear(s.renewed)
	}
	s.renewed[owner] = now
}

func (s *quotas) now() time.Time {
	if s.conn.Settings.Clock != nil {
		return s.conn.Settings.Clock()
	}
	return time.Now()
}
