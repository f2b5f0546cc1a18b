package server

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

// scopesOf is what each operation asks for: any one of these scopes. home is for
// the caller's own namespace, whether it is shared or not, away for others of
// its tenant, where without one of them there is no such thread. What is no
// thread's has no away.
var scopesOf = map[string]struct{ home, away string }{
	"listThreads":           {"read admin", ""},
	"getThread":             {"read admin", "admin"},
	"renameThread":          {"run admin", "admin"},
	"deleteThread":          {"run admin", "admin"},
	"createThread":          {"run admin", ""},
	"listTrees":             {"read admin", ""},
	"getTree":               {"read admin", "admin"},
	"changeThread":          {"run admin", "admin"},
	"deleteTree":            {"run admin", "admin"},
	"listMessages":          {"read admin", "admin"},
	"getPayload":            {"read admin", "admin"},
	"addInput":              {"run admin", "admin"},
	"listBranches":          {"read admin", "admin"},
	"restoreBranch":         {"run admin", "admin"},
	"interruptThread":       {"run admin", "admin"},
	"pauseThread":           {"run admin", "admin"},
	"unpauseThread":         {"run admin", "admin"},
	"listRuns":              {"read admin", "admin"},
	"findRuns":              {"read admin", ""},
	"getRun":                {"read admin", "admin"},
	"cancelRun":             {"run admin", "admin"},
	"requeueRun":            {"admin", "admin"},
	"purgeRuns":             {"run admin", "admin"},
	"listDispatches":        {"admin", ""},
	"countDispatches":       {"admin", ""},
	"getQuotas":             {"read admin", ""},
	"listNotices":           {"read approver admin", ""},
	"listDecisions":         {"read approver admin", ""},
	"listThreadDecisions":   {"read approver admin", "approver admin"},
	"forgetDecisions":       {"admin", "admin"},
	"listInbox":             {"read approver admin", ""},
	"listInterrupts":        {"read approver admin", "approver admin"},
	"resolveInterrupts":     {"run approver admin", "approver admin"},
	"listInterruptMessages": {"approver admin", "approver admin"}, // and read with run, at home
	"reviewInterrupts":      {"read approver admin", "approver admin"},
	"leaveInterrupts":       {"read approver admin", "approver admin"},
	"assignInterrupts":      {"run approver admin", "approver admin"},
	"releaseInterrupts":     {"run approver admin", "approver admin"},
	"keepDraft":             {"run approver admin", "approver admin"},
	"dropDraft":             {"run approver admin", "approver admin"},
	"listWork":              {"metrics", ""}, // and admin with tenants
	"listUpstreams":         {"metrics", ""}, // and admin with tenants
	"listNodes":             {"metrics", ""}, // and admin with tenants
	"getStore":              {"metrics", ""}, // and admin with tenants
	"listWebhooks":          {"admin", ""},
	"listDeadWebhooks":      {"admin", ""},
	"resendWebhook":         {"admin", ""},
	"enableWebhooks":        {"admin", ""},
	"countInbox":            {"read approver admin", ""},
	"sendEvent":             {"nothing read run approver admin metrics", ""},
	"listAgents":            {"nothing read run approver admin metrics", ""},
	"getMe":                 {"nothing read run approver admin metrics", ""},
	"resolveInbox":          {"run approver admin", ""},
}

