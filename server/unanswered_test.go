package server

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/ws"
)

// A message under an open question is refused, or turns away from it, whatever carries
// it; a run that brings none turns away from nothing.
func TestUnansweredByEveryBinding(t *testing.T) {
	const operator = "0123456789abcdef-operator"
	auth := []string{"Authorization", "Bearer " + operator}
	posted := func(path string, envelope string) func(ts *testServer, input string) string {
		return func(ts *testServer, input string) string {
			_, last := ts.ask(http.MethodPost, path, fmt.Sprintf(envelope, input), auth...).opened().rest()
			code, _ := last["code"].(string)
			return code
		}
	}
	socket := func(plain bool) func(ts *testServer, input string) string {
		return func(ts *testServer, input string) string {
			opts := bearer(operator, ws.Subprotocol)
			if plain {
				opts = bearer(operator)
			}
			c := ts.connect("/agui/ws", opts)
			defer c.ws.CloseNow()
			c.send(input)
			for {
				f := c.expectAny()
				switch kindOf(f) {
				case "RUN_FINISHED":
					return ""
				case "RUN_ERROR":
					return f["code"].(string)
				}
			}
		}
	}
	ways := map[string]func(ts *testServer, input string) (code string){
		"agui.v1.json":        socket(false),
		"plain":               socket(true),
		"POST /agui":          posted("/agui", "%s"),
		"CopilotKit run":      posted("/copilotkit/agent/default/run", "%s"),
		"CopilotKit envelope": posted("/copilotkit", `{"method":"agent/run","params":{"agentId":"default"},"body":%s}`),
	}
	for policy, want := range map[runner.UnansweredPolicy]string{runner.UnansweredRefuse: "interrupts_pending", runner.UnansweredCancel: ""} {
		for way, send := range ways {
			t.Run(string(policy)+" by "+way, func(t *testing.T) {
				ts := unansweredServer(t, policy, operator)
				ts.ask(http.MethodPost, "/agui", says("r1", "/confirm sure?"), auth...).opened().rest()
				if got := send(ts, `{"threadId":"t","runId":"r2","messages":[]}`); got != "interrupts_pending" {
					t.Errorf("a run without a message: %q", got)
				}
				next := says("r3", "/say next")
				for range 2 { // sent again it is a repeat, or refused again
					if got := send(ts, next); got != want {
						t.Errorf("a message: %q, want %q", got, want)
					}
				}
			})
		}
		t.Run(string(policy)+" by the control API", func(t *testing.T) {
			ts := unansweredServer(t, policy, operator)
			ts.ask(http.MethodPost, "/agui", says("r1", "/confirm sure?"), auth...).opened().rest()
			resp := ts.ask(http.MethodPost, "/v1/threads/t/input", `{"text":"/say next"}`, auth...).resp
			if status := map[string]int{"": 202, "interrupts_pending": 409}[want]; resp.StatusCode != status {
				t.Errorf("got %s", resp.Status)
			}
		})
	}
}

func unansweredServer(t *testing.T, policy runner.UnansweredPolicy, token string) *testServer {
	t.Helper()
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}, Unanswered: policy})
	tokens := newTokens(t, []identity.Token{{Token: token, User: "op", Tenant: "acme", Scopes: []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover, identity.ScopeAdmin}}})
	return newTestServer(t, running(r), &Options{Auth: tokens})
}
