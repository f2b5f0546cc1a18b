package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// asks has the agent answer a message "ask" or "ask options" as most agents ask: by an
// interrupt without a schema, in the middle of a call, whose message is JSON. "ask by
// SCHEMA" asks with that schema. What it is answered it says, word for word. false: it
// was told something else.
func asks(w http.ResponseWriter, input []byte) bool {
	var told struct {
		RunID    string `json:"runId"`
		Messages []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"messages"`
		Resume []struct {
			Status  string          `json:"status"`
			Payload json.RawMessage `json:"payload"`
		} `json:"resume"`
	}
	if json.Unmarshal(input, &told) != nil || len(told.Messages) == 0 {
		return false
	}
	last, _ := told.Messages[len(told.Messages)-1].Content.(string)
	if len(told.Resume) == 0 && !strings.HasPrefix(last, "ask") {
		return false
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(format string, args ...any) { fmt.Fprintf(w, "data: "+format+"\n\n", args...) }
	send(`{"type":"RUN_STARTED","threadId":"mine","runId":%q}`, told.RunID)
	if len(told.Resume) > 0 {
		text, _ := json.Marshal("Told: " + told.Resume[0].Status + " " + string(told.Resume[0].Payload))
		send(`{"type":"TEXT_MESSAGE_START","messageId":"m-%s","role":"assistant"}`, told.RunID)
		send(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-%s","delta":%s}`, told.RunID, text)
		send(`{"type":"TEXT_MESSAGE_END","messageId":"m-%s"}`, told.RunID)
		send(`{"type":"RUN_FINISHED","threadId":"mine","runId":%q}`, told.RunID)
		return true
	}
	metadata, schema := "", ""
	if asked, ok := strings.CutPrefix(last, "ask by "); ok {
		schema = `,"responseSchema":` + asked
	}
	if last == "ask options" {
		metadata = `,"metadata":{"answers":[{"label":"Today","payload":{"day":0}},{"label":"On Monday, with the other letters","payload":{"day":1}},{"label":"Never","payload":"never"}]}`
	}
	send(`{"type":"TOOL_CALL_START","toolCallId":"call-%s","toolCallName":"send_letter"}`, told.RunID)
	send(`{"type":"TOOL_CALL_ARGS","toolCallId":"call-%s","delta":"{\"to\":\"ann@example.org\"}"}`, told.RunID)
	send(`{"type":"TOOL_CALL_END","toolCallId":"call-%s"}`, told.RunID)
	message, _ := json.Marshal(`{"question":"Send the letter to Ann?","to":"ann@example.org","pages":2}`)
	send(`{"type":"RUN_FINISHED","threadId":"mine","runId":%q,"outcome":{"type":"interrupt","interrupts":[{"id":"q-%s","reason":"letters:approval","message":%s%s%s}]}}`,
		told.RunID, told.RunID, message, metadata, schema)
	return true
}
