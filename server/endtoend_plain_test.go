package server

import (
	"encoding/json"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
)

func TestEndToEndPlain(t *testing.T) {
	ts, effects := endToEnd(t)
	c := ts.connect("/agui/ws", plainMode)
	run := func(input string) (protocol.Event, []protocol.Event) {
		t.Helper()
		c.send(input)
		sequence, events := &order.Sequence{}, []protocol.Event(nil)
		for {
			data := c.read()
			e, err := protocol.Decode(data)
			if err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			if _, unknown := e.(*protocol.Unknown); unknown {
				t.Fatalf("a naive client cannot read %s", data)
			}
			if err := sequence.Check(e); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			events = append(events, e)
			switch e.(type) {
			case *protocol.RunFinished, *protocol.RunError:
				return e, events
			}
		}
	}
	end, events := run(says("r1", "/say hello"))
	wantSuccess(t, end)
	if s, ok := events[0].(*protocol.RunStarted); !ok || s.RunID != "r1" {
		t.Errorf("it began with %s", encoded(t, events[0]))
	}
	end, _ = run(says("r2", `/tool mail {"to":"ann"}`))
	id := interrupts(t, end)[0]
	end, _ = run(says("r3", "hello?"))
	wantCode(t, end, "interrupts_pending")
	end, _ = run(resumes("r4", resolved(id, `{"approved":true}`)))
	wantSuccess(t, end)
	// The same decision under another runId: the continuation, as that run.
	end, events = run(resumes("r5", resolved(id, `{"approved":true}`)))
	wantSuccess(t, end)
	if started := events[0].(*protocol.RunStarted); started.RunID != "r5" || end.(*protocol.RunFinished).RunID != "r5" {
		t.Errorf("restated as %s … %s", encoded(t, started), encoded(t, end))
	}
	if n := len(effectLines(t, effects)); n != 1 {
		t.Errorf("executed %d times", n)
	}
}

// The repeat of a resume whose continuation is still under way ends under the
// requested runId, also live.
func TestEndToEndPlainRepeatInMidRun(t *testing.T) {
	ts, p, _ := underWay(t)
	waiting := ts.connect("/agui/ws", plainMode)
	waiting.send(says("r2", "/say mine"))
	ts.awaitQueued()
	c := ts.connect("/agui/ws", plainMode)
	c.send(says("r1", slow))
	sequence := &order.Sequence{}
	for ended := false; !ended; p.rest() {
		e, err := protocol.Decode(c.read())
		if err != nil {
			t.Fatal(err)
		}
		if err := sequence.Check(e); err != nil {
			t.Fatal(err)
		}
		_, ended = e.(*protocol.RunFinished)
	}
	if f := waiting.expect("RUN_STARTED"); f["runId"] != "r2" {
		t.Errorf("the queued run begins with %v", f)
	}
	for waiting.expectAny()["type"] != "RUN_FINISHED" {
	}
}

func (c *client) expectAny() map[string]any {
	c.t.Helper()
	var f map[string]any
	if err := json.Unmarshal(c.read(), &f); err != nil {
		c.t.Fatal(err)
	}
	return f
}
