package runner

import (
	"fmt"
)

// UnansweredPolicy says what becomes of an input that brings a new user message while
// interrupts are open, and has no resume.
type UnansweredPolicy string

const (
	// UnansweredRefuse refuses it as CodePending.
	UnansweredRefuse UnansweredPolicy = "refuse"
	// UnansweredCancel takes it as if its resume cancelled all of them: the execution
	// that asked ends, also one that asks about an uncertain step, and a new one answers
	// the message. Inputs without a new user message, and those that are to wait for a
	// time, are refused all the same: whoever only looks or comes later cancels nothing.
	UnansweredCancel UnansweredPolicy = "cancel"
)

// completeUnanswered sets the default, and refuses what is no policy.
func (o *Options) completeUnanswered() error {
	if o.Unanswered == "" {
		o.Unanswered = UnansweredRefuse
	}
	known := func(p UnansweredPolicy) bool { return p == UnansweredRefuse || p == UnansweredCancel }
	if !known(o.Unanswered) {
		return fmt.Errorf("adapter: unknown policy %q for unanswered interrupts", o.Unanswered)
	}
	for agent, policy := range o.UnansweredBy {
		if !known(policy) {
			return fmt.Errorf("adapter: unknown policy %q for unanswered interrupts of agent %q", policy, agent)
		}
		if _, there := o.Agents[agent]; !there {
			return fmt.Errorf("adapter: a policy for unanswered interrupts is for agent %q, and there is none of that name", agent)
		}
	}
	return nil
}

// Unanswered is the policy for inputs to an agent.
func (r *Runner) Unanswered(agent string) UnansweredPolicy {
	if r.node.Options.CancelsAsked(r.node.Options.AgentNamed(agent)) {
		return UnansweredCancel
	}
	return UnansweredRefuse
}
