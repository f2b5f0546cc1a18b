package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// begun reads until the run's text has begun to stream.
func (tb *tab) begun() {
	tb.t.Helper()
	for {
		if _, ok := tb.next().(*protocol.TextMessageContent); ok {
			return
		}
	}
}

// A page that comes in mid-run is restated and goes on live; both show the
// same in the end.
func TestEndToEndSecondTabInMidRun(t *testing.T) {
	ts, p, one := underWay(t)
	two := newTab(ts.dial())
	two.send(`{"type":"ws.attach","threadId":"t"}`)
	two.next()
	p.rest()
	wantSuccess(t, two.until())
	if f := two.take("ws.attached")[0]; f["activeRunId"] != "r1" || f["recovered"] != false {
		t.Errorf("got %v", f)
	}
	wantSuccess(t, one.until())
	same(t, one, two)
	if got := two.said(); got != counted(40) {
		t.Errorf("it said %q", got)
	}
	one.checkPosition()
	two.checkPosition()
}

// A socket that is lost in mid-run is replaced by one that misses nothing and
// gets nothing twice: the pipeline goes on as if nothing had happened.
func TestEndToEndRecovered(t *testing.T) {
	ts, p, tb := underWay(t)
	for range 3 {
		tb.ws.CloseNow()
		p.more(2) // and one at least is missed
		tb.client = ts.dial()
		at := tb.seq
		tb.send(fmt.Sprintf(`{"type":"ws.attach","threadId":"t","after":{"epoch":%q,"seq":%d}}`, tb.epoch, tb.seq))
		tb.begun()
		attached := tb.take("ws.attached")
		if len(attached) != 1 || attached[0]["recovered"] != true || attached[0]["seq"] != float64(at) {
			t.Fatalf("got %v", attached)
		}
	}
	p.rest()
	wantSuccess(t, tb.until())
	if got := tb.said(); got != counted(40) {
		t.Errorf("it said %q", got)
	}
	tb.checkPosition()
}

// A position of another life of the log cannot be continued from.
func TestEndToEndRestated(t *testing.T) {
	ts, _ := endToEnd(t)
	tb := newTab(ts.dial())
	wantSuccess(t, tb.ask("r1", "/say hello"))
	for reason, after := range map[string]string{
		"epoch_changed": `{"epoch":"another","seq":2}`,
		"ahead":         fmt.Sprintf(`{"epoch":%q,"seq":%d}`, tb.epoch, tb.seq+1),
	} {
		other := newTab(ts.dial())
		other.send(`{"type":"ws.attach","threadId":"t","after":` + after + `}`)
		wantSuccess(t, other.until())
		if f := other.take("ws.attached")[0]; f["reason"] != reason || f["seq"] != float64(tb.seq) {
			t.Errorf("got %v", f)
		}
		same(t, tb, other)
	}
}

// Whoever follows a thread is told that somebody has deleted it.
func TestEndToEndDeleted(t *testing.T) {
	ts, _ := endToEnd(t)
	tb := newTab(ts.dial())
	wantSuccess(t, tb.ask("r1", "/say hello"))
	other := newTab(ts.dial())
	other.send(`{"type":"ws.attach","threadId":"t"}`)
	wantSuccess(t, other.until())
	other.expect("ws.live")
	stream := ts.ask(http.MethodGet, "/agui/threads/t/events?follow=1", "").opened()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, ts.http.URL+"/v1/threads/t", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := ts.http.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		t.Fatal(resp.Status)
	}
	for _, c := range []*client{tb.client, other.client} {
		if f := c.expect("ws.detached"); f["threadId"] != "t" || f["reason"] != "deleted" || f["id"] != nil {
			t.Errorf("got %v", f)
		}
	}
	stream.rest() // ends
	fresh := newTab(ts.dial())
	wantSuccess(t, fresh.ask("r1", "/say hello again"))
	fresh.checkPosition()
}

// Repeats of a run in each of its states start nothing.
func TestEndToEndRepeats(t *testing.T) {
	ts, p, one := underWay(t)

	// Active, on a socket of its own: as far as it is, then live.
	again := newTab(ts.dial())
	again.send(says("r1", slow))
	again.next()
	p.rest()
	wantSuccess(t, again.until())
	if runs := again.take("ws.run"); len(runs) != 1 || runs[0]["disposition"] != "repeat" || runs[0]["of"] != "r1" {
		t.Errorf("got %v", runs)
	}
	if got := again.said(); got != counted(40) {
		t.Errorf("it said %q", got)
	}
	again.checkPosition()

	// Ended.
	ended := newTab(ts.dial())
	ended.send(says("r1", slow))
	wantSuccess(t, ended.until())
	wantSuccess(t, one.until())
	same(t, one, again)
	same(t, one, ended)
	ended.checkPosition()

	// Interrupted: the question as it is open now.
	ids := interrupts(t, one.ask("r2", "/confirm Sure?"))
	open := newTab(ts.dial())
	open.send(says("r2", "/confirm Sure?"))
	if got := interrupts(t, open.until()); len(got) != 1 || got[0] != ids[0] {
		t.Errorf("open: %v, want %v", got, ids)
	}
	same(t, one, open)
	one.checkPosition()
	open.checkPosition()
}

