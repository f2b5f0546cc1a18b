package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// sink is the run that events are relayed to.
type sink interface {
	Relay(e protocol.Event, text []byte) error
	Emit(events ...protocol.Event) error
	Message(id string) (protocol.Message, bool)
	Messages() protocol.Messages
	Role(id string) (protocol.Role, bool)
	ToolCall(id string) (protocol.ToolCall, bool)
	Answered(call string) bool
	Askable(ctx context.Context, i protocol.Interrupt) error
	NewID() string
}

// relay hands an agent's events on, one by one, and repairs what can be repaired with
// certainty. It belongs to one goroutine.
type relay struct {
	ctx      context.Context
	to       sink
	manners  manners
	dialect  Dialect
	sent     ids
	repaired func(name string)
	failed   func(error)
	speaks   func(version string)

	decoder  protocol.Decoder
	index    int // of the event, from 1
	started  bool
	early    bool // something came before RUN_STARTED
	nulls    bool // the event has members that are null for nothing
	theirs   ids
	expander protocol.Expander
	open     openItems
	names    names
	again    map[string]*announced // calls that are announced once more, by the agent's ids
	wholes   map[string]wholeArgs  // of calls that were
	asked    []protocol.Interrupt
}

func newRelay(ctx context.Context, to sink, m manners, d Dialect, sent ids) *relay {
	return &relay{
		ctx: ctx, to: to, manners: m, dialect: d, sent: sent,
		repaired: func(string) {}, failed: func(error) {}, speaks: func(string) {},
		names: names{to: to, here: map[name]string{}, lost: map[string]bool{}}, again: map[string]*announced{}, wholes: map[string]wholeArgs{},
	}
}

// violation is what an agent did that cannot be repaired.
func (r *relay) violation(format string, args ...any) *failure {
	return failed(adapter.CodeProtocolViolation, "event %d of the agent: %s", r.index, fmt.Sprintf(format, args...))
}

// decode reads the next event. The last one of a stream that broke off in it is cut.
func (r *relay) decode(text []byte, cut bool) (protocol.Event, error) {
	r.index++
	e, err := r.decoder.Decode(text)
	if r.nulls = r.decoder.Nulls(); err == nil {
		return e, nil
	}
	if e := decodeWithoutNull(text); e != nil {
		r.nulls = true
		return e, nil
	}
	if cut && !json.Valid(text) {
		return nil, failed(CodeTruncated, "the agent's answer ended in the midst of event %d", r.index)
	}
	var bad *protocol.DecodeError
	if errors.As(err, &bad) && len(bad.Problems) > 0 {
		return nil, r.violation("%s", cmpPlace(bad.Problems[0]))
	}
	return nil, r.violation("it is no event of AG-UI").because(err)
}

func cmpPlace(p protocol.Problem) string {
	return cmp.Or(p.Pointer, "it") + ": " + p.Message
}

// take relays the next event. The outcome is nil until the run is over. The error is a
// *failure, or the run's own.
func (r *relay) take(text []byte, cut bool) (*outcome, error) {
	e, err := r.decode(text, cut)
	if err != nil {
		return nil, err
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
		return &outcome{Thread: r.theirs.thread, Run: r.theirs.run, Usage: e.Usage, Failure: ownFailure(e)}, nil
	case *protocol.Custom:
		if r.manners.legacy != nil && e.Name == onInterrupt {
			if len(r.asked) >= maxInterrupts {
				return nil, r.tooManyInterrupts()
			}
			r.repaired(RepairCustomInterrupt)
			r.asked = append(r.asked, r.manners.legacy(e, cmp.Or(r.theirs.run, r.sent.run), len(r.asked)+1))
			return nil, nil
		}
	}
	r.early = r.early || !r.started
	if r.nulls {
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
	r.theirs = ids{e.ThreadID, e.RunID}
	r.speaks(e.ProtocolVersion)
	if r.theirs != r.sent {
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
	switch {
	case kind == protocol.OutcomeCancelled:
		said.Failure = failed(CodeFailed, "the agent says that the run was cancelled")
		return said, nil
	case kind == protocol.OutcomeInterrupt && len(e.Outcome.Interrupts) > maxInterrupts:
		return nil, r.tooManyInterrupts()
	case kind == protocol.OutcomeInterrupt:
		r.asked = e.Outcome.Interrupts
	case kind != protocol.OutcomeSuccess:
		return nil, r.violation("the outcome %.40q is none of AG-UI", kind)
	case len(r.asked) == 0:
		return said, nil
	default:
		said.Legacy = true
	}
	var err error
	if said.Interrupts, err = r.askable(r.asked); err != nil {
		return nil, err
	}
	if len(said.Interrupts) == 0 {
		return nil, r.violation("an interrupt outcome needs an interrupt")
	}
	return said, nil
}

// maxCode bounds an agent's own code, in bytes.
const maxCode = 64

// ownFailure is how an agent says that it failed. What this server says itself of errors
// is not the agent's to say.
func ownFailure(e *protocol.RunError) *failure {
	code := strings.ToValidUTF8(e.Code[:min(len(e.Code), maxCode)], "")
	metadata := maps.Clone(e.Metadata)
	delete(metadata, ownKey)
	return &failure{Code: cmp.Or(code, adapter.CodeAgentError), Message: e.Message, Metadata: metadata, usage: e.Usage, own: true}
}
