package gateway

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// question is a CUSTOM on_interrupt, and the end of its run.
func question(value string) []string {
	return []string{began, `{"type":"CUSTOM","name":"on_interrupt","value":` + value + `,"rawEvent":{"id":"i1"}}`, done}
}

// What an agent lists, and what its yes and no are, is offered as metadata.answers; a
// question without words of its own has those that it was asked in.
func TestAnswersAreOffered(t *testing.T) {
	raised := func(interrupt string) []string { return []string{began, asks(interrupt)} }
	const bare = `[{"label":"Yes","payload":true},{"label":"No","payload":false}]`
	for name, test := range map[string]struct {
		options Options
		events  []string
		message string
		answers string // metadata.answers; "": there are none
	}{
		"LangGraph, as its documents have it": {Options{Dialect: DialectLangGraph}, question(`{"question":"Send it?","options":["yes","no"]}`), "Send it?", `[{"label":"yes","payload":"yes"},{"label":"no","payload":"no"}]`},
		"LangGraph, a text":                   {Options{Dialect: DialectLangGraph}, question(`"Send it?"`), "Send it?", bare},
		"LangGraph, with what it is about":    {Options{Dialect: DialectLangGraph}, question(`{"question":"Send it?","draft":"Dear Ann","to":{"n":1.0}}`), "Send it?\ndraft: Dear Ann\nto: {\"n\":1.0}", bare},
		"LangGraph, with a schema":            {Options{Dialect: DialectLangGraph}, question(`{"message":"Send it?","responseSchema":{"type":"object"}}`), "Send it?", ""},
		"LangGraph, a message and more":       {Options{Dialect: DialectLangGraph}, question(`{"message":"Send it?","draft":"Dear Ann"}`), "Send it?\ndraft: Dear Ann", bare},
		"LangGraph, a schema and more":        {Options{Dialect: DialectLangGraph}, question(`{"message":"Send it?","draft":"Dear Ann","responseSchema":{"type":"object"}}`), "Send it?\ndraft: Dear Ann", ""},
		"LangGraph, the outcome's message":    {Options{Dialect: DialectLangGraph}, raised(`{"id":"i1","reason":"langgraph:interrupt","message":"Send it?","metadata":{"langgraph":{"raw":{"message":"Send it?","draft":"Dear Ann"}}}}`), "Send it?\ndraft: Dear Ann", bare},
		"LangGraph, a long message":           {Options{Dialect: DialectLangGraph}, question(`{"message":"` + strings.Repeat("x", 6000) + `","to":"ann"}`), strings.Repeat("x", 6000) + "\nto: ann", bare},
		"LangGraph, a message in space":       {Options{Dialect: DialectLangGraph}, question(`{"message":"Send it? "}`), "Send it? ", bare},
		"LangGraph, a review's message":       {Options{Dialect: DialectLangGraph}, question(`{"message":"Look twice.","action_requests":[{"name":"pay","args":{"n":1}}],"review_configs":[{"action_name":"pay","allowed_decisions":["reject"]}]}`), "Look twice.\npay {\"n\":1}", `[{"label":"Reject","payload":{"decisions":[{"type":"reject"}]}}]`},
		"LangGraph, more than offers have":    {Options{Dialect: DialectLangGraph}, question(`{"message":"?","action_requests":[` + strings.Repeat(`{"name":"p"},`, 20) + `{"name":"p"}]}`), "?\n" + strings.TrimSuffix(strings.Repeat("p\n", 21), "\n"), ""},
		"LangGraph, another message":          {Options{Dialect: DialectLangGraph}, raised(`{"id":"i1","reason":"langgraph:interrupt","message":"Sure?","metadata":{"langgraph":{"raw":{"message":"Send it?","draft":"Dear Ann"}}}}`), "Sure?", bare},
		"LangGraph, objects":                  {Options{Dialect: DialectLangGraph}, question(`{"prompt":"Which?","choices":[{"label":"Red","value":1},{"id":"b","name":"Blue"},{"title":"Green"},3,true]}`), "Which?", `[{"label":"Red","payload":1},{"label":"Blue","payload":"b"},{"label":"Green","payload":"Green"},{"label":"3","payload":3},{"label":"true","payload":true}]`},
		"LangGraph, the outcome":              {Options{Dialect: DialectLangGraph}, raised(`{"id":"i1","reason":"langgraph:interrupt","metadata":{"langgraph":{"raw":{"question":"Send it?","options":["go"]}}}}`), "Send it?", `[{"label":"go","payload":"go"}]`},
		"LangChain's middleware": {
			Options{Dialect: DialectLangGraph}, question(`{"action_requests":[{"name":"send","args":{"to":"ann"},"description":"Send a mail"},{"name":"pay","args":{"n":5}}],"review_configs":[{"action_name":"send","allowed_decisions":["approve","edit","reject"]},{"action_name":"pay","allowed_decisions":["approve","reject"]}]}`),
			"Send a mail\nsend {\"to\":\"ann\"}\npay {\"n\":5}", `[{"label":"Approve","payload":{"decisions":[{"type":"approve"},{"type":"approve"}]}},{"label":"Reject","payload":{"decisions":[{"type":"reject"},{"type":"reject"}]}}]`,
		},
		"LangChain's middleware in JavaScript": {
			Options{Dialect: DialectLangGraph}, question(`{"actionRequests":[{"name":"send","args":{}}],"reviewConfigs":[{"actionName":"send","allowedDecisions":["reject"]}]}`),
			"send {}", `[{"label":"Reject","payload":{"decisions":[{"type":"reject"}]}}]`,
		},
		"an agent inbox": {
			Options{Dialect: DialectLangGraph}, question(`[{"action_request":{"action":"send","args":{"to":"ann"}},"config":{"allow_accept":true,"allow_ignore":true,"allow_edit":false},"description":"Send?"}]`),
			"Send?\nsend {\"to\":\"ann\"}", `[{"label":"Accept","payload":[{"type":"accept"}]},{"label":"Ignore","payload":[{"type":"ignore"}]}]`,
		},
		"LangChain's middleware, which tells the arguments": {
			Options{Dialect: DialectLangGraph}, question(`{"actionRequests":[{"name":"refund","args":{"order":"32","amount":66},"description":"Tool execution requires approval\n\nTool: refund\nArgs: {\n  \"order\": \"32\",\n  \"amount\": 66\n}"},{"name":"pay","args":{"n":1},"description":"Tool: pay\nArgs: {\n  \"n\": 2\n}"}],"reviewConfigs":[{"allowedDecisions":["reject"]}]}`),
			"Tool execution requires approval\n\nTool: refund\nArgs: {\n  \"order\": \"32\",\n  \"amount\": 66\n}\nTool: pay\nArgs: {\n  \"n\": 2\n}\npay {\"n\":1}", `[{"label":"Reject","payload":{"decisions":[{"type":"reject"},{"type":"reject"}]}}]`,
		},
		"Mastra, listed": {
			Options{Dialect: DialectMastra}, raised(`{"id":"r::c","reason":"mastra:tool_suspend","metadata":{"mastra":{"toolName":"pay","suspendPayload":{"message":"Which?","options":["a","b"]}}}}`),
			"Which?\npay", `[{"label":"a","payload":"a"},{"label":"b","payload":"b"}]`,
		},
		"Mastra, as its schema has them": {
			Options{Dialect: DialectMastra}, raised(`{"id":"r::c","reason":"mastra:tool_suspend","responseSchema":{"type":"object","properties":{"choice":{"enum":["a","b"]},"why":{"type":"string"}},"required":["choice"]},"metadata":{"mastra":{"suspendPayload":{"question":"Which?","options":["a","b"]}}}}`),
			"Which?", `[{"label":"a","payload":{"choice":"a"}},{"label":"b","payload":{"choice":"b"}}]`,
		},
		"Mastra, that its schema has not": {
			Options{Dialect: DialectMastra}, raised(`{"id":"r::c","reason":"mastra:tool_suspend","responseSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"metadata":{"mastra":{"suspendPayload":{"message":"Which?","options":["a","b"]}}}}`),
			"Which?\noptions: [\"a\",\"b\"]", "",
		},
		"plain, beside the question":      {Options{}, raised(`{"id":"1","reason":"a:b","options":["red","blue"]}`), "", `[{"label":"red","payload":"red"},{"label":"blue","payload":"blue"}]`},
		"plain, in its metadata":          {Options{}, raised(`{"id":"1","reason":"a:b","metadata":{"question":"Which?","options":["red"]}}`), "Which?", `[{"label":"red","payload":"red"}]`},
		"plain, in some metadata":         {Options{}, raised(`{"id":"1","reason":"a:b","metadata":{"ai-sdk":{"question":"Which?","options":["red"]}}}`), "Which?", `[{"label":"red","payload":"red"}]`},
		"plain, nothing":                  {Options{}, raised(`{"id":"1","reason":"a:b","message":"Sure?"}`), "Sure?", ""},
		"plain, words for a reason":       {Options{}, raised(`{"id":"1","reason":"Send to ann?"}`), "Send to ann?", ""},
		"its own":                         {Options{Yes: json.RawMessage(`"y"`)}, raised(`{"id":"1","reason":"a:b","message":"?","metadata":{"answers":[{"label":"Go","payload":{"go":1.0},"more":1}],"options":["x"]}}`), "?", `[{"label":"Go","payload":{"go":1.0},"more":1}]`},
		"its own, of another shape":       {Options{}, raised(`{"id":"1","reason":"a:b","message":"?","metadata":{"answers":["x"],"options":["y"]}}`), "?", `[{"label":"y","payload":"y"}]`},
		"its own, without a payload":      {Options{}, raised(`{"id":"1","reason":"a:b","message":"?","metadata":{"answers":[{"label":"x"}]}}`), "?", ""},
		"its own, that its schema hasn't": {Options{}, raised(`{"id":"1","reason":"a:b","message":"?","responseSchema":{"type":"string"},"metadata":{"answers":[{"label":"x","payload":1}]}}`), "?", ""},
		"more than somebody reads":        {Options{}, raised(`{"id":"1","reason":"a:b","message":"?","metadata":{"options":[` + strings.Repeat("1,", 20) + `1]}}`), "?", ""},
		"one that is too long":            {Options{}, raised(`{"id":"1","reason":"a:b","message":"?","metadata":{"options":["` + strings.Repeat("x", maxOffer) + `"]}}`), "?", ""},
		"a long label":                    {Options{}, raised(`{"id":"1","reason":"a:b","message":"?","metadata":{"options":[{"label":"` + strings.Repeat("é", 200) + `","value":1}]}}`), "?", `[{"label":"` + strings.Repeat("é", 100) + `…","payload":1}]`},
		"one that is nothing":             {Options{}, raised(`{"id":"1","reason":"a:b","message":"?","metadata":{"options":["a",null]}}`), "?", ""},
		"the upstream's":                  {Options{Yes: json.RawMessage(`"y"`), No: json.RawMessage(`{"n":1.0}`)}, raised(`{"id":"1","reason":"a:b","message":"?"}`), "?", `[{"label":"Yes","payload":"y"},{"label":"No","payload":{"n":1.0}}]`},
		"the upstream's yes":              {Options{Yes: json.RawMessage(`"y"`)}, raised(`{"id":"1","reason":"a:b","message":"?"}`), "?", `[{"label":"Yes","payload":"y"},{"label":"No","payload":{"approved":false}}]`},
		"the upstream's no":               {Options{Dialect: DialectLangGraph, No: json.RawMessage(`"n"`)}, question(`"?"`), "?", `[{"label":"Yes","payload":true},{"label":"No","payload":"n"}]`},
		"the upstream's, and a schema":    {Options{Yes: json.RawMessage(`"y"`)}, raised(`{"id":"1","reason":"a:b","message":"?","responseSchema":{"type":"string"}}`), "?", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &test.options, sends(test.events...))
			open := interrupted(t, l.say("go"))
			if got := string(open[0].Metadata["answers"]); got != test.answers {
				t.Errorf("offered %s, want %s", got, test.answers)
			}
			if open[0].Message != test.message {
				t.Errorf("asked %q, want %q", open[0].Message, test.message)
			}
			if open[0].Extra == nil {
				l.wellFormed()
			}
		})
	}
}

