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
	streams []chunkStream // in the order they opened
}

type chunkStream struct {
	owner  Owner
	family Family
	id     string
	role   Role    // of a text message
	name   string  // of a text message or a tool call
	parent *string // of a tool call
}

func (s *chunkStream) end() Event { return EndOf(s.family, s.id, s.owner.Tag()) }

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
	}
	does := EffectOf(e)
	switch {
	case does.chunks == endsAll:
		return append(x.Flush(), e), nil
	case does.chunks == endsNone:
		return []Event{e}, nil
	case does.Family == FamilySubagent:
		return append(x.close(NewOwner(does.ID)), e), nil
	}
	return append(x.close(NewOwner(does.Owner)), e), nil
}

// Flush closes every open stream, in the order they opened.
func (x *Expander) Flush() []Event {
	events := make([]Event, 0, len(x.streams)+1)
	for i := range x.streams {
		events = append(events, x.streams[i].end())
	}
	x.streams = nil
	return events
}

// Clone returns an expander that goes on independently.
func (x *Expander) Clone() Expander { return Expander{streams: slices.Clone(x.streams)} }

// Idle reports whether no stream is open: then all but chunks pass alone.
func (x *Expander) Idle() bool { return len(x.streams) == 0 }

func (x *Expander) at(o Owner) *chunkStream {
	for i := range x.streams {
		if x.streams[i].owner == o {
			return &x.streams[i]
		}
	}
	return nil
}

func (x *Expander) close(o Owner) []Event {
	for i := range x.streams {
		if x.streams[i].owner == o {
			end := x.streams[i].end()
			x.streams = slices.Delete(x.streams, i, i+1)
			return []Event{end}
		}
	}
	return nil
}

func (x *Expander) text(e *TextMessageChunk) ([]Event, error) {
	o, err := x.streamOwner(e, FamilyText, e.MessageID, e.SubagentRunID)
	if err != nil {
		return nil, err
	}
	var events []Event
	s := x.at(o)
	if s != nil && s.family == FamilyText && continues(s, e.MessageID) {
		if err := agrees(e, s, "role", string(e.Role), string(s.role)); err != nil {
			return nil, err
		}
		if err := agrees(e, s, "name", e.Name, s.name); err != nil {
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
		s = x.open(chunkStream{owner: o, family: FamilyText, id: start.MessageID, role: start.Role, name: e.Name})
	}
	return x.content(events, e, e.Delta, s, func(b Base, a Attributed, delta string) Event {
		return &TextMessageContent{b, a, s.id, delta}
	}), nil
}

func (x *Expander) toolCall(e *ToolCallChunk) ([]Event, error) {
	o, err := x.streamOwner(e, FamilyToolCall, e.ToolCallID, e.SubagentRunID)
	if err != nil {
		return nil, err
	}
	var events []Event
	s := x.at(o)
	if s != nil && s.family == FamilyToolCall && continues(s, e.ToolCallID) {
		if err := agrees(e, s, "toolCallName", e.ToolCallName, s.name); err != nil {
			return nil, err
		}
		if p := e.ParentMessageID; p != nil && (s.parent == nil || *p != *s.parent) {
			return nil, fmt.Errorf("%s for %q: parentMessageId %q is not the one that opened it", e.Type(), s.id, *p)
		}
	} else {
		if e.ToolCallID == nil || e.ToolCallName == "" {
			return nil, fmt.Errorf("the first %s must have a toolCallId and a toolCallName", e.Type())
		}
		events = append(x.close(o), &ToolCallStart{
			Base: startBase(&e.Base), Attributed: e.Attributed,
			ToolCallID: *e.ToolCallID, ToolCallName: e.ToolCallName, ParentMessageID: e.ParentMessageID,
		})
		s = x.open(chunkStream{owner: o, family: FamilyToolCall, id: *e.ToolCallID, name: e.ToolCallName, parent: e.ParentMessageID})
	}
	return x.content(events, e, e.Delta, s, func(b Base, a Attributed, delta string) Event {
		return &ToolCallArgs{b, a, s.id, delta}
	}), nil
}

func (x *Expander) reasoning(e *ReasoningMessageChunk) ([]Event, error) {
	o, err := x.streamOwner(e, FamilyReasoning, e.MessageID, e.SubagentRunID)
	if err != nil {
		return nil, err
	}
	var events []Event
	s := x.at(o)
	if s == nil || s.family != FamilyReasoning || !continues(s, e.MessageID) {
		if e.MessageID == nil {
			return nil, fmt.Errorf("the first %s must have a messageId", e.Type())
		}
		events = append(x.close(o), &ReasoningMessageStart{
			Base: startBase(&e.Base), Attributed: e.Attributed,
			MessageID: *e.MessageID, Role: RoleReasoning,
		})
		s = x.open(chunkStream{owner: o, family: FamilyReasoning, id: *e.MessageID})
	}
	return x.content(events, e, e.Delta, s, func(b Base, a Attributed, delta string) Event {
		return &ReasoningMessageContent{b, a, s.id, delta}
	}), nil
}

func (x *Expander) open(s chunkStream) *chunkStream {
	x.streams = append(x.streams, s)
	return &x.streams[len(x.streams)-1]
}

// streamOwner finds whose stream a chunk belongs to: that of the id, else that of
// its tag, else the parent's, else the only one open.
func (x *Expander) streamOwner(e Event, family Family, id, tag *string) (Owner, error) {
	if id != nil {
		for i := range x.streams {
			s := &x.streams[i]
			if s.family != family || s.id != *id {
				continue
			}
			if tag != nil && NewOwner(tag) != s.owner {
				return Owner{}, fmt.Errorf("%s for %q: it is open for %v, not for %v", e.Type(), *id, s.owner, NewOwner(tag))
			}
			return s.owner, nil
		}
		return NewOwner(tag), nil
	}
	if tag != nil {
		return NewOwner(tag), nil
	}
	if s := x.at(Owner{}); s != nil && s.family == family {
		return Owner{}, nil
	}
	var found []Owner
	for i := range x.streams {
		if x.streams[i].family == family {
			found = append(found, x.streams[i].owner)
		}
	}
	switch len(found) {
	case 0:
		return Owner{}, nil
	case 1:
		return found[0], nil
	}
	return Owner{}, fmt.Errorf("%s is ambiguous: it has neither id nor subagentRunId, and %d streams are open", e.Type(), len(found))
}

func continues(s *chunkStream, id *string) bool { return id == nil || *id == s.id }

func agrees(e Event, s *chunkStream, field, now, then string) error {
	if now == "" || now == then {
		return nil
	}
	return fmt.Errorf("%s for %q: %s %q is not the one that opened it", e.Type(), s.id, field, now)
}

func startBase(b *Base) Base { return Base{Timestamp: b.Timestamp, Metadata: b.Metadata} }

// content appends the content event of a chunk, if it has one, and finds a
// place for the members that this version does not know.
func (x *Expander) content(events []Event, e Event, delta *string, s *chunkStream, make func(Base, Attributed, string) Event) []Event {
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
		tag = s.owner.Tag()
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
