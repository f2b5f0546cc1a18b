package protocol

import (
	"errors"
	"fmt"
	"testing"
)

// events decodes events written as JSON.
func events(t testing.TB, documents ...string) []Event {
	t.Helper()
	list := make([]Event, len(documents))
	for i, document := range documents {
		e, err := Decode([]byte(document))
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		list[i] = e
	}
	return list
}

// run wraps events into a run of thread t, run r.
func run(documents ...string) []string {
	return append(append([]string{start}, documents...), finish)
}

const (
	start  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	finish = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

// tagged is a START, CONTENT or END in short: kind, id, subagent or "".
func tagged(kind EventType, id, subagent, more string) string {
	member := "messageId"
	switch kind {
	case TypeToolCallStart, TypeToolCallArgs, TypeToolCallEnd, TypeToolCallChunk:
		member = "toolCallId"
	case TypeStepStarted, TypeStepFinished:
		member = "stepName"
	case TypeSubagentStarted, TypeSubagentFinished, TypeSubagentError:
		member = "subagentRunId"
	}
	out := fmt.Sprintf(`{"type":%q,%q:%q`, kind, member, id)
	if subagent != "" {
		out += fmt.Sprintf(`,"subagentRunId":%q`, subagent)
	}
	return out + more + "}"
}

// check feeds a sequence and returns the first error.
func check(t testing.TB, documents ...string) *SequenceError {
	t.Helper()
	var s Sequence
	for _, e := range events(t, documents...) {
		if err := s.Check(e); err != nil {
			broken, ok := errors.AsType[*SequenceError](err)
			if !ok {
				t.Fatalf("not a SequenceError: %v", err)
			}
			return broken
		}
	}
	return nil
}
