package protocol

import (
	"fmt"
	"testing"
)

func TestProducer(t *testing.T) {
	sub := "sub"
	of := func(e Event) Event {
		SetOwner(e, &sub)
		return e
	}
	says := func(id string) []Event {
		return []Event{&TextMessageStart{MessageID: id}, &TextMessageContent{MessageID: id, Delta: "x"}, &TextMessageEnd{MessageID: id}}
	}
	f := NewFold(Messages{{ID: "old", Role: RoleUser, Content: Text("hi")}}, nil)
	apply := func(f *Fold, events ...Event) {
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
	apply(f, &RunStarted{ThreadID: "t", RunID: "r1", Input: &RunAgentInput{Messages: Messages{
		{ID: "old", Role: RoleUser, Content: Text("hi")}, {ID: "asked", Role: RoleUser, Content: Text("more")}}}})
	apply(f, says("before")...)
	apply(f, &StepStarted{StepName: "outer"})
	apply(f, says("outer")...)
	apply(f, &StepStarted{StepName: "inner"}, &ToolCallStart{ToolCallID: "call", ToolCallName: "pay"}, &ToolCallEnd{ToolCallID: "call"},
		&ToolCallResult{MessageID: "result", ToolCallID: "call", Content: *Text("paid")}, &StepFinished{StepName: "inner"})
	apply(f, &SubagentStarted{SubagentRunID: sub}, of(&StepStarted{StepName: "theirs"}), of(&TextMessageStart{MessageID: "sub"}),
		&TextMessageEnd{MessageID: "sub"})
	apply(f, says("beside")...)
	first := map[string]string{"old": "/", "nobody": "/", "asked": "r1/", "before": "r1/", "outer": "r1/outer", "call": "r1/inner", "result": "r1/inner",
		"sub": "r1/theirs", "beside": "r1/outer"}
	are("as it comes", f, first)

	// Who goes on from what was stored in the midst of the run, and what was open.
	again := NewFold(f.Messages(), nil)
	again.Reopen(f.Opened()...)
	apply(again, says("after")...)
	are("gone on with", again, map[string]string{"asked": "/", "after": "r1/outer"})

	shared := f.Clone()
	apply(f, of(&StepFinished{StepName: "theirs"}), &SubagentFinished{SubagentRunID: sub}, &StepFinished{StepName: "outer"}, &RunFinished{ThreadID: "t", RunID: "r1"})
	apply(f, &RunStarted{ThreadID: "t", RunID: "r2"})
	apply(f, says("second")...)
	apply(shared, says("shared")...)
	are("a clone", shared, map[string]string{"shared": "r1/outer", "second": "/"})
	are("the next run", f, map[string]string{"second": "r2/", "before": "r1/", "shared": "/"})

	// A restatement keeps what it has of each, changed or not, and what is new in it came now.
	messages := f.Messages()
	restated := append(Messages{{ID: "put", Role: RoleAssistant, Content: Text("put")}}, messages...)
	restated[3].Content = Text("another")
	apply(f, &MessagesSnapshot{Messages: restated}, &RunError{Message: "it broke"})
	first["second"], first["put"] = "r2/", "r2/"
	are("restated", f, first)
	if got := f.Messages(); len(got) != len(restated) || got[2].Content.String() != "another" {
		t.Errorf("%v", got)
	}
	apply(f, &MessagesSnapshot{Messages: append(f.Messages(), Message{ID: "between", Role: RoleAssistant, Content: Text("x")})})
	are("between runs", f, map[string]string{"between": "/"})
}
