package adapter

import (
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// UncertainError says that nobody can know whether what a step asked for was done, as when
// a connection breaks behind a request. A Step's function returns it, or wraps it in what
// it returns. The step is then left unrecorded and the run suspended: a human is asked what
// became of the step (ReasonUncertainStep), also of an idempotent one. Step answers as it
// does after the death of a worker. Step returns ErrSuspended, which the agent must return.
//
// Events that the function has emitted stay in the thread, so the error is best returned
// before anything was emitted. In a branch of Parallel and in ModeBlocking it is a step's
// error like any other.
type UncertainError struct {
	Message string // for those who are asked: what has happened, without a full stop
}

func (e *UncertainError) Error() string { return e.Message }

// mayAsk reports whether the run can suspend at a step of the scope.
func (x *execution) mayAsk(s *scope) bool { return !x.blocking() && !s.branch && x.forks == 0 }

// askWhatBecame suspends the run with the question after a step that broke off.
func (x *execution) askWhatBecame(ref store.StepRef, start *store.JournalEntry, about *store.StepAbout, why *UncertainError) error {
	return x.suspend(&store.JournalEntry{
		Kind: store.EntryAsk, Scope: systemScope, Key: ordinalKey(breakKey, x.journal.asks+1), Steps: []store.StepRef{ref},
	}, []protocol.Interrupt{x.uncertainInterrupt(ref, about, why.Message)}, nil, start)
}

// breakKey numbers the asks of steps that broke off, outside the agent's own. They take
// nothing back, unlike the asks after a lost worker.
const breakKey = "broke"

func isBreak(r *store.JournalEntry) bool {
	return r.Kind == store.EntryAsk && r.Scope == systemScope && strings.HasPrefix(r.Key, breakKey+"#")
}
