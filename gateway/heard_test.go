package gateway

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// What the frameworks send is known by what they do in their own way.
func TestDialectIsHeard(t *testing.T) {
	for stream, want := range map[string]Heard{
		`{"type":"RAW","event":{"event":"on_chain_start","metadata":{"ls_integration":"langgraph"}}}`:                                                            {Dialect: DialectLangGraph},
		`{"type":"RAW","event":{"event":"on_chain_start","metadata":{"langgraph_node": "a"}}}`:                                                                   {Dialect: DialectLangGraph},
		`{"type":"RAW","event":{"text":"what is \"langgraph_node\"?"}}`:                                                                                          {},
		`{"type":"RAW","event":{"text":"langgraph"}}`:                                                                                                            {},
		`{"type":"CUSTOM","name":"on_interrupt","value":"{\"message\":\"Send to ann?\",\"responseSchema\":{\"type\":\"object\"}}"}`:                              {Dialect: DialectLangGraph, Guess: true, Custom: true},
		`{"type":"CUSTOM","name":"on_interrupt","value":"{\"type\":\"mastra_suspend\",\"toolCallId\":\"c\",\"resumeSchema\":\"{}\"}"}`:                           {Dialect: DialectMastra, Custom: true},
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"r::c","reason":"mastra:tool_suspend"}]}}`:          {Dialect: DialectMastra, Outcome: true},
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"a::b","reason":"x:y"}]}}`:                          {Outcome: true},
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"a","reason":"x:y","metadata":{"langgraph":{}}}]}}`: {Dialect: DialectLangGraph, Outcome: true},
		`{"type":"RUN_STARTED","threadId":"t","runId":"openai-chat-1","timestamp":1,"metadata":{"tanstack":{"model":"gpt-4o"}}}`:                                 {Dialect: DialectTanStack},
		`{"type":"RUN_STARTED","threadId":"t","runId":"openai-chat-1","parentRunId":null,"metadata":{"tanstack":{"model":"gpt-4o"}}}`:                            {Dialect: DialectTanStack},
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"tool_call","toolCallId":"c"}]}}`:      {Outcome: true},
		`{"type":"CUSTOM","name":"other"}`: {}, `{"type":7}`: {}, `7`: {},
	} {
		got := HeardIn([]json.RawMessage{json.RawMessage(stream)})
		if (got.Why != "") != (got.Dialect != "") {
			t.Errorf("%s: %+v", stream, got)
		}
		if got.Why = ""; got != want {
			t.Errorf("%s: %+v, want %+v", stream, got, want)
		}
	}
}

// A question in a way that is unclear is counted each time, and said once.
func TestUnclearDialects(t *testing.T) {
	for name, test := range map[string]struct {
		dialect Dialect
		asks    bool
		because string
	}{
		"nothing tells whose it is": {DialectAuto, true, "nothing tells whose that is"},
		"it is none of plain":       {DialectPlain, false, "nobody is asked"},
		"it is LangGraph's":         {DialectLangGraph, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &Options{Dialect: test.dialect}, sends(question(`"Sure?"`)...))
			for _, word := range []string{"a", "b"} {
				end := l.say(word)
				last, ok := end[len(end)-1].(*protocol.RunFinished)
				if !ok || (last.Outcome != nil && last.Outcome.Type == protocol.OutcomeInterrupt) != test.asks {
					t.Fatalf("ended with %s", show(end))
				}
				if test.asks {
					l.peer.next(sends(began, done), sends(question(`"Sure?"`)...))
					l.answer(cancelled(last.Outcome.Interrupts[0].ID))
				}
			}
			wanted := 0
			if test.because != "" {
				wanted = 1
			}
			if said := strings.Count(l.log.String(), "dialect of the agent is unclear"); said != wanted || !strings.Contains(l.log.String(), test.because) {
				t.Errorf("said %d times: %s", said, l.log)
			}
			if counted := slices.Contains(l.repairs(), RepairDialect); counted != (wanted > 0) {
				t.Errorf("counted %v", l.repairs())
			}
		})
	}
}
