// Package order holds the order of AG-UI's streams: which event may follow which.
package order

import (
	"fmt"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// Sequence is the order of a stream: whether an event is legal after those
// before it. It holds what the reference client 1.0.0 rejects, and what the specification
// asks for beyond that. The two ends of a run agree. All runs of a stream are of one
// thread. Interrupt ids differ. An item that is opened again is opened as what it was. A
// delta has a baseline.
//
// Two things are not checked, because a stream alone cannot show them. One is that a result
// answers a call that was made: it may have been made in an earlier run. The other is that
// pendingToolCallIds is complete: a restated run does not repeat its calls.
//
// The zero value is ready, for one stream, in one goroutine.
type Sequence struct {
	index    int
	phase    phase
	threadID string // of the first run; all others are of the same thread
	runID    string
	bound    bool // threadID is known
	seeded   bool // seed is for the run that is open
	seed     seed // what the peer held before this run
	chunks   protocol.Expander
	undo     *[]func() // set while a chunk's events are tried

	texts      map[string]*item // also tool and other messages, which are never open
	calls      map[string]*item
	reasoning  map[string]*item
	activities map[string]protocol.Owner
	baselines  map[string]bool // activities of earlier runs of the stream
	steps      map[stepKey]bool
	subagents  map[string]bool        // true while active, false once closed
	open       [protocol.Families]int // how many are open
}

type phase uint8

const (
	phaseNew phase = iota
	phaseRunning
	phaseFinished // a late RUN_ERROR is admitted
	phaseErrored
)

// entity is something that has an owner. A reasoning span is entered as its
// message.
type entity struct {
	family protocol.Family
	id     string
}

// item is something that events open, extend and close, by id.
type item struct {
	owner   protocol.Owner
	open    bool
	span    bool // of reasoning: the span of the same id is open
	started bool // by an event of this run, so that role and name are known
	role    protocol.Role
	name    string
}

type stepKey struct {
	owner protocol.Owner
	name  string
}

// The rules that an Error names.
const (
	RuleFirst     = "first-event"  // a stream begins with RUN_STARTED or RUN_ERROR
	RuleActive    = "run-active"   // a run is closed before the next one begins
	RuleOver      = "run-over"     // nothing but the admitted events follows a close
	RuleIDs       = "run-ids"      // both ends of a run, and all runs, agree on their ids
	RuleOpen      = "already-open" // what is open is not opened
	RuleNotOpen   = "not-open"     // what is not open is neither extended nor closed
	RuleReopen    = "reopen"       // what is opened again is what it was
	RuleOwner     = "owner"        // events agree with the owner of what they are about
	RuleSubagent  = "subagent"     // an invocation begins once, ends once, has a known parent
	RuleLeftOpen  = "left-open"    // a run that finishes has closed everything
	RuleOutcome   = "outcome"      // an interrupt outcome has an interrupt
	RuleInterrupt = "interrupt-id" // interrupt ids differ within a run
	RuleChunk     = "chunk"        // chunks name what they open and agree with it
	RuleBaseline  = "baseline"     // an activity has a snapshot before it has a delta
	RuleTruncated = "truncated"    // a stream ends with a terminal event
)

// Error says which rule an event breaks.
type Error struct {
	Rule    string
	Index   int    // of the event, counting what Check accepted before it
	Entity  string // the id or name that it is about, empty for the run
	Message string
}

// Error names the rule, the event's index and what is wrong.
func (e *Error) Error() string {
	return fmt.Sprintf("protocol: event %d breaks %s: %s", e.Index, e.Rule, e.Message)
}

func (s *Sequence) broken(rule, entity, format string, args ...any) error {
	return &Error{Rule: rule, Index: s.index, Entity: entity, Message: fmt.Sprintf(format, args...)}
}

// Check judges the next event. The error is a *Error and leaves s as it
// was, so that the caller may drop the event and go on. Events of unknown types
// are always legal.
func (s *Sequence) Check(e protocol.Event) error {
	if x := protocol.EffectOf(e); s.chunks.Idle() && x.Verb != protocol.Abridges {
		if err := s.step(e, x); err != nil {
			return err
		}
	} else if err := s.expanded(e); err != nil {
		return err
	}
	s.index++
	return nil
}

// End says whether the stream may end here.
func (s *Sequence) End() error {
	switch s.phase {
	case phaseFinished, phaseErrored:
		return nil
	case phaseNew:
		return s.broken(RuleTruncated, "", "the stream ended before a run began")
	}
	return s.broken(RuleTruncated, s.runID, "the stream ended before run %q did", s.runID)
}

// Index is how many events have been accepted.
func (s *Sequence) Index() int { return s.index }

// Seed tells what the peer holds already: whose the messages are, and which
// activities have a content that a delta may change. It counts for the run that
// is open, else for the next one, and replaces what was told before. Its demands are added
// to those of the stream, so that seeding never makes legal what a peer refuses that knows
// the stream alone.
func (s *Sequence) Seed(messages protocol.Messages) {
	s.SeedFold(fold.New(messages, nil))
}

// SeedFold is Seed by what a fold holds. It costs as much as a Clone of it.
func (s *Sequence) SeedFold(held *fold.Fold) {
	s.seed = seed{held: held.Clone()}
	s.seeded = s.phase == phaseRunning
}

// expanded judges the events that e stands for, all of them or none.
func (s *Sequence) expanded(e protocol.Event) error {
	before := s.chunks.Clone()
	var undo []func()
	s.undo = &undo
	defer func() { s.undo = nil }()
	events, err := s.chunks.Expand(e)
	if err != nil {
		return s.broken(RuleChunk, "", "%v", err)
	}
	for _, e := range events {
		if err := s.step(e, protocol.EffectOf(e)); err != nil {
			for i := len(undo) - 1; i >= 0; i-- {
				undo[i]()
			}
			s.chunks = before
			return err
		}
	}
	return nil
}

// onUndo notes how to take a change back, where s.undo says that it may be needed.
func (s *Sequence) onUndo(fn func()) { *s.undo = append(*s.undo, fn) }

func (s *Sequence) step(e protocol.Event, x protocol.Effect) error {
	if _, unknown := e.(*protocol.Unknown); unknown {
		return nil
	}
	if s.phase != phaseRunning || x.Family == protocol.FamilyRun {
		if err := s.admitted(e); err != nil {
			return err
		}
	}
	switch x.Verb {
	case protocol.Continues:
		return s.extend(e, x)
	case protocol.Opens:
		return s.opens(e, x)
	case protocol.Ends:
		return s.ends(e, x)
	}
	switch e := e.(type) {
	case *protocol.ToolCallResult:
		s.learnItem(x.Family, *x.ID, protocol.NewOwner(x.Owner), true)
	case *protocol.ReasoningEncryptedValue:
		return s.sealed(e)
	case *protocol.ActivitySnapshot:
		s.activitySnapshot(e)
	case *protocol.ActivityDelta:
		return s.activityDelta(e)
	case *protocol.MessagesSnapshot:
		s.learn(e.Messages, true)
	default:
		if x.Verb == protocol.Unlisted {
			return s.broken(RuleFirst, "", "%s is not an event that has an order", e.Type())
		}
	}
	return nil
}

func (s *Sequence) opens(e protocol.Event, x protocol.Effect) error {
	switch e := e.(type) {
	case *protocol.RunStarted:
		return s.runStarted(e)
	case *protocol.SubagentStarted:
		return s.subagentStarted(e)
	case *protocol.StepStarted:
		return s.stepStarted(e)
	case *protocol.TextMessageStart:
		return s.textStart(e, x)
	case *protocol.ToolCallStart:
		return s.callStart(e, x)
	}
	return s.reasoningStart(e, x)
}

func (s *Sequence) ends(e protocol.Event, x protocol.Effect) error {
	switch e := e.(type) {
	case *protocol.RunFinished:
		return s.runFinished(e)
	case *protocol.RunError:
		s.phase = phaseErrored
		return nil
	case *protocol.StepFinished:
		return s.stepFinished(e)
	}
	if x.Family == protocol.FamilySubagent {
		return s.subagentEnded(e, *x.ID)
	}
	return s.end(e, x)
}
