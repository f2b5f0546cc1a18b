package protocol

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// definitions are the checks by the names that the schema gives them.
var definitions = sync.OnceValue(func() map[string]func(*reader) {
	defs := map[string]func(*reader){
		"Event":              (*reader).anyEvent,
		"JsonPatch":          (*reader).Patch,
		"JsonPatchOperation": (*reader).Operation,
		"JsonPointer":        (*reader).Location,
		"BaseMessage":        (*reader).baseMessage,
		"BaseEvent":          (*reader).baseEvent,
	}
	add := func(name string, s *shape) {
		defs[name] = func(r *reader) { r.value(s, reflect.Value{}) }
	}
	for _, k := range kinds {
		defs[k.typ.Name()+"Event"] = func(r *reader) { r.event(k) }
	}
	for op := range wire.PatchMembers {
		defs[title(op)+"Operation"] = func(r *reader) { r.OneOperation(op) }
	}
	for _, t := range []reflect.Type{
		reflect.TypeFor[RunAgentInput](), reflect.TypeFor[Tool](), reflect.TypeFor[Context](),
		reflect.TypeFor[ToolCall](), reflect.TypeFor[Interrupt](), reflect.TypeFor[ResumeEntry](),
		reflect.TypeFor[TokenUsage](), reflect.TypeFor[Metadata](),
		reflect.TypeFor[AgentCapabilities](), reflect.TypeFor[IdentityCapabilities](),
		reflect.TypeFor[TransportCapabilities](), reflect.TypeFor[ToolsCapabilities](),
		reflect.TypeFor[OutputCapabilities](), reflect.TypeFor[StateCapabilities](),
		reflect.TypeFor[MultiAgentCapabilities](), reflect.TypeFor[SubagentInfo](),
		reflect.TypeFor[ReasoningCapabilities](), reflect.TypeFor[MultimodalCapabilities](),
		reflect.TypeFor[MultimodalInputCapabilities](), reflect.TypeFor[MultimodalOutputCapabilities](),
		reflect.TypeFor[ExecutionCapabilities](), reflect.TypeFor[HumanInTheLoopCapabilities](),
	} {
		add(t.Name(), shapeOf(t))
	}
	add("FunctionCall", shapeOf(reflect.TypeFor[ToolFunction]()))
	for _, u := range []struct {
		whole, before, after string
		typ                  reflect.Type
	}{
		{"Message", "", "Message", reflect.TypeFor[Message]()},
		{"ContentPart", "", "Part", reflect.TypeFor[Part]()},
		{"PartSource", "", "Source", reflect.TypeFor[Source]()},
		{"RunFinishedOutcome", "RunFinished", "Outcome", reflect.TypeFor[RunOutcome]()},
		{"SubagentFinishedOutcome", "SubagentFinished", "Outcome", reflect.TypeFor[SubagentOutcome]()},
	} {
		s := shapeOf(u.typ)
		add(u.whole, s)
		for _, tag := range s.nominal {
			add(u.before+title(tag)+u.after, s.only(tag))
		}
	}
	text := shapeOf(reflect.TypeFor[string]())
	add("SubagentRunId", text)
	add("State", &shape{form: formOpen})
	add("Attributable", &shape{form: formStruct, extra: -1, open: true, fields: attributable.fields, all: attributable.all})
	add("EventType", oneOf(typeNames()...))
	add("Role", oneOf(shapeOf(reflect.TypeFor[Message]()).nominal...))
	add("TextMessageRole", kinds[TypeTextMessageStart].shape.member("role"))
	add("ReasoningEncryptedValueSubtype", kinds[TypeReasoningEncryptedValue].shape.member("subtype"))
	return defs
})

var (
	attributable = newShape(reflect.TypeFor[Attributed](), "")
	envelope     = newShape(reflect.TypeFor[Base](), "")
)

func oneOf(names ...string) *shape {
	return &shape{form: formString, extra: -1, enum: slices.Sorted(slices.Values(names))}
}

func typeNames() []string {
	var names []string
	for name := range maps.Keys(kinds) {
		names = append(names, string(name))
	}
	return names
}

func (s *shape) member(name string) *shape { return s.fields[s.field(name)].shape }

// baseEvent checks what all events have in common, and nothing else.
func (r *reader) baseEvent() {
	if !r.Want('{', "an object") {
		return
	}
	typeName := "type"
	if name, found, isString := r.Lookup(typeName); !found {
		r.Fail("the member %q is required", typeName)
	} else if _, known := kinds[EventType(name)]; !isString || !known {
		r.Push(wire.Step{Name: typeName})
		r.Fail("expected the name of an event")
		r.Pop()
	}
	s := *envelope
	s.open = true
	r.object(&s, reflect.Value{}, typeName)
}

// baseMessage checks what most messages have in common, and nothing else.
func (r *reader) baseMessage() {
	message := *shapeOf(reflect.TypeFor[Message]())
	spec := unionSpec{"role", map[string]string{"any": "id role name?" + sealed + common}}
	message.all, message.union, message.open = spec.compile(&message)["any"], nil, true
	r.object(&message, reflect.Value{}, "")
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// only is the shape of one alternative of a union.
func (s *shape) only(tag string) *shape {
	one := *s
	one.union = map[string]*members{tag: s.union[tag]}
	one.nominal = []string{tag}
	return &one
}
