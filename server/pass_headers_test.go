package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

// passing is a server that lets X-Who and cookies go along, and what its agent is told.
func passing(t *testing.T, names ...string) (*v1Server, <-chan map[string]string) {
	seen := make(chan map[string]string, 100)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		seen <- run.Headers()
		if m := run.Input().Messages; m[len(m)-1].Content.String() == "ask" {
			_, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: "?"})
			return err
		}
		return nil
	})
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": agent, "script": agent}})
	return newV1On(t, r, &Options{PassHeaders: names}), seen
}

// passedTo waits for what the agent is told.
func passedTo(t *testing.T, seen <-chan map[string]string) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	select {
	case headers := <-seen:
		return headers
	case <-ctx.Done():
		t.Fatal("the agent was not called")
		return nil
	}
}

func TestPassHeaders(t *testing.T) {
	bearer := "Bearer " + annsToken
	posts := func(path, body string) func(ts *testServer) {
		return func(ts *testServer) {
			ts.ask(http.MethodPost, path, body, "Authorization", bearer, "X-Who", "ann", "X-Other", "never")
		}
	}
	opens := func(query string, subprotocols []string, input string) func(ts *testServer) {
		return func(ts *testServer) {
			ts.connect("/agui/ws"+query, &agui.DialOptions{Subprotocols: subprotocols,
				Header: http.Header{"Authorization": {bearer}, "X-Who": {"ann"}, "X-Other": {"never"}}}).send(input)
		}
	}
	for name, send := range map[string]func(ts *testServer){
		"a socket":                opens("", nil, says("r1", "hi")),
		"a plain socket":          opens("", []string{}, says("r1", "hi")),
		"TanStack AI's socket":    opens("?client=tanstack&runId=r1", []string{}, says("r1", "hi")),
		"a post":                  posts("/agui", says("r1", "hi")),
		"a post to another agent": posts("/agui/script", says("r1", "hi")),
		"TanStack AI's post":      posts("/agui?client=tanstack", says("r1", "hi")),
		"CopilotKit's":            posts("/copilotkit/agent/default/run", says("r1", "hi")),
		"an operator's":           posts("/v1/threads/t/input", `{"text":"hi"}`),
	} {
		t.Run(name, func(t *testing.T) {
			v, seen := passing(t, "x-who")
			if strings.HasPrefix(name, "an operator") { // adds to what there is
				posts("/agui", says("r0", "hi"))(v.ts)
				passedTo(t, seen)
			}
			send(v.ts)
			if got := passedTo(t, seen); len(got) != 1 || got["x-who"] != "ann" {
				t.Errorf("the agent is told %v", got)
			}
		})
	}
}

// The run of an answer has what came with that.
func TestPassHeadersOfAnAnswer(t *testing.T) {
	v, seen := passing(t, "X-Who", "Cookie", "X-Who")
	v.ts.ask(http.MethodPost, "/agui", says("r1", "ask"), "Authorization", "Bearer "+annsToken, "X-Who", "ann").rest()
	if got := passedTo(t, seen); len(got) != 1 || got["x-who"] != "ann" {
		t.Errorf("the agent is told %v", got)
	}
	id := v.rests("t")["interrupts"].([]any)[0].(map[string]any)["id"].(string)
	v.ts.ask(http.MethodPost, "/v1/threads/t/interrupts/resolve", `{"entries":[{"interruptId":"`+id+`","status":"resolved"}]}`,
		"Authorization", "Bearer "+annsToken, "X-Who", "bob", "Cookie", "a=1; b=2")
	if got := passedTo(t, seen); len(got) != 2 || got["x-who"] != "bob" || got["cookie"] != "a=1; b=2" {
		t.Errorf("the agent is told %v", got)
	}
}

func TestPassHeadersUnasked(t *testing.T) {
	v, seen := passing(t)
	v.ts.ask(http.MethodPost, "/agui", says("r1", "hi"), "Authorization", "Bearer "+annsToken, "X-Who", "ann")
	if got := passedTo(t, seen); len(got) != 0 {
		t.Errorf("the agent is told %v", got)
	}
}
