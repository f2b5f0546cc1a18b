package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
)

// threadsIn are the threads on all pages of an inbox.
func (v *v1Server) threadsIn(query string) string {
	v.t.Helper()
	var ids []string
	for cursor := ""; ; {
		page := v.call("listInbox", 200, "/inbox?"+query+cursor, "")
		for _, item := range items(page) {
			ids = append(ids, item["threadId"].(string))
		}
		next, _ := page["next"].(string)
		if next == "" {
			return strings.Join(ids, " ")
		}
		cursor = "&cursor=" + url.QueryEscape(next)
	}
}

// asked lets the server's user ask something on a thread, and returns the open interrupt.
func (v *v1Server) asked(thread, text string) map[string]any {
	v.t.Helper()
	v.call("addInput", 202, "/threads/"+thread+"/input", fmt.Sprintf(`{"text":%q,"runId":"run-%s"}`, text, thread))
	open := v.rests(thread)["interrupts"].([]any)
	if len(open) == 0 {
		v.t.Fatalf("nothing is open on %s", thread)
	}
	return open[0].(map[string]any)
}

func TestV1InboxFilters(t *testing.T) {
	v := newV1(t)
	op := v.as("0123456789abcdef-operator")
	start := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	v.asked("sure", "/confirm sure?")
	v.asked("tool", `/tool send_email {"to":"x"}`)
	op.asked("ops", "/confirm mine?")
	op.asked("old", "/expire 1800")
	for query, want := range map[string]string{
		"":                          "sure tool ops old",
		"limit=1":                   "sure tool ops old",
		"state=open&limit=1":        "sure tool ops old",
		"user=ann":                  "sure tool",
		"user=ann&limit=1":          "sure tool",
		"user=op":                   "ops old",
		"user=nobody":               "",
		"reason=tool_call":          "tool",
		"user=ann&reason=tool_call": "tool",
		"tool=send_email":           "tool",
		"tool=send_email&limit=1":   "tool",
		"tool=other":                "",
		"runId=run-ops":             "ops",
		"runId=run-ops&limit=1":     "ops",
		"agent=other":               "",
		"askedAfter=" + start:       "sure tool ops old",
		"askedAfter=" + later:       "",
		"askedBefore=" + start:      "",
		"askedBefore=" + later:      "sure tool ops old",
		"deadlineBefore=" + later:   "old",
		"deadlineBefore=" + start:   "",
		"thread=ops":                "ops",
		"thread=sure":               "",
		"thread=sure&namespace=" + url.QueryEscape("acme/user/ann"):                  "sure",
		"thread=sure&namespace=" + url.QueryEscape("acme/user/ann") + "&reason=none": "",
	} {
		if got := op.threadsIn(query); got != want {
			t.Errorf("an operator with %q: %q, not %q", query, got, want)
		}
	}
	for query, want := range map[string]string{"": "sure tool", "reason=tool_call": "tool", "reason=tool_call&limit=1": "tool", "thread=sure": "sure", "user=op": "", "user=ann&limit=1": "sure tool"} {
		if got := v.threadsIn(query); got != want {
			t.Errorf("ann with %q: %q, not %q", query, got, want)
		}
	}
	for _, query := range []string{"askedAfter=yesterday", "deadlineBefore=1", "limit=201", "tenants=some", "thread=x&user=ann", "thread=x&agent=a", "namespace=acme%2Fuser%2Fann", "state=closed", "cursor=x"} {
		op.fails("listInbox", 400, "invalid_input", "/inbox?"+query, "")
	}
	op.fails("listInbox", 403, "forbidden", "/inbox?tenants=all", "")
}

