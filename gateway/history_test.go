package gateway

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

func rolesOf(messages protocol.Messages) string {
	var list []string
	for _, m := range messages {
		list = append(list, string(m.Role)+":"+m.ID)
	}
	return strings.Join(list, " ")
}

// An agent that keeps its threads itself gets what it has not seen.
func TestNewMessagesAlone(t *testing.T) {
	ask := `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"page"}`
	over := `{"type":"TOOL_CALL_END","toolCallId":"c"}`
	l := newLab(t, &Options{History: HistoryNew},
		sends(began, asks(confirm)), // says nothing
		sends(began, open, word, shut, asks(confirm)),
		sends(began, ask, over, done), // calls the frontend
		sends(`{"type":"RUN_ERROR","message":"x"}`),
		sends(began, done),
	)
	open := interrupted(t, l.say("1"))
	open = interrupted(t, l.answer(resolved(open[0].ID, "1")))
	in := &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "2")}}
	l.submit(in)
	succeeded(t, l.untilEnd())
	l.submit(&protocol.RunAgentInput{Messages: protocol.Messages{{ID: "r", Role: protocol.RoleTool, ToolCallID: "c", Content: protocol.Text("42")}}})
	l.untilEnd()
	succeeded(t, l.say("2"))
	var sent []string
	for _, r := range l.peer.runs() {
		sent = append(sent, rolesOf(r.in.Messages))
	}
	want := "user:m-1; ; ; tool:r; tool:r user:m-2"
	if got := strings.Join(sent, "; "); got != want {
		t.Errorf("sent %s", got)
	}
}

// What a run brings is the thread's, what an answer brings is the answer's.
func TestWhatARunBrings(t *testing.T) {
	l := newLab(t, nil, sends(began, `{"type":"STATE_SNAPSHOT","snapshot":{"n":1.0}}`, asks(confirm)), sends(began, done), sends(began, done))
	in := user("go")
	in.State = protocol.Any(`{"n":0}`)
	in.Tools = []protocol.Tool{{Name: "page", Description: "d", Parameters: protocol.Any(`{"type":"object"}`)}}
	in.Context = []protocol.Context{{Description: "d", Value: "v"}}
	in.ForwardedProps = protocol.Any(`{"p":[1.0]}`)
	l.submit(in)
	open := interrupted(t, l.untilEnd())
	first := l.peer.runs()[0].in
	if asJSON(t, first.Tools) != asJSON(t, in.Tools) || asJSON(t, first.Context) != asJSON(t, in.Context) || string(first.ForwardedProps) != `{"p":[1.0]}` || string(first.State) != `{"n":0}` || first.ProtocolVersion == "" {
		t.Errorf("sent %s", l.peer.runs()[0].body)
	}
	// From an inbox, where there are no tools, those before it hold.
	l.answer(resolved(open[0].ID, "1"))
	if then := l.peer.runs()[1].in; asJSON(t, then.Tools) != asJSON(t, in.Tools) || string(then.State) != `{"n":1.0}` {
		t.Errorf("sent %s", l.peer.runs()[1].body)
	}
}
