package process

import (
	"strings"
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

// doomed starts a server whose processes kill themselves at the points, one after the other.
// What it returns beside it waits for the one that stays.
func doomed(t *testing.T, points ...string) (*command.Server, func()) {
	t.Helper()
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	server := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, CrashAt: points[0]})
	return server, restarted(t, server, append(points[1:], "")...)
}

// restarted restarts a server whenever it has died, doomed to die at the next of the points.
func restarted(t *testing.T, server *command.Server, points ...string) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, point := range points {
			server.AwaitExit()
			server.RestartDoomed(point)
		}
	}()
	wait = func() { <-done }
	t.Cleanup(wait)
	return wait
}

// A process dies at each of the named points of each command, and another one
// goes on, which may die as well: in the work of going on, or in the same place. The effect
// takes place once, or a human is asked, and then as often as the human says.
func TestCrashPoints(t *testing.T) {
	suite.Gate(t)
	called := []string{"", "I have called pay."} // the call is a message without text
	failed := []string{"", "pay failed: step tool pay#1 was declared failed"}
	took, confirmed := []string{"The effect took place."}, []string{"Confirmed."}
	const rerun, done, fail = `{"action":"rerun"}`, `{"action":"done","result":{"executed":true}}`, `{"action":"fail"}`
	cases := []struct {
		name, points, command string
		answers               []string // of the human to the questions about uncertain steps, in order
		effects               int
		says                  []string
	}{
		{"tool", "after_begin", tool, nil, 1, called},
		{"tool", "mid_suspend", tool, nil, 1, called},
		{"tool", "after_decision", tool, nil, 1, called},
		{"tool", "resume_before_first_event", tool, nil, 1, called},
		{"tool", "step_before_effect", tool, []string{rerun}, 1, called},
		{"tool done", "step_before_effect", tool, []string{done}, 0, called},
		{"tool fail", "step_before_effect", tool, []string{fail}, 0, failed},
		{"tool", "step_after_effect", tool, []string{done}, 1, called},
		{"tool rerun", "step_after_effect", tool, []string{rerun}, 2, called},
		{"tool", "after_record", tool, nil, 1, called},
		{"effect", "after_begin", effect, nil, 1, took},
		{"effect", "step_before_effect", effect, []string{rerun}, 1, took},
		{"effect", "step_after_effect", effect, []string{`{"action":"done","result":true}`}, 1, took},
		{"effect", "after_record", effect, nil, 1, took},
		{"confirm", "after_begin", confirm, nil, 0, confirmed},
		{"confirm", "mid_suspend", confirm, nil, 0, confirmed},
		{"confirm", "after_decision", confirm, nil, 0, confirmed},
		{"confirm", "resume_before_first_event", confirm, nil, 0, confirmed},
		{"in the same step", "step_before_effect step_before_effect", tool, []string{rerun, rerun}, 1, called},
		{"in the step that was run again", "step_before_effect step_after_effect", tool, []string{rerun, done}, 1, called},
		{"while asking about the step", "step_after_effect mid_suspend", tool, []string{done}, 1, called},
		{"while asking, twice", "mid_suspend mid_suspend", tool, nil, 1, called},
		{"after the decision, and before the step", "after_decision step_before_effect", tool, []string{rerun}, 1, called},
		{"after the decision about the step", "step_after_effect after_decision", tool, []string{done}, 1, called},
		{"after the record, and before the next one's first event", "after_record resume_before_first_event", tool, nil, 1, called},
	}
	for _, c := range cases {
		t.Run(c.name+" "+c.points, func(t *testing.T) {
			points := strings.Fields(c.points)
			if len(points) > 1 {
				suite.Full(t)
			}
			t.Parallel()
			server, restarted := doomed(t, points...)
			thread := "crash"
			tab := wire.Open(t, "asking", thread, server.Socket())
			watcher := wire.Open(t, "watching", thread, server.Socket())

			end := tab.Say(c.command).End()
			for asked := client.Asked(end); len(asked) > 0; asked = client.Asked(end) {
				payload := approve
				if asked[0].Reason == uncertain {
					if len(c.answers) == 0 {
						t.Fatal("asked about a step that is not uncertain, or once more")
					}
					payload, c.answers = c.answers[0], c.answers[1:]
				}
				end = tab.Resume(client.Resolve(asked[0], payload)).End()
			}
			restarted()
			wire.Succeeded(t, end)
			if len(c.answers) > 0 {
				t.Errorf("%d questions about uncertain steps were not asked", len(c.answers))
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
