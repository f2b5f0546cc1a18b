package demo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/llm"
	"github.com/aguiws/aguiws/llm/demo"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/redisstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// All four tools in one turn: two are free, one asks, one is a form.
func TestTools(t *testing.T) {
	var asked atomic.Int64
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		finish := "stop"
		if asked.Add(1) == 1 {
			finish = "tool_calls"
			for i, c := range [][2]string{
				{"current_time", `{"zone":"Europe/Paris"}`}, {"current_time", `{"zone":"../etc"}`}, {"remember", `{"text":"ann likes red"}`}, {"remember", `{"text":"and blue"}`},
				{"send_email", `{"to":"ann@example.com","subject":"Hi","body":"Red?"}`}, {"book_table", `{"people":2}`},
			} {
				name, _ := json.Marshal(c[0])
				args, _ := json.Marshal(c[1])
				fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":%s,"arguments":%s}}]}}]}`+"\n\n", i, i, name, args)
			}
		}
		fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`+"\n\ndata: [DONE]\n\n", finish)
	}))
	defer model.Close()
	effects := filepath.Join(t.TempDir(), "effects")
	agent, err := demo.New(llm.Options{Model: "small", URL: model.URL + "/v1", Client: model.Client()}, effects)
	if err != nil {
		t.Fatal(err)
	}
	st, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	runs, err := runner.New(st, &runner.Options{Agents: map[string]adapter.Agent{"": agent}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	defer runs.Shutdown(ctx)
	key := store.ThreadKey{Namespace: "n", Thread: "t"}
	woken := make(chan struct{}, 1)
	cursor := runs.Follow(key, func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	defer cursor.Close()
	if _, err := cursor.Attach(ctx, nil); err != nil {
		t.Fatal(err)
	}
	held := fold.New(nil, nil)
	run := func(in protocol.RunAgentInput) *protocol.RunFinished {
		t.Helper()
		in.ThreadID = key.Thread
		if a, err := runs.Submit(ctx, admission.Input{Namespace: key.Namespace, Run: &in}); err != nil || a.Disposition != admission.Started {
			t.Fatalf("%+v %v", a, err)
		}
		for {
			page, err := cursor.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range page.Events {
				e, err := protocol.Decode(text)
				if err != nil {
					t.Fatal(err)
				}
				if err := held.Apply(e); err != nil {
					t.Fatal(err)
				}
				if end, ok := e.(*protocol.RunFinished); ok {
					return end
				}
				if end, ok := e.(*protocol.RunError); ok {
					t.Fatalf("failed: %s", end.Message)
				}
			}
			if len(page.Events) == 0 {
				select {
				case <-woken:
				case <-ctx.Done():
					t.Fatal("nothing more happens")
				}
			}
		}
	}
	asks := run(protocol.RunAgentInput{RunID: "a", Messages: protocol.Messages{{ID: "m", Role: protocol.RoleUser, Content: protocol.Text("go")}}}).Outcome.Interrupts
	if len(asks) != 2 || asks[0].Message != "Send this email to ann@example.com?" || asks[1].Message != "Which table is to be booked?" {
		t.Fatalf("asked %+v", asks)
	}
	answer := func(i int, payload string) protocol.ResumeEntry {
		return protocol.ResumeEntry{InterruptID: asks[i].ID, Status: protocol.ResumeResolved, Payload: protocol.Any(payload)}
	}
	run(protocol.RunAgentInput{RunID: "b", Resume: []protocol.ResumeEntry{answer(0, `{"approved":true}`), answer(1, `{"restaurant":"Chez Nous","people":3,"when":"tonight"}`)}})
	var results []string
	for _, m := range held.Messages() {
		if m.Role == protocol.RoleTool {
			results = append(results, m.Content.String())
		}
	}
	for i, want := range []string{" +0", `there is no time zone \"../etc\"`, `"remembered"`, `"remembered"`, `"sent to ann@example.com"`, `"booked: Chez Nous, 3 people, tonight"`} {
		if i >= len(results) || !strings.Contains(results[i], want) {
			t.Errorf("result %d of %q, want %s", i, results, want)
		}
	}
	if got := string(held.State()); !strings.Contains(got, `"notes":["ann likes red","and blue"]`) {
		t.Errorf("state %s", got)
	}
	text, err := os.ReadFile(effects)
	if lines := strings.Count(string(text), "\n"); err != nil || lines != 2 || !strings.Contains(string(text), `"people":3`) {
		t.Errorf("effects %s %v", text, err)
	}
}
