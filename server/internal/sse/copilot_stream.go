package sse

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/downgrade"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/copilotkit"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// CopilotCaller is a caller as CopilotKit's runtime knows one.
type copilotCaller struct {
	srv *Streams
	*peer.Caller
	*peer.Holding
	stops func(agent string) bool // the run of an agent is stopped when its client leaves
}

// CopilotCaller is the caller of a request, which releases what it holds.
func (s *Streams) CopilotCaller(ctx context.Context, c *peer.Caller, stops func(agent string) bool) copilotkit.Caller {
	return copilotCaller{s, c, s.Hold(ctx, c), stops}
}

func (c copilotCaller) May(scope string) bool { return c.Identity.May(scope) }

func (c copilotCaller) Answer(w http.ResponseWriter, r *http.Request, agent string, body []byte, serve func(copilotkit.Stream)) *refusal.Refusal {
	agent, _ = c.srv.AgentNamed(agent)
	return c.srv.answerInput(w, r, c.Holding, agent, body, func(out *sse, f *frames.Frame) { serve(copilotStream{out, f, c}) })
}

func (c copilotCaller) Stop(ctx context.Context, thread, label string) (bool, error) {
	return c.srv.Stop(ctx, c.key(thread), label, c.Actor(store.ThroughCopilotKit))
}

func (c copilotCaller) StopWaiting(ctx context.Context, thread string) (bool, error) {
	run, err := c.srv.Runs.CancelWaiting(ctx, c.key(thread), c.Actor(store.ThroughCopilotKit))
	return run != "", err
}

func (c copilotCaller) Follow(thread string) copilotkit.Follower {
	return roomyFollower{c.srv.Runs.Follow(c.key(thread), func() {}), c.Holding}
}

// roomyFollower attaches within what its request may hold.
type roomyFollower struct {
	core.Follower
	held *peer.Holding
}

func (f roomyFollower) Attach(ctx context.Context, after *store.Position) (*follow.Attached, error) {
	defer f.held.Replies.Give(f.held.Replies.Held()) // it is looked at and dropped
	return f.Follower.Attach(store.WithRoom(ctx, f.held.Build), after)
}

func (c copilotCaller) key(thread string) store.ThreadKey {
	return store.ThreadKey{Namespace: c.Identity.Namespace, Thread: thread}
}

// copilotStream is a stream as CopilotKit's runtime knows one.
type copilotStream struct {
	*sse
	f      *frames.Frame
	caller copilotCaller
}

func (c copilotStream) Input() *protocol.RunAgentInput { return c.f.Input }

func (c copilotStream) Run(tell func(finished []byte) ([][]byte, error), again func(open []json.RawMessage) ([][]byte, error)) {
	c.f.Commands, c.f.Through = true, store.ThroughCopilotKit
	w := &runWire{toldWire: toldWire{c.sse, tell}, thread: c.f.ThreadID, caller: c.caller}
	if c.Reads() {
		w.again = again
	}
	c.run(w, c.f, c.caller.stops(c.Agent))
}

// runWire is a stream of one run, on which a refusal may come behind what was open.
type runWire struct {
	toldWire
	caller copilotCaller
	thread string
	again  func(open []json.RawMessage) ([][]byte, error) // nil: not, or not any more
}

func (w *runWire) Emit(event []byte, at store.Position) error {
	again := w.again
	w.again = nil
	if again != nil && frames.TypeOf(event) == protocol.TypeRunError {
		if err := w.askAgain(again); err != nil {
			return err
		}
	}
	return w.toldWire.Emit(event, at)
}

// askAgain writes what again makes of what is open. When that cannot be read, the
// refusal has to do.
func (w *runWire) askAgain(again func(open []json.RawMessage) ([][]byte, error)) error {
	f := w.caller.Follow(w.thread)
	defer f.Close()
	ctx, cancel := w.Look()
	defer cancel()
	a, err := f.Attach(ctx, nil)
	if err != nil {
		w.Log.Warn("reading what is open failed", "thread", w.thread, "error", err)
		return nil
	}
	events, err := again(a.Interrupts)
	for _, event := range events {
		if err == nil {
			err = w.sse.Emit(event, store.Position{})
		}
	}
	return err
}

// toldWire is a stream on which the end of a run is told in other words.
type toldWire struct {
	*sse
	tell func(finished []byte) ([][]byte, error)
}

func (w toldWire) Emit(event []byte, at store.Position) error {
	if frames.TypeOf(event) != protocol.TypeRunFinished {
		return w.sse.Emit(event, at)
	}
	told, err := w.tell(event)
	for i, event := range told {
		if err != nil {
			break
		}
		if i < len(told)-1 {
			err = w.sse.Emit(event, store.Position{})
		} else {
			err = w.sse.Emit(event, at)
		}
	}
	return err
}

func (c copilotStream) Restate(ended func(label string, event []byte) ([]byte, error), tell func(finished []byte) ([][]byte, error)) *refusal.Refusal {
	if !c.Identity.May(identity.ScopeRead) {
		return peer.RefuseReading
	}
	t := &threadStream{out: c.sse, wire: toldWire{c.sse, tell}}
	t.Open(c.srv.Core, c.Peer, c.f.ThreadID)
	defer t.Close()
	a, err := t.Attach(nil)
	if err != nil {
		return refuseReadingFor(err)
	}
	label, profile := restatedLabel(a), downgrade.ProfileOf(c.f.Input.ProtocolVersion)
	c.f.Input = nil
	c.f.Done()
	t.lower = func(event []byte, over bool) ([]byte, error) {
		if over {
			var err error
			if event, err = ended(label, event); err != nil {
				return nil, err
			}
		}
		return frames.Lowered(c.sse.Log, profile, c.f.ThreadID, label, event)
	}
	t.serve(a)
	return nil
}

// restatedLabel is the label of the restated run.
func restatedLabel(a *follow.Attached) string {
	if len(a.Restatement) == 0 {
		return ""
	}
	e, _ := protocol.Decode(a.Restatement[0])
	if started, ok := e.(*protocol.RunStarted); ok {
		return started.RunID
	}
	return ""
}

func (c copilotStream) Compose(compose func(copilotkit.Composer) error) {
	c.begun(func() error { return compose(c) })
}

func (c copilotStream) Log() *slog.Logger { return c.sse.Log }

func (c copilotStream) Say(events ...protocol.Event) error {
	for _, e := range events {
		text, err := protocol.Encode(e)
		if err != nil {
			return fmt.Errorf("server: %w", err)
		}
		if err := c.Emit(text, store.Position{}); err != nil {
			return err
		}
	}
	return c.Flush()
}

func (c copilotStream) Await(work func(context.Context)) error {
	ctx, cancel := context.WithCancel(c.Ctx)
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		work(ctx)
	}()
	for {
		var why error
		select {
		case <-over:
			return nil
		case <-c.Wake:
			if why = c.Flush(); why == nil {
				continue
			}
		case <-c.Ctx.Done():
			why = context.Cause(c.Ctx)
		case <-c.Identity.Revoked:
			why = peer.CloseExpired
		case <-c.srv.Leave:
			why = peer.CloseDraining
		}
		cancel()
		<-over
		return why
	}
}
