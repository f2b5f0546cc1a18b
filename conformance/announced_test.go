package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// announcing is a server of the core that says it has those profiles, and whose positions
// have that epoch. Each run of a thread is counted from the same place.
func announcing(profiles, epoch string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		accept(w, r, Binding, func(ctx context.Context, ws *websocket.Conn, _ string) {
			send := func(format string, args ...any) {
				_ = ws.Write(ctx, websocket.MessageText, fmt.Appendf(nil, format, args...))
			}
			send(`{"type":"ws.hello","binding":"agui.v1",%s"heartbeatMs":1000,"maxFrameBytes":1000,"durable":false,"capabilities":{}}`, profiles)
			for {
				_, data, err := ws.Read(ctx)
				if err != nil {
					return
				}
				var f struct{ Type, ID, ThreadID, RunID string }
				_ = json.Unmarshal(data, &f)
				switch f.Type {
				case "":
					send(`{"type":"ws.run","id":%q,"threadId":%q,"runId":%q,"disposition":"started"}`, f.ID, f.ThreadID, f.RunID)
					send(`{"type":"ws.stream","threadId":%q,"epoch":%q,"seq":0}`, f.ThreadID, epoch)
					send("%s", named(begun, f.ThreadID, f.RunID))
					send("%s", named(ended, f.ThreadID, f.RunID))
				case "ws.ping":
					send(`{"type":"ws.pong","id":%q,"positions":{}}`, f.ID)
				default:
					send(`{"type":"ws.error","id":%q,"code":"invalid_frame","message":"no"}`, f.ID)
				}
			}
		})
	}
}

// A server is held to the core of the binding and to the profiles that it announces.
func TestAnnouncedProfiles(t *testing.T) {
	const (
		none   = `"profiles":[],`
		resume = `"profiles":["resume"],`
		run    = "A> run r1 say x\nA< RUN_STARTED\nA< RUN_FINISHED {\"runId\":\"$r1\"}\nA< END\n"
	)
	for _, test := range []struct {
		name, profiles, epoch, steps string
		own                          *Profile
		want                         Status
	}{
		{"the core", none, "", run + strings.ReplaceAll(run, "r1", "r2"), nil, Passed},
		{"the core with positions", none, "e", run, nil, Failed},
		{"positions without an epoch", resume, "", run, nil, Failed},
		{"nothing announced, nothing counted", "", "", run, nil, Passed},
		{"following", none, "", "A> follow\nA< RUN_STARTED\n", nil, Skipped},
		{"following that is announced", resume, "e", "A> follow\nA< RUN_STARTED\n", nil, Failed},
		{"following that is listed", none, "", "A> follow\nA< RUN_STARTED\n", &Profile{Offers: []string{"follow"}}, Failed},
		{"repeating", none, "", "needs: resume\nA> run r1 say x\nA< CUSTOM\n", nil, Skipped},
		{"asking", none, "", "A> run r1 confirm x\nA< CUSTOM\n", nil, Skipped},
		{"asking that is announced", `"profiles":["interrupts"],`, "", "A> run r1 confirm x\nA< CUSTOM\n", nil, Failed},
		{"asking that is listed", none, "", "A> run r1 confirm x\nA< CUSTOM\n", &Profile{Offers: []string{"confirm"}}, Failed},
		{"waiting", resume, "e", "needs: queue\nA> run r1 say x\nA< CUSTOM\n", nil, Skipped},
		{"not waiting", resume, "e", "needs: !queue\nA> run r1 say x\nA< RUN_STARTED\n", nil, Passed},
		{"not waiting, and it is announced", `"profiles":["queue"],`, "", "needs: !queue\nA> run r1 say x\nA< CUSTOM\n", nil, Skipped},
		{"nothing said", "", "e", "needs: queue\nA> run r1 say x\nA< CUSTOM\n", nil, Failed},
	} {
		server := httptest.NewServer(announcing(test.profiles, test.epoch))
		target := Target{URL: "ws" + strings.TrimPrefix(server.URL, "http"), Over: Binding, Profile: test.own, Timeout: patience}
		if test.want == Failed {
			target.Timeout = 300 * time.Millisecond // what is wanted does not come
		}
		got := Run(t.Context(), target, one(t, test.steps), nil)
		server.Close()
		if got[0].Status != test.want {
			t.Errorf("%s: %s (%s) %v, expected %s", test.name, got[0].Status, got[0].Reason, got[0].Violations, test.want)
		}
	}
}
