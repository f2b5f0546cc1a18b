package protocol

import "slices"

// opened is something that an event opened and none has closed.
type opened struct {
	ItemKey
	event Event // opens it again
}

// track notes what e opens and closes.
func (f *Fold) track(e Event, x Effect) {
	switch x.Verb {
	case Opens, Ends:
	default:
		return
	}
	if x.Family == FamilyRun {
		f.open = nil
		return
	}
	key, _ := x.Item()
	at := f.at(key)
	switch {
	case x.Verb == Opens && at < 0:
		again := Copy(e)
		*again.base() = Base{}
		f.open = append(f.open, opened{key, again})
	case x.Verb == Ends && at >= 0:
		f.open = slices.Delete(f.open, at, at+1)
	}
}

func (f *Fold) at(key ItemKey) int {
	return slices.IndexFunc(f.open, func(x opened) bool { return x.ItemKey == key })
}

// Opened returns the open run and what it has opened and not closed: its RUN_STARTED,
// without its input, and the events that opened each, in their order. None without a run
// that is open. Reopen takes them in.
func (f *Fold) Opened() []Event {
	if !f.active {
		return nil
	}
	events := []Event{&RunStarted{ThreadID: f.threadID, RunID: f.runID}}
	for _, x := range f.open {
		events = append(events, Copy(x.event))
	}
	return events
}

// Reopen takes in what Opened told of a fold with the same messages and the same state:
// what follows it folds here as it does there. Only which calls of the run have no result
// is not known here, should its end not say so.
func (f *Fold) Reopen(events ...Event) {
	for _, e := range events {
		if started, ok := e.(*RunStarted); ok {
			f.threadID, f.runID, f.active = started.ThreadID, started.RunID, true
			f.forgetCalls()
		}
		f.track(e, EffectOf(e))
	}
	f.goesOn()
}

// Openings returns the events that open again all that is open here, for a client that was
// told of a new run and given the messages. They open subagents (parents first), steps,
// text messages, tool calls, reasoning spans and reasoning messages, each in the order they
// were opened.
//
// They agree with the messages as they are held, because that is what the
// client has been given: an owner is the message's, and a call that is held
// names the message that carries it. A subagent whose parent is no longer open
// is announced without it, because a client refuses a parent that it has not
// seen in this run.
func (f *Fold) Openings() []Event {
	events := make([]Event, 0, len(f.open))
	for _, x := range f.ordered() {
		events = append(events, f.again(x))
	}
	return events
}

// again is the event that opens x for a client that has the messages.
func (f *Fold) again(x opened) Event {
	e := Copy(x.event)
	m := f.carries(x.ItemKey)
	switch e := e.(type) {
	case *SubagentStarted:
		if p := e.ParentSubagentRunID; p != nil && f.at(ItemKey{Family: FamilySubagent, ID: *p}) < 0 {
			e.ParentSubagentRunID = nil
		}
	case *ToolCallStart:
		if m == nil {
			break
		}
		e.ToolCallName = f.log.call(f.log.callAt(x.ID), x.ID).Function.Name
		if e.ParentMessageID != nil {
			id := m.ID
			e.ParentMessageID = &id
		}
	case *ReasoningStart:
		if m != nil && m.Role == RoleReasoning {
			break
		}
		m = nil
		if i := f.at(ItemKey{Family: FamilyReasoning, ID: x.ID}); i >= 0 {
			SetOwner(e, OwnerOf(f.open[i].event)) // of one id and one owner
		}
	case *ReasoningMessageStart:
		e.Role = RoleReasoning
		if m != nil && m.Role != RoleReasoning {
			m = nil
		}
	}
	if m != nil {
		SetOwner(e, m.SubagentRunID)
	}
	return e
}

// carries is the held message that an open item is, or is part of.
func (f *Fold) carries(key ItemKey) *foldMessage {
	switch key.Family {
	case FamilyText, FamilySpan, FamilyReasoning:
		return f.log.find(key.ID)
	case FamilyToolCall:
		return f.log.carrier(key.ID)
	}
	return nil
}

func (f *Fold) ordered() []opened {
	list := slices.Clone(f.open)
	slices.SortStableFunc(list, func(a, b opened) int { return int(a.Family) - int(b.Family) })
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
		if x.Family == FamilySubagent {
			events = append(events, subagent(x.ID))
			continue
		}
		tag := OwnerOf(x.event)
		m := f.carries(x.ItemKey)
		if x.Family == FamilySpan && m != nil && m.Role != RoleReasoning || m != nil && NewOwner(tag) != NewOwner(m.SubagentRunID) {
			// An end without a tag suits a client that saw the opening event and
			// one that was restated.
			tag = nil
		}
		events = append(events, EndOf(x.Family, x.ID, tag))
	}
	return events
}
