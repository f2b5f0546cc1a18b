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

// The process that goes on dies as well, in the work of going on or in the same
// place.
func TestCrashAgain(t *testing.T) {
	suite.Full(t)
	const rerun, done = `{"action":"rerun"}`, `{"action":"done","result":{"executed":true}}`
	for _, c := range []struct {
		name    string
		points  []string
		answers []string // to the questions about uncertain steps, in order
		effects int
	}{
		{"in the same step", []string{"step_before_effect", "step_before_effect"}, []string{rerun, rerun}, 1},
		{"in the step that was run again", []string{"step_before_effect", "step_after_effect"}, []string{rerun, done}, 1},
		{"while asking about the step", []string{"step_after_effect", "mid_suspend"}, []string{done}, 1},
		{"while asking, twice", []string{"mid_suspend", "mid_suspend"}, nil, 1},
		{"after the decision, and before the step", []string{"after_decision", "step_before_effect"}, []string{rerun}, 1},
		{"after the decision about the step", []string{"step_after_effect", "after_decision"}, []string{done}, 1},
		{"after the record, and before the next one's first event", []string{"after_record", "resume_before_first_event"}, nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
			server := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, CrashAt: c.points[0]})
			tab := wire.Open(t, "asking", "again", server.Socket())
			watcher := wire.Open(t, "watching", "again", server.Socket())
			restarted := make(chan struct{})
			t.Cleanup(func() { <-restarted })
			go func() {
				defer close(restarted)
				for _, point := range append(c.points[1:], "") {
					server.AwaitExit()
					server.RestartDoomed(point)
				}
			}()

			end := tab.Say(tool).End()
			for asked := client.Asked(end); len(asked) > 0; asked = client.Asked(end) {
				payload := approve
				if asked[0].Reason == uncertain {
					if len(c.answers) == 0 {
						t.Fatal("asked once more about a step")
					}
					payload, c.answers = c.answers[0], c.answers[1:]
				}
				end = tab.Resume(client.Resolve(asked[0], payload)).End()
			}
			<-restarted
			wire.Succeeded(t, end)
			if len(c.answers) > 0 {
				t.Errorf("%d questions about steps were not asked", len(c.answers))
			}
			count(t, server, c.effects)
			said(t, tab, protocol.RoleUser, tool)
			said(t, tab, protocol.RoleAssistant, "", "I have called pay.")
			fresh(t, server, "again", tab, watcher)
			wire.Sound(t, tab)
			wire.Sound(t, watcher)
		})
	}
}
