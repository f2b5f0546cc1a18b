package process

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
)

// A process dies before and behind the suspension by which a run waits for a time or an
// event, and before and behind what ends the wait. The run goes on by itself, once.
func TestCrashPointsOfWaits(t *testing.T) {
	suite.Full(t)
	for _, point := range []string{"mid_suspend", "after_decision", "resume_before_first_event", "after_record"} {
		for _, say := range []string{"/sleep 1", "/event paid"} {
			t.Run(say+" "+point, func(t *testing.T) {
				t.Parallel()
				server, restarted := doomed(t, point)
				tab := wire.Open(t, "asking", "crash", server.Socket())
				tab.Say(say).End()
				says := []string{"The effect took place."}
				if strings.HasPrefix(say, "/event") {
					told := tab.Texts(protocol.RoleAssistant)[0]
					says = []string{told, `The event paid came: {"amount":7}`, says[0]}
					url := strings.TrimPrefix(told, "POST JSON to ")
					posted(t, url, `{"amount":7}`, `200 {"repeat":`)
					tab.Await("the end", func(v wire.View) bool { return v.AtRest() && v.LastText() == "The effect took place." })
					restarted()
					posted(t, url, `{"amount":7}`, `200 {"repeat":true}`)
					posted(t, url, `{"amount":8}`, "409 ")
				}
				tab.Await("the end", func(v wire.View) bool { return v.AtRest() && v.LastText() == "The effect took place." })
				restarted()
				count(t, server, 1)
				said(t, tab, protocol.RoleAssistant, says...)
				fresh(t, server, "crash", tab)
				wire.Sound(t, tab)
			})
		}
	}
}

// posted sends a body to a URL until the answer is one that is no request to send it again.
func posted(t *testing.T, url, body, want string) {
	t.Helper()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	deadline, last := time.After(wire.Patience), ""
	for {
		resp, err := http.Post(url, "application/json", strings.NewReader(body))
		if err == nil {
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			last = fmt.Sprint(resp.StatusCode, " ", string(text))
			if resp.StatusCode != http.StatusTooEarly && resp.StatusCode < 500 {
				if !strings.HasPrefix(last, want) {
					t.Fatalf("%s is answered with %s, and not with %s", body, last, want)
				}
				return
			}
		} else {
			last = err.Error()
		}
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatalf("%s was never taken, at last: %s", body, last)
		}
	}
}
