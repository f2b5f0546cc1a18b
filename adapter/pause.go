package adapter

import (
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// ReasonPaused is the reason of the interrupt with which a run suspends that an
// operator has paused. Resolving it, with any payload or none, goes on; cancelling it
// ends the execution as cancelled.
const ReasonPaused = "aguiws:paused"

// pauseKey numbers the asks of operators, outside the agent's own.
const pauseKey = "pause"

// pauseHere suspends the run if an operator wishes it and the call is one at which
// a replay finds itself again: that of the key, or a step if it is "".
func (x *execution) pauseHere(s *scope, key string) error {
	if x.blocking() || !s.live() || s.branch || x.forks > 0 || s.next() != nil || !x.pipe.pausing() {
		return nil
	}
	// The wish is as old as the last commit, and may have been taken back since.
	// Once it is this worker's it cannot be any more, so its loss is not risked.
	wish, err := retry(x.ctx, func() (*store.Wish, error) { return x.node.store.TakePause(x.ctx, x.claim) })
	if err != nil && x.ctx.Err() != nil {
		return x.seal(ErrStopped)
	}
	if err != nil || wish == nil {
		return nil // the next step asks again
	}
	return x.suspend(&store.JournalEntry{
		Kind: store.EntryAsk, Scope: systemScope, Key: ordinalKey(pauseKey, x.journal.asks+1), Digest: key,
	}, []protocol.Interrupt{pauseInterrupt(wish, time.Now())}, nil, nil)
}

// isPause reports whether an entry is of an operator's pause.
func isPause(r *store.JournalEntry) bool {
	return r.Kind == store.EntryAsk && r.Scope == systemScope && strings.HasPrefix(r.Key, pauseKey+"#")
}

// askedBy says which of the server's own an ask is.
func askedBy(ask *store.JournalEntry) string {
	switch {
	case isPause(ask):
		return store.AskedByPause
	case ask.Scope == systemScope:
		return store.AskedByStep
	}
	return ""
}

// passPauses goes past the pauses before the step that is called: what was
// emitted up to them is on the wire.
func (s *scope) passPauses() {
	for r := s.next(); r != nil && isPause(r); r = s.next() {
		s.cursor++
	}
}

// stopsAtPause reports whether an answer says that a paused execution ends.
func stopsAtPause(ask, answer *store.JournalEntry) bool {
	return isPause(ask) && len(answer.Entries) == 1 && answer.Entries[0].Status == protocol.ResumeCancelled
}
