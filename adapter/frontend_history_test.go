package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// lookingUp calls a tool and says a word, once for each message.
var lookingUp = adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
	call, result, text := run.NewID(), run.NewID(), run.NewID()
	return run.Emit(
		&protocol.ToolCallStart{ToolCallID: call, ToolCallName: "look"},
		&protocol.ToolCallArgs{ToolCallID: call, Delta: `{"b":1,"a":2}`},
		&protocol.ToolCallEnd{ToolCallID: call},
		&protocol.ToolCallResult{MessageID: result, ToolCallID: call, Content: *protocol.Text(`{"found":true}`), Role: protocol.RoleTool},
		&protocol.TextMessageStart{MessageID: text, Role: protocol.RoleAssistant},
		&protocol.TextMessageContent{MessageID: text, Delta: "done"},
		&protocol.TextMessageEnd{MessageID: text},
	)
})

// sent is the thread as assistant-ui sends it back: messages that no event
// named have names of its own, and JSON was read and written anew.
func (l *lab) sent() protocol.Messages {
	l.t.Helper()
	f := fold.New(nil, nil)
	for _, e := range l.got {
		if err := f.Apply(e); err != nil {
			l.t.Fatal(err)
		}
	}
	var messages protocol.Messages
	for _, m := range f.Messages() {
		switch {
		case len(m.ToolCalls) > 0:
			call := m.ToolCalls[0]
			call.Function.Arguments = `{"a":2, "b":1}`
			m = protocol.Message{ID: "shown-" + m.ID, Role: m.Role, Content: protocol.Text(""), ToolCalls: []protocol.ToolCall{call}}
		case m.Role == protocol.RoleTool:
			m.ID, m.Content = m.ToolCallID+":tool", protocol.Text(`{ "found": true }`)
		}
		messages = append(messages, m)
	}
	return messages
}

func (l *lab) saySending(messages protocol.Messages, text string) {
	l.t.Helper()
	l.begins(&protocol.RunAgentInput{Messages: append(messages, user(text).Messages...)})
	succeeded(l.t, l.untilEnd())
}

func TestHistoryUnderNamesOfTheFrontendIsNotNew(t *testing.T) {
	l := newLab(t, lookingUp)
	l.saySending(nil, "one")
	l.saySending(l.sent(), "two")
	l.saySending(l.sent(), "three")
	if got := len(l.sent()); got != 3*4 {
		t.Errorf("the thread holds %d messages, want 12: %+v", got, l.sent())
	}
}

// What an input says is recognised again when it begins: the thread may have become
// another while it waited.
func TestAnInputWaitsAsItWasSent(t *testing.T) {
	l := newLab(t, lookingUp)
	l.saySending(nil, "one")
	sent := append(l.sent(), user("two").Messages...)
	a, err := l.runner.Submit(l.ctx(), admission.Input{
		Namespace: l.key.Namespace, Run: &protocol.RunAgentInput{ThreadID: l.key.Thread, RunID: "later", Messages: sent},
		Dispatch: admission.DispatchOptions{Available: time.Now().Add(time.Hour)},
	})
	if err != nil || a.Disposition != admission.Queued {
		t.Fatalf("%+v %v", a, err)
	}
	view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{Inputs: true})
	if err != nil || len(view.Queue) != 1 {
		t.Fatalf("%+v %v", view, err)
	}
	var waiting store.QueuedInput
	var input protocol.RunAgentInput
	if err := errors.Join(json.Unmarshal(view.Queue[0].Input, &waiting), json.Unmarshal(waiting.Input, &input)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(input.Messages, sent) {
		t.Errorf("waits  %+v\nsent   %+v", input.Messages, sent)
	}
}

// Going back is recognised though the call that is kept has another name.
func TestGoingBackUnderNamesOfTheFrontend(t *testing.T) {
	l := newLab(t, lookingUp)
	l.saySending(nil, "one")
	l.saySending(l.sent()[:3], "instead")
	l.wellFormed()
	if got := l.contents(protocol.RoleUser); len(got) != 2 {
		t.Errorf("users %q", got)
	}
	if got := l.texts(); len(got) != 1 {
		t.Errorf("the answer that was gone back from is still there: %q", got)
	}
}

func TestAnotherResultOrTextIsNew(t *testing.T) {
	l := newLab(t, lookingUp)
	l.saySending(nil, "one")
	changed := l.sent()
	changed[2].Content = protocol.Text(`{"found":false}`)
	l.saySending(changed, "two")
	if got := l.contents(protocol.RoleTool); len(got) != 3 || got[1] != `{"found":false}` {
		t.Errorf("results %q", got)
	}

	l = newLab(t, lookingUp)
	l.saySending(nil, "one")
	reworded := l.sent()
	reworded[1].Content = protocol.Text("I look.")
	l.saySending(reworded, "two")
	if got := l.texts(); len(got) != 3 || got[1] != "I look." {
		t.Errorf("texts %q", got)
	}
}

// A frontend may show the text and the calls of a run as one message. Its answer
// to a call then follows a history that is shorter than the thread's, and must
// not be taken for going back.
func TestCallsPutIntoOneMessage(t *testing.T) {
	calling := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		messages := run.Input().Messages
		if messages[len(messages)-1].Role == protocol.RoleTool {
			return nil
		}
		return run.Emit(
			&protocol.TextMessageStart{MessageID: "text", Role: protocol.RoleAssistant},
			&protocol.TextMessageContent{MessageID: "text", Delta: "I look."},
			&protocol.TextMessageEnd{MessageID: "text"},
			&protocol.ToolCallStart{ToolCallID: "one", ToolCallName: "look"},
			&protocol.ToolCallEnd{ToolCallID: "one"},
			&protocol.ToolCallStart{ToolCallID: "two", ToolCallName: "look"},
			&protocol.ToolCallEnd{ToolCallID: "two"},
		)
	})
	call := func(id string) protocol.ToolCall {
		return protocol.ToolCall{ID: id, Function: protocol.ToolFunction{Name: "look"}}
	}
	result := func(id string) protocol.Message {
		return protocol.Message{ID: id + ":tool", Role: protocol.RoleTool, ToolCallID: id, Content: protocol.Text("seen")}
	}
	says := func(id, text string, calls ...protocol.ToolCall) protocol.Message {
		return protocol.Message{ID: id, Role: protocol.RoleAssistant, Content: protocol.Text(text), ToolCalls: calls}
	}
	for name, shown := range map[string]protocol.Messages{
		"with the text":    {says("text", "I look.", call("one"), call("two"))},
		"beside the text":  {says("text", "I look."), says("shown", "", call("one"), call("two"))},
		"one with, one by": {says("text", "I look.", call("one")), says("shown", "", call("two"))},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, calling)
			l.saySending(nil, "one")
			answered := append(append(user("one").Messages, shown...), result("one"), result("two"))
			l.begins(&protocol.RunAgentInput{Messages: answered})
			succeeded(t, l.untilEnd())
			if got := l.contents(protocol.RoleTool); len(got) != 2 {
				t.Errorf("results %q", got)
			}
			if got := l.sent(); len(got) != 6 {
				t.Errorf("the thread holds %d messages, want 6: %+v", len(got), got)
			}
		})
	}
}
