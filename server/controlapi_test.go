package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/metrics"
)

// v1Server is a real server whose every answer is held against the OpenAPI
// document that it serves.
type v1Server struct {
	t       *testing.T
	ts      *testServer
	token   string
	schemas map[string]*jsonschema.Schema // by operation id and status
	ops     []operation                   // of the document
	seen    map[string]bool
}

func newV1(t *testing.T) *v1Server {
	t.Helper()
	return newV1With(t, &Options{FrameBurst: 1000, InputBurst: 1000, RequestBurst: 10_000})
}

func newV1With(t *testing.T, opts *Options) *v1Server {
	t.Helper()
	agent := script.New(script.Options{})
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"script": agent}, Default: "script"})
	return newV1On(t, r, opts)
}

func newV1On(t *testing.T, r *runner.Runner, opts *Options) *v1Server {
	t.Helper()
	all := []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover, identity.ScopeAdmin}
	tokens := newTokens(t, []identity.Token{
		{Token: annsToken, Tenant: "acme", User: "ann"},
		{Token: "0123456789abcdef-operator", Tenant: "acme", User: "op", Scopes: all},
		{Token: "0123456789abcdef-root-of-all", Tenant: "acme", User: "root", Scopes: append(all[:4:4], identity.ScopeTenants)},
		{Token: "0123456789abcdef-elsewhere", Tenant: "other", User: "op", Scopes: all},
		{Token: "0123456789abcdef-reader", Tenant: "acme", User: "reader", Scopes: []string{identity.ScopeRead}},
		{Token: "0123456789abcdef-runner", Tenant: "acme", User: "ann", Scopes: []string{identity.ScopeRun}},
	})
	opts.Auth = tokens
	if r.HasAgent("script") {
		opts.Agents = []string{"script"}
	}
	ts := newTestServer(t, running(r), opts)
	v := &v1Server{t: t, ts: ts, token: annsToken, schemas: map[string]*jsonschema.Schema{}, seen: map[string]bool{}}
	v.compile()
	return v
}

// operation is one of the control API, as its document tells of it.
type operation struct {
	id, method, path string // path without /v1
	status           int    // of success
	takes, answers   bool   // a body
}

