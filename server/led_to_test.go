package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

// wholeReads counts the reads of a thread that take all of it.
type wholeReads struct {
	store.Store
	n *atomic.Int64
}

func (w wholeReads) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	if q.Window == 0 && q.After == nil {
		w.n.Add(1)
	}
	return w.Store.Read(ctx, key, q)
}

type ledToAnswer struct {
	Items []struct {
		ID, Role, Text string
		Truncated      bool
		Media          int
	}
	Older bool
}

// ledToServer has a long thread of Ann's, whose last input asks, and somebody of each kind.
type ledToServer struct {
	*walk
	whole    *atomic.Int64
	question string
}

const (
	blindToken  = "0123456789abcdef-ann-who-reads-nothing"
	readerToken = "0123456789abcdef-ann-who-answers-nothing"
	otherToken  = "0123456789abcdef-operator-elsewhere"
	annsThread  = "?namespace=acme%2Fuser%2Fann"
)

func newLedToServer(t *testing.T, input string) *ledToServer {
	t.Helper()
	whole := new(atomic.Int64)
	r := newRunner(t, wholeReads{embedded(t), whole}, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	all := []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover, identity.ScopeAdmin}
	tokens := newTokens(t, []identity.Token{
		{Token: annsToken, Tenant: "acme", User: "ann"},
		{Token: blindToken, Tenant: "acme", User: "ann", Scopes: []string{identity.ScopeRun}},
		{Token: readerToken, Tenant: "acme", User: "ann", Scopes: []string{identity.ScopeRead}},
		{Token: approverToken, Tenant: "acme", User: "bob", Scopes: []string{identity.ScopeApprover}},
		{Token: otherToken, Tenant: "other", User: "op", Scopes: all},
	})
	s := &ledToServer{walk: &walk{testServer: newTestServer(t, running(r), &Options{Auth: tokens, InputBurst: 1000, RequestBurst: 10_000})}, whole: whole}
	if said := s.request(t, http.MethodPost, "/agui", annsToken, input); !strings.HasPrefix(said, "200 ") {
		t.Fatal(said)
	}
	open := s.request(t, http.MethodGet, "/v1/threads/t/interrupts", annsToken, "")
	var page struct {
		Items []struct{ Interrupts []struct{ ID string } }
	}
	_, body, _ := strings.Cut(open, "{")
	if err := json.Unmarshal([]byte("{"+body), &page); err != nil || len(page.Items) != 1 || len(page.Items[0].Interrupts) != 1 {
		t.Fatal(err, open)
	}
	s.question = page.Items[0].Interrupts[0].ID
	return s
}

func (s *ledToServer) ask(t *testing.T, token, interrupt, query string) string {
	t.Helper()
	return s.request(t, http.MethodGet, "/v1/threads/t/interrupts/"+interrupt+"/messages"+query, token, "")
}

