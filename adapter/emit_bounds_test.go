package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// What clients could not send back is refused when it is told, and the run goes on as if
// it had not been.
func TestUntellable(t *testing.T) {
	nested := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n))
	}
	text := func(n int) string { return strings.Repeat("x", n) }
	patch := func(format string, args ...any) protocol.Event {
		return &protocol.StateDelta{Delta: json.RawMessage(fmt.Sprintf(format, args...))}
	}
	said := []protocol.Event{&protocol.TextMessageStart{MessageID: "a", Role: protocol.RoleAssistant}, &protocol.TextMessageEnd{MessageID: "a"}}
	plan := func(content json.RawMessage) protocol.Event {
		return &protocol.ActivitySnapshot{MessageID: "p", ActivityType: "plan", Content: content}
	}
	twice := protocol.Messages{{ID: "a", Role: protocol.RoleAssistant, Content: protocol.Text("1")}, {ID: "a", Role: protocol.RoleAssistant, Content: protocol.Text("2")}}
	for name, c := range map[string]struct {
		before []protocol.Event
		event  protocol.Event
		ok     bool
	}{
		"a message":                 {event: &protocol.TextMessageStart{MessageID: "a", Role: protocol.RoleAssistant}, ok: true},
		"one without an id":         {event: &protocol.TextMessageStart{Role: protocol.RoleAssistant}},
		"one of a long id":          {event: &protocol.TextMessageStart{MessageID: text(1025), Role: protocol.RoleAssistant}},
		"one of the longest":        {event: &protocol.TextMessageStart{MessageID: text(1024), Role: protocol.RoleAssistant}, ok: true},
		"a call of a long id":       {event: &protocol.ToolCallStart{ToolCallID: text(1025), ToolCallName: "f"}},
		"one in a message":          {event: &protocol.ToolCallStart{ToolCallID: text(1025), ToolCallName: "f", ParentMessageID: ref("a")}, ok: true},
		"an activity of none":       {event: &protocol.ActivitySnapshot{ActivityType: "plan", Content: json.RawMessage(`{}`)}},
		"the user's id":             {event: &protocol.TextMessageStart{MessageID: "m-hi", Role: protocol.RoleAssistant}},
		"text under reasoning's id": {before: []protocol.Event{&protocol.ReasoningMessageStart{MessageID: "a"}, &protocol.ReasoningMessageEnd{MessageID: "a"}}, event: &protocol.TextMessageStart{MessageID: "a", Role: protocol.RoleAssistant}},
		"an activity under text's":  {before: said, event: &protocol.ActivitySnapshot{MessageID: "a", ActivityType: "plan", Content: json.RawMessage(`{}`)}},
		"a deep activity":           {event: &protocol.ActivitySnapshot{MessageID: "a", ActivityType: "plan", Content: nested(120)}},
		"one that gets deeper":      {before: []protocol.Event{plan(nested(110))}, event: &protocol.ActivityDelta{MessageID: "p", ActivityType: "plan", Patch: json.RawMessage(fmt.Sprintf(`[{"op":"add","path":"%s/b","value":%s}]`, strings.Repeat("/a", 109), nested(12)))}},
		"one that is copied":        {before: []protocol.Event{plan(nested(30))}, event: &protocol.ActivityDelta{MessageID: "p", ActivityType: "plan", Patch: json.RawMessage(fmt.Sprintf(`[{"op":"copy","from":"/a","path":"%s/b"}]`, strings.Repeat("/a", 20)))}, ok: true},
		"deep metadata":             {event: &protocol.TextMessageStart{Base: protocol.Base{Metadata: protocol.Metadata{"x": nested(119)}}, MessageID: "a", Role: protocol.RoleAssistant}},
		"a deep value of one's own": {event: &protocol.Custom{Name: "x", Value: nested(200)}, ok: true},
		"a call under text's id":    {before: said, event: &protocol.ToolCallStart{ToolCallID: "a", ToolCallName: "f"}},
		"one in that text":          {before: said, event: &protocol.ToolCallStart{ToolCallID: "a", ToolCallName: "f", ParentMessageID: ref("a")}, ok: true},
		"one in the user's":         {event: &protocol.ToolCallStart{ToolCallID: "m-hi", ToolCallName: "f", ParentMessageID: ref("m-hi")}},
		"a snapshot":                {event: &protocol.MessagesSnapshot{Messages: twice[:1]}, ok: true},
		"one with an id twice":      {event: &protocol.MessagesSnapshot{Messages: twice}},
		"a deep state":              {event: &protocol.StateSnapshot{Snapshot: nested(121)}},
		"the deepest":               {event: &protocol.StateSnapshot{Snapshot: nested(120)}, ok: true},
		"one that gets deep":        {before: []protocol.Event{&protocol.StateSnapshot{Snapshot: nested(110)}}, event: patch(`[{"op":"add","path":"%s/b","value":%s}]`, strings.Repeat("/a", 109), nested(12))},
		"one that is copied deep":   {before: []protocol.Event{&protocol.StateSnapshot{Snapshot: nested(70)}}, event: patch(`[{"op":"copy","from":"/a","path":"%s/b"}]`, strings.Repeat("/a", 60))},
		"the same, spelt otherwise": {before: []protocol.Event{&protocol.StateSnapshot{Snapshot: nested(70)}}, event: patch(`[{"op":"\u0063opy","from":"/a","path":"%s/b"}]`, strings.Repeat("/a", 60))},
		"a large state":             {event: &protocol.StateSnapshot{Snapshot: json.RawMessage(`"` + text(4<<20+256<<10) + `"`)}},
		"one that grows":            {before: []protocol.Event{&protocol.StateSnapshot{Snapshot: json.RawMessage(`{"a":"` + text(4<<20+256<<10-64) + `"}`)}}, event: patch(`[{"op":"add","path":"/b","value":"%s"}]`, text(64))},
	} {
		t.Run(name, func(t *testing.T) {
			var got error
			l := newLab(t, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
				if err := run.Emit(c.before...); err != nil {
					t.Error(err)
				}
				before := string(run.State())
				if got = run.Emit(c.event); got != nil && string(run.State()) != before {
					t.Error("what was refused has changed the state")
				}
				return nil
			}))
			succeeded(t, l.say("hi"))
			if errors.Is(got, adapter.ErrUntellable) == c.ok || (got == nil) != c.ok {
				t.Errorf("got %.300v", got)
			}
			l.wellFormed()
		})
	}
}

func ref(s string) *string { return &s }
