package server

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

func effectLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestEndToEndSay(t *testing.T) {
	ts, _ := endToEnd(t)
	tb := newTab(ts.dial())
	wantSuccess(t, tb.ask("r1", "/say hello, world"))
	if got := tb.said(); got != "hello, world" {
		t.Errorf("it said %q", got)
	}
	runs := tb.take("ws.run")
	if len(runs) != 1 || runs[0]["disposition"] != "started" {
		t.Errorf("got %v", runs)
	}
	wantSuccess(t, tb.ask("r2", "/say again"))
	wantCode(t, tb.ask("r3", "/fail on purpose"), "agent_error")
	wantCode(t, tb.ask("r4", "/panic"), "agent_error")
	tb.checkPosition()

	other := newTab(ts.dial())
	other.send(`{"type":"ws.attach","threadId":"t"}`)
	wantCode(t, other.until(), "agent_error") // an old failure is told as its own
	same(t, tb, other)
}

func TestEndToEndTool(t *testing.T) {
	for name, c := range map[string]struct {
		payload string // "" cancels
		effect  string
		said    string
	}{
		"approve": {`{"approved":true}`, `{"to":"ann"}`, "I have called mail."},
		"edit":    {`{"approved":true,"editedArgs":{"to":"bob"}}`, `{"to":"bob"}`, "I have called mail."},
		"decline": {`{"approved":false}`, "", "declined"},
		"cancel":  {"", "", "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			ts, effects := endToEnd(t)
			tb := newTab(ts.dial())
			id := interrupts(t, tb.ask("r1", `/tool mail {"to":"ann"}`))[0]
			if n := effectLines(t, effects); n != nil {
				t.Fatalf("executed before it was approved: %v", n)
			}
			entry := cancelled(id)
			if c.payload != "" {
				entry = resolved(id, c.payload)
			}
			tb.send(resumes("r2", entry))
			wantSuccess(t, tb.until())
			if got := tb.said(); !strings.Contains(got, c.said) {
				t.Errorf("it said %q", got)
			}
			lines := effectLines(t, effects)
			if c.effect == "" && lines != nil || c.effect != "" && (len(lines) != 1 || !strings.Contains(lines[0], c.effect)) {
				t.Errorf("effects: %q", lines)
			}
			results := 0
			for _, m := range tb.fold.Messages() {
				if m.Role == protocol.RoleTool {
					results++
				}
			}
			if want := map[bool]int{true: 1}[c.payload != ""]; results != want {
				t.Errorf("%d results, want %d", results, want)
			}
			// The same answer again starts nothing: the continuation is told again.
			tb.take("ws.run")
			tb.send(resumes("r3", entry))
			end := tb.until()
			wantSuccess(t, end)
			if got := end.(*protocol.RunFinished).RunID; got != "r3" {
				t.Errorf("restated under %q", got)
			}
			if runs := tb.take("ws.run"); len(runs) != 1 || runs[0]["disposition"] != "repeat" || runs[0]["of"] != "r2" {
				t.Errorf("got %v", runs)
			}
			if again := effectLines(t, effects); len(again) != len(lines) {
				t.Errorf("executed again: %q", again)
			}
			tb.checkPosition()
		})
	}
}

// Every refusal about interrupts leaves them open; the corrected answer works.
func TestEndToEndInterruptCodes(t *testing.T) {
	ts, _ := endToEnd(t)
	tb := newTab(ts.dial())
	ids := interrupts(t, tb.ask("r1", "/parallel 2"))
	if len(ids) != 2 {
		t.Fatalf("%d interrupts", len(ids))
	}
	yes := `{"approved":true}`
	attempt := func(input, code string, names ...string) {
		t.Helper()
		// A refusal is a stream of its own: it must not disturb the thread's.
		order, fold := tb.order, tb.fold
		tb.fresh()
		tb.send(input)
		e := wantCode(t, tb.until(), code)
		for _, name := range names {
			if !strings.Contains(encoded(t, e), name) {
				t.Errorf("%s does not name %s", encoded(t, e), name)
			}
		}
		tb.order, tb.fold = order, fold
		if runs := tb.take("ws.run"); runs[len(runs)-1]["disposition"] != "refused" {
			t.Errorf("got %v", runs)
		}
	}
	attempt(says("r2", "never mind"), "interrupts_pending", ids...)
	attempt(resumes("r2", resolved(ids[0], yes)), "interrupts_uncovered", ids[1])
	attempt(resumes("r2", resolved(ids[0], yes), resolved("nonsense", yes)), "interrupt_unknown", "nonsense")
	attempt(resumes("r2", resolved(ids[0], `{"approved":"yes"}`), resolved(ids[1], yes)), "interrupt_payload_invalid", ids[0], "/approved")
	tb.checkPosition()

	tb.send(resumes("r2", resolved(ids[0], yes), resolved(ids[1], `{"approved":false}`)))
	wantSuccess(t, tb.until())
	attempt(resumes("r3", resolved(ids[0], yes), resolved(ids[1], yes)), "interrupt_conflict", ids[1], "r2")
}

