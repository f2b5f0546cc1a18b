package gateway

import (
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

const (
	confirm = `{"id":"up-1","reason":"confirmation","message":"Sure?","metadata":{"x":{"n":1.0}},"expiresAt":"2999-01-01T00:00:00Z"}`
	form    = `{"id":"up-2","reason":"input_required","responseSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`
)

// Interrupts are told as they are, under ids of ours; answers go back under theirs, all in
// one request, each text as it was given.
func TestAnswersGoBackVerbatim(t *testing.T) {
	l := newLab(t, nil, sends(began, open, word, shut, asks(confirm+","+form)), sends(began, done))
	open := interrupted(t, l.say("go"))
	if len(open) != 2 || open[0].ID == "up-1" || open[0].Message != "Sure?" || asJSON(t, open[0].Metadata) != `{"x":{"n":1.0}}` ||
		open[0].ExpiresAt != "2999-01-01T00:00:00Z" || !open[0].ResponseSchema.IsZero() || open[1].ResponseSchema.IsZero() {
		t.Fatalf("%s", asJSON(t, open))
	}
	entry := resolved(open[1].ID, `{"n": 10000000000000000001}`)
	entry.Metadata = protocol.Metadata{"signed": []byte(`"by me"`)}
	succeeded(t, l.answer(entry, cancelled(open[0].ID)))
	l.wellFormed()
	sent := l.peer.runs()
	if len(sent) != 2 {
		t.Fatalf("%d requests", len(sent))
	}
	body := string(sent[1].body)
	for _, want := range []string{
		`"interruptId":"up-2","status":"resolved","payload":{"n":10000000000000000001}`, `"signed":"by me"`,
		`"interruptId":"up-1","status":"cancelled"`, `"parentRunId":"` + sent[0].in.RunID + `"`, `"content":"hi"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	if sent[1].in.ThreadID != sent[0].in.ThreadID || sent[1].in.RunID == sent[0].in.RunID {
		t.Errorf("sent %s", body)
	}
	if repairs := l.repairs(); len(repairs) > 0 {
		t.Errorf("repaired %v", repairs)
	}
}

// An agent may insist on a thread id of its own.
func TestThreadIDOfTheAgent(t *testing.T) {
	l := newLab(t, nil, sends(`{"type":"RUN_STARTED","threadId":"mine","runId":"my-run"}`, strings.NewReplacer("THREAD", "mine", "RUN\"", "my-run\"").Replace(asks(confirm))), sends(began, done))
	open := interrupted(t, l.say("go"))
	succeeded(t, l.answer(resolved(open[0].ID, "true")))
	if in := l.peer.runs()[1].in; in.ThreadID != "mine" || in.ParentRunID != "my-run" {
		t.Errorf("sent to %q of %q", in.ThreadID, in.ParentRunID)
	}
	l.wellFormed()
	if l.got[0].(*protocol.RunStarted).ThreadID != "thread" {
		t.Error("told another thread's id")
	}
}

// Interrupts that nobody could answer are made answerable.
func TestInterruptsAreMended(t *testing.T) {
	for name, test := range map[string]struct {
		raised  string
		repair  string
		reason  string
		asked   int
		dialect Dialect
	}{
		"of this server's":              {raised: `{"id":"1","reason":"aguiws:paused"}`, repair: RepairReason, reason: "plain:paused", asked: 1},
		"of this server's, in any case": {raised: `{"id":"1","reason":"AguiWS:auth_required"}`, repair: RepairReason, reason: "langgraph:auth_required", asked: 1, dialect: DialectLangGraph},
		"a reason without a namespace":  {raised: `{"id":"1","reason":"human_approval"}`, repair: RepairReason, reason: "plain:human_approval", asked: 1},
		"no reason":                     {raised: `{"id":"1","reason":""}`, repair: RepairReason, reason: "plain:interrupt", asked: 1},
		"of the protocol's namespace":   {raised: `{"id":"1","reason":"core:x"}`, repair: RepairReason, reason: "langgraph:core:x", asked: 1, dialect: DialectLangGraph},
		"a tool call without a call":    {raised: `{"id":"1","reason":"tool_call"}`, repair: RepairReason, reason: "plain:tool_call", asked: 1},
		"a form without a schema":       {raised: `{"id":"1","reason":"input_required"}`, repair: RepairReason, reason: "plain:input_required", asked: 1},
		"a time that is none":           {raised: `{"id":"1","reason":"confirmation","expiresAt":"tomorrow"}`, repair: RepairExpiry, reason: "confirmation", asked: 1},
		"the zero time":                 {raised: `{"id":"1","reason":"confirmation","expiresAt":"0001-01-01T00:00:00Z"}`, repair: RepairExpiry, reason: "confirmation", asked: 1},
		"no time":                       {raised: `{"id":"1","reason":"confirmation","expiresAt":""}`, reason: "confirmation", asked: 1},
		"a schema that is too deep":     {raised: `{"id":"1","reason":"confirmation","responseSchema":` + strings.Repeat(`{"not":`, 40) + `{}` + strings.Repeat("}", 40) + `}`, repair: RepairSchema, reason: "confirmation", asked: 1},
		"a form whose schema is none":   {raised: `{"id":"1","reason":"input_required","responseSchema":{"const":"` + strings.Repeat("x", 64<<10) + `"}}`, repair: RepairSchema, reason: "plain:input_required", asked: 1},
		"one twice":                     {raised: `{"id":"1","reason":"confirmation"},{"id":"1","reason":"confirmation"}`, repair: RepairInterruptAgain, reason: "confirmation", asked: 1},
		"two of one id that differ":     {raised: `{"id":"1","reason":"confirmation"},{"id":"1","reason":"confirmation","message":"x"}`, reason: "confirmation", asked: 2},
		"a reason of somebody's":        {raised: `{"id":"1","reason":"a:b"}`, reason: "a:b", asked: 1},
		"an answer for its expiry":      {raised: `{"id":"1","reason":"confirmation","expiresAt":"2999-01-01T00:00:00Z","metadata":{"aguiws":{"onExpiry":"answer","expiryAnswer":1}}}`, repair: RepairPolicy, reason: "confirmation", asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &Options{Dialect: test.dialect}, sends(began, asks(test.raised)), sends(began, done))
			open := interrupted(t, l.say("go"))
			if len(open) != test.asked || open[0].Reason != test.reason {
				t.Fatalf("asked %s", asJSON(t, open))
			}
			if repairs := strings.Join(l.repairs(), " "); repairs != test.repair {
				t.Errorf("repaired %q", repairs)
			}
			var entries []protocol.ResumeEntry
			for _, i := range open {
				entries = append(entries, resolved(i.ID, "true"))
			}
			succeeded(t, l.answer(entries...))
			for _, e := range l.peer.runs()[1].in.Resume {
				if e.InterruptID != "1" {
					t.Errorf("answered %q", e.InterruptID)
				}
			}
			l.wellFormed()
		})
	}
}

// A CUSTOM on_interrupt is an interrupt in the dialects that have it, and one with the
// outcome that says the same.
func TestCustomInterrupts(t *testing.T) {
	custom := func(value, raw string) string {
		e := `{"type":"CUSTOM","name":"on_interrupt","value":` + value
		if raw != "" {
			e += `,"rawEvent":` + raw
		}
		return e + "}"
	}
	mastra := `"{\"type\":\"mastra_suspend\",\"toolCallId\":\"c1\",\"toolName\":\"send\",\"runId\":\"r9\",\"resumeSchema\":\"{\\\"type\\\":\\\"object\\\",\\\"properties\\\":{\\\"approved\\\":{\\\"type\\\":\\\"boolean\\\"}}}\"}"`
	for name, test := range map[string]struct {
		dialect Dialect
		events  []string
		answers []string // payloads; "" cancels
		asked   string   // of the first, part of it
		sent    []string // parts of the last request
		not     string
	}{
		"LangGraph, a text": {
			DialectLangGraph, []string{custom(`"Send it?"`, `{"id":"i1","value":"Send it?"}`), done}, []string{`{"approved":true}`},
			`"reason":"langgraph:interrupt","message":"Send it?"`, []string{`"forwardedProps":{"command":{"resume":{"approved":true}}}`}, `"resume":[`,
		},
		"LangGraph, an object in a text": {
			DialectLangGraph, []string{custom(`"{\"message\":\"Send it?\",\"reason\":\"confirmation\"}"`, ""), done}, []string{`"yes"`},
			`"reason":"confirmation","message":"Send it?"`, []string{`"command":{"resume":"yes"}`}, `"resume":[`,
		},
		"LangGraph, a string that is JSON": {
			DialectLangGraph, []string{custom(`"?"`, ""), done}, []string{`"12"`}, `"message":"?"`, []string{`"command":{"resume":"\"12\""}`}, "",
		},
		"LangGraph, cancelled": {
			DialectLangGraph, []string{custom(`"?"`, `{"id":"i1"}`), done}, []string{""}, `"message":"?"`,
			[]string{`"command":{"resume":false}`}, "",
		},
		"LangGraph, a review in words": {
			DialectLangGraph, []string{custom(`{"action_requests":[{"name":"pay","args":{}},{"name":"pay","args":{}}]}`, `{"id":"i1"}`), done}, []string{`"no, only 50"`}, `"reason":"langgraph:interrupt"`,
			[]string{`"command":{"resume":{"decisions":[{"message":"no, only 50","type":"reject"},{"message":"no, only 50","type":"reject"}]}}`}, "",
		},
		"LangGraph, a review that nobody may reject": {
			DialectLangGraph, []string{custom(`{"action_requests":[{"name":"pay","args":{}}],"review_configs":[{"action_name":"pay","allowed_decisions":["approve"]}]}`, `{"id":"i1"}`), done}, []string{`"no"`}, `"reason":"langgraph:interrupt"`,
			[]string{`"command":{"resume":"no"}`}, "",
		},
		"LangGraph, a review with its own answers": {
			DialectLangGraph, []string{asks(`{"id":"i1","reason":"a:b","message":"?","metadata":{"answers":[{"label":"Approve","payload":"approve"}],"langgraph":{"raw":{"action_requests":[{"name":"pay","args":{}}]}}}}`)}, []string{`"approve"`}, `"message":"?"`,
			[]string{`"payload":"approve"`}, "",
		},
		"LangGraph, a review with its own schema": {
			DialectLangGraph, []string{asks(`{"id":"i1","reason":"a:b","message":"?","responseSchema":{"enum":["approve","reject"]},"metadata":{"langgraph":{"raw":{"action_requests":[{"name":"pay","args":{}}]}}}}`)}, []string{`"approve"`}, `"message":"?"`,
			[]string{`"payload":"approve"`}, "",
		},
		"LangGraph, a review elsewhere in words": {
			DialectLangGraph, []string{asks(`{"id":"i1","reason":"a:b","message":"?","metadata":{"action_requests":[{"name":"pay","args":{}}]}}`)}, []string{`"no"`}, `"message":"?"`,
			[]string{`"payload":{"decisions":[{"message":"no","type":"reject"}]}`}, "",
		},
		"LangGraph, an agent inbox in words": {
			DialectLangGraph, []string{custom(`[{"action_request":{"action":"pay","args":{}},"config":{"allow_respond":true},"description":"Pay?"}]`, `{"id":"i1"}`), done}, []string{`"only 50"`}, `"reason":"langgraph:interrupt"`,
			[]string{`"command":{"resume":[{"args":"only 50","type":"response"}]}`}, "",
		},
		"LangGraph, two": {
			DialectLangGraph, []string{custom(`"a"`, `{"id":"i1"}`), custom(`"b"`, `{"id":"i2"}`), done}, []string{"1", "2"}, `"message":"a"`,
			[]string{`"command":{"resume":{"i1":1,"i2":2}}`}, "",
		},
		"LangGraph, both": {
			DialectLangGraph, []string{custom(`"?"`, `{"id":"i1"}`), asks(`{"id":"i1","reason":"langgraph:interrupt","message":"?"}`)}, []string{"1"},
			`"message":"?"`, []string{`"resume":[{"interruptId":"i1","status":"resolved","payload":1}]`}, "command",
		},
		"Mastra": {
			DialectMastra, []string{custom(mastra, ""), done}, []string{`{"approved":true}`}, `"reason":"mastra:tool_suspend","message":"send","toolCallId":"c1","responseSchema":`,
			[]string{`"command":{"interruptEvent":{`, `"runId":"r9"`, `"toolCallId":"c1"`, `"resume":{"approved":true}`}, `"resume":[`,
		},
		"Mastra, no": {DialectMastra, []string{custom(mastra, ""), done}, []string{""}, `"toolCallId":"c1"`, []string{`"resume":false`}, `"resume":[`},
		"Mastra, both": {
			DialectMastra, []string{custom(mastra, ""), asks(`{"id":"r9::c1","reason":"mastra:tool_suspend","toolCallId":"c1"}`)}, []string{`{"approved":true}`},
			`"toolCallId":"c1"`, []string{`"resume":[{"interruptId":"r9::c1","status":"resolved","payload":{"approved":true}}]`}, "command",
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &Options{Dialect: test.dialect}, sends(append([]string{began}, test.events...)...), sends(began, done))
			open := interrupted(t, l.say("go"))
			if len(open) != len(test.answers) || !strings.Contains(asJSON(t, open[0]), test.asked) {
				t.Fatalf("asked %s", asJSON(t, open))
			}
			var entries []protocol.ResumeEntry
			for n, payload := range test.answers {
				if payload == "" {
					entries = append(entries, cancelled(open[n].ID))
				} else {
					entries = append(entries, resolved(open[n].ID, payload))
				}
			}
			succeeded(t, l.answer(entries...))
			l.wellFormed()
			sent := l.peer.runs()
			body := string(sent[len(sent)-1].body)
			for _, want := range test.sent {
				if !strings.Contains(body, want) {
					t.Errorf("no %s in %s", want, body)
				}
			}
			if test.not != "" && strings.Contains(body, test.not) {
				t.Errorf("%s in %s", test.not, body)
			}
			for _, e := range l.got {
				if e.Type() == protocol.TypeCustom {
					t.Error("the CUSTOM event is told beside the interrupt")
				}
			}
		})
	}
	// Elsewhere such an event is what it is.
	l := newLab(t, &Options{Dialect: DialectPlain}, sends(began, custom(`"?"`, ""), done))
	if end := l.say("go"); len(end) != 3 || end[1].Type() != protocol.TypeCustom {
		t.Errorf("%s", show(end))
	}
}

// An agent that reads one answer of several gets them one after the other.
func TestAnswersOneByOne(t *testing.T) {
	i := func(n string) string { return `{"id":"r::c` + n + `","reason":"mastra:tool_suspend"}` }
	l := newLab(t, &Options{Dialect: DialectMastra}, sends(began, asks(i("1")+","+i("2"))),
		sends(began, asks(i("2")+","+i("3"))), sends(began, asks(i("3"))), sends(began, done))
	open := interrupted(t, l.say("go"))
	open = interrupted(t, l.answer(resolved(open[1].ID, "2"), resolved(open[0].ID, "1")))
	if len(open) != 1 {
		t.Fatalf("asked %s", asJSON(t, open))
	}
	succeeded(t, l.answer(resolved(open[0].ID, "3")))
	var sent []string
	for _, r := range l.peer.runs()[1:] {
		sent = append(sent, asJSON(t, r.in.Resume))
	}
	want := `[{"interruptId":"r::c1","status":"resolved","payload":1}] [{"interruptId":"r::c2","status":"resolved","payload":2}] [{"interruptId":"r::c3","status":"resolved","payload":3}]`
	if got := strings.Join(sent, " "); got != want {
		t.Errorf("sent %s", got)
	}
}

// An input that turns away from what is open says so to the agent, which has it open too.
func TestTurningAway(t *testing.T) {
	own := func(event string) string { return strings.ReplaceAll(event, `"RUN"`, `"its-own"`) }
	l := newLab(t, nil, sends(own(began), own(asks(confirm+","+form))), sends(began, done))
	open := interrupted(t, l.say("go"))
	in := user("something else")
	in.Resume = []protocol.ResumeEntry{cancelled(open[0].ID), cancelled(open[1].ID)}
	l.submit(in)
	succeeded(t, l.untilEnd())
	sent := l.peer.runs()[1].in
	if got := asJSON(t, sent.Resume); got != `[{"interruptId":"up-1","status":"cancelled"},{"interruptId":"up-2","status":"cancelled"}]` || len(sent.Messages) != 2 || sent.ParentRunID != "its-own" {
		t.Errorf("sent %s", l.peer.runs()[1].body)
	}
	succeeded(t, l.say("more"))
	if sent := l.peer.runs()[2].in; sent.Resume != nil || sent.ParentRunID != "" {
		t.Errorf("sent %s", asJSON(t, sent.Resume))
	}
}

// A time without an offset is in UTC, for the server and for all who are told it.
func TestNaiveExpiry(t *testing.T) {
	at := time.Now().Add(-time.Hour).UTC()
	l := newLab(t, nil, sends(began, asks(`{"id":"1","reason":"confirmation","expiresAt":"`+at.Format("2006-01-02 15:04:05.000000")+`"}`)))
	open := interrupted(t, l.say("go"))
	if want := at.Truncate(time.Microsecond).Format(time.RFC3339Nano); open[0].ExpiresAt != want {
		t.Errorf("told %q, want %q", open[0].ExpiresAt, want)
	}
	late := &protocol.RunAgentInput{ThreadID: l.key.Thread, RunID: "late", Resume: []protocol.ResumeEntry{resolved(open[0].ID, "true")}}
	admitted, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: late})
	if err != nil || admitted.Refusal == nil || admitted.Refusal.Code != adapter.CodeExpired {
		t.Errorf("an hour late: %+v, %v", admitted, err)
	}
}

// A schema that cannot be checked whole is told as it came, and what of it can be is checked.
func TestSchemasAreTold(t *testing.T) {
	const schema = `{"$id":"https://x/y","type":"object","properties":{"n":{"type":"number","minimum":1.0},"p":{"type":"string","pattern":"^(?=.*[A-Z])\u005cp{L}$"}},"required":["n"],"examples":[{"id":"u"}]}`
	l := newLab(t, nil, sends(began, asks(`{"id":"1","reason":"input_required","message":"?","responseSchema":`+schema+`}`)), sends(began, done))
	open := interrupted(t, l.say("go"))
	if got := string(open[0].ResponseSchema); got != schema {
		t.Errorf("told %s", got)
	}
	if repairs := l.repairs(); len(repairs) > 0 {
		t.Errorf("repaired %v", repairs)
	}
	wrong := &protocol.RunAgentInput{ThreadID: l.key.Thread, RunID: "wrong", Resume: []protocol.ResumeEntry{resolved(open[0].ID, `{"n":0.5}`)}}
	admitted, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: wrong})
	if err != nil || admitted.Refusal == nil || admitted.Refusal.Code != adapter.CodePayloadInvalid {
		t.Errorf("a wrong answer: %+v, %v", admitted, err)
	}
	succeeded(t, l.answer(resolved(open[0].ID, `{"n":1,"p":"b"}`)))
}
