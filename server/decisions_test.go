package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// decisionList is a runner whose record is the test's, the latest first.
type decisionList struct {
	*noticeList
	list   []store.Decision
	page   int // decisions a page; 0: as asked for
	reads  atomic.Int64
	breaks atomic.Int64 // the reading that fails; 0: none
	stalls atomic.Int64 // the reading that waits until nobody does; 0: none
}

func (l *decisionList) Decisions(ctx context.Context, q store.DecisionQuery) (p store.DecisionPage, err error) {
	switch l.reads.Add(1) {
	case l.breaks.Load():
		return p, store.ErrOutcomeUnknown
	case l.stalls.Load():
		<-ctx.Done()
		return p, ctx.Err()
	}
	bound := fmt.Sprintf("%s/%v/%v/%v/%s/%s/%s/%s ", q.Tenant, q.AllTenants, q.Namespace, q.Thread, q.User, q.Tool, q.Status, q.Agent)
	at, bad := 0, error(nil)
	if q.Cursor != "" {
		given, position, _ := strings.Cut(q.Cursor, " ")
		if at, bad = strconv.Atoi(position); bad != nil || given+" " != bound {
			return p, store.ErrBadCursor
		}
	}
	most := min(cmp.Or(q.Limit, 50), cmp.Or(l.page, 1000))
	for ; at < len(l.list) && len(p.Decisions) < most; at++ {
		d := l.list[at]
		if !q.AllTenants && d.Tenant != q.Tenant || q.Namespace != "" && q.Namespace != d.Thread.Namespace || q.Agent != "" && q.Agent != d.Agent || q.Thread != nil && *q.Thread != d.Thread || q.User != "" && q.User != d.User || q.Tool != "" && q.Tool != d.Tool ||
			q.Status != "" && q.Status != d.Status || !q.From.IsZero() && d.At.Before(q.From) || !q.To.IsZero() && !d.At.Before(q.To) {
			continue
		}
		p.Decisions = append(p.Decisions, d)
	}
	if at < len(l.list) {
		p.Next = bound + strconv.Itoa(at)
	}
	return p, nil
}

func (l *decisionList) ForgetDecisions(_ context.Context, key store.ThreadKey) error {
	l.list = slices.DeleteFunc(l.list, func(d store.Decision) bool { return d.Thread == key })
	return nil
}

var decidedAt = time.Date(2030, 1, 31, 14, 2, 0, 0, time.UTC)

// decided is what somebody decided of a tool call in a thread of a tenant.
func decided(id, tenant, namespace, thread, user, tool string, status store.DecisionStatus) store.Decision {
	n, _ := strconv.Atoi(id)
	return store.Decision{
		Decided: store.Decided{Interrupt: "i" + id, Status: status, User: user, Tool: tool, Body: json.RawMessage(
			`{"reason":"tool_call","message":"Pay?","toolCallId":"c1","arguments":{"amount":200},"payload":{"approved":true,"editedArgs":{"amount":150}},` +
				`"through":"inbox","credential":"ann","askedBy":{"label":"r1","runId":"s1"},"answeredBy":{"label":"r2","runId":"s2"}}`)},
		ID: id, At: decidedAt.Add(-time.Duration(n) * time.Minute), Thread: store.ThreadKey{Namespace: namespace, Thread: thread}, Tenant: tenant, RunID: "s2", Refused: 1,
	}
}

func decisionsServer(t *testing.T, list ...store.Decision) (*testServer, *decisionList) {
	t.Helper()
	_, notices := noticesServer(t, &Options{})
	l := &decisionList{noticeList: notices, list: list}
	return newTestServer(t, l, &Options{Auth: tokensOf(t), RequestBurst: 1000}), l
}

func (ts *testServer) decisions(path, token string) (ids []string, next string, status int, text string) {
	ts.t.Helper()
	s := ts.ask(http.MethodGet, "/v1"+path, "", "Authorization", "Bearer "+token)
	body, err := io.ReadAll(s.resp.Body)
	if err != nil {
		ts.t.Fatal(err)
	}
	var page struct {
		Items []struct{ ID string }
		Next  string
	}
	_ = json.Unmarshal(body, &page)
	for _, d := range page.Items {
		ids = append(ids, d.ID)
	}
	return ids, page.Next, s.resp.StatusCode, string(body)
}

const team = "acme/shared/team"

