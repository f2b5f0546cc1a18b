package server

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/ws"
)

// Whoever asked for a call may not approve it by any way that there is, and somebody
// else may.
func TestNobodyApprovesTheirOwn(t *testing.T) {
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}, SeparateDuties: true})
	all := []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover, identity.ScopeAdmin}
	const bobs, anns2, sams = "0123456789abcdef-bob", "0123456789abcdef-ann-2", "0123456789abcdef-sam"
	tokens := newTokens(t, []identity.Token{
		{Token: annsToken, Tenant: "acme", User: "ann", Namespace: "team", Scopes: all},
		{Token: anns2, Tenant: "acme", User: "ann", Namespace: "elsewhere", Scopes: all},
		{Token: bobs, Tenant: "acme", User: "bob", Namespace: "team"},
		{Token: sams, Tenant: "acme", User: "sam", Scopes: []string{identity.ScopeApprover}},
	})
	w := &walk{testServer: newTestServer(t, running(r), &Options{Auth: tokens, InputBurst: 1000, RequestBurst: 10_000})}
	post := func(token, path, body string) string { return w.request(t, http.MethodPost, path, token, body) }
	input := func(thread, run, members string) string {
		return fmt.Sprintf(`{"threadId":%q,"runId":%q,"tools":[],"context":[],"state":{},"forwardedProps":{},%s}`, thread, run, members)
	}
	ask := func(thread string) (interrupt string) {
		t.Helper()
		said := post(annsToken, "/agui", input(thread, "asks", `"messages":[{"id":"m","role":"user","content":"/tool pay {\"to\":\"ann\"}"}]`))
		found := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(said)
		if found == nil {
			t.Fatal(said)
		}
		return found[1]
	}
	entry := func(interrupt, status string) string {
		return fmt.Sprintf(`{"interruptId":%q,"status":%q,"payload":{"approved":true}}`, interrupt, status)
	}
	socket := func(token, frame string, protocols ...string) string {
		c := w.connect("/agui/ws", bearer(token, protocols...))
		defer c.ws.CloseNow()
		if len(protocols) > 0 {
			c.expect("ws.hello")
		}
		return w.run(c, frame)
	}
	const resolve = "/v1/threads/%s/interrupts/resolve?namespace=acme%%2Fshared%%2Fteam"
	ways := map[string]func(token, thread, entry string) string{
		"a socket": func(token, thread, entry string) string {
			return socket(token, input(thread, "answers", `"messages":[],"resume":[`+entry+`]`), ws.Subprotocol)
		},
		"a plain socket": func(token, thread, entry string) string {
			return socket(token, input(thread, "answers", `"messages":[],"resume":[`+entry+`]`))
		},
		"a POST": func(token, thread, entry string) string {
			return post(token, "/agui", input(thread, "answers", `"messages":[],"resume":[`+entry+`]`))
		},
		"CopilotKit": func(token, thread, entry string) string {
			return post(token, "/copilotkit/agent/default/run", input(thread, "answers", `"messages":[],"resume":[`+entry+`]`))
		},
		"a POST with a message": func(token, thread, entry string) string {
			return post(token, "/agui", input(thread, "answers", `"messages":[{"id":"m2","role":"user","content":"x"}],"resume":[`+entry+`]`))
		},
		"the control API": func(token, thread, entry string) string {
			return post(token, fmt.Sprintf(resolve, thread), `{"entries":[`+entry+`]}`)
		},
	}
	n := 0
	for name, answer := range ways {
		n++
		thread := fmt.Sprint("thread-", n)
		interrupt := ask(thread)
		if said := answer(annsToken, thread, entry(interrupt, "resolved")); !strings.Contains(said, `"own_approval"`) || !strings.Contains(said, interrupt) {
			t.Errorf("%s: ann's own is answered with %s", name, said)
		}
		if said := post(anns2, fmt.Sprintf(resolve, thread), `{"entries":[`+entry(interrupt, "resolved")+`]}`); !strings.HasPrefix(said, "403 ") || !strings.Contains(said, `"own_approval"`) {
			t.Errorf("%s: ann's own with another token is answered with %s", name, said)
		}
		if name == "the control API" {
			if said := answer(sams, thread, entry(interrupt, "resolved")); !strings.HasPrefix(said, "200 ") {
				t.Errorf("%s: an approver's is answered with %s", name, said)
			}
		} else if said := answer(bobs, thread, entry(interrupt, "resolved")); !strings.Contains(said, "TOOL_CALL_RESULT") || strings.Contains(said, "RUN_ERROR") {
			t.Errorf("%s: bob's is answered with %s", name, said)
		}
		thread += "-cancelled"
		if said := answer(annsToken, thread, entry(ask(thread), "cancelled")); strings.Contains(said, "own_approval") {
			t.Errorf("%s: cancelling is answered with %s", name, said)
		}
	}
}