func TestV1InboxTotals(t *testing.T) {
	v := newV1(t)
	op := v.as("0123456789abcdef-operator")
	v.asked("a", "/confirm sure?")
	v.asked("b", `/tool send_email {"to":"x"}`)
	op.asked("c", "/confirm mine?")
	for _, tt := range []struct {
		as          *v1Server
		query, want string
	}{
		{op, "", `{"reasons":{"confirmation":2,"tool_call":1},"total":3}`},
		{op, "?reason=confirmation&reason=acme:x", `{"reasons":{"confirmation":2,"tool_call":1},"total":3}`},
		{v, "", `{"total":2}`},
		{v.as("0123456789abcdef-elsewhere"), "", `{"total":0}`},
		{v.as("0123456789abcdef-reader"), "", `{"total":0}`},
	} {
		totals := tt.as.call("countInbox", 200, "/inbox/totals"+tt.query, "")
		delete(totals, "until") // which TestV1InboxTotalsAgreeWithTheList has
		text, _ := json.Marshal(totals)
		if string(text) != tt.want {
			t.Errorf("%s: %s, not %s", tt.query, text, tt.want)
		}
	}
	op.fails("countInbox", 400, "invalid_input", "/inbox/totals?"+strings.Repeat("reason=x&", 17), "")
	op.fails("countInbox", 403, "forbidden", "/inbox/totals?tenants=all", "")
}

// What the totals count is what the list has that can still be answered.
func TestV1InboxTotalsAgreeWithTheList(t *testing.T) {
	v := newV1(t)
	v.asked("sure", "/confirm sure?")
	v.asked("soon", "/expire 1800")
	v.asked("over", "/expire 0")
	waiting, expired := 0.0, 0.0
	var until any
	for _, item := range items(v.call("listInbox", 200, "/inbox", "")) {
		at, expires := item["expiresAt"].(string)
		if !expires {
			waiting++
		} else if over, err := time.Parse(time.RFC3339, at); err == nil && over.Before(time.Now()) {
			expired++
		} else {
			waiting++
			until = at
		}
	}
	got := v.call("countInbox", 200, "/inbox/totals", "")
	if got["total"] != waiting || got["expired"] != expired || got["until"] != until || waiting != 2 || expired != 1 {
		t.Errorf("%v; the list has %v, %v that expired, and the next does %v", got, waiting, expired, until)
	}
}

// Who has the scope for it sees what waits in all tenants, and is told whose it is.
func TestV1ThreadsThatWait(t *testing.T) {
	v := newV1(t)
	op := v.as("0123456789abcdef-operator")
	v.asked("first", "/confirm sure?")
	v.asked("second", "/form")
	op.asked("ops", "/confirm mine?")
	v.call("addInput", 202, "/threads/idle/input", say("/say idle"))
	v.rests("idle")
	waiting := func(v *v1Server, query string) (ids []string, next string) {
		page := v.call("listThreads", 200, "/threads?waiting=true"+query, "")
		for _, item := range items(page) {
			if item["waiting"] != true || item["title"] == "" || item["updatedAt"] == "" {
				t.Errorf("%v", item)
			}
			ids = append(ids, item["threadId"].(string))
		}
		next, _ = page["next"].(string)
		return ids, next
	}
	if ids, _ := waiting(v, ""); fmt.Sprint(ids) != "[first second]" {
		t.Errorf("ann's %v", ids)
	}
	if ids, _ := waiting(op, ""); fmt.Sprint(ids) != "[ops]" {
		t.Errorf("an approver's own %v", ids)
	}
	ids, next := waiting(v, "&limit=1")
	rest, _ := waiting(v, "&limit=1&cursor="+url.QueryEscape(next))
	if fmt.Sprint(ids, rest) != "[first] [second]" {
		t.Errorf("pages %v %v", ids, rest)
	}
	v.fails("listThreads", 400, "invalid_input", "/threads?waiting=yes", "")
}

func TestV1InboxOfAllTenants(t *testing.T) {
	v := newV1(t)
	root := v.as("0123456789abcdef-root-of-all")
	v.asked("a", "/confirm sure?")
	v.as("0123456789abcdef-elsewhere").asked("b", "/confirm mine?")
	var got []string
	for _, item := range items(root.call("listInbox", 200, "/inbox?tenants=all&limit=1", "")) {
		got = append(got, fmt.Sprint(item["tenant"], " ", item["threadId"]))
	}
	if fmt.Sprint(got) != "[acme a]" || root.threadsIn("tenants=all&limit=1") != "a b" {
		t.Errorf("%v, then %s", got, root.threadsIn("tenants=all&limit=1"))
	}
	if n := root.call("countInbox", 200, "/inbox/totals?tenants=all", "")["total"]; n != 2.0 {
		t.Errorf("%v", n)
	}
	root.fails("listInbox", 400, "invalid_input", "/inbox?tenants=all&user=ann", "")
}

