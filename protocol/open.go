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
// messages, each in the order they were opened.
//
// They agree with the messages as they are held, because that is what the
// client has been given: an owner is the message's, and a call that is held
// names the message that carries it. A subagent whose parent is no longer open
// is announced without it, because a client refuses a parent that it has not
// seen in this run.
func (f *Fold) Openings() []Event {
	events := make([]Event, 0, len(f.open))
	for _, x := range f.ordered() {
		e := x.event
		switch again := e.(type) {
		case *SubagentStarted:
			if p := again.ParentSubagentRunID; p != nil && f.at(openSubagent, owner{}, *p) < 0 {
				orphan := *again
				orphan.ParentSubagentRunID = nil
				e = &orphan
			}
		case *TextMessageStart:
			if m := f.log.find(x.id); m != nil {
				held := *again
				held.SubagentRunID = m.SubagentRunID
				e = &held
			}
		case *ReasoningStart:
			held := *again
			if m := f.log.find(x.id); m != nil && m.Role == RoleReasoning {
				held.SubagentRunID = m.SubagentRunID
			} else if i := f.at(openReasoning, owner{}, x.id); i >= 0 {
				held.SubagentRunID = OwnerOf(f.open[i].event) // of one id and one owner
			}
			e = &held
		case *ReasoningMessageStart:
			if m := f.log.find(x.id); m != nil && m.Role == RoleReasoning {
				held := *again
				held.SubagentRunID = m.SubagentRunID
				e = &held
			}
		case *ToolCallStart:
			if m := f.log.carrier(x.id); m != nil {
				held := *again
				held.SubagentRunID, held.ToolCallName = m.SubagentRunID, f.log.calls[x.id].Function.Name
				if held.ParentMessageID != nil {
					id := m.ID
					held.ParentMessageID = &id
				}
				e = &held
			}
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
			events = append(events, &TextMessageEnd{Attributed: agreed(e.Attributed, f.log.find(x.id)), MessageID: x.id})
		case *ToolCallStart:
			events = append(events, &ToolCallEnd{Attributed: agreed(e.Attributed, f.log.carrier(x.id)), ToolCallID: x.id})
		case *ReasoningStart:
			end := &ReasoningEnd{MessageID: x.id}
			if m := f.log.find(x.id); m == nil || m.Role == RoleReasoning {
				end.Attributed = agreed(e.Attributed, m)
			}
			events = append(events, end)
		case *ReasoningMessageStart:
			events = append(events, &ReasoningMessageEnd{Attributed: agreed(e.Attributed, f.log.find(x.id)), MessageID: x.id})
		}
	}
	return events
}

// agreed leaves a tag out that the held message does not have: an end without
// one suits a client that saw the opening event and one that was restated.
func agreed(a Attributed, m *foldMessage) Attributed {
	if m != nil && ownerOf(a.SubagentRunID) != ownerOf(m.SubagentRunID) {
		return Attributed{}
	}
	return a
}
