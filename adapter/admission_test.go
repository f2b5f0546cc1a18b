package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

// asker asks once with the given interrupts and says what it was told.
func asker(interrupts ...protocol.Interrupt) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		answers, err := run.Ask(ctx, slices.Clone(interrupts)...)
		if err != nil {
			return err
		}
		var said []string
		for _, a := range answers.Of {
			payload, _ := a.Payload()
			said = append(said, status(a)+string(payload))
		}
		return run.Say(strings.Join(said, " "))
	})
}

var approval = protocol.Any(`{"type":"object","properties":{"approved":{"type":"boolean"}},"required":["approved"]}`)

// Every refusal has its code and details, and changes nothing: the right
// answer is accepted afterwards.
func TestRefusals(t *testing.T) {
	l := newLab(t, asker(
		protocol.Interrupt{Reason: protocol.ReasonInputRequired, Message: "one", ResponseSchema: approval},
		confirmation("two"),
	))
	open := interrupts(t, l.say("hi"))
	yes, two := resolved(open[0].ID, `{"approved":true}`), resolved(open[1].ID, `1`)
	refusal := func(name, code string, in *protocol.RunAgentInput) *protocol.RunError {
		t.Helper()
		a := l.submit(in)
		if a.Disposition != admission.Refused || a.Refusal.Code != code {
			t.Fatalf("%s: %s %+v", name, a.Disposition, a.Refusal)
		}
		return a.Refusal
	}
	e := refusal("no resume", adapter.CodePending, user("more"))
	if ids := fmt.Sprint(details(t, e)["interruptIds"]); ids != fmt.Sprint([]string{open[0].ID, open[1].ID}) {
		t.Errorf("pending ids %s", ids)
	}
	refusal("unknown", adapter.CodeUnknownInterrupt, &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{yes, two, resolved("nobody", "1")}})
	e = refusal("uncovered", adapter.CodeUncovered, &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{yes}})
	if ids := fmt.Sprint(details(t, e)["interruptIds"]); ids != fmt.Sprint([]string{open[1].ID}) {
		t.Errorf("uncovered ids %s", ids)
	}
	e = refusal("payload", adapter.CodePayloadInvalid, &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, `{"approved":"yes"}`), two}})
	if fields := fmt.Sprint(details(t, e)["fields"]); !strings.Contains(fields, "/approved") {
		t.Errorf("fields %s", fields)
	}
	refusal("twice in one resume", adapter.CodeInvalidInput, &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{yes, yes, two}})
	if got := show(l.got); strings.Count(got, "RUN_STARTED") != 1 {
		t.Errorf("a refusal was logged: %s", got)
	}
	succeeded(t, l.answer(two, yes))
	if got := l.texts(); !slices.Equal(got, []string{`resolved{"approved":true} resolved1`}) {
		t.Errorf("answers out of order: %q", got)
	}
}

// However much is wrong with answers, and with however many of them, a refusal is small;
// and an answer that takes too much to check has a refusal of its own.
func TestRefusalsOfPayloadsAreSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes large inputs; -short leaves it out")
	}
	tags := protocol.Any(`{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}}}}`)
	var asked []protocol.Interrupt
	for range 5 {
		asked = append(asked, protocol.Interrupt{Reason: protocol.ReasonInputRequired, ResponseSchema: tags})
	}
	l := newLab(t, asker(asked...))
	open := interrupts(t, l.say("hi"))
	answers := func(payload string) []protocol.ResumeEntry {
		var all []protocol.ResumeEntry
		for _, i := range open {
			all = append(all, resolved(i.ID, payload))
		}
		return all
	}
	zeros := func(n int) string { return `{"tags":[` + strings.Repeat("0,", n) + `0]}` }
	texts := func(n int) string { return `{"tags":[` + strings.Repeat(`"",`, n) + `""]}` }
	for _, c := range []struct{ payload, code string }{
		{zeros(10_000), adapter.CodePayloadInvalid},
		{`{"tags":{"` + strings.Repeat(`x\n`, 100_000) + `":0}}`, adapter.CodePayloadInvalid},
		{texts(200_000), adapter.CodePayloadTooComplex},
		{texts(40_000), adapter.CodePayloadTooComplex}, // all five of them
	} {
		a := l.submit(&protocol.RunAgentInput{Resume: answers(c.payload)})
		if a.Disposition != admission.Refused || a.Refusal.Code != c.code {
			t.Fatalf("%.30s: %s %+v", c.payload, a.Disposition, a.Refusal)
		}
		text, err := json.Marshal(a.Refusal)
		if err != nil || len(text) > 6<<10 {
			t.Errorf("%.30s: %d bytes, %v", c.payload, len(text), err)
		}
	}
	succeeded(t, l.answer(answers(texts(100))...))
}