// A page stays small whatever an argument weighs; the rest can be had.
func TestV1InboxIsASummary(t *testing.T) {
	large := strings.Repeat("ä", 200_000)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		args, err := json.Marshal(map[string]string{"text": large})
		if err != nil {
			return err
		}
		_, err = adapter.CallTools(ctx, run, adapter.ToolCall{ID: "call", Name: "publish", Args: args, Message: large, Destructive: true})
		return err
	})
	many := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		list := make([]protocol.Interrupt, 100)
		for i := range list {
			list[i] = protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: strings.Repeat("x", 2000)}
		}
		_, err := run.Ask(ctx, list...)
		return err
	})
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": agent, "script": many}})
	v := newV1On(t, r, &Options{})
	v.asked("large", "go")
	v.call("addInput", 202, "/threads/many/input", `{"text":"go","agent":"script"}`)
	v.rests("many")
	status, body, _ := v.send(http.MethodGet, "/inbox", "", nil)
	if status != 200 || len(body) > 30_000 {
		t.Fatalf("%d with %d bytes", status, len(body))
	}
	page := items(v.call("listInbox", 200, "/inbox", ""))
	one := page[0]["interrupts"].([]any)[0].(map[string]any)
	call := one["toolCall"].(map[string]any)
	if one["truncated"] != true || call["name"] != "publish" || call["size"] != 400_011.0 || len(call["digest"].(string)) != 64 ||
		!strings.HasPrefix(call["arguments"].(string), `{"text":"ä`) || one["interrupt"].(map[string]any)["reason"] != "tool_call" ||
		one["interrupt"].(map[string]any)["metadata"].(map[string]any)["destructive"] != true {
		t.Errorf("%.2000v", one)
	}
	if n := len(page[1]["interrupts"].([]any)); n == 0 || n == 100 || page[1]["omitted"] != float64(100-n) {
		t.Errorf("%d interrupts, %v are left out", n, page[1]["omitted"])
	}
	whole := items(v.call("listInterrupts", 200, "/threads/large/interrupts", ""))[0]["interrupts"].([]any)[0].(map[string]any)
	if whole["truncated"] != nil || len(whole["toolCall"].(map[string]any)["arguments"].(string)) != 400_011 {
		t.Error("the whole is not whole")
	}
	if whole = items(v.call("listInterrupts", 200, "/threads/many/interrupts", ""))[0]; len(whole["interrupts"].([]any)) != 100 {
		t.Error("some are missing")
	}
}

// countedAgent asks once on each thread, and counts what goes on.
func countedAgent(went *sync.Map) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		yes, err := run.Confirm(ctx, "sure?")
		if err != nil || !yes {
			return err
		}
		_, err = adapter.Step(ctx, run, "effect", func(context.Context) (int, error) {
			n, _ := went.LoadOrStore(run.Input().ThreadID, new(atomic.Int32))
			n.(*atomic.Int32).Add(1)
			return 0, nil
		})
		return err
	})
}