func someDecisions() []store.Decision {
	return []store.Decision{
		decided("0", "acme", team, "anns", "acme/ann", "pay", store.DecisionResolved),
		decided("1", "acme", "acme/user/cy", "cys", "acme/boss", "pay", store.DecisionCancelled),
		decided("2", "other", "other/user/ann", "theirs", "other/ann", "pay", store.DecisionResolved),
		decided("3", "acme", team, "bobs", "", "mail", store.DecisionExpired),
	}
}

func TestDecisionsByScope(t *testing.T) {
	ts, _ := decisionsServer(t, someDecisions()...)
	for _, c := range []struct {
		path, token string
		wants       []string
		status      int
	}{
		{"/decisions", annsToken, []string{"0", "3"}, 200},
		{"/decisions", approverToken, []string{"0", "1", "3"}, 200},
		{"/decisions", tenantsAdmin, []string{"0", "1", "3"}, 200},
		{"/decisions?tenants=all", rootToken, []string{"0", "1", "2", "3"}, 200},
		{"/decisions?tenant=other", rootToken, []string{"2"}, 200},
		{"/decisions?tenant=other&user=ann", rootToken, []string{"2"}, 200},
		{"/decisions?tenant=acme", approverToken, []string{"0", "1", "3"}, 200},
		{"/decisions?tenant=other", tenantsAdmin, nil, 403},
		{"/decisions?tenants=all", approverToken, nil, 403},
		{"/decisions", "0123456789abcdef-runner", nil, 403},
		{"/decisions?user=ann", approverToken, []string{"0"}, 200},
		{"/decisions?tool=mail", annsToken, []string{"3"}, 200},
		{"/decisions?status=expired", approverToken, []string{"3"}, 200},
		{"/decisions?from=2030-01-31T14:01:00Z&to=2030-01-31T14:02:00Z", approverToken, []string{"1"}, 200},
		{"/decisions?thread=anns", annsToken, []string{"0"}, 200},
		{"/decisions?thread=cys&namespace=acme/user/cy", approverToken, []string{"1"}, 200},
		{"/decisions?thread=cys&namespace=acme/user/cy", annsToken, nil, 403},
		{"/decisions?thread=theirs&namespace=other/user/ann", approverToken, nil, 403},
		{"/decisions?tenant=other&thread=theirs&namespace=other/user/ann", rootToken, []string{"2"}, 200},
		{"/decisions?status=denied", annsToken, nil, 400},
		{"/decisions?from=yesterday", annsToken, nil, 400},
		{"/decisions?namespace=x", annsToken, nil, 400},
		{"/decisions?cursor=x", annsToken, nil, 400},
		{"/decisions?format=xlsx", annsToken, nil, 400},
		{"/decisions?tenants=all&user=ann", rootToken, nil, 400},
		// None of these threads is there any more.
		{"/threads/anns/decisions", annsToken, []string{"0"}, 200},
		{"/threads/anns/decisions", bobsToken, []string{"0"}, 200},
		{"/threads/none/decisions", annsToken, nil, 200},
		{"/threads/anns/decisions?namespace=" + team, approverToken, []string{"0"}, 200},
		{"/threads/none/decisions?namespace=" + team, approverToken, nil, 404},
		{"/threads/cys/decisions?namespace=acme/user/cy", annsToken, nil, 404},
		{"/threads/theirs/decisions?namespace=other/user/ann", rootToken, nil, 404},
		{"/threads/anns/decisions?tenants=all", rootToken, nil, 400},
	} {
		ids, _, status, text := ts.decisions(c.path, c.token)
		if !slices.Equal(ids, c.wants) || status != c.status {
			t.Errorf("%s of %s: %d %v, not %d %v: %s", c.path, c.token, status, ids, c.status, c.wants, text)
		}
	}
	_, _, _, text := ts.decisions("/threads/anns/decisions", annsToken)
	if want := `{"items":[{"id":"0","at":"2030-01-31T14:02:00Z","status":"resolved","user":"ann","through":"inbox","credential":"ann","tenant":"acme","threadId":"anns",` +
		`"namespace":"acme/shared/team","interruptId":"i0","reason":"tool_call","message":"Pay?","tool":"pay","toolCallId":"c1","arguments":{"amount":200},` +
		`"payload":{"approved":true,"editedArgs":{"amount":150}},"askedBy":{"id":"s1","runId":"r1"},"answeredBy":{"id":"s2","runId":"r2"},"refused":1}]}`; text != want {
		t.Errorf("a decision is told as %s", text)
	}
}

