// Package eventtext has events as texts, for the tests of protocol and the packages below it.
package eventtext

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The ends of run r of thread t.
const (
	Start  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	Finish = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

// Run wraps events into a run of thread t, run r.
func Run(documents ...string) []string {
	return append(append([]string{Start}, documents...), Finish)
}

// Tagged is a START, CONTENT or END in short: kind, id, subagent or "".
func Tagged[kind ~string](k kind, id, subagent, more string) string {
	member := "messageId"
	switch k {
	case "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_CHUNK":
		member = "toolCallId"
	case "STEP_STARTED", "STEP_FINISHED":
		member = "stepName"
	case "SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR":
		member = "subagentRunId"
	}
	out := fmt.Sprintf(`{"type":%q,%q:%q`, k, member, id)
	if subagent != "" {
		out += fmt.Sprintf(`,"subagentRunId":%q`, subagent)
	}
	return out + more + "}"
}

// Decode decodes events.
func Decode[event any](t testing.TB, decode func([]byte) (event, error), documents ...string) []event {
	t.Helper()
	list := make([]event, len(documents))
	for i, document := range documents {
		e, err := decode([]byte(document))
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		list[i] = e
	}
	return list
}

// Valid returns events of every kind; root is the folder of protocol.
func Valid(t testing.TB, root string) (documents []string) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(root, "testdata", "events.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		if document, valid := strings.CutPrefix(line, "valid "); valid {
			documents = append(documents, strings.TrimSpace(document))
		}
	}
	return documents
}

// EverythingOpen is a run that has opened something of each family, and closed some of it.
var EverythingOpen = []string{
	Start,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"gone","name":"n"}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"p","name":"parent","parentSubagentRunId":"gone"}`,
	`{"type":"SUBAGENT_FINISHED","subagentRunId":"gone"}`,
	`{"type":"REASONING_MESSAGE_START","messageId":"r","role":"reasoning","subagentRunId":"p"}`,
	`{"type":"REASONING_START","messageId":"r","subagentRunId":"p"}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"q","name":"child","description":"d","parentSubagentRunId":"p","metadata":{"k":1}}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":"q","role":"assistant","timestamp":1}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"par"}`,
	`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":"m"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"a"}`,
	`{"type":"STEP_STARTED","stepName":"one","subagentRunId":"q"}`,
	`{"type":"STEP_STARTED","stepName":"one"}`,
	`{"type":"STEP_STARTED","stepName":"two"}`,
	`{"type":"STEP_FINISHED","stepName":"two"}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"closed"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"closed"}`,
}

// EveryFamily is a run with an event of each family, in chunks and in full.
var EveryFamily = []string{
	Start,
	`{"type":"STEP_STARTED","stepName":"think"}`,
	`{"type":"REASONING_START","messageId":"g"}`,
	`{"type":"REASONING_MESSAGE_START","messageId":"g","role":"reasoning"}`,
	`{"type":"REASONING_MESSAGE_CONTENT","messageId":"g","delta":"hm"}`,
	`{"type":"REASONING_MESSAGE_END","messageId":"g"}`,
	`{"type":"REASONING_END","messageId":"g"}`,
	`{"type":"STEP_FINISHED","stepName":"think"}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"search"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"m"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","delta":"m"}`,
	`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"look","delta":"m"}`,
	`{"type":"TOOL_CALL_RESULT","messageId":"result","toolCallId":"c","content":"found"}`,
	`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"plan","content":{}}`,
	`{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"look"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"d","delta":"{}"}`,
	`{"type":"TOOL_CALL_END","toolCallId":"d"}`,
	`{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`,
	Finish,
}
