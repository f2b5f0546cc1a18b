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

// A run is the first of its thread as long as no agent has said or asked anything in it.
func TestWhetherARunIsTheFirst(t *testing.T) {
	up, err := New("http://127.0.0.1:1/", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close(context.Background())
	st, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	first := make(chan [2]bool, 1)
	runs, err := runner.NewRunner(st, &runner.Options{Agents: map[string]adapter.Agent{"": adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		c := &call{u: up, run: run, ctx: ctx, thread: up.threadID(run)}
		begins, answers := request{}, request{answers: []protocol.ResumeEntry{cancelled("i")}}
		for _, r := range []*request{&begins, &answers} {
			if _, _, err := r.body(c); err != nil {
				t.Error(err)
			}
		}
		first <- [2]bool{begins.first, answers.first}
		return nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	defer shutdown(runs)
	said := func(role protocol.Role) protocol.Message {
		return protocol.Message{ID: "of-" + string(role), Role: role, Content: protocol.Text("x")}
	}
	for name, test := range map[string]struct {
		before protocol.Messages
		first  bool
	}{
		"nothing":  {nil, true},
		"a person": {protocol.Messages{said(protocol.RoleSystem)}, true},
		"an agent": {protocol.Messages{said(protocol.RoleAssistant)}, false},
	} {
		in := &protocol.RunAgentInput{ThreadID: name, RunID: "run", Messages: append(test.before, said(protocol.RoleUser))}
		if _, err := runs.Submit(t.Context(), admission.Input{Namespace: "test", Run: in}); err != nil {
			t.Fatal(err)
		}
		if got := <-first; got != [2]bool{test.first, false} {
			t.Errorf("%s before it: a run is the first: %v, an answer: %v", name, got[0], got[1])
		}
	}
}
