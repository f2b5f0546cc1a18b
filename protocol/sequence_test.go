package protocol

import (
	"strings"
	"testing"
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
		{"empty run", run(), "", 0, ""},
		{"first event", []string{tagged(TypeTextMessageStart, "m", "", "")}, RuleFirst, 0, ""},
		{"error first", []string{`{"type":"RUN_ERROR","message":"m"}`, start, finish}, "", 0, ""},
		{"unknown type anywhere", append([]string{`{"type":"X"}`}, append(run(), `{"type":"X"}`)...), "", 0, ""},
		{"nested run", []string{start, start}, RuleActive, 1, "r"},
		{"two runs", append(run(), run()...), "", 0, ""},
		{"late error", append(run(), `{"type":"RUN_ERROR","message":"m"}`, start), "", 0, ""},
		{"two late errors", append(run(), `{"type":"RUN_ERROR","message":"m"}`, `{"type":"RUN_ERROR","message":"m"}`), RuleOver, 3, ""},
		{"after finish", append(run(), `{"type":"CUSTOM","name":"n","value":1}`), RuleOver, 2, ""},
		{"finish twice", append(run(), finish), RuleOver, 2, ""},
		{"after error", []string{start, `{"type":"RUN_ERROR","message":"m"}`, finish}, RuleOver, 2, ""},
		{"other thread", append(run(), `{"type":"RUN_STARTED","threadId":"u","runId":"r"}`), RuleIDs, 2, "u"},
		{"end of other thread", []string{start, `{"type":"RUN_FINISHED","threadId":"u","runId":"r"}`}, RuleIDs, 1, "u"},
		{"end of other run", []string{start, `{"type":"RUN_FINISHED","threadId":"t","runId":"q"}`}, RuleIDs, 1, "q"},
		{"same interrupt id", []string{start, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"a"},{"id":"i","reason":"b"}]}}`}, RuleInterrupt, 1, "i"},

		{"text", run(tagged(TypeTextMessageStart, "m", "", ""), tagged(TypeTextMessageContent, "m", "", content), tagged(TypeTextMessageEnd, "m", "", "")), "", 0, ""},
		{"text open twice", run(tagged(TypeTextMessageStart, "m", "", ""), tagged(TypeTextMessageStart, "m", "", "")), RuleOpen, 2, "m"},
		{"text not open", run(tagged(TypeTextMessageContent, "m", "", content)), RuleNotOpen, 1, "m"},
		{"text ended twice", run(tagged(TypeTextMessageStart, "m", "", ""), tagged(TypeTextMessageEnd, "m", "", ""), tagged(TypeTextMessageEnd, "m", "", "")), RuleNotOpen, 3, "m"},
		{"text reopened", run(tagged(TypeTextMessageStart, "m", "", ""), tagged(TypeTextMessageEnd, "m", "", ""), tagged(TypeTextMessageStart, "m", "", `,"role":"assistant"`), tagged(TypeTextMessageEnd, "m", "", "")), "", 0, ""},
		{"text reopened as user", run(tagged(TypeTextMessageStart, "m", "", ""), tagged(TypeTextMessageEnd, "m", "", ""), tagged(TypeTextMessageStart, "m", "", `,"role":"user"`)), RuleReopen, 3, "m"},
		{"text left open", run(tagged(TypeTextMessageStart, "m", "", "")), RuleLeftOpen, 2, `"m"`},
		{"error leaves open", []string{start, tagged(TypeTextMessageStart, "m", "", ""), `{"type":"RUN_ERROR","message":"m"}`, start, tagged(TypeTextMessageStart, "m", "", "")}, "", 0, ""},
		{"text of other owner", run(tagged(TypeTextMessageStart, "m", "", ""), tagged(TypeTextMessageContent, "m", "s", content)), RuleOwner, 2, "m"},
		{"untagged content", run(tagged(TypeTextMessageStart, "m", "s", ""), tagged(TypeTextMessageContent, "m", "", content), tagged(TypeTextMessageEnd, "m", "", "")), "", 0, ""},
		{"owner outlives the close", run(tagged(TypeTextMessageStart, "m", "s", ""), tagged(TypeTextMessageEnd, "m", "", ""), tagged(TypeTextMessageStart, "m", "u", "")), RuleOwner, 3, "m"},
		{"owner from snapshot", run(snapshot, tagged(TypeTextMessageStart, "m", "u", "")), RuleOwner, 2, "m"},
		{"call owner from snapshot", run(snapshot, tagged(TypeToolCallStart, "c", "u", call)), RuleOwner, 2, "c"},
		{"owner from input", []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":""}]}}`, tagged(TypeTextMessageStart, "m", "s", "")}, RuleOwner, 1, "m"},

		{"call", run(tagged(TypeToolCallStart, "c", "", call), tagged(TypeToolCallArgs, "c", "", content), tagged(TypeToolCallEnd, "c", "", ""), `{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":""}`), "", 0, ""},
		{"call open twice", run(tagged(TypeToolCallStart, "c", "", call), tagged(TypeToolCallStart, "c", "", call)), RuleOpen, 2, "c"},
		{"call not open", run(tagged(TypeToolCallArgs, "c", "", content)), RuleNotOpen, 1, "c"},
		{"call left open", run(tagged(TypeToolCallStart, "c", "", call)), RuleLeftOpen, 2, `"c"`},
		{"call renamed", run(tagged(TypeToolCallStart, "c", "", call), tagged(TypeToolCallEnd, "c", "", ""), tagged(TypeToolCallStart, "c", "", `,"toolCallName":"x"`)), RuleReopen, 3, "c"},
		{"call of other owner than its message", run(tagged(TypeTextMessageStart, "m", "", ""), tagged(TypeToolCallStart, "c", "s", call+`,"parentMessageId":"m"`)), RuleOwner, 2, "c"},
		{"call inherits from its message", run(tagged(TypeTextMessageStart, "m", "s", ""), tagged(TypeToolCallStart, "c", "", call+`,"parentMessageId":"m"`), tagged(TypeToolCallArgs, "c", "u", content)), RuleOwner, 3, "c"},
		{"result owns its message", run(`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"","subagentRunId":"s"}`, tagged(TypeTextMessageStart, "m", "u", "")), RuleOwner, 2, "m"},

		{"span and message share an id", run(tagged(TypeReasoningStart, "m", "", ""), tagged(TypeReasoningMessageStart, "m", "", `,"role":"reasoning"`), tagged(TypeReasoningEnd, "m", "", ""), tagged(TypeReasoningMessageContent, "m", "", content), tagged(TypeReasoningMessageEnd, "m", "", "")), "", 0, ""},
		{"reasoning not open", run(tagged(TypeReasoningStart, "m", "", ""), tagged(TypeReasoningMessageContent, "m", "", content)), RuleNotOpen, 2, "m"},
		{"span not open", run(tagged(TypeReasoningMessageStart, "m", "", `,"role":"reasoning"`), tagged(TypeReasoningEnd, "m", "", "")), RuleNotOpen, 2, "m"},
		{"span left open", run(tagged(TypeReasoningStart, "m", "", "")), RuleLeftOpen, 2, `"m"`},
		{"sealed by another", run(tagged(TypeReasoningMessageStart, "m", "s", `,"role":"reasoning"`), tagged(TypeReasoningMessageEnd, "m", "", ""), `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"v","subagentRunId":"u"}`), RuleOwner, 3, "m"},
		{"sealed call by another", run(tagged(TypeToolCallStart, "c", "s", call), tagged(TypeToolCallEnd, "c", "", ""), `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"tool-call","entityId":"c","encryptedValue":"v","subagentRunId":"u"}`), RuleOwner, 3, "c"},
		{"sealed unknown", run(`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"m","encryptedValue":"v","subagentRunId":"u"}`), "", 0, ""},

		{"steps by owner", run(tagged(TypeStepStarted, "a", "", ""), tagged(TypeStepStarted, "a", "s", ""), tagged(TypeStepFinished, "a", "", ""), tagged(TypeStepFinished, "a", "s", "")), "", 0, ""},
		{"step twice", run(tagged(TypeStepStarted, "a", "", ""), tagged(TypeStepStarted, "a", "", "")), RuleOpen, 2, "a"},
		{"step not started", run(tagged(TypeStepFinished, "a", "", "")), RuleNotOpen, 1, "a"},
		{"step of another", run(tagged(TypeStepStarted, "a", "s", ""), tagged(TypeStepFinished, "a", "", "")), RuleOwner, 2, "a"},
		{"empty owner is no parent", run(`{"type":"STEP_STARTED","stepName":"a","subagentRunId":""}`, tagged(TypeStepFinished, "a", "", "")), RuleOwner, 2, "a"},
		{"step left open", run(tagged(TypeStepStarted, "a", "", "")), RuleLeftOpen, 2, `"a" of the parent agent`},

		{"subagent", run(tagged(TypeSubagentStarted, "s", "", name), tagged(TypeSubagentFinished, "s", "", "")), "", 0, ""},
		{"subagent twice", run(tagged(TypeSubagentStarted, "s", "", name), tagged(TypeSubagentStarted, "s", "", name)), RuleSubagent, 2, "s"},
		{"subagent again", run(tagged(TypeSubagentStarted, "s", "", name), tagged(TypeSubagentFinished, "s", "", ""), tagged(TypeSubagentStarted, "s", "", name)), RuleSubagent, 3, "s"},
		{"subagent again in next run", append(run(tagged(TypeSubagentStarted, "s", "", name), tagged(TypeSubagentFinished, "s", "", "")), run(tagged(TypeSubagentStarted, "s", "", name), tagged(TypeSubagentError, "s", "", `,"message":"m"`))...), "", 0, ""},
		{"subagent without start", run(tagged(TypeSubagentError, "s", "", `,"message":"m"`)), RuleSubagent, 1, "s"},
		{"subagent of unknown parent", run(tagged(TypeSubagentStarted, "s", "", name+`,"parentSubagentRunId":"p"`)), RuleSubagent, 1, "p"},
		{"subagent of ended parent", run(tagged(TypeSubagentStarted, "p", "", name), tagged(TypeSubagentFinished, "p", "", ""), tagged(TypeSubagentStarted, "s", "", name+`,"parentSubagentRunId":"p"`), tagged(TypeSubagentFinished, "s", "", "")), "", 0, ""},
		{"subagent left open", run(tagged(TypeSubagentStarted, "s", "", name)), RuleLeftOpen, 2, `"s"`},
		{"unannounced tag", run(tagged(TypeStepStarted, "a", "s", ""), tagged(TypeStepFinished, "a", "s", "")), "", 0, ""},

		{"activity", run(tagged(TypeActivitySnapshot, "m", "s", `,"activityType":"a","content":{}`), tagged(TypeActivityDelta, "m", "s", `,"activityType":"a","patch":[]`)), "", 0, ""},
		{"activity of another", run(tagged(TypeActivitySnapshot, "m", "s", `,"activityType":"a","content":{}`), tagged(TypeActivityDelta, "m", "u", `,"activityType":"a","patch":[]`)), RuleOwner, 2, "m"},
		{"activity replaced", run(tagged(TypeActivitySnapshot, "m", "s", `,"activityType":"a","content":{}`), tagged(TypeActivitySnapshot, "m", "u", `,"activityType":"a","content":{}`), tagged(TypeActivityDelta, "m", "u", `,"activityType":"a","patch":[]`)), "", 0, ""},
		{"activity not replaced", run(tagged(TypeActivitySnapshot, "m", "s", `,"activityType":"a","content":{}`), tagged(TypeActivitySnapshot, "m", "u", `,"activityType":"a","content":{},"replace":false`), tagged(TypeActivityDelta, "m", "u", `,"activityType":"a","patch":[]`)), RuleOwner, 3, "m"},
		{"activity without snapshot", run(tagged(TypeActivityDelta, "m", "", `,"activityType":"a","patch":[]`)), RuleBaseline, 1, "m"},
		{"activity of an earlier run", append(run(tagged(TypeActivitySnapshot, "m", "s", `,"activityType":"a","content":{}`)), run(tagged(TypeActivityDelta, "m", "", `,"activityType":"a","patch":[]`))...), "", 0, ""},

		{"chunks", run(tagged(TypeTextMessageChunk, "m", "", content), `{"type":"TEXT_MESSAGE_CHUNK","delta":"y"}`), "", 0, ""},
		{"chunk without id", run(`{"type":"TEXT_MESSAGE_CHUNK","delta":"y"}`), RuleChunk, 1, ""},
		{"chunk after its stream", run(tagged(TypeTextMessageChunk, "m", "", content), `{"type":"CUSTOM","name":"n","value":1}`, `{"type":"TEXT_MESSAGE_CHUNK","delta":"y"}`), RuleChunk, 3, ""},
		{"chunk stream outlives raw", run(tagged(TypeTextMessageChunk, "m", "", content), `{"type":"RAW","event":1}`, `{"type":"TEXT_MESSAGE_CHUNK","delta":"y"}`), "", 0, ""},
		{"chunk of what is open", run(tagged(TypeTextMessageStart, "m", "", ""), tagged(TypeTextMessageChunk, "m", "", content)), RuleOpen, 2, "m"},
		{"explicit end of chunks", run(tagged(TypeTextMessageChunk, "m", "", content), tagged(TypeTextMessageEnd, "m", "", "")), RuleNotOpen, 2, "m"},
		{"explicit content of chunks", run(tagged(TypeToolCallChunk, "c", "", call), tagged(TypeToolCallArgs, "c", "", content)), RuleNotOpen, 2, "c"},
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
		tagged(TypeTextMessageStart, "m", "", ""),
		tagged(TypeTextMessageChunk, "n", "s", `,"delta":"x"`)) {
		if err := s.Check(e); err != nil {
			t.Fatal(err)
		}
	}
	refused := events(t, tagged(TypeTextMessageChunk, "m", "s", `,"delta":"x"`))[0]
	before := s.Index()
	if err := s.Check(refused); err == nil {
		t.Fatal("accepted")
	}
	if s.Index() != before {
		t.Errorf("index %d became %d", before, s.Index())
	}
	for _, e := range events(t,
		`{"type":"TEXT_MESSAGE_CHUNK","delta":"y","subagentRunId":"s"}`,
		tagged(TypeTextMessageEnd, "m", "", ""), finish) {
		if err := s.Check(e); err != nil {
			t.Errorf("after the refusal: %v", err)
		}
	}
}

func TestSequenceSeed(t *testing.T) {
	s := new(Sequence)
	owner := "s"
	s.Seed(Messages{
		{ID: "m", Role: RoleAssistant, SubagentRunID: &owner},
		{ID: "a", Role: RoleActivity, ActivityType: "plan"},
	})
	for _, e := range events(t, start, tagged(TypeActivityDelta, "a", "", `,"activityType":"plan","patch":[]`)) {
		if err := s.Check(e); err != nil {
			t.Fatal(err)
		}
	}
	other := s.Clone()
	for _, s := range []*Sequence{s, other} {
		if err := s.Check(events(t, tagged(TypeTextMessageStart, "m", "u", ""))[0]); err == nil {
			t.Error("a message of s was reopened for u")
		}
	}
	if err := other.Check(events(t, tagged(TypeTextMessageStart, "m", "s", ""))[0]); err != nil {
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
	for name, k := range kinds {
		var s Sequence
		if err := s.Check(events(t, start)[0]); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(k.make()); err != nil && strings.Contains(err.Error(), "is not an event that has an order") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
