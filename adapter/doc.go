// Package adapter is what an agent's author reads: what an Agent is, and what its Run can do.
// Package runner below it calls agents, journals what they do, suspends them when they ask,
// and continues them when they are answered, on whichever node. A node is a process that has a
// Runner; it is a worker to the runs that it carries, and a server to the clients that connect
// to it. Execution, NewRun and StepManner are for package runner alone.
//
// # Writing an agent
//
// An Agent is a plain function that is called from the top at every activation
// of its execution:
//
//	func (c *Clerk) Run(ctx context.Context, run *adapter.Run) error {
//		asked := run.Input().Messages
//		letter, err := adapter.StepWith(ctx, run, "write", adapter.StepOptions{Input: asked}, func(ctx context.Context) (string, error) {
//			return c.write(ctx, asked) // runs once; if its worker dies inside, a human is asked
//		})
//		if err != nil {
//			return err
//		}
//		approved, err := run.Confirm(ctx, "Send this? "+letter)
//		if err != nil {
//			return err // suspended: nothing of the run stays in memory
//		}
//		if !approved { // declined, cancelled or expired
//			return run.Say("I have not sent it.")
//		}
//		_, err = adapter.StepWith(ctx, run, "send", adapter.StepOptions{Input: letter}, func(ctx context.Context) (bool, error) {
//			return true, c.send(ctx, letter)
//		})
//		if err != nil {
//			return err
//		}
//		return run.Say("Sent.")
//	}
//
// A call belongs inside Step if it has an effect, or could turn out otherwise the next time
// (a model, a clock, a random number). Input tells the step what it depends on: a replay
// that comes to the step with another one ends in an error. CallTools announces tool
// calls, asks about those that need it, and carries them out. Everything else on Run streams
// events. Package adaptertest runs agents in tests, and lets their workers die.
//
// # A run
//
//	queued ──▶ active ──▶ ended (success, interrupt, cancelled or error)
//	   └─▶ cancelled in the queue; its two events are logged later
//
// A run is one activation, asked for by one input. It has exactly one terminal
// event in the log, whatever dies.
//
// # An execution
//
//	begun ──▶ active ──▶ suspended ──▶ active ──▶ … ──▶ over
//	             └─▶ worker lost ──▶ active on another node
//
// An execution spans the run that began it and every run that continues it. Its
// journal holds the start and the result of each step and each ask with its
// answer. Continuing means calling the agent again with the journal: recorded
// steps return what they returned, emissions before the last entry are
// silent, and the first call past the journal is live. A replay that takes
// another path than the journal ends in RUN_ERROR agent_replay_diverged. Paths are
// compared by the names and the order of steps, by the inputs of steps, by the
// ids and the arguments of tool calls, by whole questions and by the number of
// branches. A replay compares nothing else: a step without an input passes for any
// other of its name and ordinal.
//
// Each entry knows the position of the log at which it was written. When a
// worker is lost, the next one closes what was left open, restates messages and
// state as they were at the last entry, and replays: clients see one
// well-formed run. A step that was started and not recorded is asked about,
// unless the step is Idempotent.
//
// # An interrupt
//
//	open ──▶ answered by exactly one accepted decision
//	  ▲          │ the continuation could not go on and recorded nothing
//	  └──────────┘
//
// docs/binding/interrupts.md has the rules by which an input is judged, in their order.
// Equal answers are repeats and execute once.
package adapter
