package execution

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// recorded is what a takeover goes back to.
type recorded struct {
	at    int64      // where the log ended
	fold  *fold.Fold // the thread as of then
	calls []string   // of the run, without a result
	begun []string   // the subagents that have begun since
}

// from is what makes of a later fold the one that was recorded.
func (r *recorded) from(now *fold.Fold) (*store.UndoTo, error) {
	u := &store.UndoTo{At: r.at, Calls: r.calls, Begun: r.begun}
	if state := r.fold.State(); !bytes.Equal(state, now.State()) {
		u.State = state
	}
	changes := now.Since(r.fold)
	ids := slices.Clone(changes.Removed)
	for _, m := range changes.Changed {
		ids = append(ids, m.ID)
	}
	if u.Drop = len(changes.Added); changes.Moved || len(changes.Removed) > 0 {
		var back protocol.Messages
		u.Drop, back = reordered(now.Messages(), r.fold.Messages())
		for _, m := range back {
			u.Append = append(u.Append, m.ID)
		}
	}
	for _, id := range ids {
		if m, held := r.fold.Message(id); held {
			u.Messages = append(u.Messages, m)
		}
	}
	var err error
	if u.Open, err = stored.Opened(r.fold); err != nil {
		return nil, fmt.Errorf("adapter: encoding what the run had open: %w", err)
	}
	return u, nil
}

// undone is the fold that was recorded before a snapshot.
func undone(snapshot *fold.Fold, u *store.UndoTo) (*fold.Fold, error) {
	was := make(map[string]protocol.Message, len(u.Messages))
	for _, m := range u.Messages {
		was[m.ID] = m
	}
	held := snapshot.Messages()
	if u.Drop < 0 || u.Drop > len(held) {
		return nil, stored.Corrupted("what undoes a checkpoint")
	}
	messages := slices.Clone(held[:len(held)-u.Drop])
	for i, m := range messages {
		if other, changed := was[m.ID]; changed {
			messages[i] = other
		}
	}
	for _, id := range u.Append {
		m, ok := was[id]
		if !ok {
			if m, ok = snapshot.Message(id); !ok {
				return nil, stored.Corrupted("what undoes a checkpoint")
			}
		}
		messages = append(messages, m)
	}
	state := u.State
	if state == nil {
		state = snapshot.State()
	}
	f := fold.New(messages, state)
	return f, stored.Reopen(f, u.Open)
}
