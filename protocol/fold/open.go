package fold

import (
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// opened is something that an event opened and none has closed.
type opened struct {
	protocol.ItemKey
	event protocol.Event // opens it again
}

// track notes what e opens and closes.
func (f *Fold) track(e protocol.Event, x protocol.Effect) {
	switch x.Verb {
	case protocol.Opens, protocol.Ends:
	default:
		return
	}
	if x.Family == protocol.FamilyRun {
		f.open = nil
		return
	}
	key, _ := x.Item()
	at := f.at(key)
	switch {
	case x.Verb == protocol.Opens && at < 0:
		again := protocol.Copy(e)
		*protocol.Common(again) = protocol.Base{}
		f.open = append(f.open, opened{key, again})
	case x.Verb == protocol.Ends && at >= 0:
		f.open = slices.Delete(f.open, at, at+1)
	}
}

func (f *Fold) at(key protocol.ItemKey) int {
	return slices.IndexFunc(f.open, func(x opened) bool { return x.ItemKey == key })
}

// Opened returns the open run and what it has opened and not closed: its RUN_STARTED,
// without its input, and the events that opened each, in their order. None without a run
// that is open. Reopen takes them in.
func (f *Fold) Opened() []protocol.Event {
	if !f.active {
		return nil
	}
	events := []protocol.Event{&protocol.RunStarted{ThreadID: f.threadID, RunID: f.runID}}
	for _, x := range f.open {
		events = append(events, protocol.Copy(x.event))
	}
	return events
}

// Reopen takes in what Opened told of a fold with the same messages and the same state:
// what follows it folds here as it does there. Only which calls of the run have no result
// is not known here, should its end not say so.
func (f *Fold) Reopen(events ...protocol.Event) {
	for _, e := range events {
		if started, ok := e.(*protocol.RunStarted); ok {
			f.threadID, f.runID, f.active = started.ThreadID, started.RunID, true
			f.forgetCalls()
		}
		f.track(e, protocol.EffectOf(e))
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
func (f *Fold) Openings() []protocol.Event {
	events := make([]protocol.Event, 0, len(f.open))
	for _, x := range f.ordered() {
		events = append(events, f.again(x))
	}
	return events
}

// again is the event that opens x for a client that has the messages.
func (f *Fold) again(x opened) protocol.Event {
	e := protocol.Copy(x.event)
	m := f.carries(x.ItemKey)
	switch e := e.(type) {
	case *protocol.SubagentStarted:
		if p := e.ParentSubagentRunID; p != nil && f.at(protocol.ItemKey{Family: protocol.FamilySubagent, ID: *p}) < 0 {
			e.ParentSubagentRunID = nil
		}
	case *protocol.ToolCallStart:
		if m == nil {
			break
		}
		e.ToolCallName = f.log.call(f.log.callAt(x.ID), x.ID).Function.Name
		if e.ParentMessageID != nil {
			id := m.ID
			e.ParentMessageID = &id
		}
	case *protocol.ReasoningStart:
		if m != nil && m.Role == protocol.RoleReasoning {
			break
		}
		m = nil
		if i := f.at(protocol.ItemKey{Family: protocol.FamilyReasoning, ID: x.ID}); i >= 0 {
			protocol.SetOwner(e, protocol.OwnerOf(f.open[i].event)) // of one id and one owner
		}
	case *protocol.ReasoningMessageStart:
		e.Role = protocol.RoleReasoning
		if m != nil && m.Role != protocol.RoleReasoning {
			m = nil
		}
	}
	if m != nil {
		protocol.SetOwner(e, m.SubagentRunID)
	}
	return e
}

// carries is the held message that an open item is, or is part of.
func (f *Fold) carries(key protocol.ItemKey) *message {
	switch key.Family {
	case protocol.FamilyText, protocol.FamilySpan, protocol.FamilyReasoning:
		return f.log.find(key.ID)
	case protocol.FamilyToolCall:
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
func (f *Fold) Closings() []protocol.Event {
	return f.ClosingsWith(func(id string) protocol.Event {
		return &protocol.SubagentError{SubagentRunID: id, Message: "stopped before it finished", Code: "stopped"}
	})
}

// Suspensions is Closings for a run that asks: subagents end suspended.
func (f *Fold) Suspensions() []protocol.Event {
	return f.ClosingsWith(func(id string) protocol.Event {
		return &protocol.SubagentFinished{SubagentRunID: id, Outcome: &protocol.SubagentOutcome{Type: protocol.OutcomeSuspended}}
	})
}

// ClosingsWith is Closings with another end for subagents.
func (f *Fold) ClosingsWith(subagent func(id string) protocol.Event) []protocol.Event {
	events := make([]protocol.Event, 0, len(f.open))
	list := f.ordered()
	slices.Reverse(list)
	for _, x := range list {
		if x.Family == protocol.FamilySubagent {
			events = append(events, subagent(x.ID))
			continue
		}
		tag := protocol.OwnerOf(x.event)
		m := f.carries(x.ItemKey)
		if x.Family == protocol.FamilySpan && m != nil && m.Role != protocol.RoleReasoning || m != nil && protocol.NewOwner(tag) != protocol.NewOwner(m.SubagentRunID) {
			// An end without a tag suits a client that saw the opening event and
			// one that was restated.
			tag = nil
		}
		events = append(events, protocol.EndOf(x.Family, x.ID, tag))
	}
	return events
}