// A review without a button is answered by what its agent reads, and by no yes or no.
func TestReviewsWithoutAButton(t *testing.T) {
	for value, want := range map[string]string{
		`[{"action_request":{"action":"send"},"config":{"allow_edit":true}}]`:                                                    `{"type":"array"}`,
		`[{"action_request":{"action":"send"},"config":{"allow_respond":true}}]`:                                                 `{"type":["string","array"]}`,
		`{"action_requests":[{"name":"send","args":{}}],"review_configs":[{"action_name":"send","allowed_decisions":["edit"]}]}`: `{"type":"object","required":["decisions"]}`,
		`[{"action_request":{"action":"send"},"config":{"allow_accept":true}}]`:                                                  "",
	} {
		l := newLab(t, &Options{Dialect: DialectLangGraph}, sends(question(value)...))
		open := interrupted(t, l.say("go"))
		if got := string(open[0].ResponseSchema); got != want || (open[0].Metadata["answers"] == nil) != (want != "") {
			t.Errorf("%s has the schema %s and the answers %s, want %s", value, got, open[0].Metadata["answers"], want)
		}
	}
}

// A Cancel does nothing: an agent that would take it for an answer is sent its no.
func TestWhatACancelSends(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		events  []string
		sent    string
	}{
		"LangGraph":                       {Options{Dialect: DialectLangGraph}, question(`"Send it?"`), `"command":{"resume":false}`},
		"LangGraph, of options":           {Options{Dialect: DialectLangGraph}, question(`{"question":"Send it?","options":["yes","no"]}`), `"command":{"resume":"no"}`},
		"LangGraph, of other options":     {Options{Dialect: DialectLangGraph}, question(`{"question":"Which?","options":["red","blue"]}`), `"command":{"resume":false}`},
		"LangGraph, with a schema":        {Options{Dialect: DialectLangGraph}, question(`{"message":"Send it?","responseSchema":{"type":"object"}}`), `"command":{"resume":{"__agui_cancelled__":true,"interrupt_id":"i1"}}`},
		"LangGraph, the outcome":          {Options{Dialect: DialectLangGraph}, []string{began, asks(`{"id":"i1","reason":"langgraph:interrupt","message":"Send it?"}`)}, `"resume":[{"interruptId":"i1","status":"resolved","payload":false}]`},
		"LangChain's middleware":          {Options{Dialect: DialectLangGraph}, question(`{"action_requests":[{"name":"send","args":{}}],"review_configs":[{"action_name":"send","allowed_decisions":["approve","reject"]}]}`), `"command":{"resume":{"decisions":[{"type":"reject"}]}}`},
		"plain":                           {Options{}, []string{began, asks(confirm)}, `"resume":[{"interruptId":"up-1","status":"cancelled"}]`},
		"plain, of an upstream with a no": {Options{No: json.RawMessage(`"no"`)}, []string{began, asks(confirm)}, `"resume":[{"interruptId":"up-1","status":"resolved","payload":"no"}]`},
		"plain, that the schema has not":  {Options{No: json.RawMessage(`"no"`)}, []string{began, asks(form)}, `"resume":[{"interruptId":"up-2","status":"cancelled"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &test.options, sends(test.events...), sends(began, done))
			open := interrupted(t, l.say("go"))
			succeeded(t, l.answer(cancelled(open[0].ID)))
			if sent := l.peer.runs(); len(sent) != 2 || !strings.Contains(string(sent[1].body), test.sent) {
				t.Errorf("no %s in %s", test.sent, sent[len(sent)-1].body)
			}
		})
	}
}

// So it is with a message that turns away from the question.
func TestWhatTurningAwaySends(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		events  []string
		sent    string // by the first request behind the question
	}{
		"LangGraph":                       {Options{Dialect: DialectLangGraph}, question(`"Send it?"`), `"command":{"resume":false}`},
		"plain, of an upstream with a no": {Options{No: json.RawMessage(`"no"`)}, []string{began, asks(confirm)}, `"resume":[{"interruptId":"up-1","status":"resolved","payload":"no"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &test.options, sends(test.events...), sends(began, done))
			open := interrupted(t, l.say("go"))
			in := user("something else")
			in.Resume = []protocol.ResumeEntry{cancelled(open[0].ID)}
			l.submit(in)
			succeeded(t, l.untilEnd())
			if sent := l.peer.runs(); !strings.Contains(string(sent[1].body), test.sent) {
				t.Errorf("no %s in %s", test.sent, sent[1].body)
			}
		})
	}
}
