package server

import (
	"strings"
	"testing"
)

func TestRefusedAnswersAreNamed(t *testing.T) {
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

func TestRefusedForms(t *testing.T) {
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

func TestRefusedLateAnswers(t *testing.T) {
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
