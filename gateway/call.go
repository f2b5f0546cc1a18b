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
	c.spend(said)
	for err == nil && said.Failure == nil {
		if len(said.Interrupts) == 0 {
			run.Finish(said.Result, said.Metadata)
			return nil
		}
		var answers adapter.Answers
		if answers, err = run.Ask(ctx, said.questions(c.u.options.Name)...); err == nil {
			c.spend(outcome{})
			asked := said
			said, err = c.answer(ctx, asked, answers)
			if err == nil && said.Failure != nil && said.Failure.Forgotten {
				said, err = c.forgotten(ctx, asked, answers)
			}
		}
	}
	if err == nil {
		return said.Failure.told()
	}
	return err
}

func lostWith(message string) *failure { return failed(adapter.CodeWorkerLost, "%s", message) }

// decided is what came of a step of which a human has said that it failed.
func decided(said outcome, err error) (outcome, error) {
	if step, ok := errors.AsType[*adapter.StepError](err); ok {
		return outcome{Failure: lostWith(step.Message)}, nil
	}
	return said, err
}

// call is one call of Run.
type call struct {
	u      *Upstream
	run    *adapter.Run
	ctx    context.Context
	thread string // as the agent is told
	upTo   string // the last message that it was sent by this execution
	live   *reception
	free   func() // lets go of the place that is held for it; nil: none is

	step  context.Context       // of the step that makes a request; nil: none does
	label string                // of the run that carries the execution
	used  []protocol.TokenUsage // by its requests so far
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
	of := c.turnedAway()
	if mannersOf[of.dialect].turnsAway {
		r.left, r.no, r.parent = of.left, of.no, of.asked
	}
	do := c.asking(func() (outcome, error) {
		var settled outcome
		if mannersOf[of.dialect].insists {
			var err error
			if settled, err = c.settle(r.ids, of); err != nil || settled.Failure != nil {
				return c.noted(settled, err)
			}
		}
		said, err := c.message(r)
		said.Usage = together(settled.Usage, said.Usage)
		return c.noted(said, err)
	})
	options := adapter.StepOptions{Idempotent: !c.u.options.AskLost, Before: c.place(&r)}
	if c.u.options.AskLost {
		options.About = &adapter.StepAbout{Did: "The message went to the agent", AgentRun: r.run, Rerun: notDone}
	}
	return decided(adapter.StepWith(ctx, c.run, "run", options, do))
}

// asking is the function of a step that makes requests.
func (c *call) asking(do func() (outcome, error)) func(context.Context) (outcome, error) {
	return func(step context.Context) (outcome, error) {
		c.step = step
		return do()
	}
}

// all makes a request and reads its answer to the end.
func (c *call) all(r request) (outcome, error) {
	if said, err := ended(c.send(r)); err != nil || said.Failure != nil {
		return said, err
	}
	live := c.live
	said, err := c.read()
	if err == nil && c.u.options.AskLost && !r.unheard && said.Failure.brokeOff() {
		return outcome{}, live.uncertain(c.ctx, said.Failure)
	}
	return said, err
}

// message makes the request of a new message. An agent that has closed what is cancelled
// with it, as one does whose own time for it was over, refuses that and the message with it:
// it gets the message alone.
func (c *call) message(r request) (outcome, error) {
	if len(r.left) == 0 {
		return c.all(r)
	}
	free := c.free
	c.free = nil // both go by one place
	said, err := c.all(r)
	c.free = free
	if err != nil || said.Failure == nil || !said.Failure.refusesAnswers() {
		c.leave()
		return said, err
	}
	r.left, r.parent = nil, ""
	used := said.Usage
	said, err = c.all(r)
	said.Usage = together(used, said.Usage)
	return said, err
}

// noted is an outcome with the run that it is of.
func (c *call) noted(said outcome, err error) (outcome, error) {
	said.For = c.run.LatestInput().RunID
	return said, err
}

// ended is an error as what a step returns: a failure is the request's outcome, which a
// replay must find.
func ended(err error) (outcome, error) {
	if f, ok := errors.AsType[*failure](err); ok {
		return outcome{Failure: f, Usage: f.usage, Undelivered: f.undelivered}, nil
	}
	return outcome{}, err
}

// send makes a request. One with answers it reads as far as to the event that says whether
// they are taken.
func (c *call) send(r request) error {
	if r.noPlace != nil {
		return r.noPlace
	}
	r.versionless = c.u.versionless.Load()
	live, last, err := c.receive(r)
	if live == nil {
		return err
	}
	if f, ok := errors.AsType[*failure](err); ok && r.retries(f) {
		r.versionless = true
		if live, last, err = c.receive(r); live == nil {
			return err
		}
		c.u.versionless.Store(err == nil)
	}
	if err == nil && r.answers != nil {
		err = live.peek()
	}
	if err != nil {
		c.leave()
		return c.judged(&r, live, err)
	}
	c.live, c.upTo = live, last
	return nil
}

// receive makes a request as it is. Without a reception it was not made.
func (c *call) receive(r request) (*reception, string, error) {
	body, last, err := r.body(c)
	if err != nil {
		return nil, "", err
	}
	live, err := c.u.receive(c.ctx, c.run, r, body, c.header())
	return live, last, err
}

// retries reports whether a request that was refused, and so has done nothing, is made again
// without what it was refused for.
func (r *request) retries(f *failure) bool {
	return f.Code == CodeRefused && f.versionless && !r.versionless
}

// read relays the rest of the live answer.
func (c *call) read() (outcome, error) {
	said, err := c.live.read()
	said.Sent, said.Dialect, said.Single = c.upTo, c.live.relay.dialect, c.live.relay.manners.single
	c.live = nil
	c.leave()
	return said, err
}

// leave gives the live answer up, if there is one, and its place.
func (c *call) leave() {
	if c.live != nil {
		c.live.leave()
		c.live = nil
	}
	if c.free != nil {
		c.free()
		c.free = nil
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
