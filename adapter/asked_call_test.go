package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// Nobody is asked about a call under the id of another one: people would see the other, or
// both glued together. The run fails, and nothing is done.
func TestAskedUnderTheIDOfAnotherCall(t *testing.T) {
	type tool = adapter.ToolCall
	args := func(to string) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"to":%q}`, to)) }
	byTools := func(ctx context.Context, run *adapter.Run, c tool) error {
		_, err := adapter.CallTools(ctx, run, c)
		return err
	}
	byAsk := func(ctx context.Context, run *adapter.Run, c tool) error {
		err := run.Emit(&protocol.ToolCallStart{ToolCallID: c.ID, ToolCallName: c.Name}, &protocol.ToolCallArgs{ToolCallID: c.ID, Delta: string(c.Args)}, &protocol.ToolCallEnd{ToolCallID: c.ID})
		if err != nil {
			return err
		}
		_, err = run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonToolCall, ToolCallID: c.ID})
		return err
	}
	for name, c := range map[string]struct {
		asks   func(context.Context, *adapter.Run, tool) error
		second tool
		ok     bool
	}{
		"other arguments":          {byTools, tool{ID: "pay:0", Name: "pay", Args: args("mallory")}, false},
		"the same arguments":       {byTools, tool{ID: "pay:0", Name: "pay", Args: args("ann")}, false},
		"no arguments":             {byTools, tool{ID: "pay:0", Name: "pay"}, false},
		"another tool":             {byTools, tool{ID: "pay:0", Name: "delete", Args: args("ann"), Announced: true}, false},
		"arguments, by Ask":        {byAsk, tool{ID: "pay:0", Name: "pay", Args: args("mallory")}, false},
		"an id of its own":         {byTools, tool{ID: "pay:1", Name: "pay", Args: args("bob")}, true},
		"an id of its own, by Ask": {byAsk, tool{ID: "pay:1", Name: "pay", Args: args("bob")}, true},
		"none":                     {byTools, tool{Name: "pay", Args: args("bob")}, true},
		"the call that is there":   {byTools, tool{ID: "pay:0", Name: "pay", Args: args("ann"), Announced: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var done []string
			turn := 0
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				do := func(_ context.Context, call adapter.Invocation) (json.RawMessage, error) {
					done = append(done, string(call.Args))
					return json.RawMessage(`"paid"`), nil
				}
				if turn++; turn == 1 {
					return byTools(ctx, run, tool{ID: "pay:0", Name: "pay", Args: args("ann"), Policy: adapter.PolicyAllow, Do: do})
				}
				c.second.Do = do
				return c.asks(ctx, run, c.second)
			}))
			succeeded(t, l.say("pay ann"))
			events := l.say("pay again")
			if c.ok {
				interrupts(t, events)
			} else if failed, is := events[len(events)-1].(*protocol.RunError); !is || failed.Code != adapter.CodeAgentError {
				t.Errorf("the run ends with %+v", events[len(events)-1])
			}
			if !slices.Equal(done, []string{`{"to":"ann"}`}) {
				t.Errorf("done %q", done)
			}
		})
	}
}
