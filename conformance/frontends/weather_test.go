package frontends

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// weather is an agent beside the default one. Asked for a part of its input, such as
// "context", it says what has come. Everything else it asks about before it answers.
func weather(t *testing.T) (url string) {
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var input struct {
			ThreadID, RunID string
			Messages        []struct{ Content any }
			Resume          []struct{ InterruptID string }
		}
		var parts map[string]json.RawMessage
		var body json.RawMessage
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&body) != nil || json.Unmarshal(body, &input) != nil || json.Unmarshal(body, &parts) != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		tell := func(event map[string]any) {
			text, _ := json.Marshal(event) // of texts and maps
			fmt.Fprintf(w, "data: %s\n\n", text)
		}
		say := func(text string) {
			tell(map[string]any{"type": "TEXT_MESSAGE_START", "messageId": input.RunID + "-text", "role": "assistant"})
			tell(map[string]any{"type": "TEXT_MESSAGE_CONTENT", "messageId": input.RunID + "-text", "delta": text})
			tell(map[string]any{"type": "TEXT_MESSAGE_END", "messageId": input.RunID + "-text"})
		}
		end := map[string]any{"type": "RUN_FINISHED", "threadId": input.ThreadID, "runId": input.RunID}
		tell(map[string]any{"type": "RUN_STARTED", "threadId": input.ThreadID, "runId": input.RunID})
		asked := ""
		if len(input.Messages) > 0 {
			asked, _ = input.Messages[len(input.Messages)-1].Content.(string)
		}
		switch part, is := parts[asked]; {
		case len(input.Resume) > 0:
			call := input.Resume[0].InterruptID
			tell(map[string]any{"type": "TOOL_CALL_RESULT", "messageId": input.RunID, "toolCallId": call, "content": "sunny"})
			say("It is sunny.")
		case is:
			say("`" + string(part) + "`")
		default:
			call := input.RunID
			tell(map[string]any{"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": "look"})
			tell(map[string]any{"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": `{"city":"Graz"}`})
			tell(map[string]any{"type": "TOOL_CALL_END", "toolCallId": call})
			end["outcome"] = map[string]any{"type": "interrupt", "interrupts": []any{
				map[string]any{"id": call, "reason": "tool_call", "toolCallId": call, "message": "Shall I look?"},
			}}
		}
		tell(end)
	}))
	t.Cleanup(agent.Close)
	return agent.URL
}
