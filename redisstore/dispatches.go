package redisstore

import (
	"context"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// dispatches looks at them.
type dispatches struct{ conn *connection }

// Dispatch implements store.Dispatches.
func (s *dispatches) Dispatch(ctx context.Context, key store.ThreadKey, id string) (*store.Dispatch, error) {
	if id == "" {
		return nil, nil
	}
	list, err := s.dispatches(ctx, key, id, store.DispatchQuery{})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

const dispatchPage = 100

// Dispatches implements store.Dispatches. It reads what waits and what the page
// holds, not what lies beyond it.
func (s *dispatches) Dispatches(ctx context.Context, key store.ThreadKey, q store.DispatchQuery) ([]store.Dispatch, error) {
	if q.Limit < 0 || q.Offset < 0 {
		return nil, fmt.Errorf("redisstore: dispatches: limit %d, offset %d: neither can be negative", q.Limit, q.Offset)
	}
	return s.dispatches(ctx, key, "", q)
}

func (s *dispatches) dispatches(ctx context.Context, key store.ThreadKey, id string, q store.DispatchQuery) ([]store.Dispatch, error) {
	r, err := s.conn.run(ctx, s.dispatchesCall(key, id, q))
	if err != nil {
		return nil, err
	}
	var list []store.Dispatch
	for r.more() {
		list = append(list, readDispatch(r, key))
	}
	return list, r.err
}

// dispatchesCall asks for one dispatch, or for those of a query.
func (s *dispatches) dispatchesCall(key store.ThreadKey, id string, q store.DispatchQuery) call {
	if q.Limit == 0 {
		q.Limit = dispatchPage
	}
	t := s.conn.keys.Thread(key)
	c := call{script: lua.Dispatches, keys: t.All(), args: lua.Args{{"run", id}, {"limit", q.Limit}, {"offset", q.Offset}}}
	for _, state := range q.States {
		c.rest = append(c.rest, string(state))
	}
	return c
}

func readDispatch(r *reply, key store.ThreadKey) store.Dispatch {
	l := r.list()
	d := store.Dispatch{ID: l.string(), Thread: key, State: store.DispatchState(l.string()), Epoch: l.int(),
		Priority: uint8(l.int()), Dedupe: l.string(), Available: l.time(), Attempts: int(l.int()), MaxAttempts: int(l.int()),
		Error: l.string(), ClaimedBy: l.string(), LeaseUntil: l.time(), Activated: l.bool(), Outcome: l.json(),
		RequeuedAs: l.string(), Created: l.time(), Updated: l.time(), Completed: l.time(), Record: l.json(), Input: l.json(), Steps: l.json()}
	r.join(l)
	return d
}

// CountDispatches implements store.Dispatches.
func (s *dispatches) CountDispatches(ctx context.Context) (map[store.DispatchState]int64, error) {
	return s.count(ctx, "")
}

// CountTenant implements store.Dispatches.
func (s *dispatches) CountTenant(ctx context.Context, tenant string) (map[store.DispatchState]int64, error) {
	return s.count(ctx, ":"+tenant)
}

var dispatchStates = []store.DispatchState{
	store.DispatchQueued, store.DispatchClaimed, store.DispatchAcked,
	store.DispatchCancelled, store.DispatchSuperseded, store.DispatchDeadLetter,
}

// count adds up what the partitions count under each state with a suffix.
func (s *dispatches) count(ctx context.Context, suffix string) (map[store.DispatchState]int64, error) {
	fields := make([]any, len(dispatchStates))
	for i, state := range dispatchStates {
		fields[i] = string(state) + suffix
	}
	calls := make([]call, len(s.conn.keys.Parts))
	for i := range calls {
		calls[i] = call{script: lua.Counts, keys: []string{s.conn.keys.Parts[i].Counts}, rest: fields}
	}
	replies, errs := s.conn.runAll(ctx, calls)
	partial := s.conn.missing(errs)
	if most(partial) != nil {
		return nil, partial
	}
	counts := map[store.DispatchState]int64{}
	for i, r := range replies {
		if errs[i] != nil {
			continue
		}
		for _, state := range dispatchStates {
			if n := r.int(); n != 0 {
				counts[state] += n
			}
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return counts, partial
}