func TestEndToEndForm(t *testing.T) {
	ts, _ := endToEnd(t)
	tb := newTab(ts.dial())
	id := interrupts(t, tb.ask("r1", "/form"))[0]
	tb.fresh()
	tb.send(resumes("r2", resolved(id, `{"quarter":"Q5","year":1999,"revenue":1}`)))
	e := encoded(t, wantCode(t, tb.until(), "interrupt_payload_invalid"))
	if !strings.Contains(e, "/quarter") || !strings.Contains(e, "/year") {
		t.Errorf("the fields are not named: %s", e)
	}
	tb.fresh()
	tb.send(resumes("r2", resolved(id, `{"quarter":"Q4","year":1e100000000000000000,"revenue":1}`)))
	if e := encoded(t, wantCode(t, tb.until(), "interrupt_payload_too_complex")); !strings.Contains(e, id) {
		t.Errorf("the interrupt is not named: %s", e)
	}
	tb.fresh()
	tb.send(resumes("r2", resolved(id, `{"quarter":"Q4","year":2026,"revenue":1.50}`)))
	wantSuccess(t, tb.until())
	if got := tb.said(); !strings.Contains(got, "1.50") {
		t.Errorf("it said %q", got)
	}
}

func TestEndToEndExpired(t *testing.T) {
	ts, _ := endToEnd(t)
	tb := newTab(ts.dial())
	id := interrupts(t, tb.ask("r1", "/expire 0"))[0]
	tb.fresh()
	tb.send(resumes("r2", resolved(id, `{"approved":true}`)))
	wantCode(t, tb.until(), "interrupt_expired")
	tb.fresh()
	tb.send(resumes("r2", cancelled(id)))
	wantSuccess(t, tb.until())
	if got := tb.said(); got != "Cancelled." {
		t.Errorf("it said %q", got)
	}
}

func TestEndToEndTwice(t *testing.T) {
	ts, _ := endToEnd(t)
	tb := newTab(ts.dial())
	first := interrupts(t, tb.ask("r1", "/twice"))[0]
	tb.send(resumes("r2", resolved(first, `{}`)))
	second := interrupts(t, tb.until())[0]
	if first == second {
		t.Fatal("the second question has the first one's id")
	}
	// The first input again is told what is open now, not what was then.
	tb.send(says("r1", "/twice"))
	if got := interrupts(t, tb.until()); len(got) != 1 || got[0] != second {
		t.Errorf("open: %v, want %s", got, second)
	}
	tb.send(resumes("r3", resolved(second, `{}`)))
	wantSuccess(t, tb.until())
	if got := tb.said(); got != "Asked twice, answered twice." {
		t.Errorf("it said %q", got)
	}
	tb.send(says("r1", "/twice"))
	end := tb.until()
	wantSuccess(t, end)
	if got := end.(*protocol.RunFinished).RunID; got != "r1" {
		t.Errorf("restated under %q", got)
	}
}

// A thread waits for a human; a page that comes later is shown the question
// and may answer it, and the first page sees that.
func TestEndToEndSecondTab(t *testing.T) {
	ts, effects := endToEnd(t)
	one := newTab(ts.dial())
	id := interrupts(t, one.ask("r1", `/tool mail {"to":"ann"}`))[0]

	two := newTab(ts.dial())
	two.send(`{"type":"ws.attach","threadId":"t"}`)
	if got := interrupts(t, two.until()); len(got) != 1 || got[0] != id {
		t.Fatalf("the second tab is asked %v", got)
	}
	attached := two.take("ws.attached")[0]
	if n := len(attached["interrupts"].([]any)); n != 1 || attached["recovered"] != false {
		t.Errorf("got %v", attached)
	}
	same(t, one, two)
	two.expect("ws.live")

	two.send(resumes("r2", resolved(id, `{"approved":true}`)))
	wantSuccess(t, two.until())
	wantSuccess(t, one.until())
	same(t, one, two)
	if n := len(effectLines(t, effects)); n != 1 {
		t.Errorf("executed %d times", n)
	}
	one.checkPosition()
	two.checkPosition()
}

func TestEndToEndState(t *testing.T) {
	ts, _ := endToEnd(t)
	one := newTab(ts.dial())
	wantSuccess(t, one.ask("r1", `/state {"a":1}`))
	two := newTab(ts.dial())
	two.send(`{"type":"ws.attach","threadId":"t"}`)
	wantSuccess(t, two.until())
	if !sameJSON(t, one.fold.State(), two.fold.State()) || !strings.Contains(string(one.fold.State()), `"steps"`) {
		t.Errorf("one tab has %s, the other %s", one.fold.State(), two.fold.State())
	}
}
