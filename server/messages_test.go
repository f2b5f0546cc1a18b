package server

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// An input without messages brings none, and one whose messages are no list is
// refused in the same words, whatever carries it.
func TestMessagesLeftOut(t *testing.T) {
	ts := newTestServer(t, newFake(), nil)
	post := func(path string, body func(string) string) func(string) map[string]any {
		return func(input string) map[string]any {
			s := ts.ask(http.MethodPost, path, body(input))
			defer s.cancel()
			if s.resp.StatusCode == http.StatusOK {
				e, there := s.next()
				if !there { // an unused thread has nothing to tell
					return nil
				}
				return objectIn(t, []byte(e.data))
			}
			body, _ := io.ReadAll(s.resp.Body)
			return objectIn(t, body)
		}
	}
	same := func(input string) string { return input }
	ways := map[string]func(input string) map[string]any{
		"agui.v1.json": func(input string) map[string]any {
			c := ts.dial()
			c.send(input)
			return c.expectAny()
		},
		"plain": func(input string) map[string]any {
			c := ts.connect("/agui/ws", plainMode)
			c.send(input)
			return c.expectAny()
		},
		"POST /agui":         post("/agui", same),
		"CopilotKit run":     post("/copilotkit/agent/default/run", same),
		"CopilotKit connect": post("/copilotkit/agent/default/connect", same),
		"CopilotKit suggest": post("/copilotkit/agent/default/suggest", same),
		"CopilotKit single": post("/copilotkit", func(input string) string {
			return `{"method":"agent/run","params":{"agentId":"default"},"body":` + input + `}`
		}),
	}
	for way, send := range ways {
		for name, test := range map[string]struct {
			member string
			why    string // "" accepts
		}{
			"missing":  {"", ""},
			"empty":    {`,"messages":[]`, ""},
			"null":     {`,"messages":null`, ""},
			"a number": {`,"messages":7`, "/messages"},
		} {
			t.Run(way+" "+name, func(t *testing.T) {
				f := send(`{"threadId":"` + strings.ReplaceAll(t.Name(), "/", "") + `","runId":"r"` + test.member + `}`)
				text, err := json.Marshal(f)
				if err != nil {
					t.Fatal(err)
				}
				refused := strings.Contains(string(text), "RunAgentInput")
				if refused != (test.why != "") || !strings.Contains(string(text), test.why) {
					t.Errorf("got %s", text)
				}
			})
		}
	}
}
