package protocol

import "reflect"

// An event is added in this file, once its struct and Type are in the file of its family.
// It needs its constant, its row in kinds and its case in EffectOf. If it begins a family
// of its own, it needs the family's end in endOf too. Reading, writing and checking follow
// from the struct; the order, the fold and the ends from its case, unless it has a rule or
// an effect that no other event has.

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

// EffectOf is the table of the families, from which order, fold and Expander
// and whoever renames or reopens items know what an event is about. It is a
// switch, because every event goes through it several times.
func EffectOf(e Event) Effect {
	switch e := e.(type) {
	case *RunStarted:
		return Effect{Act: Act{Family: FamilyRun, Verb: Opens, chunks: endsAll}, ID: &e.RunID}
	case *RunFinished:
		return Effect{Act: Act{Family: FamilyRun, Verb: Ends, chunks: endsAll}, ID: &e.RunID}
	case *RunError:
		return Effect{Act: Act{Family: FamilyRun, Verb: Ends, chunks: endsAll}}

	case *SubagentStarted:
		return Effect{Act: Act{Family: FamilySubagent, Verb: Opens, chunks: endsNone}, ID: &e.SubagentRunID}
	case *SubagentFinished:
		return Effect{Act: Act{Family: FamilySubagent, Verb: Ends}, ID: &e.SubagentRunID}
	case *SubagentError:
		return Effect{Act: Act{Family: FamilySubagent, Verb: Ends}, ID: &e.SubagentRunID}

	case *StepStarted:
		return Effect{Act: Act{Family: FamilyStep, Verb: Opens}, ID: &e.StepName, Owner: e.SubagentRunID}
	case *StepFinished:
		return Effect{Act: Act{Family: FamilyStep, Verb: Ends}, ID: &e.StepName, Owner: e.SubagentRunID}

	case *TextMessageStart:
		return Effect{Act: Act{Family: FamilyText, Verb: Opens}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *TextMessageContent:
		return Effect{Act: Act{Family: FamilyText, Verb: Continues}, ID: &e.MessageID, Owner: e.SubagentRunID, Delta: &e.Delta}
	case *TextMessageEnd:
		return Effect{Act: Act{Family: FamilyText, Verb: Ends}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *TextMessageChunk:
		return Effect{Act: Act{Family: FamilyText, Verb: Abridges}, ID: e.MessageID, Owner: e.SubagentRunID, Delta: e.Delta}

	case *ToolCallStart:
		return Effect{Act: Act{Family: FamilyToolCall, Verb: Opens}, ID: &e.ToolCallID, Owner: e.SubagentRunID}
	case *ToolCallArgs:
		return Effect{Act: Act{Family: FamilyToolCall, Verb: Continues}, ID: &e.ToolCallID, Owner: e.SubagentRunID, Delta: &e.Delta}
	case *ToolCallEnd:
		return Effect{Act: Act{Family: FamilyToolCall, Verb: Ends}, ID: &e.ToolCallID, Owner: e.SubagentRunID}
	case *ToolCallChunk:
		return Effect{Act: Act{Family: FamilyToolCall, Verb: Abridges}, ID: e.ToolCallID, Owner: e.SubagentRunID, Delta: e.Delta}
	case *ToolCallResult: // a message of its own
		return Effect{Act: Act{Family: FamilyText, Verb: Sets}, ID: &e.MessageID, Owner: e.SubagentRunID}

	case *ReasoningStart:
		return Effect{Act: Act{Family: FamilySpan, Verb: Opens}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *ReasoningEnd:
		return Effect{Act: Act{Family: FamilySpan, Verb: Ends}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *ReasoningMessageStart:
		return Effect{Act: Act{Family: FamilyReasoning, Verb: Opens}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *ReasoningMessageContent:
		return Effect{Act: Act{Family: FamilyReasoning, Verb: Continues}, ID: &e.MessageID, Owner: e.SubagentRunID, Delta: &e.Delta}
	case *ReasoningMessageEnd:
		return Effect{Act: Act{Family: FamilyReasoning, Verb: Ends}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *ReasoningMessageChunk:
		return Effect{Act: Act{Family: FamilyReasoning, Verb: Abridges}, ID: e.MessageID, Owner: e.SubagentRunID, Delta: e.Delta}

	case *ActivitySnapshot:
		return Effect{Act: Act{Family: FamilyActivity, Verb: Sets, chunks: endsNone}, ID: &e.MessageID, Owner: e.SubagentRunID}
	case *ActivityDelta:
		return Effect{Act: Act{Family: FamilyActivity, Verb: Sets, chunks: endsNone}, ID: &e.MessageID, Owner: e.SubagentRunID}

	case *MessagesSnapshot:
		return Effect{Act: Act{Verb: Apart, chunks: endsAll}}
	case *ReasoningEncryptedValue:
		return Effect{Act: Act{Verb: Apart, chunks: endsNone}, Owner: e.SubagentRunID}
	case *Raw:
		return Effect{Act: Act{Verb: Apart, chunks: endsNone}, Owner: e.SubagentRunID}
	case *Unknown:
		return Effect{Act: Act{Verb: Apart, chunks: endsNone}}
	case *StateSnapshot:
		return Effect{Act: Act{Verb: Apart}, Owner: e.SubagentRunID}
	case *StateDelta:
		return Effect{Act: Act{Verb: Apart}, Owner: e.SubagentRunID}
	case *Custom:
		return Effect{Act: Act{Verb: Apart}, Owner: e.SubagentRunID}
	}
	return Effect{}
}

// ReferencesOf points to the ids by which an event names what is another's,
// that of its own item and its owner's aside.
func ReferencesOf(e Event) (items, subagents []*string) {
	var list []*string
	switch e := e.(type) {
	case *ToolCallStart:
		list = []*string{e.ParentMessageID}
	case *ToolCallResult:
		list = []*string{&e.ToolCallID}
	case *ReasoningEncryptedValue:
		list = []*string{&e.EntityID}
	case *SubagentStarted:
		list = []*string{e.ParentMessageID, e.ParentToolCallID}
		if e.ParentSubagentRunID != nil {
			subagents = []*string{e.ParentSubagentRunID}
		}
	}
	for _, id := range list {
		if id != nil {
			items = append(items, id)
		}
	}
	return items, subagents
}

// EndOf is the event that ends an item, whose owner is as given. Runs and
// subagents end in more than one way.
func EndOf(family Family, id string, owner *string) Event {
	tag := Attributed{owner}
	switch family {
	case FamilyStep:
		return &StepFinished{Attributed: tag, StepName: id}
	case FamilyText:
		return &TextMessageEnd{Attributed: tag, MessageID: id}
	case FamilyToolCall:
		return &ToolCallEnd{Attributed: tag, ToolCallID: id}
	case FamilySpan:
		return &ReasoningEnd{Attributed: tag, MessageID: id}
	case FamilyReasoning:
		return &ReasoningMessageEnd{Attributed: tag, MessageID: id}
	}
	return nil
}
