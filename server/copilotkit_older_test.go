package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/server/identity"
)

// What the pages of these releases send, as recorded: 1.52.1 sends the answer alone,
// 1.60.2 with the value of the event that asked. Neither knows resume.
const (
	answerOf1521 = `{"command":{"resume":%s}}`
	answerOf1602 = `{"interruptDialect":"legacy","command":{"resume":%s,"interruptEvent":%s}}`
)

func propped(run, props, messages string) string {
	return fmt.Sprintf(`{"threadId":"t","runId":%q,"tools":[],"context":[],"forwardedProps":%s,"state":{},"messages":[%s]}`, run, props, messages)
}

func user(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"role":"user","content":%q}`, id, text)
}

// asked is what a stream asks: the value of its event, and the ids in its outcome.
func (s *sseStream) asked() (value json.RawMessage, outcome []string, types []string) {
	s.t.Helper()
	for {
		e, ok := s.next()
		if !ok {
			return value, outcome, types
		}
		if e.data == "" {
			continue // a position
		}
		var f struct {
			Type    string
			Name    string
			Value   json.RawMessage
			Outcome struct{ Interrupts []struct{ ID string } }
		}
		if err := json.Unmarshal([]byte(e.data), &f); err != nil {
			s.t.Fatalf("%s: %v", e.data, err)
		}
		types = append(types, f.Type)
		if f.Type == "CUSTOM" && f.Name == "on_interrupt" {
			value = f.Value
		}
		for _, it := range f.Outcome.Interrupts {
			outcome = append(outcome, it.ID)
		}
	}
}

// A question is told in the words that the page knows, wherever it is told, and is in the
// log in AG-UI's alone.
func TestCopilotKitDialects(t *testing.T) {
	for name, c := range map[string]struct {
		props, version string
		event, outcome bool
	}{
		"1.52.1 and 1.74.0, which do not say":    {props: `{}`, event: true, outcome: true},
		"1.60.2, which says that it is older":    {props: `{"interruptDialect":"legacy"}`, event: true},
		"1.74.0, which says that it is not":      {props: `{"interruptDialect":"standard"}`, outcome: true},
		"properties of another shape":            {props: `{"interruptDialect":["legacy"]}`, event: true, outcome: true},
		"a client of AG-UI 1.0":                  {props: `{}`, version: "1.0", outcome: true},
		"a client of AG-UI 1.0, which wants old": {props: `{"interruptDialect":"legacy"}`, version: "1.0", event: true},
	} {
		t.Run(name, func(t *testing.T) {
			ts, _ := endToEnd(t)
			asks := propped("r1", c.props, user("u1", "/parallel 2"))
			opens := propped("minted", c.props, "")
			if c.version != "" {
				asks = strings.Replace(asks, `{`, `{"protocolVersion":"`+c.version+`",`, 1)
				opens = strings.Replace(opens, `{`, `{"protocolVersion":"`+c.version+`",`, 1)
			}
			for _, told := range []struct{ what, action, input string }{{"run", "run", asks}, {"repeat", "run", asks}, {"connect", "connect", opens}} {
				value, outcome, types := ts.copilotkit(told.action, told.input).opened().asked()
				if types[len(types)-1] != "RUN_FINISHED" || c.event && types[len(types)-2] != "CUSTOM" {
					t.Errorf("%s ends with %v", told.what, types)
				}
				if c.outcome != (len(outcome) == 2) || c.event != (value != nil) {
					t.Fatalf("%s tells of %s and %v", told.what, value, outcome)
				}
				if !c.event {
					continue
				}
				var shown struct {
					ID, Reason, ToolCallID string
					Interrupts             []struct{ ID string }
				}
				if err := json.Unmarshal(value, &shown); err != nil || shown.ID == "" || shown.Reason != "tool_call" || shown.ToolCallID == "" ||
					len(shown.Interrupts) != 2 || shown.Interrupts[0].ID != shown.ID || c.outcome && shown.ID != outcome[0] {
					t.Errorf("%s asks %s", told.what, value)
				}
			}
			logged := ts.ask(http.MethodGet, "/agui/threads/t/events", "").opened()
			var at string
			for e, ok := logged.next(); ok; e, ok = logged.next() {
				at = e.id
			}
			epoch, _, _ := strings.Cut(at, ":")
			value, outcome, _ := ts.ask(http.MethodGet, "/agui/threads/t/events?after="+epoch+":0", "").opened().asked()
			if value != nil || len(outcome) != 2 {
				t.Errorf("the log tells of %s and %v", value, outcome)
			}
		})
	}
}

// Where nobody is older, nothing is.
func TestDialectsAreCopilotKitsOnly(t *testing.T) {
	ts, effects := endToEnd(t)
	if value, outcome, _ := ts.ask(http.MethodPost, "/agui", propped("r1", `{"interruptDialect":"legacy"}`, user("u1", "/tool mail {}"))).opened().asked(); value != nil || len(outcome) != 1 {
		t.Errorf("asked %s and %v", value, outcome)
	}
	ts.ask(http.MethodPost, "/agui", propped("r2", `{"command":{"resume":{"approved":true}}}`, "")).opened().fails("interrupts_pending")
	if lines := effectLines(t, effects); lines != nil {
		t.Errorf("carried out: %v", lines)
	}
}

// An answer that is refused has the question before it, for those who may read alone.
func TestQuestionsAreAskedAgainOfReaders(t *testing.T) {
	auth := byToken{"reader": {User: "u"}, "runner": {User: "u", Scopes: []string{identity.ScopeRun}}}
	ts := nodeWith(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}}, &Options{Auth: auth})
	as := func(token, input string) (json.RawMessage, []string) {
		value, _, types := ts.ask(http.MethodPost, "/copilotkit/agent/default/run", input, "Authorization", "Bearer "+token).opened().asked()
		return value, types
	}
	as("reader", propped("r1", `{"interruptDialect":"legacy"}`, user("u1", `/tool mail {"to":"ada"}`)))
	for token, told := range map[string]bool{"reader": true, "runner": false} {
		value, types := as(token, propped("r-"+token, fmt.Sprintf(answerOf1602, `{"approved":"perhaps"}`, `{"id":"other"}`), ""))
		if types[len(types)-1] != "RUN_ERROR" || told != (value != nil) {
			t.Errorf("%s is told of %s in %v", token, value, types)
		}
	}
}

// The answers of older pages are answers, once.
func TestCopilotKitBefore1612Answers(t *testing.T) {
	for name, props := range map[string]func(answer, value string) string{
		"1.52.1": func(answer, _ string) string { return fmt.Sprintf(answerOf1521, answer) },
		"1.60.2": func(answer, value string) string { return fmt.Sprintf(answerOf1602, answer, value) },
	} {
		t.Run("copilotkit "+name, func(t *testing.T) {
			ts, effects := endToEnd(t)
			history := user("u1", `/tool mail {"to":"ann"}`)
			value, _, _ := ts.copilotkit("run", propped("r1", props(`"nothing is open"`, `"weather?"`), history)).opened().asked()
			if value == nil {
				t.Fatal("it does not ask")
			}
			// What does not fit is told, and consumes nothing.
			// The page has put the question away by then, and takes it from a run only.
			refused := ts.copilotkit("run", propped("r2", props(`{"approved":"perhaps"}`, string(value)), history)).opened()
			if begins, asks := refused.expect("RUN_STARTED"), refused.expect("CUSTOM"); begins["runId"] != "r2" || asks["name"] != "on_interrupt" {
				t.Errorf("it is told %v %v", begins, asks)
			}
			if why := refused.expect("RUN_ERROR"); why["code"] != "interrupt_payload_invalid" {
				t.Errorf("it is refused with %v", why)
			}
			refused.ends()
			if again, _, _ := ts.copilotkit("connect", propped("c1", `{}`, "")).opened().asked(); string(again) != string(value) {
				t.Errorf("it asks %s, and asked %s", again, value)
			}
			answer := propped("r1", props(`{"approved":true,"editedArgs":{"to":"bob"}}`, string(value)), history)
			for range 2 {
				types, last := ts.copilotkit("run", answer).opened().rest()
				if kindOf(last) != "RUN_FINISHED" || last["runId"] != "r1" || types[0] != "RUN_STARTED" {
					t.Fatalf("the answer gets %v %v", types, last)
				}
			}
			// Nor does it answer what was asked since.
			value, _, _ = ts.copilotkit("run", propped("r3", `{}`, user("u3", `/tool mail {"to":"cid"}`))).opened().asked()
			ts.copilotkit("run", answer).opened().rest()
			if lines := effectLines(t, effects); len(lines) != 1 || !strings.Contains(lines[0], "bob") {
				t.Errorf("carried out: %v", lines)
			}
			if _, last := ts.copilotkit("run", propped("r4", props(`null`, string(value)), "")).opened().rest(); kindOf(last) != "RUN_FINISHED" {
				t.Errorf("put aside: %v", last)
			}
			if lines := effectLines(t, effects); len(lines) != 1 {
				t.Errorf("carried out: %v", lines)
			}
		})
	}
}
