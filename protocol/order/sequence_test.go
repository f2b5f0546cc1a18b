package order

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/internal/eventtext"
)

func TestSequence(t *testing.T) {
	const (
		content  = `,"delta":"x"`
		call     = `,"toolCallName":"n"`
		snapshot = `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","subagentRunId":"s","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}]}`
	)
	name := `,"name":"n"`
	for _, test := range []struct {
		name   string
		events []string
		rule   string // empty: legal
		index  int
		entity string
	}{
		{"empty run", eventtext.Run(), "", 0, ""},
		{"first event", []string{eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", "")}, RuleFirst, 0, ""},
		{"error first", []string{`{"type":"RUN_ERROR","message":"m"}`, start, finish}, "", 0, ""},
		{"unknown type anywhere", append([]string{`{"type":"X"}`}, append(eventtext.Run(), `{"type":"X"}`)...), "", 0, ""},
		{"nested run", []string{start, start}, RuleActive, 1, "r"},
		{"two runs", append(eventtext.Run(), eventtext.Run()...), "", 0, ""},
		{"late error", append(eventtext.Run(), `{"type":"RUN_ERROR","message":"m"}`, start), "", 0, ""},
		{"two late errors", append(eventtext.Run(), `{"type":"RUN_ERROR","message":"m"}`, `{"type":"RUN_ERROR","message":"m"}`), RuleOver, 3, ""},
		{"after finish", append(eventtext.Run(), `{"type":"CUSTOM","name":"n","value":1}`), RuleOver, 2, ""},
		{"finish twice", append(eventtext.Run(), finish), RuleOver, 2, ""},
		{"after error", []string{start, `{"type":"RUN_ERROR","message":"m"}`, finish}, RuleOver, 2, ""},
		{"other thread", append(eventtext.Run(), `{"type":"RUN_STARTED","threadId":"u","runId":"r"}`), RuleIDs, 2, "u"},
		{"end of other thread", []string{start, `{"type":"RUN_FINISHED","threadId":"u","runId":"r"}`}, RuleIDs, 1, "u"},
		{"end of other run", []string{start, `{"type":"RUN_FINISHED","threadId":"t","runId":"q"}`}, RuleIDs, 1, "q"},
		{"same interrupt id", []string{start, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"a"},{"id":"i","reason":"b"}]}}`}, RuleInterrupt, 1, "i"},

		{"text", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageContent, "m", "", content), eventtext.Tagged(protocol.TypeTextMessageEnd, "m", "", "")), "", 0, ""},
		{"text open twice", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", "")), RuleOpen, 2, "m"},
		{"text not open", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageContent, "m", "", content)), RuleNotOpen, 1, "m"},
		{"text ended twice", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageEnd, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageEnd, "m", "", "")), RuleNotOpen, 3, "m"},
		{"text reopened", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageEnd, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", `,"role":"assistant"`), eventtext.Tagged(protocol.TypeTextMessageEnd, "m", "", "")), "", 0, ""},
		{"text reopened as user", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageEnd, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", `,"role":"user"`)), RuleReopen, 3, "m"},
		{"text left open", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", "")), RuleLeftOpen, 2, `"m"`},
		{"error leaves open", []string{start, eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", ""), `{"type":"RUN_ERROR","message":"m"}`, start, eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", "")}, "", 0, ""},
		{"text of other owner", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageContent, "m", "s", content)), RuleOwner, 2, "m"},
		{"untagged content", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "s", ""), eventtext.Tagged(protocol.TypeTextMessageContent, "m", "", content), eventtext.Tagged(protocol.TypeTextMessageEnd, "m", "", "")), "", 0, ""},
		{"owner outlives the close", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "s", ""), eventtext.Tagged(protocol.TypeTextMessageEnd, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageStart, "m", "u", "")), RuleOwner, 3, "m"},
		{"owner from snapshot", eventtext.Run(snapshot, eventtext.Tagged(protocol.TypeTextMessageStart, "m", "u", "")), RuleOwner, 2, "m"},
		{"call owner from snapshot", eventtext.Run(snapshot, eventtext.Tagged(protocol.TypeToolCallStart, "c", "u", call)), RuleOwner, 2, "c"},
		{"owner from input", []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":""}]}}`, eventtext.Tagged(protocol.TypeTextMessageStart, "m", "s", "")}, RuleOwner, 1, "m"},

		{"call", eventtext.Run(eventtext.Tagged(protocol.TypeToolCallStart, "c", "", call), eventtext.Tagged(protocol.TypeToolCallArgs, "c", "", content), eventtext.Tagged(protocol.TypeToolCallEnd, "c", "", ""), `{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":""}`), "", 0, ""},
		{"call open twice", eventtext.Run(eventtext.Tagged(protocol.TypeToolCallStart, "c", "", call), eventtext.Tagged(protocol.TypeToolCallStart, "c", "", call)), RuleOpen, 2, "c"},
		{"call not open", eventtext.Run(eventtext.Tagged(protocol.TypeToolCallArgs, "c", "", content)), RuleNotOpen, 1, "c"},
		{"call left open", eventtext.Run(eventtext.Tagged(protocol.TypeToolCallStart, "c", "", call)), RuleLeftOpen, 2, `"c"`},
		{"call renamed", eventtext.Run(eventtext.Tagged(protocol.TypeToolCallStart, "c", "", call), eventtext.Tagged(protocol.TypeToolCallEnd, "c", "", ""), eventtext.Tagged(protocol.TypeToolCallStart, "c", "", `,"toolCallName":"x"`)), RuleReopen, 3, "c"},
		{"call of other owner than its message", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", ""), eventtext.Tagged(protocol.TypeToolCallStart, "c", "s", call+`,"parentMessageId":"m"`)), RuleOwner, 2, "c"},
		{"call inherits from its message", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "s", ""), eventtext.Tagged(protocol.TypeToolCallStart, "c", "", call+`,"parentMessageId":"m"`), eventtext.Tagged(protocol.TypeToolCallArgs, "c", "u", content)), RuleOwner, 3, "c"},
		{"result owns its message", eventtext.Run(`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"","subagentRunId":"s"}`, eventtext.Tagged(protocol.TypeTextMessageStart, "m", "u", "")), RuleOwner, 2, "m"},

		{"span and message share an id", eventtext.Run(eventtext.Tagged(protocol.TypeReasoningStart, "m", "", ""), eventtext.Tagged(protocol.TypeReasoningMessageStart, "m", "", `,"role":"reasoning"`), eventtext.Tagged(protocol.TypeReasoningEnd, "m", "", ""), eventtext.Tagged(protocol.TypeReasoningMessageContent, "m", "", content), eventtext.Tagged(protocol.TypeReasoningMessageEnd, "m", "", "")), "", 0, ""},
		{"reasoning not open", eventtext.Run(eventtext.Tagged(protocol.TypeReasoningStart, "m", "", ""), eventtext.Tagged(protocol.TypeReasoningMessageContent, "m", "", content)), RuleNotOpen, 2, "m"},
		{"span not open", eventtext.Run(eventtext.Tagged(protocol.TypeReasoningMessageStart, "m", "", `,"role":"reasoning"`), eventtext.Tagged(protocol.TypeReasoningEnd, "m", "", "")), RuleNotOpen, 2, "m"},
		{"span left open", eventtext.Run(eventtext.Tagged(protocol.TypeReasoningStart, "m", "", "")), RuleLeftOpen, 2, `"m"`},
		{"sealed by another", eventtext.Run(eventtext.Tagged(protocol.TypeReasoningMessageStart, "m", "s", `,"role":"reasoning"`), eventtext.Tagged(protocol.TypeReasoningMessageEnd, "m", "", ""), `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"v","subagentRunId":"u"}`), RuleOwner, 3, "m"},
		{"sealed call by another", eventtext.Run(eventtext.Tagged(protocol.TypeToolCallStart, "c", "s", call), eventtext.Tagged(protocol.TypeToolCallEnd, "c", "", ""), `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c","encryptedValue":"v","subagentRunId":"u"}`), RuleOwner, 3, "c"},
		{"sealed unknown", eventtext.Run(`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"v","subagentRunId":"u"}`), "", 0, ""},

		{"steps by owner", eventtext.Run(eventtext.Tagged(protocol.TypeStepStarted, "a", "", ""), eventtext.Tagged(protocol.TypeStepStarted, "a", "s", ""), eventtext.Tagged(protocol.TypeStepFinished, "a", "", ""), eventtext.Tagged(protocol.TypeStepFinished, "a", "s", "")), "", 0, ""},
		{"step twice", eventtext.Run(eventtext.Tagged(protocol.TypeStepStarted, "a", "", ""), eventtext.Tagged(protocol.TypeStepStarted, "a", "", "")), RuleOpen, 2, "a"},
		{"step not started", eventtext.Run(eventtext.Tagged(protocol.TypeStepFinished, "a", "", "")), RuleNotOpen, 1, "a"},
		{"step of another", eventtext.Run(eventtext.Tagged(protocol.TypeStepStarted, "a", "s", ""), eventtext.Tagged(protocol.TypeStepFinished, "a", "", "")), RuleOwner, 2, "a"},
		{"empty owner is no parent", eventtext.Run(`{"type":"STEP_STARTED","stepName":"a","subagentRunId":""}`, eventtext.Tagged(protocol.TypeStepFinished, "a", "", "")), RuleOwner, 2, "a"},
		{"step left open", eventtext.Run(eventtext.Tagged(protocol.TypeStepStarted, "a", "", "")), RuleLeftOpen, 2, `"a" of the parent agent`},

		{"subagent", eventtext.Run(eventtext.Tagged(protocol.TypeSubagentStarted, "s", "", name), eventtext.Tagged(protocol.TypeSubagentFinished, "s", "", "")), "", 0, ""},
		{"subagent twice", eventtext.Run(eventtext.Tagged(protocol.TypeSubagentStarted, "s", "", name), eventtext.Tagged(protocol.TypeSubagentStarted, "s", "", name)), RuleSubagent, 2, "s"},
		{"subagent again", eventtext.Run(eventtext.Tagged(protocol.TypeSubagentStarted, "s", "", name), eventtext.Tagged(protocol.TypeSubagentFinished, "s", "", ""), eventtext.Tagged(protocol.TypeSubagentStarted, "s", "", name)), RuleSubagent, 3, "s"},
		{"subagent again in next run", append(eventtext.Run(eventtext.Tagged(protocol.TypeSubagentStarted, "s", "", name), eventtext.Tagged(protocol.TypeSubagentFinished, "s", "", "")), eventtext.Run(eventtext.Tagged(protocol.TypeSubagentStarted, "s", "", name), eventtext.Tagged(protocol.TypeSubagentError, "s", "", `,"message":"m"`))...), "", 0, ""},
		{"subagent without start", eventtext.Run(eventtext.Tagged(protocol.TypeSubagentError, "s", "", `,"message":"m"`)), RuleSubagent, 1, "s"},
		{"subagent of unknown parent", eventtext.Run(eventtext.Tagged(protocol.TypeSubagentStarted, "s", "", name+`,"parentSubagentRunId":"p"`)), RuleSubagent, 1, "p"},
		{"subagent of ended parent", eventtext.Run(eventtext.Tagged(protocol.TypeSubagentStarted, "p", "", name), eventtext.Tagged(protocol.TypeSubagentFinished, "p", "", ""), eventtext.Tagged(protocol.TypeSubagentStarted, "s", "", name+`,"parentSubagentRunId":"p"`), eventtext.Tagged(protocol.TypeSubagentFinished, "s", "", "")), "", 0, ""},
		{"subagent left open", eventtext.Run(eventtext.Tagged(protocol.TypeSubagentStarted, "s", "", name)), RuleLeftOpen, 2, `"s"`},
		{"unannounced tag", eventtext.Run(eventtext.Tagged(protocol.TypeStepStarted, "a", "s", ""), eventtext.Tagged(protocol.TypeStepFinished, "a", "s", "")), "", 0, ""},

		{"activity", eventtext.Run(eventtext.Tagged(protocol.TypeActivitySnapshot, "m", "s", `,"activityType":"a","content":{}`), eventtext.Tagged(protocol.TypeActivityDelta, "m", "s", `,"activityType":"a","patch":[]`)), "", 0, ""},
		{"activity of another", eventtext.Run(eventtext.Tagged(protocol.TypeActivitySnapshot, "m", "s", `,"activityType":"a","content":{}`), eventtext.Tagged(protocol.TypeActivityDelta, "m", "u", `,"activityType":"a","patch":[]`)), RuleOwner, 2, "m"},
		{"activity replaced", eventtext.Run(eventtext.Tagged(protocol.TypeActivitySnapshot, "m", "s", `,"activityType":"a","content":{}`), eventtext.Tagged(protocol.TypeActivitySnapshot, "m", "u", `,"activityType":"a","content":{}`), eventtext.Tagged(protocol.TypeActivityDelta, "m", "u", `,"activityType":"a","patch":[]`)), "", 0, ""},
		{"activity not replaced", eventtext.Run(eventtext.Tagged(protocol.TypeActivitySnapshot, "m", "s", `,"activityType":"a","content":{}`), eventtext.Tagged(protocol.TypeActivitySnapshot, "m", "u", `,"activityType":"a","content":{},"replace":false`), eventtext.Tagged(protocol.TypeActivityDelta, "m", "u", `,"activityType":"a","patch":[]`)), RuleOwner, 3, "m"},
		{"activity without snapshot", eventtext.Run(eventtext.Tagged(protocol.TypeActivityDelta, "m", "", `,"activityType":"a","patch":[]`)), RuleBaseline, 1, "m"},
		{"activity of an earlier run", append(eventtext.Run(eventtext.Tagged(protocol.TypeActivitySnapshot, "m", "s", `,"activityType":"a","content":{}`)), eventtext.Run(eventtext.Tagged(protocol.TypeActivityDelta, "m", "", `,"activityType":"a","patch":[]`))...), "", 0, ""},

		{"chunks", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageChunk, "m", "", content), `{"type":"TEXT_MESSAGE_CHUNK","delta":"y"}`), "", 0, ""},
		{"chunk without id", eventtext.Run(`{"type":"TEXT_MESSAGE_CHUNK","delta":"y"}`), RuleChunk, 1, ""},
		{"chunk after its stream", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageChunk, "m", "", content), `{"type":"CUSTOM","name":"n","value":1}`, `{"type":"TEXT_MESSAGE_CHUNK","delta":"y"}`), RuleChunk, 3, ""},
		{"chunk stream outlives raw", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageChunk, "m", "", content), `{"type":"RAW","event":1}`, `{"type":"TEXT_MESSAGE_CHUNK","delta":"y"}`), "", 0, ""},
		{"chunk of what is open", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", ""), eventtext.Tagged(protocol.TypeTextMessageChunk, "m", "", content)), RuleOpen, 2, "m"},
		{"explicit end of chunks", eventtext.Run(eventtext.Tagged(protocol.TypeTextMessageChunk, "m", "", content), eventtext.Tagged(protocol.TypeTextMessageEnd, "m", "", "")), RuleNotOpen, 2, "m"},
		{"explicit content of chunks", eventtext.Run(eventtext.Tagged(protocol.TypeToolCallChunk, "c", "", call), eventtext.Tagged(protocol.TypeToolCallArgs, "c", "", content)), RuleNotOpen, 2, "c"},
	} {
		t.Run(test.name, func(t *testing.T) {
			broken := check(t, test.events...)
			switch {
			case test.rule == "" && broken != nil:
				t.Fatal(broken)
			case test.rule == "":
			case broken == nil:
				t.Fatalf("legal, expected %s", test.rule)
			case broken.Rule != test.rule || broken.Index != test.index || broken.Entity != test.entity:
				t.Errorf("%v about %q, expected %s at %d about %q", broken, broken.Entity, test.rule, test.index, test.entity)
			}
		})
	}
}

