package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// answered asks on a thread of the server's user, and answers.
func (v *v1Server) answered(thread, text string) {
	v.t.Helper()
	open := v.asked(thread, text)
	v.call("resolveInterrupts", 200, "/threads/"+thread+"/interrupts/resolve",
		fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]}`, open["id"]))
	v.rests(thread)
}

// What was decided is listed as what is open is: to whom may know of it, by the same
// filters, whether or not there still is the thread.
func TestV1InboxResolved(t *testing.T) {
	v := newV1(t)
	op, root := v.as("0123456789abcdef-operator"), v.as("0123456789abcdef-root-of-all")
	elsewhere := v.as("0123456789abcdef-elsewhere")
	start := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	v.answered("sure", "/confirm sure?")
	v.answered("tool", `/tool send_email {"to":"x"}`)
	op.answered("ops", "/confirm mine?")
	elsewhere.answered("theirs", "/confirm theirs?")
	v.asked("open", "/confirm still?")
	v.call("deleteThread", 204, "/threads/sure", "")
	anns := "&namespace=" + url.QueryEscape("acme/user/ann")
	for _, tt := range []struct {
		as          *v1Server
		query, want string
	}{
		{v, "", "tool sure"},
		{v, "&limit=1", "tool sure"},
		{v, "&reason=tool_call", "tool"},
		{v, "&reason=confirmation&limit=1", "sure"},
		{v, "&runId=run-sure&limit=1", "sure"},
		{v, "&thread=sure", "sure"},
		{v, "&user=op", ""},
		{v.as("0123456789abcdef-reader"), "", ""},
		{op, "", "ops tool sure"},
		{op, "&user=ann", "tool sure"},
		{op, "&user=ann&limit=1", "tool sure"},
		{op, "&tool=send_email", "tool"},
		{op, "&agent=other", ""},
		{op, "&askedAfter=" + start, "ops tool sure"},
		{op, "&askedAfter=" + later, ""},
		{op, "&askedBefore=" + start, ""},
		{op, "&askedBefore=" + later + "&limit=1", "ops tool sure"},
		{op, "&thread=sure", ""},
		{op, "&thread=sure" + anns, "sure"},
		{elsewhere, "", "theirs"},
		{root, "&tenants=all", "theirs ops tool sure"},
		{root, "&tenants=all&thread=theirs&namespace=" + url.QueryEscape("other/user/op"), "theirs"},
	} {
		if got := tt.as.threadsIn("state=resolved" + tt.query); got != tt.want {
			t.Errorf("%s with %q: %q, not %q", tt.as.token, tt.query, got, tt.want)
		}
	}
	if got := v.threadsIn("state=open"); got != "open" {
		t.Errorf("open: %q", got)
	}
	item := items(op.call("listInbox", 200, "/inbox?state=resolved&tool=send_email", ""))[0]
	it := item["interrupts"].([]any)[0].(map[string]any)
	decision := it["decision"].(map[string]any)
	if got := fmt.Sprint(item["runId"], " ", it["interrupt"].(map[string]any)["reason"], " ", it["toolCall"], " ", decision["status"], " ", decision["user"], " ", decision["through"],
		" ", decision["payload"], " ", it["truncated"]); got != `run-tool tool_call map[arguments:{"to":"x"} name:send_email] resolved ann inbox map[approved:true] <nil>` {
		t.Error(got)
	}
	if asked, err := time.Parse(time.RFC3339, item["since"].(string)); err != nil || time.Since(asked) > time.Hour || item["tenant"] != nil {
		t.Errorf("%v", item)
	}
	if item := items(root.call("listInbox", 200, "/inbox?state=resolved&tenants=all&limit=1", ""))[0]; item["tenant"] != "other" {
		t.Errorf("%v", item)
	}
	for _, query := range []string{"state=closed", "state=resolved&deadlineBefore=" + later, "state=resolved&namespace=x", "state=resolved&cursor=x", "state=resolved&limit=201"} {
		op.fails("listInbox", 400, "invalid_input", "/inbox?"+query, "")
	}
	op.fails("listInbox", 403, "forbidden", "/inbox?state=resolved&tenants=all", "")
}

// A cursor is that of one query, open ones and other filters included.
func TestV1InboxResolvedCursors(t *testing.T) {
	v := newV1(t)
	for i := range 2 {
		v.answered(fmt.Sprint("t", i), "/confirm sure?")
		v.asked(fmt.Sprint("open", i), "/confirm sure?")
	}
	cursor := func(query string) string {
		t.Helper()
		next, _ := v.call("listInbox", 200, "/inbox?limit=1&"+query, "")["next"].(string)
		if next == "" {
			t.Fatalf("%s has no next page", query)
		}
		return "&cursor=" + url.QueryEscape(next)
	}
	resolved, open := cursor("state=resolved"), cursor("state=open")
	v.call("listInbox", 200, "/inbox?state=resolved"+resolved, "")
	for _, query := range []string{"state=open" + resolved, "state=resolved" + open, "state=resolved&reason=confirmation" + resolved, "state=resolved&tool=x" + resolved,
		"state=resolved&runId=x" + resolved, "state=resolved&askedBefore=2100-01-31T00:00:00Z" + resolved, "state=resolved&askedAfter=2000-01-31T00:00:00Z" + resolved} {
		v.fails("listInbox", 400, "invalid_input", "/inbox?"+query, "")
	}
}

// A page of what was decided looks at a bounded part of the record, and is small whatever
// was asked and answered.
func TestV1InboxResolvedIsASummary(t *testing.T) {
	large := strings.Repeat("ä", 20_000)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		args, err := json.Marshal(map[string]string{"text": large})
		if err != nil {
			return err
		}
		_, err = adapter.CallTools(ctx, run, adapter.ToolCall{ID: "call", Name: "publish", Args: args, Message: large})
		return err
	})
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": agent, "script": agent}})
	v := newV1On(t, r, &Options{})
	for i := range 3 {
		thread := fmt.Sprint("t", i)
		open := v.asked(thread, "go")
		v.call("resolveInterrupts", 200, "/threads/"+thread+"/interrupts/resolve",
			fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"resolved","payload":{"approved":false,"reason":%q}}]}`, open["id"], large))
	}
	status, body, _ := v.send(http.MethodGet, "/inbox?state=resolved", "", nil)
	if status != 200 || len(body) > 10_000 {
		t.Fatalf("%d with %d bytes", status, len(body))
	}
	list := items(v.call("listInbox", 200, "/inbox?state=resolved", ""))
	it := list[0]["interrupts"].([]any)[0].(map[string]any)
	decision := it["decision"].(map[string]any)
	if len(list) != 3 || it["truncated"] != true || decision["payload"] != nil || len(decision["argumentsDigest"].(string)) != 64 ||
		!strings.HasPrefix(it["toolCall"].(map[string]any)["arguments"].(string), `{"text":"ä`) {
		t.Errorf("%.2000v", it)
	}
}

