package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Calls is what an execution needs of the house for calling agents, and for being called.
type Calls interface {
	// End ends the execution on a child thread that a thread has called and does not wait for
	// any more. One that has not begun never does: it asks Waits first.
	End(ctx context.Context, caller store.ThreadKey, child, by string) error
	// Waits reports whether a call is waited for.
	Waits(ctx context.Context, namespace string, caller *store.Caller) (bool, error)
}

const (
	// maxCalls is how many calls an execution may make.
	maxCalls = 64
	// maxCallInput is how many bytes a call's input may have.
	maxCallInput = 256 << 10
	// LookAfter is after what time it is looked what became of a call, if nobody has told.
	LookAfter = 5 * time.Second
)

// Call is one of the line's asks: what answers it is the end of the other agent's execution.
func (l *line) Call(ctx context.Context, agent string, input *protocol.RunAgentInput) (*store.JournalEntry, string, error) {
	agent = l.x.node.Options.AgentNamed(agent)
	child, live, err := l.child(agent, input)
	if err != nil {
		return nil, "", err
	}
	if live {
		if err := l.x.callable(agent, input); err != nil {
			return nil, child.Thread, err
		}
	}
	name := agent
	if name == "" {
		name = "the default agent"
	}
	answer, _, err := l.ask(ctx, journal.CallKey, []protocol.Interrupt{lifecycle.WithOwn(lifecycle.WithOwn(protocol.Interrupt{
		Reason: adapter.ReasonCall, Message: "The run waits for " + name + ".",
	}, "agent", agent), "threadId", child.Thread)}, nil, nil, child)
	if err != nil || answer.Entries[0].Status == protocol.ResumeResolved {
		return answer, child.Thread, err
	}
	x := l.x
	x.mu.Lock()
	defer x.mu.Unlock()
	if l.s.next() != nil {
		return answer, child.Thread, nil // the agent has gone on since
	}
	if err := x.endCall(child.Thread, answer.User); err != nil {
		return nil, child.Thread, x.seal(adapter.ErrStopped) // another worker goes on here
	}
	return answer, child.Thread, nil
}

// child is what the line's next call calls. Live: it was not called yet.
func (l *line) child(agent string, input *protocol.RunAgentInput) (*store.Child, bool, error) {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	n := l.s.names[journal.CallKey] + 1
	if n > maxCalls {
		return nil, false, fmt.Errorf("adapter: Call: the execution has called agents %d times, as often as it may", maxCalls)
	}
	c := &store.Child{Thread: journal.Derive(l.x.id, journal.CallKey, n), Agent: agent}
	in := *input
	in.ThreadID, in.RunID, in.ParentRunID, in.ProtocolVersion = c.Thread, "call-"+c.Thread, "", lifecycle.Version
	c.Input = &in
	return c, l.s.next() == nil, nil
}

// callable refuses a call that could never begin.
func (x *execution) callable(agent string, input *protocol.RunAgentInput) error {
	if x.node.Options.Agents[agent] == nil {
		return fmt.Errorf("adapter: Call: there is no agent named %.80q", agent)
	}
	text, err := json.Marshal(input)
	if err != nil {
		return fmt.Errorf("adapter: Call: the input: %w", err)
	}
	if len(text) > maxCallInput {
		return fmt.Errorf("adapter: Call: the input has %d bytes, and may have %d", len(text), maxCallInput)
	}
	return nil
}

// waitFor makes an interrupt one that waits for what the ask has called. The journal keeps of
// that no more than its name.
func (x *execution) waitFor(it *store.SuspendedInterrupt, ask *store.JournalEntry) {
	c := *ask.Child
	in := *c.Input
	in.ParentRunID = x.label
	c.Input, c.User, c.Asked = &in, x.frozen.User, time.Now().UnixMilli()
	it.Child, it.Due = &c, c.Asked+LookAfter.Milliseconds()
	ask.Child = &store.Child{Thread: c.Thread, Agent: c.Agent}
	x.called = true
}

// settleCalls ends what the execution has called and does not wait for any more, before
// anything else is done. False: it was called itself, and nobody waits for it.
func (x *execution) settleCalls(b *Begun) (bool, error) {
	var left []string
	switch {
	case x.journal.Stopped && x.journal.Called != nil:
		left = []string{x.journal.Called.Thread}
	case x.journal.Entries == 0:
		left = x.frozen.LeftCalls
	}
	by := x.frozen.User
	if x.journal.Answered != nil {
		by = x.journal.Answered.User
	}
	for _, child := range left {
		if err := x.endCall(child, by); err != nil {
			return false, err
		}
	}
	if x.frozen.Caller == nil || b.Continuing || b.Requeued || x.journal.Entries > 0 {
		return true, nil
	}
	return retry.Do(x.Ctx, func() (bool, error) {
		return x.Calls.Waits(x.Ctx, x.Claim.Thread.Namespace, x.frozen.Caller)
	})
}

func (x *execution) endCall(child, by string) error {
	_, err := retry.Do(x.Ctx, func() (struct{}, error) {
		return struct{}{}, x.Calls.End(x.Ctx, x.Claim.Thread, child, by)
	})
	return err
}

// Tells is the thread whose call is to be looked at when this activation is over: its own if it
// has called, or that of its caller if it has ended.
func (x *execution) Tells() (thread store.ThreadKey, is bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	thread = x.Claim.Thread
	switch {
	case x.called:
		return thread, true
	case x.frozen.Caller == nil || errors.Is(x.sealed, adapter.ErrSuspended):
		return thread, false
	}
	thread.Thread = x.frozen.Caller.Thread
	return thread, true
}
