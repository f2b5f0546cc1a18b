package gateway

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// An alias says the agent's own id, as far as that fits, and no id of an agent is taken for one.
func TestAlias(t *testing.T) {
	const uuid = "01234567-0123-0123-0123-0123456789ab"
	for own, want := range map[string]struct {
		kind     kind
		here     string
		tellable bool
	}{
		"a":                        {kindAssistant, "a~" + uuid, true},
		"":                         {kindAssistant, "~" + uuid, false},
		"a~" + uuid:                {kindAssistant, "a~" + uuid + "~" + uuid, false},
		"a~b":                      {kindTool, "a~b~" + uuid, true},
		strings.Repeat("x", 1024):  {kindReasoning, uuid, true},
		strings.Repeat("x", 1025):  {kindActivity, uuid, false},
		strings.Repeat("x", 2000):  {kindCall, strings.Repeat("x", 2000) + "~" + uuid, true},
		strings.Repeat("x", 17000): {kindCall, uuid, false},
	} {
		here := aliasOf(want.kind, own, uuid)
		if here != want.here || len(here) > want.kind.maxBytes() {
			t.Errorf("%.40q of %s is told as %.80q", own, want.kind, here)
		}
		if back := ownOf(here); back != own && here != uuid {
			t.Errorf("%.40q goes back as %.40q", own, back)
		}
		if tellable(want.kind, own) != want.tellable {
			t.Errorf("%.40q of %s is tellable: %t", own, want.kind, !want.tellable)
		}
	}
}

// Another node, or this one when it has been started again, sends the agent its own ids, of
// what was told under others, and knows which call an answer is about.
func TestNamesOutliveTheNode(t *testing.T) {
	call := func(to string) []string {
		return []string{
			began, `{"type":"TOOL_CALL_START","toolCallId":"pay:0","toolCallName":"pay"}`,
			`{"type":"TOOL_CALL_ARGS","toolCallId":"pay:0","delta":"{\"to\":\"` + to + `\"}"}`, `{"type":"TOOL_CALL_END","toolCallId":"pay:0"}`,
			asks(`{"id":"up","reason":"tool_call","toolCallId":"pay:0"}`),
		}
	}
	paid := []string{began, `{"type":"TOOL_CALL_RESULT","toolCallId":"pay:0","messageId":"r","content":"paid"}`, done}
	l := newLab(t, nil, sends(call("ann")...), sends(paid...), sends(call("bob")...), sends(paid...), sends(began, done))
	succeeded(t, l.answer(resolved(interrupted(t, l.say("1"))[0].ID, "true")))
	open := interrupted(t, l.say("2"))
	if shown, _ := l.fold().Call(open[0].ToolCallID); shown.Function.Arguments != `{"to":"bob"}` {
		t.Errorf("%+v is asked about", shown)
	}
	shutdown(l.runner)
	l.runner = l.start(l.store)
	l.follow()
	succeeded(t, l.answer(resolved(open[0].ID, "true")))
	succeeded(t, l.say("3"))
	runs := l.peer.runs()
	var sent []string
	for _, m := range runs[len(runs)-1].in.Messages {
		for _, c := range m.ToolCalls {
			sent = append(sent, m.ID+" calls "+c.ID+" "+c.Function.Arguments)
		}
		if m.Role == protocol.RoleTool {
			sent = append(sent, m.ID+" of "+m.ToolCallID)
		}
	}
	want := `pay:0 calls pay:0 {"to":"ann"}|r of pay:0|pay:0 calls pay:0 {"to":"bob"}|r of pay:0`
	if got := strings.Join(sent, "|"); got != want {
		t.Errorf("sent %s", got)
	}
	ids := map[string]bool{}
	for _, m := range l.fold().Messages() {
		for _, id := range append([]string{"message " + m.ID}, callIDs(&m)...) {
			if ids[id] {
				t.Errorf("%s is told twice", id)
			}
			ids[id] = true
		}
	}
}

func callIDs(m *protocol.Message) (list []string) {
	for _, c := range m.ToolCalls {
		list = append(list, "call "+c.ID)
	}
	return list
}