// scopesServer has a thread of the same id, with a question open and a thread below it so that
// it is not deleted, in each of the namespaces, and somebody with each single scope.
func scopesServer(t *testing.T, namespaces map[string]string) *walk {
	agent := script.New(script.Options{})
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": agent}})
	list := []identity.Token{{Token: "0123456789abcdef-nothing-own", Tenant: "acme", User: "me", Scopes: []string{}}}
	for _, scope := range []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover, identity.ScopeAdmin, identity.ScopeMetrics} {
		list = append(list,
			identity.Token{Token: "0123456789abcdef-" + scope + "-own", Tenant: "acme", User: "me", Scopes: []string{scope}},
			identity.Token{Token: "0123456789abcdef-" + scope + "-shared", Tenant: "acme", User: "me", Namespace: "team", Scopes: []string{scope}})
	}
	tokens := newTokens(t, list)
	w := &walk{testServer: newTestServer(t, running(r), &Options{
		Auth: tokens, InputBurst: 10_000, RequestBurst: 10_000, RequestsPerUser: 10_000,
	}), theirs: ids{thread: "t", run: "r", message: "nobody's", interrupt: "nobody's", dispatch: "nobody's"}}
	for namespace, tenant := range namespaces {
		key := store.ThreadKey{Namespace: namespace, Thread: w.theirs.thread}
		if _, err := r.Inject(t.Context(), operate.Injection{Namespace: namespace, Tenant: tenant, Thread: key.Thread, Text: "/confirm sure?"}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the question", func() bool {
			thread, err := r.Thread(t.Context(), key)
			return err == nil && thread.Open != nil
		})
		below := store.ThreadKey{Namespace: namespace, Thread: "below"}
		if _, err := r.CreateThread(t.Context(), below, operate.NewThread{Parent: &key.Thread}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// Every operation, asked for with each single scope, in namespaces of all kinds.
// Nothing that is asked for here changes what the others find.
func TestV1Scopes(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another: the race detector has nothing to find, and takes its time")
	}
	const own, shared, colleagues, foreign = "acme/user/me", "acme/shared/team", "acme/user/ann", "other/user/me"
	w := scopesServer(t, map[string]string{own: "acme", shared: "acme", colleagues: "acme", foreign: "other"})
	_, document, _ := strings.Cut(w.request(t, http.MethodGet, "/v1/openapi.json", "0123456789abcdef-nothing-own", ""), "\n{")
	operations := operationsOf(t, []byte("{"+document))
	for _, op := range operations {
		needs, known := scopesOf[op.id]
		if !known {
			t.Errorf("%s is not in the table: add it", op.id)
			continue
		}
		body := ""
		if op.method != http.MethodGet {
			body = bodies[op.method+" /v1"+op.path](w.theirs)
		}
		path := fill(t, "/v1"+op.path, w.theirs, "")
		ask := func(token, namespace string) string {
			at := path
			if namespace != "" {
				at += "?namespace=" + url.QueryEscape(namespace)
			}
			answer := w.request(t, op.method, at, "0123456789abcdef-"+token, body)
			switch {
			case strings.HasPrefix(answer, "403 "):
				return "forbidden"
			case strings.Contains(answer, `"code":"thread_not_found"`):
				return "nothing"
			case strings.HasPrefix(answer, "401 "), strings.HasPrefix(answer, "429 "), strings.HasPrefix(answer, "5"):
				t.Fatalf("%s: %s", op.id, answer)
			}
			return "served"
		}
		verdict := func(scope, needed, otherwise string) string {
			if slices.Contains(strings.Fields(needed), scope) {
				return "served"
			}
			return otherwise
		}
		check := func(token, namespace, want string) {
			if got := ask(token, namespace); got != want {
				t.Errorf("%s: %s in the namespace %q: %s, not %s", op.id, token, namespace, got, want)
			}
		}
		for _, scope := range []string{"nothing", identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover, identity.ScopeAdmin, identity.ScopeMetrics} {
			at := verdict(scope, needs.home, "forbidden")
			check(scope+"-own", "", at)
			if scope != "nothing" {
				check(scope+"-shared", "", at)
			}
			if needs.away == "" {
				continue
			}
			check(scope+"-own", own, at)
			for _, namespace := range []string{shared, colleagues} {
				check(scope+"-own", namespace, verdict(scope, needs.away, "nothing"))
			}
			check(scope+"-own", foreign, "nothing")
			if scope != "nothing" {
				check(scope+"-shared", shared, at)
				check(scope+"-shared", own, verdict(scope, needs.away, "nothing"))
			}
		}
	}
	for id := range scopesOf {
		if !slices.ContainsFunc(operations, func(op operation) bool { return op.id == id }) {
			t.Errorf("%s is in the table and is no operation", id)
		}
	}
}

