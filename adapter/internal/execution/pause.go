package execution

import (
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// pauseHere suspends the run if an operator wishes it and the call is one at which
// a replay finds itself again: that of the key, or a step if it is "".
func (x *execution) pauseHere(s *scope, key string) error {
	if x.blocking() || !s.live() || s.branch || x.forks > 0 || s.next() != nil || !x.Pipe.pausing() {
		return nil
	}
	// The wish is as old as the last commit, and may have been taken back since.
	// Once it is this worker's it cannot be any more, so its loss is not risked.
	wish, err := retry.Do(x.Ctx, func() (*store.Wish, error) { return x.node.Store.TakePause(x.Ctx, x.Claim) })
	if err != nil && x.Ctx.Err() != nil {
		return x.seal(adapter.ErrStopped)
	}
	if err != nil || wish == nil {
		return nil // the next step asks again
	}
	return x.suspend(&store.JournalEntry{
		Kind: store.EntryAsk, Scope: journal.SystemScope, Key: journal.OrdinalKey(journal.PauseKey, x.journal.Asks+1), Digest: key,
	}, []protocol.Interrupt{journal.PauseInterrupt(wish, time.Now())}, nil, nil)
}