// The same resume may be sent again, under any runId, and executes once. A
// different one conflicts.
func TestResumeTwice(t *testing.T) {
	ran := new(atomic.Int32)
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: "pay", Do: func(context.Context, adapter.Invocation) (rawJSON, error) {
			ran.Add(1)
			return rawJSON(`"paid"`), nil
		}})
		return err
	}))
	open := interrupts(t, l.say("hi"))
	entry := resolved(open[0].ID, `{"approved":true,"reason":"ok"}`)
	succeeded(t, l.answer(entry))
	for _, payload := range []string{`{"approved":true,"reason":"ok"}`, `{ "reason":"ok", "approved":true }`} {
		a := l.submit(&protocol.RunAgentInput{RunID: "again" + payload, Resume: []protocol.ResumeEntry{resolved(open[0].ID, payload)}})
		if a.Disposition != admission.Repeat || a.Of != "run-2" {
			t.Fatalf("%s: %s of %q %+v", payload, a.Disposition, a.Of, a.Refusal)
		}
		r, err := l.runner.Repeat(l.ctx(), l.key, a.RunID, "again")
		if err != nil {
			t.Fatal(err)
		}
		if got := decoded(t, r.Events); show(got) != "RUN_STARTED STATE_SNAPSHOT MESSAGES_SNAPSHOT RUN_FINISHED" || got[0].(*protocol.RunStarted).RunID != "again" {
			t.Errorf("repeat: %s", show(got))
		}
	}
	a := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, `{"approved":false}`)}})
	if a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodeConflict {
		t.Fatalf("other answer: %s %+v", a.Disposition, a.Refusal)
	}
	if by := details(t, a.Refusal)["runId"]; by != "run-2" {
		t.Errorf("answered by %v", by)
	}
	if n := ran.Load(); n != 1 {
		t.Errorf("the call was carried out %d times", n)
	}
	succeeded(t, l.answerWith(user("next"), entry))
}

// answerWith sends a message beside entries that were accepted before: these
// are set aside, and the message is an input of its own.
func (l *lab) answerWith(in *protocol.RunAgentInput, entries ...protocol.ResumeEntry) []protocol.Event {
	l.t.Helper()
	in.Resume = entries
	a := l.submit(in)
	if a.Disposition == admission.Repeat {
		l.t.Fatal("taken for a repeat")
	}
	if a.Disposition != admission.Started {
		l.t.Fatalf("%s %+v", a.Disposition, a.Refusal)
	}
	events := l.untilEnd()
	if open, ok := events[len(events)-1].(*protocol.RunFinished); ok && open.Outcome.Type == protocol.OutcomeInterrupt {
		return l.answer(cancelled(open.Outcome.Interrupts[0].ID))
	}
	return events
}

