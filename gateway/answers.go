package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// answer sends answers: all in one request, or one after the other to an agent that reads
// no more than one. Questions that come meanwhile are asked when all answers are sent. How
// an answer goes is up to the request that has asked: a replay takes the same path whatever
// is configured since.
func (c *call) answer(ctx context.Context, asked outcome, answers adapter.Answers) (outcome, error) {
	entries := make([]protocol.ResumeEntry, len(answers.Of))
	for i, a := range answers.Of {
		entries[i] = protocol.ResumeEntry{InterruptID: asked.Interrupts[i].ID, Status: protocol.ResumeCancelled, Metadata: a.Metadata()}
		if payload, resolved := a.Payload(); resolved {
			entries[i].Status, entries[i].Payload = protocol.ResumeResolved, protocol.Any(reviewedInWords(asked.Dialect, asked.Interrupts[i], payload))
		}
	}
	c.upTo = asked.Sent
	if asked.Thread != "" {
		c.thread = asked.Thread
	}
	r := request{parent: asked.Run, legacy: asked.Legacy, dialect: asked.Dialect, manners: mannersOf[asked.Dialect], asked: asked.Interrupts, answers: entries, no: asked.No}
	if !asked.Single {
		return c.resume(ctx, r)
	}
	var said outcome
	var more []protocol.Interrupt
	for i := range entries {
		one := r
		one.asked, one.answers, one.later = asked.Interrupts[i:i+1], entries[i:i+1], i > 0
		var err error
		if said, err = c.resume(ctx, one); err != nil {
			return said, err
		}
		if said.Sent != "" {
			c.upTo = said.Sent
		}
		if said.Failure != nil && said.Failure.Forgotten {
			return said, nil
		}
		if said.Failure != nil {
			left := asked.Interrupts[i+1:]
			if said.Undelivered {
				left = asked.Interrupts[i:]
			}
			return asked.again(left, more, said), nil
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

// about says what is sent, for those who are asked what became of it.
func (r *request) about() *adapter.StepAbout {
	var sent []string
	for n, a := range r.answers[:min(len(r.answers), maxTold)] {
		what := "the cancellation of "
		if a.Status == protocol.ResumeResolved {
			what = "the answer " + label(spoken(r.asked[n], a)) + " to "
		}
		sent = append(sent, what+"“"+label(cmp.Or(r.asked[n].Message, r.asked[n].Reason))+"”")
	}
	if more := len(r.answers) - len(sent); more > 0 {
		sent = append(sent, fmt.Sprintf("%d more", more))
	}
	did := strings.Join(sent, ", ") + " went to the agent"
	return &adapter.StepAbout{Did: strings.ToUpper(did[:1]) + did[1:], AgentRun: r.run, Rerun: notDone}
}

// notDone is how sending again is called. An agent that has what was sent may still not have acted.
const notDone = "It was not done: do it again"

// maxTold bounds of how many answers it is told what they were.
const maxTold = 3

// spoken is an answer in the words in which it was offered, or as it is.
func spoken(asked protocol.Interrupt, a protocol.ResumeEntry) string {
	var offers []offer
	_ = json.Unmarshal(asked.Metadata[answersKey], &offers) // what is no list offers nothing
	for _, o := range append(offers, offer{"Yes", json.RawMessage(`{"approved":true}`)}, offer{"No", json.RawMessage(`{"approved":false}`)}) {
		if sameJSON(string(o.Payload), string(a.Payload)) {
			return o.Label
		}
	}
	return string(a.Payload)
}

func has(list []protocol.Interrupt, id string) bool {
	for i := range list {
		if list[i].ID == id {
			return true
		}
	}
	return false
}

// again is what is to be asked when not all answers came as far as to the agent, which has
// those questions open, and more that it asked meanwhile. If there are none, the failure is
// all.
func (o *outcome) again(left, more []protocol.Interrupt, said outcome) outcome {
	var open []protocol.Interrupt
	open = append(append(open, left...), more...)
	if len(open) == 0 {
		return said
	}
	next := *o
	next.Interrupts, next.because = open, said.Failure
	if said.Sent != "" {
		next.Sent = said.Sent
	}
	return next
}

// questions are the interrupts as a human is asked them.
func (o *outcome) questions(upstream string) []protocol.Interrupt {
	asked := make([]protocol.Interrupt, len(o.Interrupts))
	for i, q := range o.Interrupts {
		q.ID = o.reference(upstream, q.ID)
		if o.because != nil {
			if q.Message != "" {
				q.Message += "\n\n"
			}
			q.Message += "Another answer could not be carried out, and the agent has none to this question: " + o.because.Message + "."
		}
		asked[i] = q
	}
	return asked
}

// resume makes one request with answers. It is two steps: a worker that dies in the first
// leaves open whether the agent has them, one that dies in the second does not. The record
// of the first says whether there is a second.
func (c *call) resume(ctx context.Context, r request) (said outcome, err error) {
	defer func() { c.spend(said) }()
	r.ids = ids{c.thread, r.runID(c.run.NewID())}
	all := c.asking(func() (outcome, error) { return c.noted(c.all(r)) })
	options := adapter.StepOptions{Idempotent: c.u.options.Idempotent, Before: c.place(&r), About: r.about()}
	do := all
	if !c.u.options.Idempotent && !c.u.options.AskLost {
		do = c.asking(func() (outcome, error) {
			taken, err := ended(c.send(r))
			taken.Taken = err == nil && taken.Failure == nil
			return c.noted(taken, err)
		})
	}
	said, err = adapter.StepWith(ctx, c.run, "resume", options, do)
	if said, err = decided(said, err); err != nil || !said.Taken {
		return said, err
	}
	return decided(adapter.StepWith(ctx, c.run, "read", adapter.StepOptions{Idempotent: true, KeepOnDrain: c.live != nil}, func(context.Context) (outcome, error) {
		if c.live == nil {
			return outcome{Failure: lostWith("the worker was lost when the agent had the answer and before all of what it said was recorded")}, nil
		}
		return c.noted(c.read())
	}))
}
