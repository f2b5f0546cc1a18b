package server

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/server/identity"
)

// Each way in asks for one scope, and no other does instead. Those of /v1 are
// TestV1Scopes's.
func TestEachScopeAlone(t *testing.T) {
	all := []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover, identity.ScopeAdmin, identity.ScopeTenants, identity.ScopeMetrics}
	page := readFile(t, "../docs/binding/security.md")
	_, section, _ := strings.Cut(page, "\n## Scopes\n")
	section, _, _ = strings.Cut(section, "\n### ")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` ").FindAllStringSubmatch(section, -1) {
		listed = append(listed, row[1])
	}
	if !slices.Equal(listed, all) {
		t.Errorf("docs/binding/security.md lists %q, want %q", listed, all)
	}
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	list := []identity.Token{{Token: "0123456789abcdef-nothing", User: "me", Scopes: []string{}}}
	for _, scope := range all {
		list = append(list, identity.Token{Token: "0123456789abcdef-" + scope, User: "me", Scopes: []string{scope}})
	}
	tokens := newTokens(t, list)
	w := &walk{testServer: newTestServer(t, running(r), &Options{Auth: tokens, FrameBurst: 1000, InputBurst: 1000, RequestBurst: 10_000})}
	of := ids{thread: "t", run: "r", message: "m"}
	frame := func(name string) func(string) string {
		return func(token string) string {
			c := w.as(token)
			defer c.ws.CloseNow()
			return w.exchange(c, controls[name](of))
		}
	}
	over := func(method, path, body string) func(string) string {
		return func(token string) string { return w.request(t, method, path, token, body) }
	}
	for name, way := range map[string]struct {
		needs string
		ask   func(token string) string
	}{
		"ws.attach": {identity.ScopeRead, frame("ws.attach")},
		"events":    {identity.ScopeRead, over(http.MethodGet, "/agui/threads/t/events", "")},
		"connect":   {identity.ScopeRead, over(http.MethodPost, "/copilotkit/agent/default/connect", inputTo(of))},
		"ws.cancel": {identity.ScopeRun, frame("ws.cancel")},
		"an input": {identity.ScopeRun, func(token string) string {
			c := w.as(token)
			defer c.ws.CloseNow()
			return w.run(c, inputTo(of))
		}},
		"a plain input": {identity.ScopeRun, func(token string) string {
			c := w.connect("/agui/ws", bearer(token))
			defer c.ws.CloseNow()
			return w.run(c, inputTo(of))
		}},
		"a POST":  {identity.ScopeRun, over(http.MethodPost, "/agui", inputTo(of))},
		"run":     {identity.ScopeRun, over(http.MethodPost, "/copilotkit/agent/default/run", inputTo(of))},
		"stop":    {identity.ScopeRun, over(http.MethodPost, "/copilotkit/agent/default/stop/t", "")},
		"metrics": {identity.ScopeMetrics, over(http.MethodGet, "/metrics", "")},
	} {
		for _, scope := range append(all, "nothing") {
			said := way.ask("0123456789abcdef-" + scope)
			if refused := strings.Contains(said, `"code":"forbidden"`) || strings.Contains(said, `"error":"forbidden"`); refused == (scope == way.needs) || refused && strings.Contains(said, "RUN_STARTED") {
				t.Errorf("%s with %s alone is answered with %.600s", name, scope, said)
			}
		}
	}
}
