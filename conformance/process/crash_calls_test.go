package process

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
)

// Processes die while an agent calls another one, which asks: around its beginning, its
// question, its answer and its result. It is begun once, asks once, does its work once, and its
// caller goes on once.
func TestCrashPointsOfCalls(t *testing.T) {
	suite.Gate(t)
	all := [][]string{{"before_child", "mid_suspend"}, {"after_result"}}
	if suite.IsFull() {
		all = append(all, []string{"after_child"}, []string{"after_decision"}, []string{"resume_before_first_event", "before_result"})
	}
	for _, points := range all {
		t.Run(strings.Join(points, " "), func(t *testing.T) {
			t.Parallel()
			server, restarted := doomed(t, points...)
			caller := wire.Open(t, "calling", "crash", server.Socket())
			waits := only(t, client.Asked(caller.Say("/call "+tool).End()), "aguiws:call")
			var own struct{ ThreadID string }
			if err := json.Unmarshal(waits.Metadata["aguiws"], &own); err != nil || own.ThreadID == "" {
				t.Fatalf("waits for %s, %v", waits.Metadata["aguiws"], err)
			}
			called := wire.Open(t, "called", own.ThreadID, server.Socket())
			called.Await("its question", func(v wire.View) bool { return v.AtRest() && len(v.Interrupts()) == 1 })
			wire.Succeeded(t, called.Resume(client.Resolve(only(t, called.Interrupts(), "tool_call"), approve)).End())
			caller.Await("the end", func(v wire.View) bool { return v.AtRest() && v.LastText() == "It said: I have called pay." })
			restarted()
			count(t, server, 1)
			exactly(t, server)
			said(t, caller, protocol.RoleAssistant, "It said: I have called pay.")
			said(t, called, protocol.RoleUser, tool)
			said(t, called, protocol.RoleAssistant, "", "I have called pay.")
			if got := len(caller.Runs()); got != 2 {
				t.Errorf("the caller has %d runs, want 2", got)
			}
			wire.Sound(t, caller)
			wire.Sound(t, called)
			fresh(t, server, "crash", caller)
			fresh(t, server, own.ThreadID, called)
		})
	}
}