func TestDecisionsAreForgottenByAdmins(t *testing.T) {
	ts, l := decisionsServer(t, someDecisions()...)
	// A record that cannot be read does not say whose it is.
	l.breaks.Store(l.reads.Load() + 1)
	if res := ts.ask(http.MethodDelete, "/v1/threads/anns/decisions?namespace="+team, "", "Authorization", "Bearer "+tenantsAdmin).resp; res.StatusCode != http.StatusServiceUnavailable || len(l.list) != 4 {
		t.Errorf("without an answer of the store: %d, left %d", res.StatusCode, len(l.list))
	}
	for _, c := range []struct {
		path, token string
		status      int
		left        []string // of all
	}{
		{"/threads/anns/decisions", annsToken, 403, []string{"0", "1", "2", "3"}},
		{"/threads/anns/decisions?namespace=" + team, approverToken, 404, []string{"0", "1", "2", "3"}},
		{"/threads/theirs/decisions?namespace=other/user/ann", tenantsAdmin, 404, []string{"0", "1", "2", "3"}},
		{"/threads/none/decisions?namespace=" + team, tenantsAdmin, 404, []string{"0", "1", "2", "3"}},
		{"/threads/anns/decisions?namespace=" + team, tenantsAdmin, 204, []string{"1", "2", "3"}},
		{"/threads/anns/decisions?namespace=" + team, tenantsAdmin, 404, []string{"1", "2", "3"}},
	} {
		status := ts.ask(http.MethodDelete, "/v1"+c.path, "", "Authorization", "Bearer "+c.token).resp.StatusCode
		left, _, _, _ := ts.decisions("/decisions?tenants=all", rootToken)
		if status != c.status || !slices.Equal(left, c.left) {
			t.Errorf("%s of %s: %d, left %v", c.path, c.token, status, left)
		}
	}
}

// A walk by pages finds each once, also where most are not for the caller.
func TestDecisionsPageByPage(t *testing.T) {
	var list []store.Decision
	var mine []string
	for i := range 300 {
		namespace := "acme/user/cy"
		if i%29 == 0 {
			namespace, mine = team, append(mine, strconv.Itoa(i))
		}
		list = append(list, decided(strconv.Itoa(i), "acme", namespace, "t", "acme/ann", "pay", store.DecisionResolved))
	}
	ts, l := decisionsServer(t, list...)
	l.page = 2
	var got []string
	walk := func(query string) {
		for cursor, pages := "", 0; ; pages++ {
			ids, next, status, text := ts.decisions("/decisions?limit=2"+query+cursor, annsToken)
			if status != 200 || pages > 300 {
				t.Fatalf("%d %s after %d pages", status, text, pages)
			}
			if got = append(got, ids...); next == "" {
				return
			}
			cursor = "&cursor=" + strings.ReplaceAll(strings.ReplaceAll(next, " ", "%20"), "&", "%26")
		}
	}
	if walk(""); !slices.Equal(got, mine) {
		t.Errorf("found %v, not %v", got, mine)
	}
	_, next, _, _ := ts.decisions("/decisions?limit=2", approverToken)
	if _, _, status, _ := ts.decisions("/decisions?tool=x&cursor="+strings.ReplaceAll(next, " ", "%20"), approverToken); status != 400 {
		t.Errorf("another query's cursor: %d", status)
	}
}

