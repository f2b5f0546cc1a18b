package protocol

import "slices"

// opened is something that an event opened and none has closed.
type opened struct {
	kind  openKind
	owner owner
	id    string // or the name of a step
	event Event  // opens it again
}

// openKind is in the order in which things are opened again: a subagent before
// what belongs to it, a message before its calls.
type openKind uint8

const (
	openSubagent openKind = iota
	openStep
	openText
	openCall
	openSpan
	openReasoning
)

// track notes what e opens and closes.
func (f *Fold) track(e Event) {
	switch e := e.(type) {
	case *RunStarted, *RunFinished, *RunError:
		f.open = nil
	case *SubagentStarted:
		again := *e
		again.Base = Base{}
		f.opens(openSubagent, owner{}, e.SubagentRunID, &again)
	case *SubagentFinished:
		f.closes(openSubagent, owner{}, e.SubagentRunID)
	case *SubagentError:
		f.closes(openSubagent, owner{}, e.SubagentRunID)
	case *StepStarted:
		f.opens(openStep, ownerOf(e.SubagentRunID), e.StepName, &StepStarted{Attributed: e.Attributed, StepName: e.StepName})
	case *StepFinished:
		f.closes(openStep, ownerOf(e.SubagentRunID), e.StepName)
	case *TextMessageStart:
		again := *e
		again.Base = Base{}
		f.opens(openText, owner{}, e.MessageID, &again)
	case *TextMessageEnd:
		f.closes(openText, owner{}, e.MessageID)
	case *ToolCallStart:
		again := *e
		again.Base = Base{}
		f.opens(openCall, owner{}, e.ToolCallID, &again)
	case *ToolCallEnd:
		f.closes(openCall, owner{}, e.ToolCallID)
	case *ReasoningStart:
		f.opens(openSpan, owner{}, e.MessageID, &ReasoningStart{Attributed: e.Attributed, MessageID: e.MessageID})
	case *ReasoningEnd:
		f.closes(openSpan, owner{}, e.MessageID)
	case *ReasoningMessageStart:
		again := *e
		again.Base = Base{}
		again.Role = RoleReasoning
		f.opens(openReasoning, owner{}, e.MessageID, &again)
	case *ReasoningMessageEnd:
		f.closes(openReasoning, owner{}, e.MessageID)
	}
}

func (f *Fold) opens(kind openKind, o owner, id string, again Event) {
	if f.at(kind, o, id) < 0 {
		f.open = append(f.open, opened{kind, o, id, again})
	}
}

func (f *Fold) closes(kind openKind, o owner, id string) {
	if i := f.at(kind, o, id); i >= 0 {
		f.open = slices.Delete(f.open, i, i+1)
	}
}

func (f *Fold) at(kind openKind, o owner, id string) int {
	return slices.IndexFunc(f.open, func(x opened) bool {
		return x.kind == kind && x.owner == o && x.id == id
	})
}

// Openings returns the events that open again, for a client that was told of a
// new run and given the messages, all that is open here: subagents (parents
// first), steps, text messages, tool calls, reasoning spans, reasoning
// messages, each in the order they were opened. A subagent whose parent is no
// longer open is announced without it, because a client refuses a parent that
// it has not seen in this run.
func (f *Fold) Openings() []Event {
	events := make([]Event, 0, len(f.open))
	for _, x := range f.ordered() {
		e := x.event
		if s, ok := e.(*SubagentStarted); ok {
			announced := *s
			if p := s.ParentSubagentRunID; p != nil && f.at(openSubagent, owner{}, *p) < 0 {
				announced.ParentSubagentRunID = nil
			}
			e = &announced
		}
		events = append(events, e)
	}
	return events
}

func (f *Fold) ordered() []opened {
	list := slices.Clone(f.open)
	slices.SortStableFunc(list, func(a, b opened) int { return int(a.kind) - int(b.kind) })
	return list
}

// Closings returns the events that close all that is open, so that the run may
// finish: the reverse of Openings, children before parents. Subagents end with
// SUBAGENT_ERROR of code "stopped", because they did not succeed.
func (f *Fold) Closings() []Event {
	return f.ClosingsWith(func(id string) Event {
		return &SubagentError{SubagentRunID: id, Message: "stopped before it finished", Code: "stopped"}
	})
}

// Suspensions is Closings for a run that asks: subagents end suspended.
func (f *Fold) Suspensions() []Event {
	return f.ClosingsWith(func(id string) Event {
		return &SubagentFinished{SubagentRunID: id, Outcome: &SubagentOutcome{Type: OutcomeSuspended}}
	})
}

// ClosingsWith is Closings with another end for subagents.
func (f *Fold) ClosingsWith(subagent func(id string) Event) []Event {
	events := make([]Event, 0, len(f.open))
	list := f.ordered()
	slices.Reverse(list)
	for _, x := range list {
		switch e := x.event.(type) {
		case *SubagentStarted:
			events = append(events, subagent(x.id))
		case *StepStarted:
			events = append(events, &StepFinished{Attributed: e.Attributed, StepName: x.id})
		case *TextMessageStart:
			events = append(events, &TextMessageEnd{Attributed: e.Attributed, MessageID: x.id})
		case *ToolCallStart:
			events = append(events, &ToolCallEnd{Attributed: e.Attributed, ToolCallID: x.id})
		case *ReasoningStart:
			events = append(events, &ReasoningEnd{Attributed: e.Attributed, MessageID: x.id})
		case *ReasoningMessageStart:
			events = append(events, &ReasoningMessageEnd{Attributed: e.Attributed, MessageID: x.id})
		}
	}
	return events
}
