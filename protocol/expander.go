package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Expander turns chunks into the events that they stand for, and lets
// everything else pass, after the ends of what it closes. The zero value is
// ready. It keeps one open stream for each owner and belongs to one goroutine.
//
// A chunk's metadata rides on every event made from it, its rawEvent and its
// unknown members on the content event alone.
type Expander struct {
	lanes []lane // in the order they opened
}

type lane struct {
	owner  owner
	kind   EventType // of the opening event
	id     string
	role   Role    // of a text message
	name   string  // of a text message or a tool call
	parent *string // of a tool call
}

func (l *lane) end() Event {
	switch l.kind {
	case TypeTextMessageStart:
		return &TextMessageEnd{Attributed: Attributed{l.owner.tag()}, MessageID: l.id}
	case TypeToolCallStart:
		return &ToolCallEnd{Attributed: Attributed{l.owner.tag()}, ToolCallID: l.id}
	}
	return &ReasoningMessageEnd{Attributed: Attributed{l.owner.tag()}, MessageID: l.id}
}

// Expand returns the events that e stands for: e itself unless it is a chunk,
// preceded by the ends of the chunk streams that it closes. It may return none.
// A chunk that breaks the rules is an error and changes nothing.
func (x *Expander) Expand(e Event) ([]Event, error) {
	switch e := e.(type) {
	case *TextMessageChunk:
		return x.text(e)
	case *ToolCallChunk:
		return x.toolCall(e)
	case *ReasoningMessageChunk:
		return x.reasoning(e)
	case *RunStarted, *RunFinished, *RunError, *MessagesSnapshot:
		return append(x.Flush(), e), nil
	case *Raw, *ActivitySnapshot, *ActivityDelta, *ReasoningEncryptedValue, *SubagentStarted, *Unknown:
		return []Event{e}, nil
	case *SubagentFinished:
		return append(x.close(owner{true, e.SubagentRunID}), e), nil
	case *SubagentError:
		return append(x.close(owner{true, e.SubagentRunID}), e), nil
	}
	return append(x.close(ownerOf(OwnerOf(e))), e), nil
}

// Flush closes every open stream, in the order they opened.
func (x *Expander) Flush() []Event {
	events := make([]Event, 0, len(x.lanes)+1)
	for i := range x.lanes {
		events = append(events, x.lanes[i].end())
	}
	x.lanes = nil
	return events
}

// clone returns an expander that goes on independently.
func (x *Expander) clone() Expander { return Expander{lanes: slices.Clone(x.lanes)} }

func (x *Expander) idle() bool { return len(x.lanes) == 0 }

func isChunk(e Event) bool {
	switch e.(type) {
	case *TextMessageChunk, *ToolCallChunk, *ReasoningMessageChunk:
		return true
	}
	return false
}

func (x *Expander) at(o owner) *lane {
	for i := range x.lanes {
		if x.lanes[i].owner == o {
			return &x.lanes[i]
		}
	}
	return nil
}

func (x *Expander) close(o owner) []Event {
	for i := range x.lanes {
		if x.lanes[i].owner == o {
			end := x.lanes[i].end()
			x.lanes = slices.Delete(x.lanes, i, i+1)
			return []Event{end}
		}
	}
	return nil
}

func (x *Expander) text(e *TextMessageChunk) ([]Event, error) {
	o, err := x.lane(e, TypeTextMessageStart, e.MessageID, e.SubagentRunID)
	if err != nil {
		return nil, err
	}
	var events []Event
	l := x.at(o)
	if l != nil && l.kind == TypeTextMessageStart && continues(l, e.MessageID) {
		if err := agrees(e, l, "role", string(e.Role), string(l.role)); err != nil {
			return nil, err
		}
		if err := agrees(e, l, "name", e.Name, l.name); err != nil {
			return nil, err
		}
	} else {
		if e.MessageID == nil {
			return nil, fmt.Errorf("the first %s must have a messageId", e.Type())
		}
		start := &TextMessageStart{
			Base: startBase(&e.Base), Attributed: e.Attributed,
			MessageID: *e.MessageID, Role: e.Role, Name: e.Name,
		}
		if start.Role == "" {
			start.Role = RoleAssistant
		}
		events = append(x.close(o), start)
		l = x.open(lane{owner: o, kind: TypeTextMessageStart, id: start.MessageID, role: start.Role, name: e.Name})
	}
	return x.content(events, e, e.Delta, l, func(b Base, a Attributed, delta string) Event {
		return &TextMessageContent{b, a, l.id, delta}
	}), nil
}

