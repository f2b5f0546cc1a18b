package gateway

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
)

// An event tells again what the thread holds, under the agent's own ids, and nothing else.
func TestWhatRetells(t *testing.T) {
	st, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	ofTheThread := protocol.Messages{
		{ID: "u", Role: protocol.RoleUser, Content: protocol.Text("pay")},
		{ID: "m", Role: protocol.RoleAssistant, ToolCalls: []protocol.ToolCall{{ID: "pay:0", Type: "function", Function: protocol.ToolFunction{Name: "pay", Arguments: "{}"}}}},
		{ID: "t", Role: protocol.RoleTool, ToolCallID: "pay:0", Content: protocol.Text("paid")},
		{ID: "v", Role: protocol.RoleUser, Content: protocol.Text("and now?")},
	}
	got := make(chan map[string]bool, 1)
	events := map[string]struct {
		event   protocol.Event
		retells bool
	}{
		"a text of the thread":      {&protocol.TextMessageStart{MessageID: "m"}, true},
		"a chunk of it":             {&protocol.TextMessageChunk{MessageID: new("m")}, true},
		"a chunk of whatever it is": {&protocol.TextMessageChunk{}, false},
		"another text":              {&protocol.TextMessageStart{MessageID: "n"}, false},
		"a call":                    {&protocol.ToolCallStart{ToolCallID: "pay:0"}, true},
		"no id":                     {&protocol.ToolCallStart{}, false},
		"another call":              {&protocol.ToolCallStart{ToolCallID: "m"}, false},
		"a result":                  {&protocol.ToolCallResult{ToolCallID: "pay:0", MessageID: "t"}, true},
		"another result of a call":  {&protocol.ToolCallResult{ToolCallID: "pay:0", MessageID: "s"}, false},
		"other reasoning":           {&protocol.ReasoningMessageStart{MessageID: "n"}, false},
		"a step":                    {&protocol.StepStarted{StepName: "m"}, false},
		"a run":                     {&protocol.RunStarted{RunID: "m"}, false},
		"a snapshot":                {&protocol.MessagesSnapshot{Messages: ofTheThread}, false},
	}
	runs, err := runner.New(st, &runner.Options{Agents: map[string]adapter.Agent{"": adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		all := map[string]bool{}
		for title, each := range events {
			n := names{to: run, here: map[name]string{}}
			all[title] = n.retells(each.event)
		}
		got <- all
		return nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	defer shutdown(runs)
	in := &protocol.RunAgentInput{ThreadID: "thread", RunID: "run", Messages: ofTheThread}
	if _, err := runs.Submit(t.Context(), admission.Input{Namespace: "test", Run: in}); err != nil {
		t.Fatal(err)
	}
	for title, retells := range <-got {
		if retells != events[title].retells {
			t.Errorf("%s tells something again: %v", title, retells)
		}
	}
}
