package adapter_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// decision is an entry of the record with what its Body says.
type decision struct {
	store.Decision
	store.DecisionBody
}

// decisions are those of the lab's thread, the latest first.
func (l *lab) decisions() []decision {
	l.t.Helper()
	page, err := l.runner.Decisions(l.ctx(), store.DecisionQuery{AllTenants: true, Thread: &l.key})
	if err != nil {
		l.t.Fatal(err)
	}
	var list []decision
	for _, d := range page.Decisions {
		with := decision{Decision: d}
		if err := json.Unmarshal(d.Body, &with.DecisionBody); err != nil {
			l.t.Fatalf("%v in %s", err, d.Body)
		}
		list = append(list, with)
	}
	return list
}

// decided is the only one.
func (l *lab) decided() decision {
	l.t.Helper()
	list := l.decisions()
	if len(list) != 1 {
		l.t.Fatalf("%d decisions: %+v", len(list), list)
	}
	return list[0]
}

// from submits an input of bob's that has come from somewhere.
func (l *lab) from(origin store.Origin, in *protocol.RunAgentInput) admission.Admitted {
	l.t.Helper()
	in.ThreadID = l.key.Thread
	a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Tenant: "acme", User: bob, From: origin, Run: in})
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

func (l *lab) now() time.Time {
	l.t.Helper()
	view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
	if err != nil {
		l.t.Fatal(err)
	}
	return view.Now
}

var byLink = store.Origin{Through: store.ThroughLink, Credential: "token-of-bob"}

// The record says who approved what, as it was shown, through what, and when it was asked.
func TestApprovalIsOnRecord(t *testing.T) {
	const args, edited = `{"to":"ann","amount":1.50}`, `{"approved":true,"editedArgs":{"to":"ann","amount":1.25}}`
	var done []string
	call := pay(&done, args, adapter.PolicyAsk)
	call.Mode, call.ResponseSchema = adapter.ReplayToolCall, protocol.Any(`{"type":"object"}`)
	l := newLab(t, caller(call))
	before := l.now().Truncate(time.Millisecond)
	open := interrupts(t, l.say("hi"))[0]
	after := l.now()
	l.forward(time.Hour)
	a := l.from(byLink, &protocol.RunAgentInput{RunID: "approving", ParentRunID: "run-1", Resume: []protocol.ResumeEntry{resolved(open.ID, edited)}})
	if a.Disposition != admission.Started {
		t.Fatalf("%s %+v", a.Disposition, a.Refusal)
	}
	succeeded(t, l.untilEnd())
	if len(done) != 1 || !strings.Contains(done[0], "1.25") {
		t.Fatalf("carried out %q", done)
	}
	d := l.decided()
	if d.Interrupt != open.ID || d.Status != store.DecisionResolved || d.User != bob || d.Tool != "pay" || d.Thread != l.key || d.RunID != a.RunID || d.Decision.Refused != 0 {
		t.Errorf("the entry is %+v", d.Decision)
	}
	if d.Asked.Before(before) || d.Asked.After(after) || d.At.Sub(d.Asked) < time.Hour-time.Millisecond {
		t.Errorf("asked at %s and decided at %s, which was asked between %s and %s", d.Asked, d.At, before, after)
	}
	if d.Origin != byLink || d.Reason != protocol.ReasonToolCall || d.Message != open.Message || d.ToolCallID != open.ToolCallID || len(d.Cut) > 0 {
		t.Errorf("the body is %s", d.Body)
	}
	if d.AnsweredBy != (store.DecisionRun{Label: "approving", RunID: a.RunID}) || d.AskedBy.Label != "run-1" || d.AskedBy.RunID == "" || d.AskedBy.RunID == a.RunID {
		t.Errorf("asked by %+v, answered by %+v", d.AskedBy, d.AnsweredBy)
	}
	// In the form of RFC 8785 members are in order; 1.50 is 1.5 to it.
	sum := sha256.Sum256([]byte(`{"amount":1.5,"to":"ann"}`))
	if string(d.Arguments) != args || d.ArgumentsDigest != hex.EncodeToString(sum[:]) || string(d.Payload) != edited {
		t.Errorf("arguments %s (%s), payload %s", d.Arguments, d.ArgumentsDigest, d.Payload)
	}
	// The run is known by what its client says it came from.
	view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{RunID: a.RunID})
	if err != nil || view.Run == nil {
		t.Fatalf("%+v %v", view, err)
	}
	var record store.RunRecord
	if err := json.Unmarshal(view.Run.Record, &record); err != nil || record.ParentRunID != "run-1" {
		t.Errorf("the run's record is %s", view.Run.Record)
	}
}

