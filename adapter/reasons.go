package adapter

// ReasonAuthRequired is the reason of the interrupt by which Run.Login asks. Its metadata
// has authorizeUrl, where a browser begins, provider and scopes. Only a login that came
// about resolves it; it can be cancelled as any other.
const ReasonAuthRequired = "aguiws:auth_required"

// ReasonPaused is the reason of the interrupt with which a run suspends that an
// operator has paused. Resolving it, with any payload or none, goes on; cancelling it
// ends the execution as cancelled.
const ReasonPaused = "aguiws:paused"

// ReasonTimer is the reason of the interrupt with which Run.Sleep waits until its ExpiresAt.
// Nobody can resolve it; it can be cancelled as any other.
const ReasonTimer = "aguiws:timer"

// ReasonEvent is the reason of the interrupt with which Event.Wait waits, until its ExpiresAt
// if it has one. Only whoever has the event's token resolves it; it can be cancelled as any
// other. Its metadata names the event.
const ReasonEvent = "aguiws:event"

// ReasonCall is the reason of the interrupt with which Run.Call waits for another agent. The
// "aguiws" of its metadata has the agent and its thread. Nobody can resolve it; if it is
// cancelled, so is that agent's execution.
const ReasonCall = "aguiws:call"

// ReasonUncertainStep is the reason of the interrupt that asks what became of
// a step that was started and not recorded. It may be answered that it was done, without its
// result. Step then returns T's zero value and no error, and a tool call's Result is
// {"executed":true}: check for it where you use the result.
const ReasonUncertainStep = "aguiws:uncertain_step"
