package gateway

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// What an agent says of tokens, and beside its words, is told by the end of the run that it
// was asked in, however that ends, and of no other.
func TestUsageIsTold(t *testing.T) {
	const spent = `"usage":[{"model":"m","inputTokens":%d}]`
	finished := func(n int, outcome string) string {
		return fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN","metadata":{"k":1.0}`+outcome+`,`+spent+`}`, n)
	}
	asking := finished(10, `,"outcome":{"type":"interrupt","interrupts":[`+confirm+`]}`)
	failing := fmt.Sprintf(`{"type":"RUN_ERROR","message":"no","code":"c","metadata":{"k":1.0,"aguiws":{"retryAfterMs":1}},`+spent+`}`, 20)
	const failed = `{"type":"RUN_ERROR","metadata":{"k":1.0},"message":"no","code":"c","usage":[{"model":"m","inputTokens":20}]}`
	for name, test := range map[string]struct {
		turns []turn
		told  []string // by the end of each run: what it holds
	}{
		"an answer":           {[]turn{sends(began, open, word, shut, finished(10, ""))}, []string{`"metadata":{"k":1.0},"threadId":"thread","runId":"run-1","outcome":{"type":"success"},"usage":[{"model":"m","inputTokens":10}]}`}},
		"an error":            {[]turn{sends(began, open, word, failing)}, []string{failed}},
		"nothing but that":    {[]turn{sends(failing)}, []string{failed}},
		"an error behind one": {[]turn{sends(began, asking), sends(began, open, word, failing)}, []string{`"usage":[{"model":"m","inputTokens":10}]`, failed}},
		"a given back answer": {[]turn{sends(began, asking), sends(began, failing), sends(began, finished(30, ""))}, []string{`"usage":[{"model":"m","inputTokens":10}]`, failed, `"usage":[{"model":"m","inputTokens":30}]`}},
		"no more said":        {[]turn{sends(began, asking), sends(began, done)}, []string{`"usage":[{"model":"m","inputTokens":10}]`, `"outcome":{"type":"success"}}`}},
		"no more, unreached":  {[]turn{sends(began, asking), status(503)}, []string{`"usage":[{"model":"m","inputTokens":10}]`, `"code":"upstream_failed"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, nil, test.turns...)
			events := l.say("go")
			for i, want := range test.told {
				if i > 0 {
					l.answer(resolved(interrupted(t, events)[0].ID, "true"))
				}
				text := string(l.texts[len(l.texts)-1])
				if !strings.Contains(text, want) {
					t.Errorf("run %d told %s, want %s", i+1, text, want)
				}
			}
			l.wellFormed()
		})
	}
}

// Where each answer has a request of its own, one run tells what all of them have used.
func TestUsageOfAnswersOneByOne(t *testing.T) {
	const c1, c2 = `{"id":"r::c1","reason":"mastra:x"}`, `{"id":"r::c2","reason":"mastra:x"}`
	used := func(event string, n int) string {
		return strings.TrimSuffix(event, "}") + fmt.Sprintf(`,"usage":[{"model":"m","inputTokens":%d}]}`, n)
	}
	l := newLab(t, &Options{Dialect: DialectMastra}, sends(began, used(asks(c1+","+c2), 1)), sends(began, used(asks(c2), 10)), sends(began, used(done, 100)))
	l.answer(resolvedAll(interrupted(t, l.say("go")), "1")...)
	if text := string(l.texts[len(l.texts)-1]); !strings.Contains(text, `"usage":[{"model":"m","inputTokens":110}]`) {
		t.Errorf("told %s", text)
	}
}

// Counts are added up by provider and model.
func TestUsageOfSeveralRequestsIsAddedUp(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	for name, test := range map[string]struct {
		used, more []protocol.TokenUsage
		want       string
	}{
		"none":         {nil, nil, `null`},
		"first":        {nil, []protocol.TokenUsage{{Model: "m", InputTokens: n(1)}}, `[{"model":"m","inputTokens":1}]`},
		"no more":      {[]protocol.TokenUsage{{Model: "m", InputTokens: n(1)}}, nil, `[{"model":"m","inputTokens":1}]`},
		"one model":    {[]protocol.TokenUsage{{Model: "m", InputTokens: n(1)}}, []protocol.TokenUsage{{Model: "m", InputTokens: n(2), OutputTokens: n(3)}}, `[{"model":"m","inputTokens":3,"outputTokens":3}]`},
		"two":          {[]protocol.TokenUsage{{Model: "m", InputTokens: n(1)}}, []protocol.TokenUsage{{Model: "n", InputTokens: n(2)}, {Model: "m", InputTokens: n(4)}}, `[{"model":"m","inputTokens":5},{"model":"n","inputTokens":2}]`},
		"of others":    {[]protocol.TokenUsage{{Provider: "a", Model: "m", InputTokens: n(1)}}, []protocol.TokenUsage{{Provider: "b", Model: "m", InputTokens: n(2)}}, `[{"provider":"a","model":"m","inputTokens":1},{"provider":"b","model":"m","inputTokens":2}]`},
		"without end":  {[]protocol.TokenUsage{{InputTokens: n(maxCount)}}, []protocol.TokenUsage{{InputTokens: n(maxCount)}}, `[{"inputTokens":9007199254740991}]`},
		"same, thrice": {[]protocol.TokenUsage{{InputTokens: n(1)}}, []protocol.TokenUsage{{InputTokens: n(1)}, {InputTokens: n(1)}}, `[{"inputTokens":3}]`},
	} {
		before, _ := json.Marshal(test.used)
		got, err := json.Marshal(together(test.used, test.more))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s %v, want %s", name, got, err, test.want)
		}
		if after, _ := json.Marshal(test.used); string(after) != string(before) {
			t.Errorf("%s: %s became %s", name, before, after)
		}
	}
}
