package protocol

import "reflect"

// The event types of AG-UI 1.1.
const (
	TypeRunStarted              EventType = "RUN_STARTED"
	TypeRunFinished             EventType = "RUN_FINISHED"
	TypeRunError                EventType = "RUN_ERROR"
	TypeStepStarted             EventType = "STEP_STARTED"
	TypeStepFinished            EventType = "STEP_FINISHED"
	TypeTextMessageStart        EventType = "TEXT_MESSAGE_START"
	TypeTextMessageContent      EventType = "TEXT_MESSAGE_CONTENT"
	TypeTextMessageEnd          EventType = "TEXT_MESSAGE_END"
	TypeTextMessageChunk        EventType = "TEXT_MESSAGE_CHUNK"
	TypeToolCallStart           EventType = "TOOL_CALL_START"
	TypeToolCallArgs            EventType = "TOOL_CALL_ARGS"
	TypeToolCallEnd             EventType = "TOOL_CALL_END"
	TypeToolCallChunk           EventType = "TOOL_CALL_CHUNK"
	TypeToolCallResult          EventType = "TOOL_CALL_RESULT"
	TypeReasoningStart          EventType = "REASONING_START"
	TypeReasoningEnd            EventType = "REASONING_END"
	TypeReasoningMessageStart   EventType = "REASONING_MESSAGE_START"
	TypeReasoningMessageContent EventType = "REASONING_MESSAGE_CONTENT"
	TypeReasoningMessageEnd     EventType = "REASONING_MESSAGE_END"
	TypeReasoningMessageChunk   EventType = "REASONING_MESSAGE_CHUNK"
	TypeReasoningEncryptedValue EventType = "REASONING_ENCRYPTED_VALUE"
	TypeStateSnapshot           EventType = "STATE_SNAPSHOT"
	TypeStateDelta              EventType = "STATE_DELTA"
	TypeMessagesSnapshot        EventType = "MESSAGES_SNAPSHOT"
	TypeActivitySnapshot        EventType = "ACTIVITY_SNAPSHOT"
	TypeActivityDelta           EventType = "ACTIVITY_DELTA"
	TypeRaw                     EventType = "RAW"
	TypeCustom                  EventType = "CUSTOM"
	TypeSubagentStarted         EventType = "SUBAGENT_STARTED"
	TypeSubagentFinished        EventType = "SUBAGENT_FINISHED"
	TypeSubagentError           EventType = "SUBAGENT_ERROR"
)

// kinds is the table of kinds: the one place that says which events exist.
// Names and members come from the structs. What an event is about, and how to
// add one, is at EffectOf.
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

func copyOf(e Event) Event { return kinds[e.Type()].copy(e) }