func (x *Expander) toolCall(e *ToolCallChunk) ([]Event, error) {
	o, err := x.lane(e, TypeToolCallStart, e.ToolCallID, e.SubagentRunID)
	if err != nil {
		return nil, err
	}
	var events []Event
	l := x.at(o)
	if l != nil && l.kind == TypeToolCallStart && continues(l, e.ToolCallID) {
		if err := agrees(e, l, "toolCallName", e.ToolCallName, l.name); err != nil {
			return nil, err
		}
		if p := e.ParentMessageID; p != nil && (l.parent == nil || *p != *l.parent) {
			return nil, fmt.Errorf("%s for %q: parentMessageId %q is not the one that opened it", e.Type(), l.id, *p)
		}
	} else {
		if e.ToolCallID == nil || e.ToolCallName == "" {
			return nil, fmt.Errorf("the first %s must have a toolCallId and a toolCallName", e.Type())
		}
		events = append(x.close(o), &ToolCallStart{
			Base: startBase(&e.Base), Attributed: e.Attributed,
			ToolCallID: *e.ToolCallID, ToolCallName: e.ToolCallName, ParentMessageID: e.ParentMessageID,
		})
		l = x.open(lane{owner: o, kind: TypeToolCallStart, id: *e.ToolCallID, name: e.ToolCallName, parent: e.ParentMessageID})
	}
	return x.content(events, e, e.Delta, l, func(b Base, a Attributed, delta string) Event {
		return &ToolCallArgs{b, a, l.id, delta}
	}), nil
}

func (x *Expander) reasoning(e *ReasoningMessageChunk) ([]Event, error) {
	o, err := x.lane(e, TypeReasoningMessageStart, e.MessageID, e.SubagentRunID)
	if err != nil {
		return nil, err
	}
	var events []Event
	l := x.at(o)
	if l == nil || l.kind != TypeReasoningMessageStart || !continues(l, e.MessageID) {
		if e.MessageID == nil {
			return nil, fmt.Errorf("the first %s must have a messageId", e.Type())
		}
		events = append(x.close(o), &ReasoningMessageStart{
			Base: startBase(&e.Base), Attributed: e.Attributed,
			MessageID: *e.MessageID, Role: RoleReasoning,
		})
		l = x.open(lane{owner: o, kind: TypeReasoningMessageStart, id: *e.MessageID})
	}
	return x.content(events, e, e.Delta, l, func(b Base, a Attributed, delta string) Event {
		return &ReasoningMessageContent{b, a, l.id, delta}
	}), nil
}

func (x *Expander) open(l lane) *lane {
	x.lanes = append(x.lanes, l)
	return &x.lanes[len(x.lanes)-1]
}

// lane finds whose stream a chunk belongs to: that of the id, else that of its
// tag, else the parent's, else the only one open.
func (x *Expander) lane(e Event, kind EventType, id, tag *string) (owner, error) {
	if id != nil {
		for i := range x.lanes {
			l := &x.lanes[i]
			if l.kind != kind || l.id != *id {
				continue
			}
			if tag != nil && ownerOf(tag) != l.owner {
				return owner{}, fmt.Errorf("%s for %q: it is open for %v, not for %v", e.Type(), *id, l.owner, ownerOf(tag))
			}
			return l.owner, nil
		}
		return ownerOf(tag), nil
	}
	if tag != nil {
		return ownerOf(tag), nil
	}
	if l := x.at(owner{}); l != nil && l.kind == kind {
		return owner{}, nil
	}
	var found []owner
	for i := range x.lanes {
		if x.lanes[i].kind == kind {
			found = append(found, x.lanes[i].owner)
		}
	}
	switch len(found) {
	case 0:
		return owner{}, nil
	case 1:
		return found[0], nil
	}
	return owner{}, fmt.Errorf("%s is ambiguous: it has neither id nor subagentRunId, and %d streams are open", e.Type(), len(found))
}

func continues(l *lane, id *string) bool { return id == nil || *id == l.id }

func agrees(e Event, l *lane, field, now, then string) error {
	if now == "" || now == then {
		return nil
	}
	return fmt.Errorf("%s for %q: %s %q is not the one that opened it", e.Type(), l.id, field, now)
}

func startBase(b *Base) Base { return Base{Timestamp: b.Timestamp, Metadata: b.Metadata} }

// content appends the content event of a chunk, if it has one, and finds a
// place for the members that this version does not know.
func (x *Expander) content(events []Event, e Event, delta *string, l *lane, make func(Base, Attributed, string) Event) []Event {
	b := e.base()
	opened := len(events) > 0
	if delta == nil && b.RawEvent.IsZero() && (opened || b.Metadata.IsZero() && len(b.Extra) == 0) {
		if opened && len(b.Extra) > 0 {
			events[len(events)-1].base().Extra = withoutMembers(b.Extra, events[len(events)-1])
		}
		return events
	}
	tag := OwnerOf(e)
	if tag == nil {
		tag = l.owner.tag()
	}
	text := ""
	if delta != nil {
		text = *delta
	}
	return append(events, make(*b, Attributed{tag}, text))
}

// withoutMembers leaves out what the event has members of its own for: a value
// that the chunk does not define cannot stand for one that the event does.
func withoutMembers(extra map[string]json.RawMessage, e Event) map[string]json.RawMessage {
	kept := make(map[string]json.RawMessage, len(extra))
	known := kinds[e.Type()].shape.all
	for name, raw := range extra {
		if !known.stands(name) {
			kept[name] = raw
		}
	}
	return kept
}
