package redisstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// remember is for how long a deleted thread's version is not used again: longer
// than any call can be on its way.
const remember = 24 * time.Hour

// judgedAnew is how often a deletion looks again when other questions are open than before.
const judgedAnew = 8

// Delete implements store.Threads. A follower of the thread hears at once that its log has
// begun again.
func (s *retention) Delete(ctx context.Context, key store.ThreadKey, by store.Deletion) (bool, error) {
	return s.forget(ctx, key, forgetResting, by)
}

// Erase implements store.Threads.
func (s *retention) Erase(ctx context.Context, key store.ThreadKey, by store.Deletion) error {
	if _, err := s.forget(ctx, key, forgetAny, by); err != nil {
		return err
	}
	return s.gone(ctx, key, erased)
}

// The threads that forget is for, as delete.lua has them.
const (
	forgetResting = iota
	forgetAny
	forgetDoomed
	forgetUnused
)

func (s *retention) forget(ctx context.Context, key store.ThreadKey, which int, by store.Deletion) (bool, error) {
	t := s.conn.Keys.Thread(key)
	open, decisions := "", []any(nil)
	for range judgedAnew {
		r, err := s.conn.Run(ctx, link.Call{Script: lua.Delete, Keys: t.Deciding(),
			Args: lua.Args{{"member", t.Member}, {"remember", remember.Milliseconds()}, {"force", which}, {"user", by.User}, {"open", open}},
			Rest: decisions})
		if err != nil {
			return false, err
		}
		verdict := r.Int()
		if verdict != 2 {
			s.deliveries.Forgotten(key, r.Text())
			s.quotas.disown(ctx, key, r.Text())
			return verdict == 1, r.Err
		}
		open = r.Text()
		gone := store.Withdrawn{By: by.Deleter}
		gone.Interrupts, _ = link.Unpack(r.Text()) // what is damaged is left out
		// Nor does what cannot be unfolded keep a thread.
		if gone.Suspension = r.JSON(); r.Err != nil && !errors.Is(r.Err, store.ErrCorrupted) {
			return false, r.Err
		}
		list, keep := by.Withdraw(gone)
		if keep && which == forgetResting {
			return false, nil
		}
		decisions = nil
		for _, d := range list {
			decisions = lua.Delete.Group(decisions, lua.Args{{"interrupt", d.Interrupt}, {"status", string(d.Status)}, {"by", d.User},
				{"tool", d.Tool}, {"body", link.Compress(d.Body)}})
		}
	}
	return false, fmt.Errorf("redisstore: delete: %w: the open questions change", store.ErrMoved)
}
