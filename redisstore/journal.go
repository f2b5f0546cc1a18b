package redisstore

import (
	"context"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Journal implements store.Worker.
func (s *reads) Journal(ctx context.Context, c store.Claim) (*store.ExecutionView, error) {
	t := s.conn.keys.Thread(c.Thread)
	r, err := s.conn.run(ctx, call{script: lua.Journal, keys: t.All(),
		args: lua.Args{{"run", c.RunID}, {"token", c.Token}, {"depoch", c.DispatchEpoch}}})
	if err != nil {
		return nil, err
	}
	if !r.more() {
		return nil, store.ErrClaimLost
	}
	e := readExecution(r)
	return e, r.err
}

// readExecution reads what journal.lua returns of a claim that is held.
func readExecution(r *reply) *store.ExecutionView {
	e := readWaiting(r)
	e.RunStarted, e.Crashes = r.int(), int(r.int())
	e.Active = time.Duration(r.int()) * time.Millisecond
	e.Undo = r.json()
	return e
}

// readWaiting reads an execution, whether or not somebody carries it.
func readWaiting(r *reply) *store.ExecutionView {
	e := &store.ExecutionView{ID: r.string(), Agent: r.string(), Frozen: r.json(), Began: time.UnixMilli(r.int())}
	entries := r.list()
	for entries.more() {
		e.Journal = append(e.Journal, entries.json())
	}
	r.join(entries)
	return e
}