func decoded(t *testing.T, texts [][]byte) []protocol.Event {
	t.Helper()
	var events []protocol.Event
	for _, text := range texts {
		e, err := protocol.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

// gated runs only when it is let.
func gated() (adapter.Agent, chan struct{}) {
	gate := make(chan struct{})
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := run.Say("begun"); err != nil {
			return err
		}
		select {
		case <-gate:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		return run.Say("ended")
	}), gate
}

func TestQueue(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent)
	l.begins(user("one"))
	for _, text := range []string{"two", "three"} {
		l.queues(user(text))
	}
	again := user("two")
	again.RunID = "run-2"
	if a := l.submit(again); a.Disposition != admission.Repeat || a.Of != "run-2" {
		t.Fatalf("sent again: %s of %q", a.Disposition, a.Of)
	}
	attached, err := l.runner.Follow(l.key, func() {}).Attach(l.ctx(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(attached.Queued) != 2 || attached.Queued[0].Label != "run-2" || attached.ActiveLabel != "run-1" {
		t.Errorf("attached %+v", attached)
	}
	if got := string(attached.Queued[0].Messages); got != `[{"id":"m-two","role":"user","content":"two"}]` {
		t.Errorf("waiting messages %s", got)
	}
	cancelledTwo, err := l.runner.Cancel(l.ctx(), l.key, "run-2", admission.Actor{})
	if err != nil || !cancelledTwo.Stopped {
		t.Fatalf("%+v %v", cancelledTwo, err)
	}
	if got := show(decoded(t, cancelledTwo.Owed)); got != "RUN_STARTED RUN_FINISHED" {
		t.Errorf("owed %s", got)
	}
	close(gate)
	var ended []string
	l.until(func(e protocol.Event) bool {
		if started, ok := e.(*protocol.RunStarted); ok {
			ended = append(ended, started.RunID)
		}
		return isEnd(e) && len(ended) == 3
	})
	if !slices.Equal(ended, []string{"run-1", "run-2", "run-3"}) {
		t.Errorf("runs %q", ended)
	}
	l.wellFormed()
	if got := l.texts(); !slices.Equal(got, []string{"begun", "ended", "begun", "ended"}) {
		t.Errorf("texts %q", got)
	}
}

// What an agent does wrong ends its run, and nothing else.
func TestAgentFails(t *testing.T) {
	for name, test := range map[string]struct {
		agent adapter.AgentFunc
		code  string
	}{
		"error": {func(context.Context, *adapter.Run) error { return fmt.Errorf("no luck") }, adapter.CodeAgentError},
		"panic": {func(context.Context, *adapter.Run) error { panic("secret") }, adapter.CodeAgentError},
		"order": {func(_ context.Context, run *adapter.Run) error {
			return run.Emit(&protocol.TextMessageContent{MessageID: "never opened", Delta: "x"})
		}, adapter.CodeProtocolViolation},
		"left open": {func(_ context.Context, run *adapter.Run) error {
			text, err := run.Text()
			if err != nil {
				return err
			}
			fmt.Fprint(text, "half")
			return fmt.Errorf("no luck")
		}, adapter.CodeAgentError},
		"panic in a branch": {func(ctx context.Context, run *adapter.Run) error {
			return adapter.Parallel(ctx, run, func(context.Context, *adapter.Run) error { panic("secret") })
		}, adapter.CodeAgentError},
		"panic in a step": {func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.Step(ctx, run, "s", func(context.Context) (int, error) { panic("secret") })
			return err
		}, adapter.CodeAgentError},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, test.agent)
			e := failedWith(t, l.say("hi"), test.code)
			if strings.Contains(e.Message, "secret") {
				t.Errorf("the panic's text was sent: %q", e.Message)
			}
			l.wellFormed()
		})
	}
}

// An interrupt that clients could not answer is refused when it is asked.
func TestAskRefuses(t *testing.T) {
	for name, i := range map[string]protocol.Interrupt{
		"tool_call without a call":      {Reason: protocol.ReasonToolCall},
		"input_required without schema": {Reason: protocol.ReasonInputRequired},
		"reserved":                      {Reason: "core:new"},
		"not namespaced":                {Reason: "approval"},
		"expiry that is no time":        {Reason: protocol.ReasonConfirmation, ExpiresAt: "tomorrow"},
		"schema that is deep":           {Reason: protocol.ReasonConfirmation, ResponseSchema: protocol.Any(strings.Repeat(`{"not":`, 100) + `{}` + strings.Repeat(`}`, 100))},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, telling(asker(i)))
			e := failedWith(t, l.say("hi"), adapter.CodeAgentError)
			if !strings.Contains(e.Message, "Ask: interrupt 0") {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}

// What is not recognised reaches neither agents nor followers, and what is, does.
func TestInputIsStripped(t *testing.T) {
	seen := make(chan *protocol.RunAgentInput, 1)
	l := newLab(t, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		seen <- run.Input()
		return nil
	}))
	in, err := protocol.DecodeInput([]byte(`{"threadId":"thread","runId":"r","new":1,"forwardedProps":{"keep":true},
		"messages":[{"id":"a","role":"user","content":"hi","mood":"good"},{"id":"b","role":"oracle","content":"?"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	l.begins(in)
	got := <-seen
	if len(got.Messages) != 1 || got.Messages[0].Extra != nil || got.Extra != nil || string(got.ForwardedProps) != `{"keep":true}` {
		t.Errorf("the agent sees %+v", got)
	}
	started := l.untilEnd()[0].(*protocol.RunStarted)
	if text, _ := protocol.Encode(started); strings.Contains(string(text), "mood") || strings.Contains(string(text), "oracle") {
		t.Errorf("followers see %s", text)
	}
}