// Answers to many threads are each accepted or refused for themselves, and done once
// however often and from how many sides the request comes.
func TestV1InboxResolve(t *testing.T) {
	var went sync.Map
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": countedAgent(&went), "script": script.New(script.Options{})},
		MaxInputs: 1000, InputBurst: 60})
	v := newV1On(t, r, &Options{CallTimeout: time.Minute, InputBurst: 10_000, RequestBurst: 10_000, RequestsPerUser: 10_000})
	op := v.as("0123456789abcdef-operator")
	threads := 28
	if suite.IsFull() {
		threads = 98
	}
	var list []string
	for i := range threads {
		user := []*v1Server{op, v}[i/(threads/2)]
		thread := fmt.Sprint("t", i)
		open := user.asked(thread, "go")
		of := ""
		if user == v {
			of = `"namespace":"acme/user/ann",`
		}
		list = append(list, fmt.Sprintf(`{"threadId":%q,%s"entries":[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]}`, thread, of, open["id"]))
	}
	refused := []string{
		`{"threadId":"nobody","entries":[{"interruptId":"i","status":"cancelled"}]}`,
		`{"threadId":"nobody","namespace":"acme/user/ann","entries":[{"interruptId":"i","status":"cancelled"}]}`,
	}
	request := func(items ...string) string {
		return fmt.Sprintf(`{"idempotencyKey":"monday","items":[%s]}`, strings.Join(items, ","))
	}
	// As much as was done when a server ended in the midst of it.
	for i, item := range items(op.call("resolveInbox", 200, "/inbox/resolve", request(list[:20]...))) {
		if item["resolved"] == nil {
			t.Fatalf("%d: %v", i, item)
		}
	}
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			status, body, _ := op.send(http.MethodPost, "/inbox/resolve", request(slices.Concat(list, refused)...), nil)
			var answer struct {
				Items []struct {
					ThreadID string
					Resolved *struct{ Admitted *struct{ Disposition string } }
					Error    *struct{ Code string }
				}
			}
			if err := json.Unmarshal(body, &answer); err != nil || status != 200 || len(answer.Items) != threads+2 {
				t.Errorf("%d %.300s", status, body)
				return
			}
			for i, item := range answer.Items {
				switch {
				case i >= threads:
					if item.Error == nil || item.Error.Code != "thread_not_found" {
						t.Errorf("%d: %+v", i, item)
					}
				case item.Error != nil || item.Resolved.Admitted == nil:
					t.Errorf("%d: %+v", i, item.Error)
				case i < 20 && item.Resolved.Admitted.Disposition != "repeat":
					t.Errorf("%d: %s", i, item.Resolved.Admitted.Disposition)
				}
			}
		})
	}
	group.Wait()
	for i := range threads {
		user := []*v1Server{op, v}[i/(threads/2)]
		user.rests(fmt.Sprint("t", i))
		n, _ := went.Load(fmt.Sprint("t", i))
		if n == nil || n.(*atomic.Int32).Load() != 1 {
			t.Errorf("t%d went on otherwise than once", i)
		}
	}
	if n := op.call("countInbox", 200, "/inbox/totals", "")["total"]; n != 0.0 {
		t.Errorf("%v are open still", n)
	}
	// Under the same key something else is no repeat.
	other := strings.Replace(list[0], "true", "false", 1)
	if item := items(op.call("resolveInbox", 200, "/inbox/resolve", request(other)))[0]; item["error"].(map[string]any)["code"] != "interrupt_conflict" {
		t.Errorf("%v", item)
	}
	v.as("0123456789abcdef-reader").fails("resolveInbox", 403, "forbidden", "/inbox/resolve", request(list[0]))
	for _, body := range []string{
		`{"items":[` + list[0] + `]}`, request(), request(list[0], list[0]), `{"idempotencyKey":"` + strings.Repeat("k", 256) + `","items":[` + list[0] + `]}`,
		request(`{"threadId":"","entries":[]}`), request(`{"threadId":"x","entries":[{"interruptId":"i","status":"maybe"}]}`), request(strings.Split(strings.Repeat(list[0]+"\n", 101), "\n")[:101]...),
	} {
		op.fails("resolveInbox", 400, "invalid_input", "/inbox/resolve", body)
	}
	status, body, _ := op.send(http.MethodPost, "/inbox/resolve", request(list[0]), map[string]string{"Idempotency-Key": "another"})
	if status != 400 {
		t.Errorf("two keys: %d %s", status, body)
	}
	status, body, _ = op.send(http.MethodPost, "/inbox/resolve", `{"items":[`+list[0]+`]}`, map[string]string{"Idempotency-Key": "monday"})
	if status != 200 || !strings.Contains(string(body), `"repeat"`) {
		t.Errorf("the key as a header: %d %s", status, body)
	}
}
