package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/surrogate"
)

// relay hands an agent's events on, one by one, and repairs what can be repaired with
// certainty. It belongs to one goroutine.
type relay struct {
	ctx      context.Context
	to       sink
	manners  manners
	dialect  Dialect
	auto     bool // the dialect is as heard
	heard    Heard
	sent     ids
	repaired func(name string)
	failed   func(error)
	unclear  func(why string) // the dialect is, which may lose questions
	speaks   func(version string)

	index    int // of the event, from 1
	started  bool
	early    bool // something came before RUN_STARTED
	said     bool // so did anything but a run's beginning and its end
	theirs   ids
	expander protocol.Expander
	open     openItems
	names    names
	halves   map[protocol.ItemKey]*surrogate.Half // of what has ended with half of a character
	again    map[string]*announced                // calls that are announced once more, by the agent's ids
	wholes   map[string]wholeArgs                 // of calls that were
	asked    []protocol.Interrupt
	refusals map[string]json.RawMessage // what cancellations of questions are to the agent, by their ids

	yes, no json.RawMessage // as the Options of these names
}

func newRelay(ctx context.Context, to sink, m manners, d Dialect, sent ids) *relay {
	auto := d == DialectAuto
	if auto {
		d = DialectPlain // until something else is heard
	}
	return &relay{
		ctx: ctx, to: to, manners: m, dialect: d, auto: auto, sent: sent,
		repaired: func(string) {}, failed: func(error) {}, unclear: func(string) {}, speaks: func(string) {},
		halves: map[protocol.ItemKey]*surrogate.Half{}, names: names{to: to, here: map[name]string{}, lost: map[string]bool{}}, again: map[string]*announced{}, wholes: map[string]wholeArgs{},
	}
}

// violation is what an agent did that cannot be repaired.
func (r *relay) violation(format string, args ...any) *failure {
	return violation(r.index, format, args...)
}

func violation(index int, format string, args ...any) *failure {
	return failed(adapter.CodeProtocolViolation, "event %d of the agent: %s", index, fmt.Sprintf(format, args...))
}

// take relays the next event. The outcome is nil until the run is over. The error is a
// *failure, or the run's own.
func (r *relay) take(next received) (*outcome, error) {
	r.index = next.index
	if next.torn {
		r.repaired(RepairHalf)
	}
	e, text := next.event, next.text
	if r.auto {
		r.hear(e, text)
	}
	switch e := e.(type) {
	case *protocol.RunStarted:
		r.runStarted(e)
		return nil, nil
	case *protocol.RunFinished:
		if err := r.askedAbout(e); err != nil {
			return nil, err
		}
		if err := r.end(); err != nil {
			return nil, err
		}
		return r.finished(e)
	case *protocol.RunError:
		if err := r.end(); err != nil {
			return nil, err
		}
		said := &outcome{Thread: r.theirs.thread, Run: r.theirs.run, Usage: e.Usage, Failure: ownFailure(e)}
		said.Failure.arrived = r.said || next.late
		return said, nil
	case *protocol.Custom:
		if e.Name == onInterrupt {
			if taken, err := r.customInterrupt(e); taken {
				return nil, err
			}
		}
	}
	r.early, r.said = r.early || !r.started, true
	if next.nulls {
		text = r.withoutNull(e, text)
	}
	if does := protocol.EffectOf(e); does.Verb != protocol.Abridges && r.expander.Idle() {
		return nil, r.pass(e, text, does)
	}
	events, err := r.expander.Expand(e)
	if err != nil {
		return nil, r.violation("%v", err)
	}
	for _, x := range events {
		own := text
		if x != e {
			own = nil
		}
		if err := r.pass(x, own, protocol.EffectOf(x)); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// runStarted takes in what is not relayed: the run has begun in the log, under its own ids.
func (r *relay) runStarted(e *protocol.RunStarted) {
	switch {
	case r.started:
		r.repaired(RepairRunStartedAgain)
		return
	case r.early:
		r.repaired(RepairRunStartedLate)
	}
	r.started = true
	r.theirs = ids{cmp.Or(e.ThreadID, r.sent.thread), cmp.Or(e.RunID, r.sent.run)}
	r.speaks(e.ProtocolVersion)
	if (ids{e.ThreadID, e.RunID}) != r.sent {
		r.repaired(RepairIDs)
	}
}

// end relays what is held back at the end of the run, and names what is left open: the log
// closes it.
func (r *relay) end() error {
	for _, e := range r.expander.Flush() {
		if err := r.pass(e, nil, protocol.EffectOf(e)); err != nil {
			return err
		}
	}
	if err := r.restOfAll(); err != nil {
		return err
	}
	if err := r.letAllGo(); err != nil {
		return err
	}
	if r.open.forget() {
		r.repaired(RepairLeftOpen)
	}
	return nil
}

func (r *relay) finished(e *protocol.RunFinished) (*outcome, error) {
	if !r.started {
		r.repaired(RepairRunStartedMissing)
	} else if (ids{e.ThreadID, e.RunID}) != r.theirs && r.theirs == r.sent {
		r.repaired(RepairIDs)
	}
	said := &outcome{
		Thread: cmp.Or(r.theirs.thread, e.ThreadID), Run: cmp.Or(r.theirs.run, e.RunID),
		Result: json.RawMessage(e.Result), Metadata: e.Metadata, Usage: e.Usage,
	}
	kind := protocol.OutcomeSuccess
	if e.Outcome != nil {
		kind = e.Outcome.Type
	}
	switch kind {
	case protocol.OutcomeSuccess, protocol.OutcomeCancelled, protocol.OutcomeInterrupt:
	default:
		r.repaired(RepairOutcome)
	}
	switch {
	case kind == protocol.OutcomeCancelled:
		said.Failure = failed(CodeFailed, "the agent says that the run was cancelled")
		return said, nil
	case kind == protocol.OutcomeInterrupt && len(e.Outcome.Interrupts) > maxInterrupts:
		return nil, r.tooManyInterrupts()
	case kind == protocol.OutcomeInterrupt:
		r.asked = e.Outcome.Interrupts
	case len(r.asked) == 0:
		return said, nil
	default:
		said.Legacy = true
	}
	var err error
	if said.Interrupts, err = r.askable(r.asked); err != nil {
		return nil, err
	}
	said.No = r.refusals
	if len(said.Interrupts) == 0 {
		return nil, r.violation("an interrupt outcome needs an interrupt")
	}
	return said, nil
}

// maxCode bounds an agent's own code, in bytes.
const maxCode = 64

// ownFailure is how an agent says that it failed. The agent may not say what this server
// says itself of errors.
func ownFailure(e *protocol.RunError) *failure {
	code := strings.ToValidUTF8(e.Code[:min(len(e.Code), maxCode)], "")
	metadata := maps.Clone(e.Metadata)
	delete(metadata, ownKey)
	return &failure{Code: cmp.Or(code, adapter.CodeAgentError), Message: e.Message, Metadata: metadata, usage: e.Usage, own: true}
}
