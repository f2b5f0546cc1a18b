package protocol

import "reflect"

// kinds is the table of kinds: the one place that says which events exist.
// Names and members come from the structs.
var kinds = func() map[EventType]*kind {
	all := []*kind{
		kindOf[RunStarted](),
		kindOf[RunFinished](),
		kindOf[RunError](),
		kindOf[StepStarted](),
		kindOf[StepFinished](),
		kindOf[TextMessageStart](),
		kindOf[TextMessageContent](),
		kindOf[TextMessageEnd](),
		kindOf[TextMessageChunk](),
		kindOf[ToolCallStart](),
		kindOf[ToolCallArgs](),
		kindOf[ToolCallEnd](),
		kindOf[ToolCallChunk](),
		kindOf[ToolCallResult](),
		kindOf[ReasoningStart](),
		kindOf[ReasoningEnd](),
		kindOf[ReasoningMessageStart](),
		kindOf[ReasoningMessageContent](),
		kindOf[ReasoningMessageEnd](),
		kindOf[ReasoningMessageChunk](),
		kindOf[ReasoningEncryptedValue](),
		kindOf[StateSnapshot](),
		kindOf[StateDelta](),
		kindOf[MessagesSnapshot](),
		kindOf[ActivitySnapshot](),
		kindOf[ActivityDelta](),
		kindOf[Raw](),
		kindOf[Custom](),
		kindOf[SubagentStarted](),
		kindOf[SubagentFinished](),
		kindOf[SubagentError](),
	}
	m := make(map[EventType]*kind, len(all))
	for _, k := range all {
		m[k.name] = k
	}
	return m
}()

type kind struct {
	name  EventType
	typ   reflect.Type
	shape *shape
	open  []byte // the encoded event up to its first own member
	make  func() Event
	copy  func(Event) Event // shallow
}

func kindOf[T any, P interface {
	*T
	Event
}]() *kind {
	name := P(new(T)).Type()
	t := reflect.TypeFor[T]()
	s := shapeOf(t)
	s.event = true
	return &kind{
		name:  name,
		typ:   t,
		shape: s,
		open:  []byte(`{"type":"` + string(name) + `"`),
		make:  func() Event { return P(new(T)) },
		copy: func(e Event) Event {
			own := *e.(P)
			return P(&own)
		},
	}
}

// Copy returns a copy of an event that may be changed. The two share what they point to.
func Copy(e Event) Event { return kinds[e.Type()].copy(e) }
