package server

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

// Suggestions are no run: nothing of them is kept, however they are asked for.
func TestCopilotSuggest(t *testing.T) {
	forced := strings.Replace(opening, `"forwardedProps":{}`, `"forwardedProps":{"toolChoice":{"type":"function","function":{"name":"copilotkitSuggest"}}}`, 1)
	suggest := func(context.Context, string, *protocol.RunAgentInput) ([]Suggestion, error) {
		return []Suggestion{{"Go on", "Please go on."}, {"Stop", "That is enough."}}, nil
	}
	for name, c := range map[string]struct {
		action, body string
		suggest      func(context.Context, string, *protocol.RunAgentInput) ([]Suggestion, error)
		types        string
	}{
		"made":        {"suggest", opening, suggest, "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END RUN_FINISHED"},
		"as a run":    {"run", forced, suggest, "RUN_STARTED TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END RUN_FINISHED"},
		"none":        {"suggest", opening, nil, "RUN_STARTED RUN_FINISHED"},
		"none to run": {"run", forced, nil, "RUN_STARTED RUN_FINISHED"},
		"fails": {"suggest", opening, func(context.Context, string, *protocol.RunAgentInput) ([]Suggestion, error) {
			return nil, errors.New("secret")
		}, "RUN_STARTED RUN_ERROR"},
		"panics": {"suggest", opening, func(context.Context, string, *protocol.RunAgentInput) ([]Suggestion, error) {
			panic("secret")
		}, "RUN_STARTED RUN_ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			b.submit = func(context.Context, admission.Input) (admission.Admitted, error) {
				t.Error("a run was asked for")
				return admission.Admitted{}, errors.New("no")
			}
			ts := newTestServer(t, b, &Options{Suggest: c.suggest})
			s := ts.copilotkit(c.action, c.body).opened()
			var types []string
			for {
				e, ok := s.next()
				if !ok {
					break
				}
				m := s.decoded(e, "")
				types = append(types, kindOf(m))
				if e.id != "" || strings.Contains(e.data, "secret") {
					t.Errorf("got %+v", e)
				}
				if kindOf(m) == "TOOL_CALL_START" && m["toolCallName"] != "copilotkitSuggest" {
					t.Errorf("got %v", m)
				}
				if kindOf(m) == "TOOL_CALL_ARGS" && m["delta"] != `{"suggestions":[{"title":"Go on","message":"Please go on."},{"title":"Stop","message":"That is enough."}]}` {
					t.Errorf("got %v", m)
				}
			}
			if got := strings.Join(types, " "); got != c.types {
				t.Errorf("got %s, want %s", got, c.types)
			}
			ts.idle(b)
			b.mu.Lock()
			defer b.mu.Unlock()
			if len(b.threads) != 0 {
				t.Errorf("threads were touched: %v", b.threads)
			}
		})
	}
}

// Whoever makes suggestions is told when nobody waits for them any more.
func TestCopilotSuggestEnds(t *testing.T) {
	for name, end := range map[string]func(*testServer, *sseStream){
		"client goes": func(_ *testServer, s *sseStream) { s.cancel() },
		"server drains": func(ts *testServer, s *sseStream) {
			ts.stop()
			s.fails("server_draining")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			asked := make(chan string, 1)
			ts := newTestServer(t, b, &Options{Agents: []string{"other"}, KeepAlive: 5 * time.Millisecond,
				Suggest: func(ctx context.Context, agent string, in *protocol.RunAgentInput) ([]Suggestion, error) {
					asked <- agent + " " + in.ThreadID
					<-ctx.Done()
					return nil, ctx.Err()
				}})
			s := ts.ask(http.MethodPost, "/copilotkit/agent/other/suggest", opening).opened()
			s.expect("RUN_STARTED")
			s.comment()
			if got := <-asked; got != "other t" {
				t.Errorf("asked %s", got)
			}
			end(ts, s)
			ts.idle(b)
		})
	}
}