// An admin lists the threads of any namespace of the tenant, and those of no other tenant.
func TestV1ThreadsOfANamespace(t *testing.T) {
	const mine, colleagues, foreign = "acme/user/me", "acme/user/ann", "other/user/me"
	w := scopesServer(t, map[string]string{mine: "acme", colleagues: "acme", foreign: "other"})
	ask := func(scope, query string) (status, body string) {
		answer := w.request(t, http.MethodGet, "/v1/threads?"+query, "0123456789abcdef-"+scope+"-own", "")
		status, _, _ = strings.Cut(answer, " ")
		_, body, _ = strings.Cut(answer, "\n{")
		return status, "{" + body
	}
	for _, scope := range []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover, identity.ScopeMetrics, identity.ScopeAdmin} {
		for namespace, holds := range map[string]bool{mine: true, colleagues: true, foreign: false, "acme/user/nobody": false} {
			want := "403"
			if scope == identity.ScopeAdmin && namespace != foreign || scope == identity.ScopeRead && namespace == mine {
				want = "200"
			}
			status, body := ask(scope, "namespace="+url.QueryEscape(namespace))
			if status != want || want == "200" && strings.Contains(body, `"threadId":"t"`) != holds || want == "200" && !holds && body != `{"items":[]}` {
				t.Errorf("%s lists %s: %s %s", scope, namespace, status, body)
			}
		}
	}
	for _, query := range []string{"status=waiting", "limit=1", "agent="} {
		if _, body := ask(identity.ScopeAdmin, query+"&namespace="+url.QueryEscape(colleagues)); !strings.Contains(body, `"threadId":"t"`) {
			t.Errorf("with %s: %s", query, body)
		}
	}
	if status, body := ask(identity.ScopeAdmin, "waiting=true&namespace="+url.QueryEscape(colleagues)); status != "400" {
		t.Errorf("waiting: %s %s", status, body)
	}
}

// What sums up a tenant tells nobody of another one, nor does what sums up a
// namespace.
func TestV1Aggregates(t *testing.T) {
	const mine, foreign = "acme/user/me", "other/user/me"
	for _, other := range []map[string]string{{}, {foreign: "other"}} {
		w := scopesServer(t, other)
		for path, want := range map[string]string{
			"/v1/dispatches/counts": `{"acked":0,"cancelled":0,"claimed":0,"dead_letter":0,"queued":0,"superseded":0}`,
			"/v1/dispatches":        `{"items":[]}`,
			"/v1/inbox":             `{"items":[]}`,
			"/v1/threads":           `{"items":[]}`,
		} {
			answer := w.request(t, http.MethodGet, path, "0123456789abcdef-admin-own", "")
			if _, got, _ := strings.Cut(answer, "\n{"); "{"+got != want {
				t.Errorf("with %d threads of another tenant %s answers %s", len(other), path, answer)
			}
		}
	}
	w := scopesServer(t, map[string]string{mine: "acme", foreign: "other", "acme/user/ann": "acme"})
	for path, want := range map[string]int{"/v1/inbox": 2, "/v1/threads": 1} {
		answer := w.request(t, http.MethodGet, path, "0123456789abcdef-admin-own", "")
		if got := strings.Count(answer, `"threadId":`); got != want {
			t.Errorf("%s lists %d threads, not %d: %s", path, got, want, answer)
		}
	}
	answer := w.request(t, http.MethodGet, "/v1/dispatches/counts", "0123456789abcdef-admin-own", "")
	if want := fmt.Sprintf(`"acked":%d`, 2); !strings.Contains(answer, want) {
		t.Errorf("two runs of the tenant have ended: %s", answer)
	}
}