// The repeat of a run that was interrupted, while the run that continues it is
// under way, is answered by that one: its end is the end of what was asked.
func TestEndToEndRepeatOfAContinuedRun(t *testing.T) {
	goOn := make(chan struct{})
	ts := node(t, embedded(t), adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation}); err != nil {
			return err
		}
		if err := run.Say("Going on."); err != nil {
			return err
		}
		<-goOn
		return run.Say("Done.")
	}))
	one := newTab(ts.dial())
	id := interrupts(t, one.ask("r1", "go"))[0]
	one.send(resumes("r2", resolved(id, `{}`)))
	one.begun()

	two := newTab(ts.dial())
	two.send(says("r1", "go"))
	if e, ok := two.next().(*protocol.RunStarted); !ok || e.RunID != "r1" {
		t.Errorf("it is restated as %s", encoded(t, e))
	}
	if runs := two.take("ws.run"); len(runs) != 1 || runs[0]["disposition"] != "repeat" || runs[0]["of"] != "r2" {
		t.Errorf("got %v", runs)
	}
	plain := ts.connect("/agui/ws", plainMode)
	plain.send(says("r1", "go"))
	plain.expect("RUN_STARTED")
	close(goOn)
	for frame := plain.expectAny(); frame["type"] != "RUN_ERROR"; frame = plain.expectAny() {
		if frame["type"] == "RUN_FINISHED" {
			if frame["runId"] != "r1" {
				t.Errorf("it ended as %v", frame)
			}
			break
		}
	}
	for ended := false; !ended; {
		frame := two.expectAny()
		if ended = frame["type"] == "RUN_FINISHED"; ended && frame["runId"] != "r2" {
			t.Errorf("it ended as %v", frame)
		}
	}
	wantSuccess(t, one.until())
}

// The repeat of an active run on a socket that follows it already restates the
// run for whoever asks, moves no position and sends nothing live twice.
func TestEndToEndRepeatOnTheSameSocket(t *testing.T) {
	_, p, tb := underWay(t)
	tb.send(says("r1", slow))
	p.more(1)

	// Until the restatement comes the first request's events go on; what comes
	// then is for the second, whose pipeline begins with it.
	for restates := false; !restates; {
		f := tb.frame()
		if f.IsEvent() {
			tb.seq = f.Seq
			continue
		}
		at := tb.seq
		if tb.control(f); tb.seq != at {
			t.Fatalf("the position moved from %d to %d: %s", at, tb.seq, f.Data)
		}
		restates = f.Uncounted > 0
	}
	if runs := tb.take("ws.run"); runs[len(runs)-1]["disposition"] != "repeat" {
		t.Errorf("got %v", runs)
	}
	tb.fresh()
	p.rest()
	wantSuccess(t, tb.until())
	if got := tb.said(); got != counted(40) {
		t.Errorf("it said %q", got)
	}
	tb.checkPosition()
}

// An input waits for the active run; its repeat is the same waiting run.
func TestEndToEndQueue(t *testing.T) {
	ts, p, tb := underWay(t)
	tb.send(says("r2", "/say second"))
	for tb.frames[len(tb.frames)-1]["runId"] != "r2" {
		tb.apply(tb.frame())
	}

	two := newTab(ts.dial())
	two.send(`{"type":"ws.attach","threadId":"t"}`)
	two.next()
	queued := two.take("ws.attached")[0]["queued"].([]any)
	if len(queued) != 1 {
		t.Fatalf("queued: %v", queued)
	}
	if q := queued[0].(map[string]any); q["runId"] != "r2" || !strings.Contains(fmt.Sprint(q["messages"]), "/say second") {
		t.Errorf("queued: %v", q)
	}
	three := newTab(ts.dial())
	three.send(says("r2", "/say second"))
	var repeat map[string]any
	for repeat == nil {
		three.apply(three.frame())
		if f := three.frames[len(three.frames)-1]; f["type"] == "ws.run" {
			repeat = f
		}
	}
	p.rest()

	wantSuccess(t, tb.until())
	wantSuccess(t, tb.until())
	if runs := tb.take("ws.run"); len(runs) != 2 || runs[1]["disposition"] != "queued" {
		t.Errorf("got %v", runs)
	}
	if got := tb.said(); got != "second" {
		t.Errorf("it said %q", got)
	}
	wantSuccess(t, two.until())
	wantSuccess(t, two.until())
	same(t, tb, two)

	// The repeat says nothing of its own: the run's events are live ones. What was
	// under way before was opened to this socket, which came in its midst.
	if repeat["disposition"] != "repeat" || repeat["of"] != "r2" {
		t.Errorf("got %v", repeat)
	}
	wantSuccess(t, three.until())
	wantSuccess(t, three.until())
	same(t, tb, three)
	three.checkPosition()
}

