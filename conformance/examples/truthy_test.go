package examples

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// truthy is an agent that asks without a schema, and takes each answer for a yes that
// Python or JavaScript takes for true: an object is one, whatever it says.
func truthy(t *testing.T) (url string) {
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var input struct {
			ThreadID, RunID string
			Resume          []struct {
				Status  string
				Payload any
			}
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&input) != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		tell := func(event map[string]any) {
			text, _ := json.Marshal(event) // of texts and maps
			fmt.Fprintf(w, "data: %s\n\n", text)
		}
		end := map[string]any{"type": "RUN_FINISHED", "threadId": input.ThreadID, "runId": input.RunID}
		tell(map[string]any{"type": "RUN_STARTED", "threadId": input.ThreadID, "runId": input.RunID})
		if len(input.Resume) == 0 {
			end["outcome"] = map[string]any{"type": "interrupt", "interrupts": []any{map[string]any{"id": input.RunID, "reason": "ask", "message": "Book the Adlon?"}}}
		} else {
			says, answer := "Booked.", input.Resume[0]
			if no := answer.Payload; answer.Status != "resolved" || no == nil || no == false || no == "" || no == 0.0 {
				says = "Not booked."
			}
			tell(map[string]any{"type": "TEXT_MESSAGE_START", "messageId": input.RunID, "role": "assistant"})
			tell(map[string]any{"type": "TEXT_MESSAGE_CONTENT", "messageId": input.RunID, "delta": says})
			tell(map[string]any{"type": "TEXT_MESSAGE_END", "messageId": input.RunID})
		}
		tell(end)
	}))
	t.Cleanup(agent.Close)
	return agent.URL
}
