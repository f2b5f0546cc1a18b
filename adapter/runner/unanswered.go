package runner

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
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
	return r.options.unanswered(r.options.agentNamed(agent))
}

func (o *Options) unanswered(agent string) UnansweredPolicy {
	if policy, own := o.UnansweredBy[agent]; own {
		return policy
	}
	return o.Unanswered
}

// noteUnanswered tells of what an input without answers has steered away from. A run that
// asked about a step which may have taken effect gets no answer any more.
func (a *admission) noteUnanswered(in Input, v judge.Verdict) {
	var steps []string
	for _, it := range v.Continues.Items {
		var shown protocol.Interrupt
		if it.By != store.AskedByStep || stored.Decode(it.Interrupt, &shown, "interrupt %s", it.ID) != nil {
			continue
		}
		var about struct {
			Step string `json:"step"`
		}
		_ = json.Unmarshal(shown.Metadata["aguiws"], &about)
		steps = append(steps, about.Step)
	}
	if len(steps) > 0 {
		a.log.Warn("another message ended a run that asked what became of a step: it may have taken effect", "thread", in.Run.ThreadID, "label", in.Run.RunID, "askedBy", v.Continues.Label, "steps", steps)
		return
	}
	a.log.Debug("another message cancelled the open interrupts", "thread", in.Run.ThreadID, "label", in.Run.RunID, "interrupts", v.Continues.IDs())
}