// What is redacted is taken out of the record, and out of nothing else.
func TestRedactedDecision(t *testing.T) {
	const args, edited = `{"card":{"number":94711000001},"amount":1}`, `{"approved":true,"editedArgs":{"card":{"number":94711000002},"amount":2},"pin":94711000003}`
	var done []string
	call := pay(&done, args, adapter.PolicyAsk)
	call.Mode, call.ResponseSchema = adapter.ReplayToolCall, protocol.Any(`{"type":"object"}`)
	l := newLab(t, caller(call), func(o *runner.Options) {
		o.Redact = []adapter.Redaction{{Tool: "pay", Pointer: "/card/number"}, {Pointer: "/pin"}, {Tool: "refund", Pointer: "/amount"}}
	})
	open := interrupts(t, l.say("hi"))[0]
	succeeded(t, l.answer(resolved(open.ID, edited)))
	if len(done) != 1 || !strings.Contains(done[0], "94711000002") {
		t.Errorf("carried out %q", done)
	}
	d := l.decided()
	for _, kept := range []struct{ has, want string }{
		{string(d.Arguments), `{"card":{"number":"[redacted]"},"amount":1}`},
		{string(d.Payload), `{"approved":true,"editedArgs":{"card":{"number":"[redacted]"},"amount":2},"pin":"[redacted]"}`},
	} {
		if !sameJSON(t, kept.has, kept.want) {
			t.Errorf("the record has %s, want %s", kept.has, kept.want)
		}
	}
	if strings.Contains(string(d.Body), "947110") {
		t.Errorf("the record has %s", d.Body)
	}
	sum := sha256.Sum256([]byte(`{"amount":1,"card":{"number":94711000001}}`))
	if d.ArgumentsDigest != hex.EncodeToString(sum[:]) {
		t.Errorf("the digest is not that of what was shown")
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var texts [2]string
	for i, text := range []string{a, b} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Errorf("%v in %s", err, text)
		}
		form, _ := json.Marshal(v)
		texts[i] = string(form)
	}
	return texts[0] == texts[1]
}

// Refused answers are counted where the decision is told, and move nothing: what is being
// judged meanwhile stands.
func TestRefusedAnswersAreCounted(t *testing.T) {
	question := confirmation("how many?")
	question.ResponseSchema = protocol.Any(`{"type":"number"}`)
	l := newLab(t, asker(question))
	open := interrupts(t, l.say("hi"))[0]
	version := func() int64 {
		view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
		if err != nil {
			t.Fatal(err)
		}
		return view.Version
	}
	before := version()
	wrong := resolved(open.ID, `"many"`)
	refusedWith(t, l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{wrong}}), adapter.CodePayloadInvalid)
	a, err := l.runner.Answer(l.ctx(), l.key, "acme", bob, "answer", []protocol.ResumeEntry{wrong}, store.Origin{Through: store.ThroughInbox}, nil)
	if err != nil {
		t.Fatal(err)
	}
	refusedWith(t, a.Admitted, adapter.CodePayloadInvalid)
	if after := version(); after != before {
		t.Errorf("the thread's version was %d and is %d", before, after)
	}
	succeeded(t, l.answer(resolved(open.ID, `2`)))
	if d := l.decided(); d.Decision.Refused != 2 || d.Status != store.DecisionResolved || string(d.Payload) != "2" {
		t.Errorf("%d answers were refused before %s", d.Decision.Refused, d.Body)
	}
}