// An export has all of them, and none that is taken for a formula.
func TestDecisionsExport(t *testing.T) {
	var list []store.Decision
	for i := range 450 {
		d := decided(strconv.Itoa(i), "acme", team, "=HYPERLINK(\"http://x\")", "acme/ann", "@pay", store.DecisionResolved)
		d.Body = json.RawMessage(`{"message":"-1+1, \"quoted\"\nand more","reason":"＝1","through":"x;=1+1","payload":-5}`)
		list = append(list, d)
	}
	ts, l := decisionsServer(t, list...)
	for _, ask := range [][2]string{{"?format=csv", ""}, {"", "text/html, text/csv;q=0.9"}} {
		s := ts.ask(http.MethodGet, "/v1/decisions"+ask[0], "", "Authorization", "Bearer "+approverToken, "Accept", ask[1])
		if kind := s.resp.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8" {
			t.Errorf("it is %q", kind)
		}
		text, failed := io.ReadAll(s.resp.Body)
		if !bytes.Contains(text, []byte(`,"x;=1+1",`)) || !bytes.HasPrefix(text, []byte(`"at","status",`)) {
			t.Errorf("cells are not in quotes: %.300s", text)
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if failed != nil || err != nil || len(rows) != 451 {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		for _, row := range rows[1:] {
			for i, cell := range row {
				if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") || strings.HasPrefix(cell, "＝") {
					t.Fatalf("the cell %s %q is a formula", rows[0][i], cell)
				}
			}
		}
		if got := rows[1][slices.Index(rows[0], "message")]; got != "'-1+1, \"quoted\"\nand more" {
			t.Errorf("the message is %q", got)
		}
	}
	for _, ask := range [][2]string{{"?format=ndjson", ""}, {"", "application/x-ndjson"}} {
		s := ts.ask(http.MethodGet, "/v1/decisions"+ask[0], "", "Authorization", "Bearer "+approverToken, "Accept", ask[1])
		text, err := io.ReadAll(s.resp.Body)
		if n := strings.Count(string(text), "\n"); err != nil || n != 450 || s.resp.Header.Get("Content-Type") != "application/x-ndjson" {
			t.Errorf("%d lines of %s: %v", n, s.resp.Header.Get("Content-Type"), err)
		}
	}
	if held := ts.gate.Budget.Held(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
	// One that breaks off is no answer, and one that cannot begin is a problem.
	l.reads.Store(0)
	l.breaks.Store(2)
	s := ts.ask(http.MethodGet, "/v1/decisions?format=csv", "", "Authorization", "Bearer "+approverToken)
	if text, err := io.ReadAll(s.resp.Body); err == nil {
		t.Errorf("what broke off reads as whole: %d bytes", len(text))
	}
	l.reads.Store(0)
	l.breaks.Store(1)
	ts.ask(http.MethodGet, "/v1/decisions?format=ndjson", "", "Authorization", "Bearer "+approverToken).problem(503, refusal.CodeStore)
	l.breaks.Store(0)
	ts.ask(http.MethodGet, "/v1/decisions?format=csv", "", "Authorization", "Bearer 0123456789abcdef-runner").problem(403, refusal.CodeForbidden)
	// A thread of another namespace that has none, or is not there, is told as by a page.
	for _, form := range []string{"csv", "ndjson"} {
		ts.ask(http.MethodGet, "/v1/threads/none/decisions?namespace="+team+"&format="+form, "", "Authorization", "Bearer "+approverToken).problem(404, "thread_not_found")
	}
	if p, status, _ := ts.Page("", approverToken); status != 200 || p.Next == "" {
		t.Error("the server is not well after that")
	}
}

// An export is held for as long as a page is read and written, and ends with its credential
// and when the server drains.
func TestDecisionsExportEnds(t *testing.T) {
	var list []store.Decision
	for i := range 100 {
		list = append(list, decided(strconv.Itoa(i), "acme", team, "t", "acme/ann", "pay", store.DecisionResolved))
	}
	for name, end := range map[string]func(*testServer, *identity.Tokens){
		"revoked": func(ts *testServer, tokens *identity.Tokens) {
			if err := tokens.Replace([]identity.Token{{Token: bobsToken, Tenant: "acme", User: "bob"}}); err != nil {
				t.Fatal(err)
			}
		},
		"drained": func(ts *testServer, _ *identity.Tokens) { ts.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			tokens := tokensOf(t)
			_, notices := noticesServer(t, &Options{})
			l := &decisionList{noticeList: notices, list: list}
			l.stalls.Store(2)
			ts := newTestServer(t, l, &Options{Auth: tokens, CallTimeout: 10 * time.Minute})
			s := ts.ask(http.MethodGet, "/v1/decisions?format=ndjson", "", "Authorization", "Bearer "+approverToken)
			eventually(t, "the second page is being read", func() bool { return l.reads.Load() == 2 })
			if held := ts.gate.Budget.Held(); held == 0 {
				t.Error("nothing is held for a page")
			}
			end(ts, tokens)
			if text, err := io.ReadAll(s.resp.Body); err == nil {
				t.Errorf("what was cut reads as whole: %d bytes", len(text))
			}
			eventually(t, "all is given back", func() bool { return ts.gate.Budget.Held() == 0 })
		})
	}
}
