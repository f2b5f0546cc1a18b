package fold

import (
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

func TestProducer(t *testing.T) {
	sub := "sub"
	of := func(e protocol.Event) protocol.Event {
		protocol.SetOwner(e, &sub)
		return e
	}
	says := func(id string) []protocol.Event {
		return []protocol.Event{&protocol.TextMessageStart{MessageID: id}, &protocol.TextMessageContent{MessageID: id, Delta: "x"}, &protocol.TextMessageEnd{MessageID: id}}
	}
	f := New(protocol.Messages{{ID: "old", Role: protocol.RoleUser, Content: protocol.Text("hi")}}, nil)
	apply := func(f *Fold, events ...protocol.Event) {
		t.Helper()
		for _, e := range events {
			if err := f.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	are := func(what string, f *Fold, want map[string]string) {
		t.Helper()
		for id, want := range want {
			run, step := f.Producer(id)
			if got := fmt.Sprintf("%s/%s", run, step); got != want {
				t.Errorf("%s: %s came during %s, want %s", what, id, got, want)
			}
		}
	}
	apply(f, &protocol.RunStarted{ThreadID: "t", RunID: "r1", Input: &protocol.RunAgentInput{Messages: protocol.Messages{
		{ID: "old", Role: protocol.RoleUser, Content: protocol.Text("hi")}, {ID: "asked", Role: protocol.RoleUser, Content: protocol.Text("more")}}}})
	apply(f, says("before")...)
	apply(f, &protocol.StepStarted{StepName: "outer"})
	apply(f, says("outer")...)
	apply(f, &protocol.StepStarted{StepName: "inner"}, &protocol.ToolCallStart{ToolCallID: "call", ToolCallName: "pay"}, &protocol.ToolCallEnd{ToolCallID: "call"},
		&protocol.ToolCallResult{MessageID: "result", ToolCallID: "call", Content: *protocol.Text("paid")}, &protocol.StepFinished{StepName: "inner"})
	apply(f, &protocol.SubagentStarted{SubagentRunID: sub}, of(&protocol.StepStarted{StepName: "theirs"}), of(&protocol.TextMessageStart{MessageID: "sub"}),
		&protocol.TextMessageEnd{MessageID: "sub"})
	apply(f, says("beside")...)
	first := map[string]string{"old": "/", "nobody": "/", "asked": "r1/", "before": "r1/", "outer": "r1/outer", "call": "r1/inner", "result": "r1/inner",
		"sub": "r1/theirs", "beside": "r1/outer"}
	are("as it comes", f, first)

	// Who goes on from what was stored in the midst of the run, and what was open.
	again := New(f.Messages(), nil)
	again.Reopen(f.Opened()...)
	apply(again, says("after")...)
	are("gone on with", again, map[string]string{"asked": "/", "after": "r1/outer"})

	shared := f.Clone()
	apply(f, of(&protocol.StepFinished{StepName: "theirs"}), &protocol.SubagentFinished{SubagentRunID: sub}, &protocol.StepFinished{StepName: "outer"}, &protocol.RunFinished{ThreadID: "t", RunID: "r1"})
	apply(f, &protocol.RunStarted{ThreadID: "t", RunID: "r2"})
	apply(f, says("second")...)
	apply(shared, says("shared")...)
	are("a clone", shared, map[string]string{"shared": "r1/outer", "second": "/"})
	are("the next run", f, map[string]string{"second": "r2/", "before": "r1/", "shared": "/"})

	// A restatement keeps what it has of each, changed or not, and what is new in it came now.
	messages := f.Messages()
	restated := append(protocol.Messages{{ID: "put", Role: protocol.RoleAssistant, Content: protocol.Text("put")}}, messages...)
	restated[3].Content = protocol.Text("another")
	apply(f, &protocol.MessagesSnapshot{Messages: restated}, &protocol.RunError{Message: "it broke"})
	first["second"], first["put"] = "r2/", "r2/"
	are("restated", f, first)
	if got := f.Messages(); len(got) != len(restated) || got[2].Content.String() != "another" {
		t.Errorf("%v", got)
	}
	apply(f, &protocol.MessagesSnapshot{Messages: append(f.Messages(), protocol.Message{ID: "between", Role: protocol.RoleAssistant, Content: protocol.Text("x")})})
	are("between runs", f, map[string]string{"between": "/"})
}
