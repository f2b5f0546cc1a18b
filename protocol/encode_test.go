package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

type stranger struct{ Custom }

func (*stranger) Type() EventType { return "STRANGER" }

func TestEncodeRefuses(t *testing.T) {
	for name, e := range map[string]Event{
		"is not an event of this package":       &stranger{},
		"no event":                              nil,
		"not one of":                            &TextMessageStart{Role: RoleTool},
		"must be an object":                     &ActivitySnapshot{},
		"at least one":                          &RunFinished{Outcome: &RunOutcome{Type: OutcomeInterrupt, Interrupts: []Interrupt{}}},
		`"success" has no member "interrupts"`:  &RunFinished{Outcome: &RunOutcome{Type: OutcomeSuccess, Interrupts: []Interrupt{{}}}},
		"RunOutcome has no type":                &RunFinished{Outcome: &RunOutcome{}},
		"out of range":                          &StepStarted{Base: Base{Timestamp: 1 << 53}},
		"invalid character":                     &StateSnapshot{Snapshot: json.RawMessage(`{"a":}`)},
		"/a/b: the member appears twice":        &StateSnapshot{Snapshot: json.RawMessage(`{"a":{"b":1,"b":2}}`)},
		"not valid UTF-8":                       &Custom{Value: json.RawMessage("\"\xff\"")},
		"nested deeper":                         &Custom{Value: json.RawMessage(strings.Repeat("[", 513) + strings.Repeat("]", 513))},
		"not a JSON document":                   &StateDelta{},
		`"value" is required`:                   &StateDelta{Delta: json.RawMessage(`[{"op":"add","path":""}]`)},
		`extra member "Type" stands for`:        &StepFinished{Base: Base{Extra: map[string]json.RawMessage{"Type": nil}}},
		`extra member "stepname" stands for`:    &StepStarted{Base: Base{Extra: map[string]json.RawMessage{"stepname": nil}}},
		`"activity" has no member "name"`:       &MessagesSnapshot{Messages: Messages{{Role: RoleActivity, Name: "n"}}},
		"content may not be an object here":     &MessagesSnapshot{Messages: Messages{{Role: RoleUser, Content: ObjectOf([]byte("{}"))}}},
		`"data" has no member "provider"`:       &MessagesSnapshot{Messages: Messages{{Role: RoleUser, Content: PartsOf(Part{Type: PartImage, Source: &Source{Type: SourceData, Provider: "p"}})}}},
		"Message has no role":                   &MessagesSnapshot{Messages: Messages{{ID: "m"}}},
		"source: must be there":                 &MessagesSnapshot{Messages: Messages{{Role: RoleUser, Content: PartsOf(Part{Type: PartImage})}}},
		"messages: 1: toolCalls: 0: function: ": &MessagesSnapshot{Messages: Messages{{Role: RoleAssistant}, {Role: RoleAssistant, ToolCalls: []ToolCall{{Function: ToolFunction{Extra: map[string]json.RawMessage{"name": nil}}}}}}},
	} {
		prefix := []byte("kept")
		out, err := Append(prefix, e)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %q, %v", name, out, err)
		}
		if string(out) != "kept" {
			t.Errorf("%s: dst became %q", name, out)
		}
	}
}

func TestEncodeFillsIn(t *testing.T) {
	for want, e := range map[string]Event{
		`{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning"}`: &ReasoningMessageStart{MessageID: "m"},
		`{"type":"MESSAGES_SNAPSHOT","messages":[]}`:                            &MessagesSnapshot{},
		`{"type":"CUSTOM","name":"n","value":null}`:                             &Custom{Name: "n"},
		`{"type":"STATE_SNAPSHOT","snapshot":{"a":[1,2]}}`:                      &StateSnapshot{Snapshot: json.RawMessage("{\n \"a\": [1, 2]\r\n}")},
		`{"type":"STEP_STARTED","stepName":"s"}`:                                &StepStarted{Base: Base{RawEvent: Any(" null ")}, StepName: "s"},
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"user","content":""},{"id":"2","role":"activity","activityType":"a","content":{}},{"id":"3","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}]}`: &MessagesSnapshot{Messages: Messages{
			{ID: "1", Role: RoleUser}, {ID: "2", Role: RoleActivity, ActivityType: "a"},
			{ID: "3", Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "c", Function: ToolFunction{Name: "n"}}}}}},
	} {
		got, err := Encode(e)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
		if err := ValidateEvent(got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}

func TestQuoteIsJSON(t *testing.T) {
	for _, s := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é世😀\u2028\u2029", "<script>&", "\xff\xc3(\xe2\x82", "a\xed\xa0\x80b"} {
		var back string
		quoted := wire.AppendString(nil, s)
		if err := json.Unmarshal(quoted, &back); err != nil {
			t.Errorf("%q: %v", quoted, err)
		}
		var want strings.Builder
		for _, r := range s { // one U+FFFD for each byte that is not UTF-8
			want.WriteRune(r)
		}
		if back != want.String() {
			t.Errorf("%q became %q", s, back)
		}
	}
}

// TestNoEventIsMarshalled keeps Event out of what encoding/json is given.
func TestNoEventIsMarshalled(t *testing.T) {
	event := reflect.TypeFor[Event]()
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		if typ == event {
			t.Errorf("an exported struct holds an Event")
		}
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(typ.Elem())
		case reflect.Struct:
			for i := range typ.NumField() {
				if f := typ.Field(i); f.IsExported() {
					walk(f.Type)
				}
			}
		}
	}
	for _, k := range kinds {
		walk(k.typ)
	}
	walk(reflect.TypeFor[RunAgentInput]())
	walk(reflect.TypeFor[AgentCapabilities]())
}

func TestKinds(t *testing.T) {
	if len(kinds) != 31 {
		t.Errorf("%d kinds", len(kinds))
	}
	attributable := 0
	for name, k := range kinds {
		e := k.make()
		if e.Type() != name || reflect.TypeOf(e).Elem() != k.typ {
			t.Errorf("%s makes a %T", name, e)
		}
		if _, ok := e.(attributed); ok {
			attributable++
		}
	}
	if attributable != 24 {
		t.Errorf("%d events can be attributed", attributable)
	}
}