func longInput(t *testing.T, count int, last string) string {
	t.Helper()
	messages := []map[string]any{{"id": "kind", "role": "system", "content": "a system's secret"}}
	for i := range count {
		messages = append(messages, map[string]any{"id": fmt.Sprint("q", i), "role": "user", "content": fmt.Sprint("question ", i)},
			map[string]any{"id": fmt.Sprint("a", i), "role": "assistant", "content": fmt.Sprint("answer ", i),
				"toolCalls": []any{map[string]any{"id": fmt.Sprint("c", i), "type": "function", "function": map[string]any{"name": "look", "arguments": `{"secret":"of a call"}`}}}},
			map[string]any{"id": fmt.Sprint("r", i), "role": "tool", "toolCallId": fmt.Sprint("c", i), "content": "a result's secret"})
	}
	messages = append(messages,
		map[string]any{"id": "seen", "role": "user", "content": []any{map[string]any{"type": "text", "text": "what I see"},
			map[string]any{"type": "image", "source": map[string]any{"type": "data", "value": "c2VjcmV0", "mimeType": "image/png"}}}},
		map[string]any{"id": "long", "role": "assistant", "content": strings.Repeat("é", 2000)},
		map[string]any{"id": "last", "role": "user", "content": last})
	text, err := json.Marshal(map[string]any{"threadId": "t", "runId": "r", "messages": messages, "tools": []any{}, "context": []any{}, "state": map[string]any{}, "forwardedProps": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whoever may answer a question of somebody else's thread is shown what was said last before
// it, as texts, as long as it is open, and the server does not read the thread for it, nor to
// list its questions.
func TestAnswerersSeeWhatLedToTheQuestion(t *testing.T) {
	s := newLedToServer(t, longInput(t, 100, `/tool pay {"to":"ada"}`))
	s.whole.Store(0)
	answer := s.ask(t, approverToken, s.question, annsThread)
	s.request(t, http.MethodGet, "/v1/threads/t/interrupts"+annsThread, approverToken, "")
	if n := s.whole.Load(); n != 0 {
		t.Errorf("the thread was read whole %d times", n)
	}
	status, body, _ := strings.Cut(answer, "{")
	var got ledToAnswer
	if err := json.Unmarshal([]byte("{"+body), &got); err != nil || !strings.HasPrefix(status, "200 ") {
		t.Fatal(err, answer)
	}
	if strings.Contains(answer, "secret") || strings.Contains(answer, "c2VjcmV0") || strings.Contains(answer, "look") {
		t.Errorf("it tells what is no text of a person's or of the agent's: %s", answer)
	}
	var ids []string
	for _, item := range got.Items {
		ids = append(ids, item.ID)
		if len(item.Text) > 2000 || item.Truncated != (item.ID == "long") || item.Media != map[string]int{"seen": 1}[item.ID] {
			t.Errorf("%+v", item)
		}
	}
	if len(ids) != 10 || !got.Older || !strings.HasSuffix(strings.Join(ids, " "), "q99 a99 seen long last") {
		t.Errorf("%q, older: %v", ids, got.Older)
	}
}

func TestNobodyElseSeesWhatLedToTheQuestion(t *testing.T) {
	s := newLedToServer(t, longInput(t, 1, "/confirm sure?"))
	wants := func(what, answer, status, has string) {
		t.Helper()
		if !strings.HasPrefix(answer, status+" ") || !strings.Contains(answer, has) {
			t.Errorf("%s: %s", what, answer)
		}
	}
	wants("an approver", s.ask(t, approverToken, s.question, annsThread), "200", `"/confirm sure?"`)
	wants("the user", s.ask(t, annsToken, s.question, ""), "200", `"/confirm sure?"`)
	wants("who may not read", s.ask(t, blindToken, s.question, ""), "403", "forbidden")
	wants("who may not answer", s.ask(t, readerToken, s.question, ""), "403", "forbidden")
	wants("another tenant", s.ask(t, otherToken, s.question, annsThread), "404", "thread_not_found")
	wants("another thread", s.ask(t, approverToken, s.question, ""), "404", "thread_not_found")
	wants("another question", s.ask(t, approverToken, "x", annsThread), "404", "interrupt_not_found")
	resolve := fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]}`, s.question)
	wants("the answer", s.request(t, http.MethodPost, "/v1/threads/t/interrupts/resolve"+annsThread, approverToken, resolve), "200", "admitted")
	for who, token := range map[string]string{"an approver": approverToken, "the user": annsToken} {
		wants(who+", afterwards", s.ask(t, token, s.question, annsThread), "404", "interrupt_not_found")
	}
}

func TestNothingLedToAWait(t *testing.T) {
	s := newLedToServer(t, longInput(t, 1, "/sleep 3600"))
	if answer := s.ask(t, approverToken, s.question, annsThread); !strings.HasPrefix(answer, "404 ") {
		t.Errorf("a wait that asks nobody: %s", answer)
	}
}