func TestSequenceErrorChangesNothing(t *testing.T) {
	var s Sequence
	// A chunk that opens m closes n first; neither may remain once it is refused.
	for _, e := range events(t, start,
		eventtext.Tagged(protocol.TypeTextMessageStart, "m", "", ""),
		eventtext.Tagged(protocol.TypeTextMessageChunk, "n", "s", `,"delta":"x"`)) {
		if err := s.Check(e); err != nil {
			t.Fatal(err)
		}
	}
	refused := events(t, eventtext.Tagged(protocol.TypeTextMessageChunk, "m", "s", `,"delta":"x"`))[0]
	before := s.Index()
	if err := s.Check(refused); err == nil {
		t.Fatal("accepted")
	}
	if s.Index() != before {
		t.Errorf("index %d became %d", before, s.Index())
	}
	for _, e := range events(t,
		`{"type":"TEXT_MESSAGE_CHUNK","delta":"y","subagentRunId":"s"}`,
		eventtext.Tagged(protocol.TypeTextMessageEnd, "m", "", ""), finish) {
		if err := s.Check(e); err != nil {
			t.Errorf("after the refusal: %v", err)
		}
	}
}

func TestSequenceSeed(t *testing.T) {
	s := new(Sequence)
	owner := "s"
	s.Seed(protocol.Messages{
		{ID: "m", Role: protocol.RoleAssistant, SubagentRunID: &owner},
		{ID: "a", Role: protocol.RoleActivity, ActivityType: "plan"},
	})
	for _, e := range events(t, start, eventtext.Tagged(protocol.TypeActivityDelta, "a", "", `,"activityType":"plan","patch":[]`)) {
		if err := s.Check(e); err != nil {
			t.Fatal(err)
		}
	}
	other := s.Clone()
	for _, s := range []*Sequence{s, other} {
		if err := s.Check(events(t, eventtext.Tagged(protocol.TypeTextMessageStart, "m", "u", ""))[0]); err == nil {
			t.Error("a message of s was reopened for u")
		}
	}
	if err := other.Check(events(t, eventtext.Tagged(protocol.TypeTextMessageStart, "m", "s", ""))[0]); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(events(t, finish)[0]); err != nil {
		t.Errorf("the clone changed the original: %v", err)
	}
}

func TestSequenceEnd(t *testing.T) {
	s := new(Sequence)
	if s.End() == nil {
		t.Error("an empty stream ended well")
	}
	for _, e := range events(t, start) {
		if err := s.Check(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.End(); err == nil || !strings.Contains(err.Error(), RuleTruncated) {
		t.Errorf("truncated: %v", err)
	}
	if err := s.Check(events(t, finish)[0]); err != nil {
		t.Fatal(err)
	}
	if err := s.End(); err != nil {
		t.Error(err)
	}
}

// TestSequenceKnowsEveryKind fails when a kind is added that no rule is for.
func TestSequenceKnowsEveryKind(t *testing.T) {
	kinds := map[protocol.EventType]bool{}
	for _, document := range eventtext.Valid(t, "..") {
		e := events(t, document)[0]
		kinds[e.Type()] = true
		var s Sequence
		if err := s.Check(events(t, start)[0]); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(e); err != nil && strings.Contains(err.Error(), "is not an event that has an order") {
			t.Errorf("%s: %v", e.Type(), err)
		}
	}
	if len(kinds) < 31 {
		t.Errorf("%d kinds of events", len(kinds))
	}
}
