package threadlog

import (
	"context"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Journal implements store.Worker.
func (s *Reader) Journal(ctx context.Context, c store.Claim) (*store.ExecutionView, error) {
	t := s.conn.Keys.Thread(c.Thread)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Journal, Keys: t.All(),
		Args: lua.Args{{"run", c.RunID}, {"token", c.Token}, {"depoch", c.DispatchEpoch}}})
	if err != nil {
		return nil, err
	}
	if !r.More() {
		return nil, store.ErrClaimLost
	}
	e := ReadExecution(r)
	return e, r.Err
}

// ReadExecution reads what journal.lua returns of a claim that is held.
func ReadExecution(r *link.Reply) *store.ExecutionView {
	e := readWaiting(r)
	e.RunStarted, e.Crashes = r.Int(), int(r.Int())
	e.Active = time.Duration(r.Int()) * time.Millisecond
	e.Undo = r.JSON()
	return e
}

// readWaiting reads an execution, whether or not somebody carries it.
func readWaiting(r *link.Reply) *store.ExecutionView {
	e := &store.ExecutionView{ID: r.Text(), Agent: r.Text(), Frozen: r.JSON(), Began: time.UnixMilli(r.Int())}
	entries := r.List()
	for entries.More() {
		e.Journal = append(e.Journal, entries.JSON())
	}
	r.Join(entries)
	return e
}
