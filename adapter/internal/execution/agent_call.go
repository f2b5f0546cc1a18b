package execution

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

const (
	// maxCalls is how many calls an execution may make.
	maxCalls = 64
	// maxCallInput is how many bytes a call's input may have.
	maxCallInput = 256 << 10
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
		Reason: adapter.ReasonCall, Message: "A call of " + name + ".",
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
