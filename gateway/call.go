package gateway

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// Run has the agent answer the thread, and asks what it asks. It makes one request for the
// input that began the execution, and one for each set of answers: they are steps, so that
// none is silently made twice.
func (u *Upstream) Run(ctx context.Context, run *adapter.Run) error {
	c := &call{u: u, run: run, ctx: ctx, thread: u.threadID(run)}
	defer c.leave()
	said, err := c.begin(ctx)
	for err == nil && said.Failure == nil {
		if len(said.Interrupts) == 0 {
			run.Finish(said.Result, said.Metadata)
			return nil
		}
		var answers adapter.Answers
		if answers, err = run.Ask(ctx, said.Interrupts...); err == nil {
			said, err = c.answer(ctx, said, answers)
		}
	}
	if err == nil {
		return said.Failure.told()
	}
	// A human said of a step that it failed.
	var step *adapter.StepError
	if errors.As(err, &step) {
		return lostWith(step.Message).told()
	}
	return err
}

func lostWith(message string) *failure { return failed(adapter.CodeWorkerLost, "%s", message) }

// call is one call of Run.
type call struct {
	u      *Upstream
	run    *adapter.Run
	ctx    context.Context
	thread string // as the agent is told
	upTo   string // the last message that it was sent by this execution
	live   *reception
}

// threadID is a UUID, which some agents insist on. Threads of two namespaces may have one
// id, and two agents may share a thread.
func (u *Upstream) threadID(run *adapter.Run) string {
	space := uuid.NewSHA1(uuid.NameSpaceURL, []byte("aguiws:upstream"))
	for _, part := range []string{run.Namespace(), u.options.Name, run.ThreadID()} {
		space = uuid.NewSHA1(space, []byte(part))
	}
	return space.String()
}

// begin sends what began the execution.
func (c *call) begin(ctx context.Context) (outcome, error) {
	r := request{ids: ids{c.thread, c.run.NewID()}}
	if c.u.manners.turnsAway {
		for _, id := range c.run.Left() {
			r.left = append(r.left, protocol.ResumeEntry{InterruptID: id, Status: protocol.ResumeCancelled})
		}
	}
	free, err := c.u.place(ctx)
	if err != nil {
		return outcome{}, err
	}
	defer free()
	do := func(ctx context.Context) (outcome, error) { return c.all(ctx, r) }
	if c.u.options.AskLost {
		return adapter.Step(ctx, c.run, "run", do)
	}
	return adapter.IdempotentStep(ctx, c.run, "run", do)
}

// answer sends answers: all in one request, or one after the other to an agent that reads
// no more than one. What is asked meanwhile is asked when all are sent.
func (c *call) answer(ctx context.Context, asked outcome, answers adapter.Answers) (outcome, error) {
	entries := make([]protocol.ResumeEntry, len(answers.Of))
	for i, a := range answers.Of {
		entries[i] = protocol.ResumeEntry{InterruptID: asked.Interrupts[i].ID, Status: protocol.ResumeCancelled, Metadata: a.Metadata()}
		if payload, resolved := a.Payload(); resolved {
			entries[i].Status, entries[i].Payload = protocol.ResumeResolved, protocol.Any(payload)
		}
	}
	c.upTo = asked.Sent
	if asked.Thread != "" {
		c.thread = asked.Thread
	}
	parent := asked.Run
	if !c.u.manners.single {
		return c.resume(ctx, request{parent: parent, legacy: asked.Legacy, asked: asked.Interrupts, answers: entries})
	}
	var said outcome
	var more []protocol.Interrupt
	for i := range entries {
		var err error
		said, err = c.resume(ctx, request{parent: parent, legacy: asked.Legacy, asked: asked.Interrupts[i : i+1], answers: entries[i : i+1]})
		if err != nil || said.Failure != nil {
			return said, err
		}
		for _, next := range said.Interrupts {
			if !has(asked.Interrupts[i+1:], next.ID) && !has(more, next.ID) {
				more = append(more, next)
			}
		}
	}
	said.Interrupts = more
	return said, nil
}

func has(list []protocol.Interrupt, id string) bool {
	for i := range list {
		if list[i].ID == id {
			return true
		}
	}
	return false
}

// resume makes one request with answers. It is two steps: who dies in the first does not
// know whether the agent has them, who dies in the second knows that it has.
func (c *call) resume(ctx context.Context, r request) (outcome, error) {
	r.ids = ids{c.thread, r.runID(c.run.NewID())}
	free, err := c.u.place(ctx)
	if err != nil {
		return outcome{}, err
	}
	defer free()
	do := func(ctx context.Context) (outcome, error) { return c.all(ctx, r) }
	switch {
	case c.u.options.Idempotent:
		return adapter.IdempotentStep(ctx, c.run, "resume", do)
	case c.u.options.AskLost:
		return adapter.Step(ctx, c.run, "resume", do)
	}
	taken, err := adapter.Step(ctx, c.run, "resume", func(context.Context) (outcome, error) { return ended(c.send(r)) })
	if err != nil || taken.Failure != nil {
		return taken, err
	}
	return adapter.IdempotentStep(ctx, c.run, "read", func(context.Context) (outcome, error) {
		if c.live == nil {
			return outcome{Failure: lostWith("the worker was lost when the agent had the answer and before all of what it said was recorded")}, nil
		}
		return c.read()
	})
}

// all makes a request and reads its answer to the end.
func (c *call) all(_ context.Context, r request) (outcome, error) {
	if said, err := ended(c.send(r)); err != nil || said.Failure != nil {
		return said, err
	}
	return c.read()
}

// ended is an error as what a step returns: a failure is the request's outcome, which a
// replay must find.
func ended(err error) (outcome, error) {
	if f, ok := errors.AsType[*failure](err); ok {
		return outcome{Failure: f}, nil
	}
	return outcome{}, err
}

// send makes a request. One with answers it reads as far as to the first event that says
// that they are taken; else they are given back.
func (c *call) send(r request) error {
	c.leave()
	body, last, err := r.body(c)
	if err != nil {
		return err
	}
	live, err := c.u.receive(c.ctx, c.run, r, body, c.header())
	if err != nil {
		return r.giveBack(err)
	}
	c.live, c.upTo = live, last
	if r.answers == nil {
		return nil
	}
	if err := live.peek(); err != nil {
		c.leave()
		return r.giveBack(err)
	}
	return nil
}

// read relays the rest of the live answer.
func (c *call) read() (outcome, error) {
	said, err := c.live.read()
	said.Sent, c.live = c.upTo, nil
	return said, err
}

// leave gives the live answer up, if there is one.
func (c *call) leave() {
	if c.live != nil {
		c.live.leave()
		c.live = nil
	}
}

// header is what goes along with a request.
func (c *call) header() http.Header {
	h := c.u.options.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	c.pass(h)
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream")
	return h
}

// place waits until another request may be made here. The caller calls free.
func (u *Upstream) place(ctx context.Context) (free func(), err error) {
	select {
	case u.places <- struct{}{}:
	default:
		u.stats.waiting.Add(1)
		defer u.stats.waiting.Add(-1)
		select {
		case u.places <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	u.stats.inFlight.Add(1)
	return func() {
		u.stats.inFlight.Add(-1)
		<-u.places
	}, nil
}