func operationsOf(t *testing.T, document []byte) []operation {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string          `json:"operationId"`
			RequestBody json.RawMessage `json:"requestBody"`
			Responses   map[string]struct {
				Content json.RawMessage `json:"content"`
			} `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	var list []operation
	for path, methods := range doc.Paths {
		for method, of := range methods {
			op := operation{id: of.OperationID, method: strings.ToUpper(method), path: strings.TrimPrefix(path, "/v1"), takes: of.RequestBody != nil}
			for status, answer := range of.Responses {
				if strings.HasPrefix(status, "2") && status != "206" {
					op.status, _ = strconv.Atoi(status)
					op.answers = bytes.Contains(answer.Content, []byte(`"application/json"`))
				}
			}
			list = append(list, op)
		}
	}
	slices.SortFunc(list, func(a, b operation) int { return strings.Compare(a.id, b.id) })
	return list
}

// compiledDocuments are the schemas of the documents that have been compiled, by their text.
var compiledDocuments sync.Map

// compile takes the operations and the schemas of all answers out of the document
// that is served.
func (v *v1Server) compile() {
	v.t.Helper()
	status, body, _ := v.send("GET", "/openapi.json", "", nil)
	if status != http.StatusOK {
		v.t.Fatalf("%d %s", status, body)
	}
	v.ops = operationsOf(v.t, body)
	if compiled, ok := compiledDocuments.Load(string(body)); ok {
		v.schemas = compiled.(map[string]*jsonschema.Schema)
		return
	}
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	if err := compiler.AddResource("mem:///openapi.json", bytes.NewReader(body)); err != nil {
		v.t.Fatal(err)
	}
	pointer := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	for _, op := range v.ops {
		base := "mem:///openapi.json#/paths/" + pointer.Replace("/v1"+op.path) + "/" + strings.ToLower(op.method)
		if op.answers {
			schema, err := compiler.Compile(base + "/responses/" + fmt.Sprint(op.status) + "/content/application~1json/schema")
			if err != nil {
				v.t.Fatal(err)
			}
			v.schemas[op.id] = schema
		}
		for _, refusal := range []string{"429", "503", "default"} {
			schema, err := compiler.Compile(base + "/responses/" + refusal + "/content/application~1problem+json/schema")
			if err != nil {
				v.t.Fatal(err)
			}
			v.schemas[op.id+" "+refusal] = schema
		}
		if op.takes {
			if _, err := compiler.Compile(base + "/requestBody/content/application~1json/schema"); err != nil {
				v.t.Fatal(err)
			}
		}
	}
	compiledDocuments.Store(string(body), v.schemas)
}

func (v *v1Server) as(token string) *v1Server {
	other := *v
	other.token = token
	return &other
}

func (v *v1Server) send(method, path, body string, header map[string]string) (int, []byte, http.Header) {
	v.t.Helper()
	r, err := http.NewRequest(method, v.ts.http.URL+"/v1"+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if v.token != "" {
		r.Header.Set("Authorization", "Bearer "+v.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return w.StatusCode, text, w.Header
}

// call sends a request for an operation and checks the answer against what the
// document says.
func (v *v1Server) call(id string, status int, path, body string) map[string]any {
	v.t.Helper()
	var op *operation
	for i := range v.ops {
		if v.ops[i].id == id {
			op = &v.ops[i]
		}
	}
	if op == nil {
		v.t.Fatalf("no operation %s", id)
	}
	got, text, header := v.send(op.method, path, body, nil)
	if got != status {
		v.t.Fatalf("%s %s: %d %s", id, path, got, text)
	}
	v.seen[id] = true
	if status == http.StatusNoContent {
		return nil
	}
	var answer any
	if err := json.Unmarshal(text, &answer); err != nil {
		v.t.Fatalf("%s: %v in %s", id, err, text)
	}
	if status != op.status {
		return v.refused(op, status, text, header)
	}
	if header.Get("Content-Type") != "application/json" {
		v.t.Errorf("%s: content type %q", id, header.Get("Content-Type"))
	}
	if err := v.schemas[id].Validate(answer); err != nil {
		v.t.Errorf("%s: %s is not what the document says: %#v", id, text, err)
	}
	return answer.(map[string]any)
}

// refused checks a refusal against what the document says of that status.
func (v *v1Server) refused(op *operation, status int, text []byte, header http.Header) map[string]any {
	v.t.Helper()
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil {
		v.t.Fatalf("%s: %v in %s", op.id, err, text)
	}
	if header.Get("Content-Type") != "application/problem+json" {
		v.t.Errorf("%s: content type %q", op.id, header.Get("Content-Type"))
	}
	schema := v.schemas[fmt.Sprint(op.id, " ", status)]
	if schema == nil {
		schema = v.schemas[op.id+" default"]
	}
	if err := schema.Validate(answer); err != nil {
		v.t.Errorf("%s: %s is not what the document says: %#v", op.id, text, err)
	}
	return answer
}

func (v *v1Server) fails(id string, status int, code, path, body string) map[string]any {
	v.t.Helper()
	answer := v.call(id, status, path, body)
	if answer["code"] != code {
		v.t.Errorf("%s: code %v, not %s: %v", id, answer["code"], code, answer["detail"])
	}
	return answer
}

func items(answer map[string]any) []map[string]any {
	var list []map[string]any
	for _, item := range answer["items"].([]any) {
		list = append(list, item.(map[string]any))
	}
	return list
}

// rests waits until the thread's run is over.
func (v *v1Server) rests(thread string) map[string]any {
	v.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		answer := v.call("getThread", 200, "/threads/"+thread, "")
		if answer["activeRun"] == nil && answer["queued"] == 0.0 {
			return answer
		}
		if time.Now().After(deadline) {
			v.t.Fatalf("never at rest: %v", answer)
		}
	}
}

func say(text string) string {
	return fmt.Sprintf(`{"text":%q}`, text)
}

func TestV1Operations(t *testing.T) {
	m := metrics.New()
	up := m.Upstream("far", "http://far/agui", func() (inFlight, waiting int) { return 2, 1 })
	up.Ended(metrics.UpstreamRequest{FirstEvent: 20 * time.Millisecond, Events: 3})
	up.Ended(metrics.UpstreamRequest{Code: "upstream_failed"})
	v := newV1With(t, &Options{FrameBurst: 1000, InputBurst: 1000, RequestBurst: 10_000, Metrics: m})
	op := v.as("0123456789abcdef-operator")
	if got := items(v.call("listThreads", 200, "/threads", "")); len(got) != 0 {
		t.Fatalf("threads %v", got)
	}
	v.fails("getThread", 404, "thread_not_found", "/threads/t1", "")
	if got := items(v.call("listThreads", 200, "/threads", "")); len(got) != 0 {
		t.Fatalf("looking for a thread made one: %v", got)
	}
	first := v.call("addInput", 202, "/threads/t1/input", `{"text":"/say hello","runId":"r1"}`)
	if first["disposition"] != "started" || first["runId"] != "r1" {
		t.Errorf("%v", first)
	}
	v.rests("t1")
	if again := v.call("addInput", 202, "/threads/t1/input", `{"text":"/say hello","runId":"r1"}`); again["disposition"] != "repeat" || again["id"] != first["id"] {
		t.Errorf("%v", again)
	}
	v.call("renameThread", 200, "/threads/t1", `{"title":"A greeting"}`)
	thread := v.call("getThread", 200, "/threads/t1", "")
	if thread["title"] != "A greeting" || len(thread["messages"].([]any)) != 2 {
		t.Errorf("%v", thread)
	}
	if got := items(v.call("listMessages", 200, "/threads/t1/messages", "")); got[1]["content"] != "hello" {
		t.Errorf("%v", got)
	}
	last := v.call("listMessages", 200, "/threads/t1/messages?limit=1", "")
	if got := items(last); len(got) != 1 || got[0]["content"] != "hello" || last["older"] != 1.0 {
		t.Errorf("the last message is %v", last)
	}
	if by := last["producers"]; fmt.Sprint(by) != fmt.Sprintf("map[%v:map[runId:r1]]", items(last)[0]["id"]) {
		t.Errorf("the last message comes from %v", by)
	}
	older := v.call("listMessages", 200, "/threads/t1/messages?limit=1&before="+last["before"].(string), "")
	if got := items(older); len(got) != 1 || got[0]["content"] != "/say hello" || older["older"] != nil || older["before"] != nil || fmt.Sprint(older["producers"]) != fmt.Sprintf("map[%v:map[runId:r1]]", got[0]["id"]) {
		t.Errorf("before it is %v", older)
	}
	v.fails("listMessages", 400, "invalid_input", "/threads/t1/messages?before=x", "")
	v.fails("listMessages", 404, "thread_not_found", "/threads/t9/messages?limit=1", "")
	runs := items(v.call("listRuns", 200, "/threads/t1/runs?state=acked,queued&limit=5&offset=0", ""))
	if len(runs) != 1 || runs[0]["runId"] != "r1" || runs[0]["state"] != "acked" || runs[0]["outcome"].(map[string]any)["type"] != "RUN_FINISHED" {
		t.Fatalf("%v", runs)
	}
	id := runs[0]["id"].(string)
	v.call("getRun", 200, "/threads/t1/runs/"+id, "")
	if found := items(v.call("findRuns", 200, "/runs?thread=t1", "")); len(found) != 1 || found[0]["id"] != id {
		t.Errorf("%v", found)
	}
	if v.call("cancelRun", 200, "/threads/t1/runs/"+id+"/cancel", `{}`)["stopped"] != false {
		t.Error("stopped a run that had ended")
	}
	// A rewind leaves what was before it.
	user := thread["messages"].([]any)[0].(map[string]any)["id"].(string)
	v.call("addInput", 202, "/threads/t1/input", fmt.Sprintf(`{"text":"/say instead","after":%q}`, user))
	if got := v.rests("t1")["messages"].([]any); len(got) != 3 || got[2].(map[string]any)["content"] != "instead" {
		t.Errorf("%v", got)
	}
	branches := items(v.call("listBranches", 200, "/threads/t1/branches", ""))
	if len(branches) != 1 || branches[0]["after"] != user || branches[0]["messages"] != 1.0 || branches[0]["kept"] != true {
		t.Fatalf("%v", branches)
	}
	restore := "/threads/t1/branches/" + branches[0]["id"].(string) + "/restore"
	v.call("restoreBranch", 202, restore, `{}`)
	if got := v.rests("t1")["messages"].([]any); len(got) != 2 || got[1].(map[string]any)["content"] != "hello" {
		t.Errorf("%v", got)
	}
	v.fails("restoreBranch", 409, "branch_gone", restore, `{}`)
	v.fails("listBranches", 404, "thread_not_found", "/threads/t9/branches", "")
	v.fails("restoreBranch", 404, "thread_not_found", "/threads/t9/branches/x/restore", `{}`)
	v.call("addInput", 202, "/threads/t1/input", fmt.Sprintf(`{"text":"/say first","before":%q}`, user))
	if got := v.rests("t1")["messages"].([]any); len(got) != 2 || got[1].(map[string]any)["content"] != "first" {
		t.Errorf("%v", got)
	}

	// A thread of which all is stopped, its inbox, drafts and answers.
	v.call("addInput", 202, "/threads/t2/input", say("/parallel 3"))
	asked := v.rests("t2")["interrupts"].([]any)
	if len(asked) < 1 {
		t.Fatalf("no question: %v", asked)
	}
	inbox := items(op.call("listInbox", 200, "/inbox", ""))
	if len(inbox) != 1 || inbox[0]["threadId"] != "t2" || inbox[0]["user"] != "ann" {
		t.Fatalf("%v", inbox)
	}
	theirs := "?namespace=" + url.QueryEscape(inbox[0]["namespace"].(string))
	if got := items(op.call("listInterrupts", 200, "/threads/t2/interrupts"+theirs, "")); len(got) != 1 {
		t.Fatalf("%v", got)
	}
	v.looks(op, "/threads/t2/interrupts/review", theirs)
	of := "/threads/t2/interrupts/" + asked[0].(map[string]any)["id"].(string) + "/messages" + theirs
	if led := items(op.call("listInterruptMessages", 200, of, "")); len(led) == 0 || led[len(led)-1]["role"] != "user" {
		t.Errorf("%v", led)
	}
	var entries []string
	for _, a := range asked {
		draft := "/threads/t2/interrupts/" + a.(map[string]any)["id"].(string) + "/draft" + theirs
		op.fails("keepDraft", 400, "invalid_input", draft, `{"status":"perhaps"}`)
		op.call("keepDraft", 204, draft, `{"status":"cancelled"}`)
	}
	for _, one := range items(op.call("listInterrupts", 200, "/threads/t2/interrupts"+theirs, ""))[0]["interrupts"].([]any) {
		one := one.(map[string]any)
		if one["draft"] == nil {
			t.Errorf("no draft of %v", one)
		}
		op.call("dropDraft", 204, "/threads/t2/interrupts/"+one["id"].(string)+"/draft"+theirs, "")
	}
	for i, a := range asked {
		id := a.(map[string]any)["id"].(string)
		entries = append(entries, fmt.Sprintf(`{"interruptId":%q,"status":"cancelled"}`, id))
		resolved := op.call("resolveInterrupts", 200, "/threads/t2/interrupts/resolve"+theirs, fmt.Sprintf(`{"entries":[%s]}`, entries[i]))
		if last := i == len(asked)-1; last != (resolved["admitted"] != nil) || last != (len(resolved["missing"].([]any)) == 0) {
			t.Fatalf("after %d of %d: %v", i+1, len(asked), resolved)
		}
		if i == 0 && len(asked) > 1 {
			op.call("dropDraft", 204, "/threads/t2/interrupts/"+id+"/draft"+theirs, "")
			op.call("resolveInterrupts", 200, "/threads/t2/interrupts/resolve"+theirs, fmt.Sprintf(`{"entries":[%s]}`, entries[i]))
		}
	}
	v.rests("t2")
	if got := op.call("countInbox", 200, "/inbox/totals", ""); got["total"] != 0.0 {
		t.Errorf("%v", got)
	}
	again := items(op.call("resolveInbox", 200, "/inbox/resolve", fmt.Sprintf(`{"idempotencyKey":"k","items":[{"threadId":"t2","namespace":%q,"entries":[%s]}]}`,
		inbox[0]["namespace"], strings.Join(entries, ","))))
	if again[0]["error"] != nil || again[0]["resolved"].(map[string]any)["admitted"].(map[string]any)["disposition"] != "repeat" {
		t.Errorf("%v", again)
	}
	v.fails("keepDraft", 404, "interrupt_not_found", "/threads/t2/interrupts/x/draft", `{"status":"cancelled"}`)
	v.fails("dropDraft", 404, "interrupt_not_found", "/threads/t2/interrupts/x/draft", "")
	op.fails("listInterruptMessages", 404, "interrupt_not_found", of, "")

	// Operators.
	if got := op.call("pauseThread", 200, "/threads/t2/pause"+theirs, `{}`); got["paused"] != false {
		t.Errorf("%v", got)
	}
	v.call("pauseThread", 200, "/threads/t1/pause", `{"reason":"review","text":"mine","timeoutMs":60000,"onTimeout":"cancel"}`)
	for _, wrong := range []string{`{"reason":"because"}`, `{"timeoutMs":-1}`, `{"timeoutMs":1000,"onTimeout":"fail"}`, `{"why":1}`} {
		v.fails("pauseThread", 400, "invalid_input", "/threads/t1/pause", wrong)
	}
	if got := op.call("unpauseThread", 200, "/threads/t2/unpause"+theirs, ""); got["resumed"] != false {
		t.Errorf("%v", got)
	}
	if got := v.call("interruptThread", 200, "/threads/t2/interrupt", `{"reason":"enough"}`); got["epoch"] != 1.0 {
		t.Errorf("%v", got)
	}
	counts := op.call("countDispatches", 200, "/dispatches/counts", "")
	if counts["acked"] != 6.0 || counts["queued"] != 0.0 {
		t.Errorf("%v", counts)
	}
	for state, n := range v.as("0123456789abcdef-elsewhere").call("countDispatches", 200, "/dispatches/counts", "") {
		if n != 0.0 {
			t.Errorf("an administrator of another tenant counts %v %s", n, state)
		}
	}
	if got := v.call("getMe", 200, "/me", ""); got["user"] == "" || got["tenant"] == "" || got["namespace"] != inbox[0]["namespace"] || got["scopes"] == nil {
		t.Errorf("who asks is %v", got)
	}
	if got := items(v.call("listAgents", 200, "/agents", "")); len(got) != 1 || got[0]["name"] != "script" {
		t.Errorf("the agents are %v", got)
	}
	if got := op.call("getQuotas", 200, "/quotas", ""); fmt.Sprint(got["runs"], got["tenantRuns"]) != "map[limit:50 used:0] map[limit:10000 used:0]" {
		t.Errorf("%v", got)
	}
	if got := v.call("getQuotas", 200, "/quotas", ""); got["tenantRuns"] != nil || fmt.Sprint(got["threads"]) != "map[limit:10000 used:2]" {
		t.Errorf("%v", got)
	}
	if got := items(op.call("listDispatches", 200, "/dispatches?state=dead_letter", "")); len(got) != 0 {
		t.Errorf("%v", got)
	}
	op.fails("requeueRun", 409, "dispatch_gone", "/threads/t1/runs/"+id+"/requeue"+theirs, "")
	if got := op.call("purgeRuns", 200, "/threads/t2/runs/purge"+theirs, `{"olderThan":"24h"}`); got["purged"] != 0.0 {
		t.Errorf("%v", got)
	}
	v.call("deleteThread", 204, "/threads/t1", "")
	v.fails("getThread", 404, "thread_not_found", "/threads/t1", "")

	v.call("listNotices", 200, "/notices", "")
	for id, path := range map[string]string{"listDecisions": "/decisions", "listThreadDecisions": "/threads/t2/decisions"} {
		got := items(v.call(id, 200, path, ""))
		if len(got) != 3 || fmt.Sprintln(got[0]["status"], got[0]["user"], got[0]["through"]) != "cancelled op inbox\n" {
			t.Errorf("%s: %v", id, got)
		}
	}
	v.fails("forgetDecisions", 403, "forbidden", "/threads/t2/decisions", "")
	op.call("forgetDecisions", 204, "/threads/t2/decisions"+theirs, "")
	if got := items(v.call("listThreadDecisions", 200, "/threads/t2/decisions", "")); len(got) != 0 {
		t.Errorf("%v", got)
	}
	root := v.as("0123456789abcdef-root-of-all")
	if got := fmt.Sprint(items(root.call("listWork", 200, "/work", ""))); got != "[map[agent:script lag:0 oldestMs:0 pending:0 waiting:0]]" {
		t.Errorf("%v", got)
	}
	op.fails("listWork", 403, "forbidden", "/work", "")
	if got := fmt.Sprint(items(root.call("listUpstreams", 200, "/upstreams", ""))); !strings.Contains(got, "failed:1") || !strings.Contains(got, "code:upstream_failed") {
		t.Errorf("%v", got)
	}
	op.fails("listUpstreams", 403, "forbidden", "/upstreams", "")
	if got := items(root.call("listNodes", 200, "/nodes", "")); len(got) != 1 || got[0]["self"] != true || got[0]["state"] != "serving" || fmt.Sprint(got[0]["agents"]) != "[script]" {
		t.Errorf("%v", got)
	}
	op.fails("listNodes", 403, "forbidden", "/nodes", "")
	if got := root.call("getStore", 200, "/store", ""); got["available"] != true {
		t.Errorf("%v", got)
	}
	op.fails("getStore", 403, "forbidden", "/store", "")
	if got := items(op.call("listWebhooks", 200, "/webhooks", "")); len(got) != 0 {
		t.Errorf("%v", got)
	}
	for id, path := range map[string]string{"listDeadWebhooks": "/webhooks/none/dead", "resendWebhook": "/webhooks/none/dead/1-1-1/resend", "enableWebhooks": "/webhooks/none/enable"} {
		op.fails(id, 404, "webhook_not_found", path, "")
	}

	op.fails("sendEvent", 404, "event_not_found", "/events/none", `{}`)
	op.fails("getPayload", 400, "invalid_input", "/payloads/none", "")
	triesTrees(v)
	for _, each := range v.ops {
		if !v.seen[each.id] {
			t.Errorf("the operation %s was not tried", each.id)
		}
	}
}

// looks has Ann and an operator look at the question that waits: each is told of the other, and
// nobody of himself.
func (v *v1Server) looks(op *v1Server, path, theirs string) {
	v.t.Helper()
	expect := func(what string, answer map[string]any, want string) {
		v.t.Helper()
		if got := fmt.Sprint(answer["reviewers"]); got != want {
			v.t.Errorf("%s: %s look, and not %s", what, got, want)
		}
	}
	listed := func(by *v1Server) map[string]any { return items(by.call("listInbox", 200, "/inbox", ""))[0] }
	expect("the first", v.call("reviewInterrupts", 200, path, ""), "[]")
	expect("the second", op.call("reviewInterrupts", 200, path+theirs, ""), "[ann]")
	expect("the first, again", v.call("reviewInterrupts", 200, path, ""), "[op]")
	expect("the first's inbox", listed(v), "[op]")
	expect("the second's inbox", listed(op), "[ann]")
	v.call("leaveInterrupts", 204, path, "")
	expect("the second's inbox, afterwards", listed(op), "<nil>")
	assignment := strings.TrimSuffix(path, "review") + "assignment"
	assigned := func(what, want string) {
		v.t.Helper()
		for _, by := range []*v1Server{v, op} {
			if got := fmt.Sprint(listed(by)["assignee"]); got != want {
				v.t.Errorf("%s: assigned to %s, and not to %s", what, got, want)
			}
		}
	}
	v.call("assignInterrupts", 204, assignment, "")
	assigned("taken", "ann")
	op.call("assignInterrupts", 204, assignment+theirs, "")
	assigned("taken over", "op")
	v.call("releaseInterrupts", 204, assignment, "")
	assigned("released by another", "op")
	op.call("releaseInterrupts", 204, assignment+theirs, "")
	assigned("released", "<nil>")
	v.fails("assignInterrupts", 404, "interrupt_not_found", "/threads/t1/interrupts/assignment", "")
	v.call("releaseInterrupts", 204, "/threads/t1/interrupts/assignment", "")
	v.fails("assignInterrupts", 404, "thread_not_found", "/threads/t9/interrupts/assignment", "")
	v.fails("reviewInterrupts", 404, "interrupt_not_found", "/threads/t1/interrupts/review", "")
	v.call("leaveInterrupts", 204, "/threads/t1/interrupts/review", "")
	v.fails("reviewInterrupts", 404, "thread_not_found", "/threads/t9/interrupts/review", "")
}

func TestV1Refusals(t *testing.T) {
	v := newV1(t)
	v.call("addInput", 202, "/threads/t/input", say("/confirm sure?"))
	open := v.rests("t")["interrupts"].([]any)[0].(map[string]any)["id"].(string)
	entry := func(id, status, payload string) string {
		return fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":%q,"payload":%s}]}`, id, status, payload)
	}
	decision := fmt.Sprintf(`{"interruptId":%q,"status":"cancelled"}`, open)
	with := func(member string) string { return strings.TrimSuffix(decision, "}") + "," + member + "}" }
	for _, tt := range []struct {
		op     string
		status int
		code   string
		path   string
		body   string
	}{
		{"addInput", 409, "interrupts_pending", "/threads/t/input", say("hi")},
		{"addInput", 400, "invalid_input", "/threads/t/input", `{"text":""}`},
		{"addInput", 400, "invalid_input", "/threads/t/input", `{"text":"x","txet":1}`},
		{"addInput", 400, "invalid_input", "/threads/t/input", `{"text":"x"} {}`},
		{"addInput", 400, "invalid_input", "/threads/t/input", `{"text":"x","agent":"nobody"}`},
		{"addInput", 400, "invalid_input", "/threads/t/input", `{"text":"x","priority":256}`},
		{"addInput", 400, "invalid_input", "/threads/t/input", `{"text":"x","after":"m","before":"m"}`},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", `{"entries":[],"entries":[` + decision + `]}`},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", `{"Entries":[` + decision + `]}`},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", `{"entries":[` + with(`"status":"resolved"`) + `]}`},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", `{"entries":[` + with(`"Status":"resolved"`) + `]}`},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", `{"entries":[` + with(`"interruptid":"x"`) + `]}`},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", `{"entries":[` + with(`"metadata":{}`) + `]}`},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", `{"entries":[` + with(`"payload":{"approved":false,"approved":true}`) + `]}`},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", `{"entries":[` + with(`"payload":[[{"a":1,"\u0061":2}]]`) + `]}`},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", `{"entries":{}}`},
		{"resolveInterrupts", 404, "interrupt_unknown", "/threads/t/interrupts/resolve", entry("nobody", "cancelled", "null")},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", entry(open, "maybe", "null")},
		{"resolveInterrupts", 400, "invalid_input", "/threads/t/interrupts/resolve", `{"entries":[]}`},
		{"listThreads", 400, "invalid_input", "/threads?limit=201", ""},
		{"listThreads", 400, "invalid_input", "/threads?limit=-1", ""},
		{"listThreads", 400, "invalid_input", "/threads?cursor=nonsense", ""},
		{"listInbox", 400, "invalid_input", "/inbox?limit=201", ""},
		{"listInbox", 400, "invalid_input", "/inbox?limit=-1", ""},
		{"listInbox", 400, "invalid_input", "/inbox?state=lost", ""},
		{"listMessages", 400, "invalid_input", "/threads/t/messages?limit=-1", ""},
		{"listRuns", 400, "invalid_input", "/threads/t/runs?offset=-1", ""},
		{"listThreads", 400, "invalid_input", "/threads?limti=1", ""},
		{"listRuns", 400, "invalid_input", "/threads/t/runs?state=lost", ""},
		{"getRun", 404, "run_not_found", "/threads/t/runs/nobody", ""},
		{"cancelRun", 404, "run_not_found", "/threads/t/runs/nobody/cancel", `{}`},
		{"renameThread", 404, "thread_not_found", "/threads/nobody", `{"title":"x"}`},
		{"listDispatches", 403, "forbidden", "/dispatches", ""},
		{"requeueRun", 403, "forbidden", "/threads/t/runs/x/requeue", ""},
		{"getThread", 404, "thread_not_found", "/threads/t?namespace=somebody", ""},
	} {
		v.fails(tt.op, tt.status, tt.code, tt.path, tt.body)
	}
	reader := v.as("0123456789abcdef-reader")
	reader.fails("addInput", 403, "forbidden", "/threads/t/input", say("hi"))
	nobody := v.as("")
	nobody.fails("getThread", 401, "unauthenticated", "/threads/t", "")
	if status, _, _ := nobody.send("GET", "/openapi.json", "", nil); status != 401 {
		t.Errorf("the document is told to nobody in particular: %d", status)
	}
	if got := v.rests("t")["interrupts"].([]any); len(got) != 1 {
		t.Errorf("a refusal changed something: %v", got)
	}
}