func TestV1InboxResolvedLooksAtSoMany(t *testing.T) {
	var list []store.Decision
	for i := range 500 {
		d := decided(fmt.Sprint(i), "acme", team, "t", "acme/ann", "pay", store.DecisionResolved)
		if i%100 == 99 {
			d.Body = json.RawMessage(`{"reason":"` + protocol.ReasonConfirmation + `"}`)
		}
		list = append(list, d)
	}
	ts, l := decisionsServer(t, list...)
	found, pages := 0, 0
	for cursor := ""; pages < 10; pages++ {
		l.reads.Store(0)
		s := ts.ask(http.MethodGet, "/v1/inbox?state=resolved&limit=10&reason=confirmation"+cursor, "", "Authorization", "Bearer "+annsToken)
		var page struct {
			Items []json.RawMessage
			Next  string
		}
		if err := json.NewDecoder(s.resp.Body).Decode(&page); err != nil || s.resp.StatusCode != 200 {
			t.Fatalf("%d %v", s.resp.StatusCode, err)
		}
		if n := l.reads.Load(); n > 25 {
			t.Errorf("a page takes %d readings", n)
		}
		if found += len(page.Items); page.Next == "" {
			break
		}
		cursor = "&cursor=" + url.QueryEscape(page.Next)
	}
	if found != 5 || pages < 2 {
		t.Errorf("found %d on %d pages", found, pages+1)
	}
}
