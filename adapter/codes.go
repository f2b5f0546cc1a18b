package adapter

import "github.com/aguiws/aguiws/adapter/internal/judge"

// The codes of RUN_ERROR events that are logged (binding, Refusals).
const (
	CodeAgentError        = "agent_error"
	CodeProtocolViolation = "agent_protocol_violation"
	CodeReplayDiverged    = "agent_replay_diverged"
	CodeWorkerLost        = "worker_lost"
	// CodeRunTimeout is that of a run that took longer than runner.Options.RunTimeout.
	CodeRunTimeout = "run_timeout"
	// CodeThreadTooLarge is that of a run that makes too much of its thread, and of an
	// input to a thread that is too large: see runner.Options.MaxThreadBytes.
	CodeThreadTooLarge = "thread_too_large"
	// CodeStateCorrupted is also that of an input that is refused, because something
	// stored of its thread cannot be read.
	CodeStateCorrupted = "state_corrupted"

	// The codes of refusals. An interrupt that expires may also end its execution with
	// CodeExpired.
	CodeInvalidInput      = judge.CodeInvalidInput      // "invalid_input"
	CodePending           = judge.CodePending           // "interrupts_pending"
	CodeUncovered         = judge.CodeUncovered         // "interrupts_uncovered"
	CodeUnknownInterrupt  = judge.CodeUnknownInterrupt  // "interrupt_unknown"
	CodeConflict          = judge.CodeConflict          // "interrupt_conflict"
	CodeExpired           = judge.CodeExpired           // "interrupt_expired"
	CodePayloadInvalid    = judge.CodePayloadInvalid    // "interrupt_payload_invalid"
	CodePayloadTooComplex = judge.CodePayloadTooComplex // "interrupt_payload_too_complex"
	CodeOwnApproval       = judge.CodeOwnApproval       // "own_approval": runner.Options.SeparateDuties
	CodeLoginRequired     = judge.CodeLoginRequired     // "login_required"
	CodeThreadBusy        = judge.CodeThreadBusy        // "thread_busy"
	CodeStoreUnavailable  = "store_unavailable"
	CodeServerDraining    = "server_draining"
	CodeTooManyRuns       = "too_many_runs"      // runner.Options.MaxRunsPerUser, runner.Options.MaxRunsPerTenant
	CodeThreadQuota       = "thread_quota"       // runner.Options.MaxThreadsPerUser
	CodeRateLimited       = "rate_limited"       // runner.Options.MaxInputs
	CodeDuplicate         = "dispatch_duplicate" // DispatchOptions.Dedupe
	CodeGone              = "dispatch_gone"      // Runner.Requeue
	CodeThreadDeleting    = "thread_deleting"    // Runner.DeleteTree
	CodeThreadExists      = "thread_exists"      // Run.Call, if somebody else has used the thread
	CodeBranchGone        = "branch_gone"        // Injection.Restores

	// The codes of events that are not taken.
	CodeEventEarly    = "event_too_early" // the run does not wait for it yet
	CodeEventOver     = "event_over"      // nothing waits for it any more
	CodeEventConflict = "event_conflict"  // another body has come before
)
