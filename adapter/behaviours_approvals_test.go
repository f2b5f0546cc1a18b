package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

// caller makes the given calls and says what became of each.
func caller(calls ...adapter.ToolCall) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		outcomes, err := adapter.CallTools(ctx, run, calls...)
		if err != nil {
			return err
		}
		var said []string
		for _, o := range outcomes {
			said = append(said, string(o.Status)+string(o.Args))
		}
		return run.Say(strings.Join(said, " "))
	})
}

// pay is a call whose carrying out is noted.
func pay(done *[]string, args string, policy adapter.Policy) adapter.ToolCall {
	return adapter.ToolCall{Name: "pay", Args: rawJSON(args), Policy: policy, Do: func(_ context.Context, call adapter.Invocation) (rawJSON, error) {
		*done = append(*done, string(call.Args))
		return json.Marshal("paid " + string(call.Args))
	}}
}

// results are the calls that have a result, once for each.
func results(events []protocol.Event) map[string]int {
	count := map[string]int{}
	for _, e := range events {
		if r, ok := e.(*protocol.ToolCallResult); ok {
			count[r.ToolCallID]++
		}
	}
	return count
}

const yes, no = `{"approved":true}`, `{"approved":false}`

var approvalBehaviours = []behaviour{
	{"calls of one tool are asked about and answered each for itself", func(t *testing.T) {
		var done []string
		l := newLab(t, caller(pay(&done, "1", adapter.PolicyAsk), pay(&done, "2", adapter.PolicyAsk), pay(&done, "3", adapter.PolicyAsk)))
		open := interrupts(t, l.say("hi"))
		ids := map[string]bool{}
		for _, i := range open {
			ids[i.ID], ids[i.ToolCallID] = true, true
		}
		if len(ids) != 6 {
			t.Errorf("interrupts %+v", open)
		}
		ended := l.answer(cancelled(open[2].ID), resolved(open[1].ID, yes), resolved(open[0].ID, no))
		succeeded(t, ended)
		if fmt.Sprint(done) != "[2]" {
			t.Errorf("carried out %q", done)
		}
		if got := strings.Join(l.texts(), "|"); got != "declined1 executed2 cancelled3" {
			t.Errorf("said %q", got)
		}
		if got := results(l.got); got[open[0].ToolCallID] != 1 || got[open[1].ToolCallID] != 1 || got[open[2].ToolCallID] != 0 {
			t.Errorf("results %v", got)
		}
		l.wellFormed()
	}},
	{"an approval is one call's, and the next one of the same tool is asked about again", func(t *testing.T) {
		var done []string
		l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			for _, args := range []string{"1", "1"} {
				if _, err := adapter.CallTools(ctx, run, pay(&done, args, adapter.PolicyAsk)); err != nil {
					return err
				}
			}
			return nil
		}))
		first := interrupts(t, l.say("hi"))
		second := interrupts(t, l.answer(resolved(first[0].ID, yes)))
		if first[0].ID == second[0].ID || first[0].ToolCallID == second[0].ToolCallID || len(done) != 1 {
			t.Errorf("asked %+v, then %+v; carried out %q", first, second, done)
		}
		succeeded(t, l.answer(resolved(second[0].ID, no)))
		if len(done) != 1 {
			t.Errorf("carried out %q", done)
		}
	}},
	{"what a policy denies nobody is asked about, whatever stands beside it", func(t *testing.T) {
		var done []string
		l := newLab(t, caller(pay(&done, "1", adapter.PolicyDeny), pay(&done, "2", adapter.PolicyAsk), pay(&done, "3", adapter.PolicyAllow)))
		open := interrupts(t, l.say("hi"))
		if len(open) != 1 {
			t.Fatalf("asked %+v", open)
		}
		succeeded(t, l.answer(resolved(open[0].ID, yes)))
		if got := strings.Join(l.texts(), "|"); got != "denied1 executed2 executed3" || !slices.Equal(done, []string{"2", "3"}) {
			t.Errorf("said %q, carried out %q", got, done)
		}
	}},
	{"every resume mode and its call outlive a restart", func(t *testing.T) {
		for mode, want := range map[adapter.ResumeMode]string{
			adapter.ReplayToolCall:          "executed2",
			adapter.UseDecisionAsToolResult: "executed1",
			adapter.PassDecisionToTool:      "executed1",
		} {
			t.Run(string(mode), func(t *testing.T) {
				var done []string
				call := pay(&done, "1", adapter.PolicyAsk)
				call.Mode = mode
				call.ResponseSchema = protocol.Any(`{"type":"object"}`)
				agent := caller(call)
				l := newLab(t, agent)
				open := interrupts(t, l.say("hi"))
				shown, told := string(open[0].Metadata["aguiws"]), ""
				if mode != adapter.ReplayToolCall {
					told = `{"resumeMode":"` + string(mode) + `"}`
				}
				if shown != told {
					t.Errorf("clients are told %s", shown)
				}
				if err := l.runner.Shutdown(l.ctx()); err != nil {
					t.Fatal(err)
				}
				l.replace(agent)
				succeeded(t, l.answer(resolved(open[0].ID, `{"approved":true,"editedArgs":2}`)))
				if got := strings.Join(l.texts(), "|"); got != want {
					t.Errorf("said %q", got)
				}
				if got := results(l.got); got[open[0].ToolCallID] != 1 {
					t.Errorf("results %v", got)
				}
			})
		}
	}},
	{"a tool message beside the answer to its call makes one result and no message", func(t *testing.T) {
		var done []string
		l := newLab(t, caller(pay(&done, "1", adapter.PolicyAsk)))
		open := interrupts(t, l.say("hi"))
		in := &protocol.RunAgentInput{
			Messages: protocol.Messages{{ID: "made-up", Role: protocol.RoleTool, ToolCallID: open[0].ToolCallID, Content: protocol.Text("yes")}},
			Resume:   []protocol.ResumeEntry{resolved(open[0].ID, yes)},
		}
		l.begins(in)
		succeeded(t, l.untilEnd())
		if got := results(l.got); got[open[0].ToolCallID] != 1 || len(done) != 1 {
			t.Errorf("results %v, carried out %q", got, done)
		}
		if got := l.contents(protocol.RoleTool); len(got) != 1 || strings.Contains(got[0], "yes") {
			t.Errorf("tool messages %q", got)
		}
		again := &protocol.RunAgentInput{RunID: "again", Messages: slices.Clone(in.Messages), Resume: in.Resume}
		again.Messages[0].ID = "made-up-again"
		if a := l.submit(again); a.Disposition != admission.Repeat {
			t.Errorf("clicked again: %s %+v", a.Disposition, a.Refusal)
		}
	}},
}
