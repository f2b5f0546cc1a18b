package server

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
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// copilotkit is CopilotKit's runtime on this server.
func (s *core) copilotkit() *copilotkit.Runtime {
	c := copilotkit.Config{
		Enter: func(r *http.Request) (copilotkit.Caller, *refusal.Refusal) {
			c, refused := s.enter(r)
			if refused != nil {
				return nil, refused
			}
			return copilotCaller{s, c, s.hold(r.Context(), c)}, nil
		},
		Agents:      s.opts.Agents,
		Describe:    s.describe,
		CallTimeout: s.opts.CallTimeout, MaxBodyBytes: s.opts.MaxFrameBytes, Logger: s.opts.Logger,
	}
	if s.opts.Suggest != nil {
		c.Suggest = s.suggest
	}
	return copilotkit.New(c)
}

// describe tells of an agent what its capabilities do.
func (s *core) describe(ctx context.Context, name string) (string, json.RawMessage) {
	name, _ = s.agentNamed(name)
	caps := s.capabilitiesOf(ctx, name)
	var who struct{ Identity protocol.IdentityCapabilities }
	_ = json.Unmarshal(caps, &who) // they were read before, or made here
	return who.Identity.Description, caps
}

func (s *core) suggest(ctx context.Context, agent string, in *protocol.RunAgentInput) ([]copilotkit.Suggestion, error) {
	agent, _ = s.agentNamed(agent)
	found, err := s.opts.Suggest(ctx, agent, in)
	list := make([]copilotkit.Suggestion, len(found))
	for i, f := range found {
		list[i] = copilotkit.Suggestion(f)
	}
	return list, err
}

// copilotCaller is a caller as CopilotKit's runtime knows one.
type copilotCaller struct {
	srv *core
	*caller
	*holding
}

func (c copilotCaller) May(scope string) bool { return c.identity.May(scope) }

func (c copilotCaller) Answer(w http.ResponseWriter, r *http.Request, agent string, body []byte, serve func(copilotkit.Stream)) *refusal.Refusal {
	agent, _ = c.srv.agentNamed(agent)
	return c.srv.answerInput(w, r, c.holding, agent, body, func(out *sse, f *frame) { serve(copilotStream{out, f, c}) })
}

func (c copilotCaller) Stop(ctx context.Context, thread, label string) (bool, error) {
	return c.srv.stop(ctx, c.key(thread), label, c.actor(store.ThroughCopilotKit))
}

func (c copilotCaller) StopWaiting(ctx context.Context, thread string) (bool, error) {
	run, err := c.srv.runs.CancelWaiting(ctx, c.key(thread), c.actor(store.ThroughCopilotKit))
	return run != "", err
}

func (c copilotCaller) Follow(thread string) copilotkit.Follower {
	return roomyFollower{c.srv.runs.Follow(c.key(thread), func() {}), c.holding}
}

// roomyFollower attaches within what its request may hold.
type roomyFollower struct {
	follower
	held *holding
}

func (f roomyFollower) Attach(ctx context.Context, after *store.Position) (*follow.Attached, error) {
	defer f.held.replies.Give(f.held.replies.Held()) // it is looked at and dropped
	return f.follower.Attach(store.WithRoom(ctx, f.held.Build), after)
}

func (c copilotCaller) key(thread string) store.ThreadKey {
	return store.ThreadKey{Namespace: c.identity.Namespace, Thread: thread}
}

// copilotStream is a stream as CopilotKit's runtime knows one.
type copilotStream struct {
	*sse
	f      *frame
	caller copilotCaller
}

func (c copilotStream) Input() *protocol.RunAgentInput { return c.f.input }

func (c copilotStream) Run(tell func(finished []byte) ([][]byte, error), again func(open []json.RawMessage) ([][]byte, error)) {
	c.f.commands, c.f.through = true, store.ThroughCopilotKit
	w := &runWire{toldWire: toldWire{c.sse, tell}, thread: c.f.threadID, caller: c.caller}
	if c.reads() {
		w.again = again
	}
	c.run(w, c.f, routeCopilotKit)
}

// runWire is a stream of one run, on which a refusal may come behind what was open.
type runWire struct {
	toldWire
	caller copilotCaller
	thread string
	again  func(open []json.RawMessage) ([][]byte, error) // nil: not, or not any more
}

func (w *runWire) emit(event []byte, at store.Position) error {
	again := w.again
	w.again = nil
	if again != nil && typeOf(event) == protocol.TypeRunError {
		if err := w.askAgain(again); err != nil {
			return err
		}
	}
	return w.toldWire.emit(event, at)
}

// askAgain writes what again makes of what is open. When that cannot be read, the
// refusal has to do.
func (w *runWire) askAgain(again func(open []json.RawMessage) ([][]byte, error)) error {
	f := w.caller.Follow(w.thread)
	defer f.Close()
	ctx, cancel := w.look()
	defer cancel()
	a, err := f.Attach(ctx, nil)
	if err != nil {
		w.log.Warn("reading what is open failed", "thread", w.thread, "error", err)
		return nil
	}
	events, err := again(a.Interrupts)
	for _, event := range events {
		if err == nil {
			err = w.sse.emit(event, store.Position{})
		}
	}
	return err
}

// toldWire is a stream on which the end of a run is told in other words.
type toldWire struct {
	*sse
	tell func(finished []byte) ([][]byte, error)
}

func (w toldWire) emit(event []byte, at store.Position) error {
	if typeOf(event) != protocol.TypeRunFinished {
		return w.sse.emit(event, at)
	}
	told, err := w.tell(event)
	for i, event := range told {
		if err != nil {
			break
		}
		if i < len(told)-1 {
			err = w.sse.emit(event, store.Position{})
		} else {
			err = w.sse.emit(event, at)
		}
	}
	return err
}

func (c copilotStream) Restate(ended func(label string, event []byte) ([]byte, error), tell func(finished []byte) ([][]byte, error)) *refusal.Refusal {
	if !c.identity.May(identity.ScopeRead) {
		return refuseReading
	}
	t := &threadStream{out: c.sse, wire: toldWire{c.sse, tell}}
	t.open(c.peer, c.f.threadID)
	defer t.close()
	a, err := t.attach(nil)
	if err != nil {
		return refuseReadingFor(err)
	}
	label, profile := restatedLabel(a), downgrade.ProfileOf(c.f.input.ProtocolVersion)
	c.f.input = nil
	c.f.done()
	t.lower = func(event []byte, over bool) ([]byte, error) {
		if over {
			var err error
			if event, err = ended(label, event); err != nil {
				return nil, err
			}
		}
		return c.lowered(profile, c.f.threadID, label, event)
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

func (c copilotStream) Log() *slog.Logger { return c.log }

func (c copilotStream) Say(events ...protocol.Event) error {
	for _, e := range events {
		text, err := protocol.Encode(e)
		if err != nil {
			return fmt.Errorf("server: %w", err)
		}
		if err := c.emit(text, store.Position{}); err != nil {
			return err
		}
	}
	return c.flush()
}

func (c copilotStream) Await(work func(context.Context)) error {
	ctx, cancel := context.WithCancel(c.ctx)
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
		case <-c.wake:
			if why = c.flush(); why == nil {
				continue
			}
		case <-c.ctx.Done():
			why = context.Cause(c.ctx)
		case <-c.identity.Revoked:
			why = closeExpired
		case <-c.srv.leave:
			why = closeDraining
		}
		cancel()
		<-over
		return why
	}
}