// What another tenant's operator asks about does not exist.
func TestV1OtherTenant(t *testing.T) {
	v := newV1(t)
	v.call("addInput", 202, "/threads/t/input", say("/confirm sure?"))
	open := v.rests("t")["interrupts"].([]any)[0].(map[string]any)["id"].(string)
	op, foreign := v.as("0123456789abcdef-operator"), v.as("0123456789abcdef-elsewhere")
	namespace := items(op.call("listInbox", 200, "/inbox", ""))[0]["namespace"].(string)
	if got := items(foreign.call("listInbox", 200, "/inbox", "")); len(got) != 0 {
		t.Errorf("inbox of another tenant: %v", got)
	}
	for _, ns := range []string{namespace, "no such namespace"} {
		at := "?namespace=" + url.QueryEscape(ns)
		foreign.fails("getThread", 404, "thread_not_found", "/threads/t"+at, "")
		foreign.fails("listInterrupts", 404, "thread_not_found", "/threads/t/interrupts"+at, "")
		foreign.fails("resolveInterrupts", 404, "thread_not_found", "/threads/t/interrupts/resolve"+at,
			fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"cancelled"}]}`, open))
		foreign.fails("interruptThread", 404, "thread_not_found", "/threads/t/interrupt"+at, `{}`)
		foreign.fails("deleteThread", 404, "thread_not_found", "/threads/t"+at, "")
	}
	if got := v.rests("t")["interrupts"].([]any); len(got) != 1 {
		t.Errorf("another tenant changed something: %v", got)
	}
}

func TestV1AnswersAreTagged(t *testing.T) {
	v := newV1(t)
	_, _, header := v.send("GET", "/threads", "", nil)
	tag := header.Get("ETag")
	if status, body, _ := v.send("GET", "/threads", "", map[string]string{"If-None-Match": tag}); status != http.StatusNotModified || len(body) > 0 {
		t.Errorf("%d %s", status, body)
	}
	v.call("addInput", 202, "/threads/t/input", say("/say x"))
	if status, _, _ := v.send("GET", "/threads", "", map[string]string{"If-None-Match": tag}); status != http.StatusOK {
		t.Errorf("%d", status)
	}
}

// Who answers for nobody else has an inbox, of the own threads.
func TestV1OwnInbox(t *testing.T) {
	v := newV1(t)
	v.call("addInput", 202, "/threads/t/input", say("/confirm sure?"))
	v.call("addInput", 202, "/threads/quiet/input", say("/say hi"))
	v.rests("t")
	v.rests("quiet")
	const question = `/inbox?reason=confirmation`
	for _, path := range []string{"/inbox", question} {
		got := items(v.call("listInbox", 200, path, ""))
		if len(got) != 1 || got[0]["threadId"] != "t" || len(got[0]["interrupts"].([]any)) != 1 {
			t.Fatalf("%s: %v", path, got)
		}
	}
	if got := items(v.call("listInbox", 200, "/inbox?reason=tool_call", "")); len(got) != 0 {
		t.Errorf("of another reason: %v", got)
	}
	seen, cursor := 0, ""
	for {
		page := v.call("listInbox", 200, "/inbox?limit=1"+cursor, "")
		seen += len(items(page))
		if page["next"] == nil {
			break
		}
		cursor = "&cursor=" + url.QueryEscape(page["next"].(string))
	}
	if seen != 1 {
		t.Errorf("%d over all pages", seen)
	}
	if got := items(v.as("0123456789abcdef-reader").call("listInbox", 200, "/inbox", "")); len(got) != 0 {
		t.Errorf("somebody else's: %v", got)
	}
	id := items(v.call("listInbox", 200, question, ""))[0]["interrupts"].([]any)[0].(map[string]any)["id"].(string)
	v.call("resolveInterrupts", 200, "/threads/t/interrupts/resolve", fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"cancelled"}]}`, id))
	v.rests("t")
	if got := items(v.call("listInbox", 200, "/inbox", "")); len(got) != 0 {
		t.Errorf("answered: %v", got)
	}
}

// An input that nobody named is answered with the name that was made for it, under
// which it can be sent again.
func TestV1InputWithoutAName(t *testing.T) {
	v := newV1(t)
	first := v.call("addInput", 202, "/threads/t/input", say("/say hello"))
	name, _ := first["runId"].(string)
	if name == "" {
		t.Fatalf("%v", first)
	}
	v.rests("t")
	again := v.call("addInput", 202, "/threads/t/input", fmt.Sprintf(`{"text":"/say hello","runId":%q}`, name))
	if again["disposition"] != "repeat" || again["id"] != first["id"] || again["runId"] != name {
		t.Errorf("%v is no repeat of %v", again, first)
	}
}
