package protocol

import (
	"fmt"
	"reflect"
	"strings"
)

// unions says, for each flat struct that stands for several closed objects,
// which members each of them has. A name ending in "?" is optional; content is
// followed by the forms it may take. "*" is what we read of an alternative that
// this version does not know; the rest of it is kept in Extra.
var unions = map[reflect.Type]unionSpec{
	reflect.TypeFor[Message](): {"role", map[string]string{
		"developer": "id role content:text name?" + sealed + common,
		"system":    "id role content:text name?" + sealed + common,
		"assistant": "id role content?:text toolCalls? name?" + sealed + common,
		"user":      "id role content:text|parts name?" + sealed + common,
		"tool":      "id role content:text|parts toolCallId error?" + sealed + common,
		"activity":  "id role activityType content:object" + common,
		"reasoning": "id role content:text" + sealed + common,
		"*":         "id? role",
	}},
	reflect.TypeFor[Part](): {"type", map[string]string{
		"text":     "type text id? metadata?",
		"image":    medium,
		"audio":    medium,
		"video":    medium,
		"document": medium,
		"*":        "type id?",
	}},
	reflect.TypeFor[Source](): {"type", map[string]string{
		"data": "type value mimeType",
		"url":  "type value mimeType?",
		"file": "type value provider? mimeType?",
		"*":    "type",
	}},
	reflect.TypeFor[RunOutcome](): {"type", map[string]string{
		"success":   "type pendingToolCallIds?",
		"interrupt": "type interrupts",
		"cancelled": "type",
		"*":         "type",
	}},
	reflect.TypeFor[SubagentOutcome](): {"type", map[string]string{
		"success":   "type",
		"suspended": "type interruptIds?",
		"*":         "type",
	}},
}

const (
	common = " subagentRunId? metadata?"
	sealed = " encryptedValue? encryptedValueType?"
	medium = "type source id? metadata?"
)

// Known reports whether this version knows the role.
func (r Role) Known() bool {
	_, known := unions[reflect.TypeFor[Message]()].variants[string(r)]
	return known && r != "*"
}

type unionSpec struct {
	tag      string
	variants map[string]string
}

// compile turns the spec into one member list per alternative. It panics on a
// name that the struct does not have: the table is wrong, and no program that
// imports this package could start.
func (u unionSpec) compile(s *shape) map[string]*members {
	out := make(map[string]*members, len(u.variants))
	for tag, spec := range u.variants {
		m := newMembers(len(s.fields))
		for _, word := range strings.Fields(spec) {
			word, forms, restricted := strings.Cut(word, ":")
			name, optional := strings.CutSuffix(word, "?")
			i := s.field(name)
			if i < 0 {
				panic(fmt.Sprintf("protocol: %v has no member %q", s.typ, name))
			}
			m.index[name] = i
			m.use[i] = required
			if optional {
				m.use[i] = optionalUse
			}
			if restricted {
				m.shapes[i] = contentShape(forms)
			}
		}
		out[tag] = m
	}
	return out
}
