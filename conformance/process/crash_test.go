package process

import (
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

const (
	// args hold numbers of which doubles would make others.
	args    = `{"amounts":[9007199254740993,1.0,-0,0.1000000000000000055511151231257827,1234567890123456789012345678901234567890]}`
	tool    = "/tool pay " + args
	effect  = "/effect"
	confirm = "/confirm Is the server still there?"
)

// A process dies at each of the named points of each command, and another one
// goes on. The effect takes place once, or a human is asked, and then as often
// as the human says.
func TestCrashPoints(t *testing.T) {
	suite.Gate(t)
	called := []string{"", "I have called pay."} // the call is a message without text
	failed := []string{"", "pay failed: step tool pay#1 was declared failed"}
	took, confirmed := []string{"The effect took place."}, []string{"Confirmed."}
	cases := []struct {
		name, point, command string
		asked                string // what the human answers about an uncertain step
		effects              int
		says                 []string
	}{
		{"tool", "after_begin", tool, "", 1, called},
		{"tool", "mid_suspend", tool, "", 1, called},
		{"tool", "after_decision", tool, "", 1, called},
		{"tool", "resume_before_first_event", tool, "", 1, called},
		{"tool", "step_before_effect", tool, `{"action":"rerun"}`, 1, called},
		{"tool done", "step_before_effect", tool, `{"action":"done","result":{"executed":true}}`, 0, called},
		{"tool fail", "step_before_effect", tool, `{"action":"fail"}`, 0, failed},
		{"tool", "step_after_effect", tool, `{"action":"done","result":{"executed":true}}`, 1, called},
		{"tool rerun", "step_after_effect", tool, `{"action":"rerun"}`, 2, called},
		{"tool", "after_record", tool, "", 1, called},
		{"effect", "after_begin", effect, "", 1, took},
		{"effect", "step_before_effect", effect, `{"action":"rerun"}`, 1, took},
		{"effect", "step_after_effect", effect, `{"action":"done","result":true}`, 1, took},
		{"effect", "after_record", effect, "", 1, took},
		{"confirm", "after_begin", confirm, "", 0, confirmed},
		{"confirm", "mid_suspend", confirm, "", 0, confirmed},
		{"confirm", "after_decision", confirm, "", 0, confirmed},
		{"confirm", "resume_before_first_event", confirm, "", 0, confirmed},
	}
	for _, c := range cases {
		t.Run(c.name+" "+c.point, func(t *testing.T) {
			t.Parallel()
			redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
			server := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, CrashAt: c.point})
			thread := "crash"
			tab := wire.Open(t, "asking", thread, server.Socket())
			watcher := wire.Open(t, "watching", thread, server.Socket())
			restarted := make(chan struct{})
			t.Cleanup(func() { <-restarted })
			go func() {
				defer close(restarted)
				server.AwaitExit()
				server.Restart()
			}()

			end := tab.Say(c.command).End()
			for asked := client.Asked(end); len(asked) > 0; asked = client.Asked(end) {
				payload := approve
				if asked[0].Reason == uncertain {
					payload, c.asked = c.asked, ""
				}
				if payload == "" {
					t.Fatal("asked about a step that is not uncertain, or asked twice")
				}
				end = tab.Resume(client.Resolve(asked[0], payload)).End()
			}
			<-restarted
			wire.Succeeded(t, end)
			if c.asked != "" {
				t.Error("the uncertain step was not asked about")
			}
			count(t, server, c.effects)
			exactly(t, server)
			said(t, tab, protocol.RoleUser, c.command)
			said(t, tab, protocol.RoleAssistant, c.says...)
			fresh(t, server, thread, tab, watcher)
			wire.Sound(t, tab)
			wire.Sound(t, watcher)
		})
	}
}
