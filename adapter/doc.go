// Package adapter is what a run is: it admits inputs, calls agents, journals
// what they do, suspends them when they ask, and continues them when they are
// answered, on whichever node. It knows neither Redis nor HTTP: a Store keeps
// threads, and a server puts a Runner behind a wire.
//
//	 input ──▶ Runner.Submit ──▶ judge ──▶ Store.Begin ──▶ execution ──▶ Agent.Run
//	                                                          │  Emit, Step, Ask
//	follower ◀── hub ◀── Delivery ◀── Store.Commit ◀── pipeline
//
// # Writing an agent
//
// An Agent is a plain function that is called from the top at every activation
// of its execution:
//
//	func (a *Clerk) Run(ctx context.Context, run *adapter.Run) error {
//		draft, err := adapter.Step(ctx, run, "draft", a.draft) // runs once
//		if err != nil {
//			return err
//		}
//		answers, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: draft})
//		if err != nil {
//			return err // the run is suspended; nothing stays in memory
//		}
//		return run.Say("You said " + string(answers.Entries[0].Payload))
//	}
//
// What has an effect, or could turn out otherwise the next time (a model, a
// clock, a random number), belongs inside Step. CallTools announces tool
// calls, asks about those that need it, and carries them out. Everything else
// on Run streams events.
//
// # A run
//
//	queued ──▶ active ──▶ ended (success, interrupt, cancelled or error)
//	   └─▶ stopped: cancelled while it waited; its two events are logged later
//
// A run is one activation, asked for by one input. It has exactly one terminal
// event in the log, whatever dies.
//
// # A dispatch
//
//	            ┌── Nack, HandBack, lease over ──┐
//	            ▼                                │
//	queued ──▶ queued, at the head ──▶ claimed ──┴▶ acked: its worker ended the run
//	  │                                   ├──▶ superseded: stopped, or interrupted
//	  ├──▶ cancelled: stopped while       └──▶ dead_letter: the attempts are used up,
//	  │    it waited                            or it cannot succeed ──▶ requeued
//	  └──▶ superseded: interrupted                                       as another
//
// A dispatch is the delivery of one run to a worker; its state says nothing of
// what the run came to. A thread has at most one that is claimed. Its holder
// proves itself by the claim token and the dispatch epoch, which
// InterruptThread raises; Options.MaxAttempts claims are granted, and as many
// again whenever its run has recorded something. A dead letter's run ends in
// RUN_ERROR, and Requeue goes on with its journal in a run of its own. A node
// that carries Options.MaxRuns runs claims no more until one of them is over.
//
// # An execution
//
//	begun ──▶ active ──▶ suspended ──▶ active ──▶ … ──▶ over
//	             └─▶ worker lost ──▶ active on another node
//
// An execution spans the run that began it and every run that continues it. Its
// journal holds the start and the result of each step and each ask with its
// answer. Continuing means calling the agent again with the journal: recorded
// steps return what they returned, emissions before the last record are
// silent, and the first call past the journal is live. A replay that takes
// another path than the journal ends in RUN_ERROR agent_replay_diverged.
//
// Each record knows the position of the log at which it was written. When a
// worker is lost, the next one closes what was left open, restates messages and
// state as they were at the last record, and replays: clients see one
// well-formed run. A step that was started and not recorded is asked about,
// unless it is an IdempotentStep.
//
// A runner that shuts down hands an execution back at its next step if another
// node takes runs of its agent. If none does, it finishes the run.
//
// # An interrupt
//
//	open ──▶ answered by exactly one accepted decision
//	  ▲          │ the continuation could not go on and recorded nothing
//	  └──────────┘
//
// The rules by which an input is judged stand in judge.go, in the order of the
// binding's section 6. Equal answers are repeats and execute once.
package adapter