func TestEndToEndCancel(t *testing.T) {
	ts, _ := endToEnd(t)
	tb := newTab(ts.dial())
	tb.send(says("r1", "/slow 10000 25"))
	tb.begun()
	tb.send(`{"type":"ws.cancel","threadId":"t","runId":"r1","id":"c"}`)
	end := tb.until().(*protocol.RunFinished)
	if end.Outcome == nil || end.Outcome.Type != protocol.OutcomeCancelled {
		t.Errorf("it ended with %s", encoded(t, end))
	}
	answers := tb.take("ws.cancelled")
	if len(answers) == 0 {
		answers = append(answers, tb.expect("ws.cancelled"))
	}
	if answers[0]["stopped"] != true || answers[0]["id"] != "c" {
		t.Errorf("got %v", answers)
	}
	wantSuccess(t, tb.ask("r2", "/say next"))
	tb.send(`{"type":"ws.cancel","threadId":"t","runId":"r2"}`, `{"type":"ws.cancel","threadId":"t","runId":"unknown"}`)
	tb.wants(
		`{"type":"ws.cancelled","threadId":"t","runId":"r2","stopped":false}`,
		`{"type":"ws.cancelled","threadId":"t","runId":"unknown","stopped":false}`)
	tb.checkPosition()
}

// A queued input that is cancelled ends at once for its sender, and is logged
// when the queue is released.
func TestEndToEndCancelQueued(t *testing.T) {
	ts, p, tb := underWay(t)
	sender := newTab(ts.dial())
	sender.send(says("r2", "/say never"))
	for sender.apply(sender.frame()); sender.frames[len(sender.frames)-1]["type"] != "ws.run"; sender.apply(sender.frame()) {
	}
	sender.send(`{"type":"ws.cancel","threadId":"t","runId":"r2"}`)
	var last protocol.Event
	counted := map[bool]int{}
	for counted[false] < 2 || counted[true] < 2 {
		f := sender.frame()
		if !f.IsEvent() {
			sender.control(f)
			continue
		}
		sender.seq = f.Seq
		var of struct{ RunID string }
		if err := json.Unmarshal(f.Data, &of); err != nil {
			t.Fatal(err)
		}
		if of.RunID == "r2" {
			counted[f.Uncounted == 0]++
			e, err := protocol.Decode(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			last = e
		}
		if counted[false] == 2 {
			p.rest() // which releases the queue
		}
	}
	if f, ok := last.(*protocol.RunFinished); !ok || f.Outcome == nil || f.Outcome.Type != protocol.OutcomeCancelled {
		t.Errorf("it ended with %s", encoded(t, last))
	}
	if f := sender.take("ws.cancelled"); len(f) != 1 || f[0]["stopped"] != true {
		t.Errorf("got %v", f)
	}
	wantSuccess(t, tb.until())
	tb.until()
	if got := tb.said(); strings.Contains(got, "never") {
		t.Errorf("it said %q", got)
	}
}

// A server that is shut down in mid-run says so and closes with 1012.
func TestEndToEndDrain(t *testing.T) {
	ts, p, tb := underWay(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ts.stop()
	}()
	tb.expect("ws.goaway")
	p.rest()
	tb.closed(websocket.StatusServiceRestart)
	<-done
}

// A name that several runs carry is stopped in all of them, with one answer,
// whichever way it is asked for.
func TestEndToEndCancelAllOfAName(t *testing.T) {
	for name, stop := range map[string]func(*testServer, *tab) bool{
		"ws.cancel": func(_ *testServer, tb *tab) bool {
			tb.send(`{"type":"ws.cancel","threadId":"t","runId":"r1"}`)
			for {
				tb.apply(tb.frame())
				if f := tb.frames[len(tb.frames)-1]; f["type"] == "ws.cancelled" {
					return f["stopped"] == true
				}
			}
		},
		"stop": func(ts *testServer, _ *tab) bool {
			s := ts.ask(http.MethodPost, "/copilotkit/agent/default/stop/t", `{"runId":"r1"}`)
			body, _ := io.ReadAll(s.resp.Body)
			return objectIn(t, body)["stopped"] == true
		},
	} {
		t.Run(name, func(t *testing.T) {
			ts, p, tb := underWay(t)
			another := newTab(ts.dial())
			another.send(strings.Replace(says("r1", "/say never"), "m-r1", "m-another", 1))
			ts.awaitQueued()
			if !stop(ts, tb) {
				t.Error("nothing was stopped")
			}
			p.rest()
			v := &v1Server{t: t, ts: ts}
			_, text, _ := v.send("GET", "/threads/t/runs", "", nil)
			runs := objectIn(t, text)["items"].([]any)
			for _, run := range runs {
				if got := run.(map[string]any)["state"]; got == "queued" || got == "claimed" {
					t.Errorf("left: %v", run)
				}
			}
			if len(runs) != 2 {
				t.Errorf("%d runs", len(runs))
			}
			wantSuccess(t, newTab(ts.dial()).ask("r2", "/say next"))
		})
	}
}
