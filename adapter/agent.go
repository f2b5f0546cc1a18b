package adapter

import (
	"context"
)

// Agent answers a thread's inputs. Run is called from the top when an
// execution begins and again, with the journal, for each activation that
// continues it: after an answer, and after the worker was lost. It must
// therefore do whatever has an effect, or could turn out otherwise the next
// time, inside Step. An error that Ask, Step or Emit returned must be returned.
//
// A nil error ends the run well, any other fails it with RUN_ERROR
// agent_error, and its text stays in the log unless it is a UserError, which may have a
// code of its own. Run must return soon after ctx is done.
// Different threads call it concurrently.
type Agent interface {
	Run(ctx context.Context, run *Run) error
}

// AgentFunc is an Agent made of a function.
type AgentFunc func(ctx context.Context, run *Run) error

// Run calls f.
func (f AgentFunc) Run(ctx context.Context, run *Run) error { return f(ctx, run) }

// Unpausable is implemented by agents whose runs never come to a step at which they could
// be paused, so that whoever wants to is told at once: see Runner.Pause.
type Unpausable interface {
	Unpausable() bool
}

// Restartable is implemented by agents of which an execution may be begun
// again from the top when its worker was lost before anything was journaled.
// Without it such a run ends in RUN_ERROR worker_lost.
type Restartable interface {
	Restartable() bool
}
