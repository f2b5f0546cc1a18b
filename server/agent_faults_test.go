package server

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// asking asks what it is told to.
func asking(message func() string) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: message()})
		return err
	})
}

// What an agent does wrong is told to its clients by a code.
func TestAgentAtFault(t *testing.T) {
	unruly := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		return run.Emit(&protocol.TextMessageContent{MessageID: "never-opened", Delta: "x"})
	})
	wantCode(t, newTab(node(t, embedded(t), unruly).dial()).ask("r1", "hello"), "agent_protocol_violation")

	var calls atomic.Int32
	fickle := asking(func() string { return string('a' + calls.Add(1)) })
	tb := newTab(node(t, embedded(t), fickle).dial())
	id := interrupts(t, tb.ask("r1", "hello"))[0]
	tb.send(resumes("r2", resolved(id, `{}`)))
	wantCode(t, tb.until(), "agent_replay_diverged")
}

// What waits in a process is lost with it, and whoever answers is told.
func TestProcessLost(t *testing.T) {
	store := embedded(t)
	start := func() *testServer {
		r := newRunner(t, store, &runner.Options{
			Agents: map[string]adapter.Agent{"": asking(func() string { return "Go on?" })}, Mode: runner.ModeBlocking,
		})
		return newTestServer(t, running(r), nil)
	}
	first := start()
	asked := newTab(first.dial())
	id := interrupts(t, asked.ask("r1", "hello"))[0]
	asked.ws.CloseNow() // or the server waits for it
	first.stop()
	tb := newTab(start().dial())
	tb.send(resumes("r2", resolved(id, `{}`)))
	wantCode(t, tb.until(), "worker_lost")
}

// A run that reaches the time limit ends with a code of its own.
func TestTimeLimit(t *testing.T) {
	endless := adapter.AgentFunc(func(ctx context.Context, _ *adapter.Run) error {
		<-ctx.Done()
		return context.Cause(ctx)
	})
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": endless}, RunTimeout: 10 * time.Millisecond})
	wantCode(t, newTab(newTestServer(t, running(r), nil).dial()).ask("r1", "hello"), "run_timeout")
}

// A run that makes too much of its thread ends with a code of its own, and the thread
// takes no more.
func TestThreadSize(t *testing.T) {
	talker := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		for {
			if err := run.Say(strings.Repeat("x", 1000)); err != nil {
				return err
			}
		}
	})
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": talker}, MaxThreadBytes: 10_000})
	srv := newTestServer(t, running(r), nil)
	wantCode(t, newTab(srv.dial()).ask("r1", "hello"), "thread_too_large")
	wantCode(t, newTab(srv.dial()).ask("r2", "more"), "thread_too_large")
}
