package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// told is what a RUN_STARTED says in our member of its metadata.
type told struct {
	Restated  bool
	Decisions []struct {
		InterruptID, ToolCallID, Status, By, Through, At, Reason string
		Approved                                                 *bool
		Changed                                                  json.RawMessage
		Cut                                                      []string
	}
}

func startOf(t *testing.T, events []protocol.Event) (*protocol.RunStarted, told) {
	t.Helper()
	for _, e := range events {
		if started, ok := e.(*protocol.RunStarted); ok {
			var says told
			if text := started.Metadata["aguiws"]; text != nil {
				if err := json.Unmarshal(text, &says); err != nil {
					t.Fatalf("%v in %s", err, text)
				}
			}
			return started, says
		}
	}
	t.Fatalf("no RUN_STARTED: %s", show(events))
	return nil, told{}
}

// restatedStart is how the thread's latest run is told to who comes now.
func (l *lab) restatedStart() (*protocol.RunStarted, told) {
	l.t.Helper()
	c := l.runner.Follow(l.key, func() {})
	defer c.Close()
	a, err := c.Attach(l.ctx(), nil)
	if err != nil || len(a.Restatement) == 0 {
		l.t.Fatalf("%+v %v", a, err)
	}
	e, err := protocol.Decode(a.Restatement[0])
	if err != nil {
		l.t.Fatal(err)
	}
	return startOf(l.t, []protocol.Event{e})
}

var bobsSocket = store.Origin{Through: store.ThroughSocket, Credential: "token-of-bob", Name: "Bob"}

// approve answers the only open interrupt and returns the run that continues.
func (l *lab) approve(id, payload string) []protocol.Event {
	l.t.Helper()
	a := l.from(bobsSocket, &protocol.RunAgentInput{RunID: "approving", ParentRunID: "run-1", Resume: []protocol.ResumeEntry{resolved(id, payload)}})
	if a.Disposition != admission.Started {
		l.t.Fatalf("%s %+v", a.Disposition, a.Refusal)
	}
	return l.untilEnd()
}

// proposing runs an agent that asks about one call with arguments.
func proposing(t *testing.T, args string, configure ...func(*runner.Options)) (*lab, protocol.Interrupt) {
	t.Helper()
	call := pay(new([]string), args, adapter.PolicyAsk)
	call.ResponseSchema = protocol.Any(`{"type":"object"}`)
	l := newLab(t, caller(call), configure...)
	return l, interrupts(t, l.say("hi"))[0]
}

// Who follows is told of an approval, and who comes later.
func TestFollowersAreToldOfAnApproval(t *testing.T) {
	l, open := proposing(t, `{"to":"ann","amount":200}`)
	l.forward(time.Hour)
	const payload = `{"approved":true,"editedArgs":{"to":"ann","amount":150},"reason":"too much"}`
	signed := resolved(open.ID, payload)
	signed.Metadata = protocol.Metadata{"signature": rawJSON(`"of mine"`)}
	before := l.now()
	a := l.from(bobsSocket, &protocol.RunAgentInput{RunID: "approving", ParentRunID: "run-1", Resume: []protocol.ResumeEntry{signed}})
	if a.Disposition != admission.Started {
		t.Fatalf("%s %+v", a.Disposition, a.Refusal)
	}
	events := l.untilEnd()
	succeeded(t, events)
	started, says := startOf(t, events)
	if len(started.Input.Resume) != 1 || started.ParentRunID != "run-1" {
		t.Fatalf("%+v", started)
	}
	if entry := started.Input.Resume[0]; entry.InterruptID != open.ID || entry.Status != protocol.ResumeResolved || string(entry.Payload) != payload || entry.Metadata != nil {
		t.Errorf("the answer is told as %+v", entry)
	}
	if len(says.Decisions) != 1 {
		t.Fatalf("%+v", says)
	}
	d := says.Decisions[0]
	if d.InterruptID != open.ID || d.ToolCallID != open.ToolCallID || d.Status != "resolved" || d.Approved == nil || !*d.Approved ||
		d.By != "Bob" || d.Through != "socket" || d.Reason != "too much" || len(d.Cut) > 0 ||
		string(d.Changed) != `[{"pointer":"/amount","before":200,"after":150}]` {
		t.Errorf("told %s", started.Metadata["aguiws"])
	}
	if at, err := time.Parse(time.RFC3339, d.At); err != nil || at.Before(before) || at.After(l.now()) {
		t.Errorf("decided at %s, asked for at %s by the store's clock: %v", d.At, before, err)
	}
	if text := string(l.events[len(l.events)-len(events)]); strings.Contains(text, "token-of-bob") || strings.Contains(text, bob) {
		t.Errorf("told whose the credential is: %s", text)
	}
	// The continuation is restated with the same.
	restated, again := l.restatedStart()
	if restated.ParentRunID != "run-1" || !again.Restated || fmt.Sprintf("%+v", again.Decisions[0].Changed) != fmt.Sprintf("%+v", d.Changed) || again.Decisions[0].At != d.At {
		t.Errorf("restated: %s", restated.Metadata["aguiws"])
	}
}

// What somebody has denied or cancelled does not become a time that ran out because they
// say so.
func TestNobodySaysThatTimeRanOut(t *testing.T) {
	for want, entry := range map[string]protocol.ResumeEntry{"declined": resolved("", `{"approved":false}`), "cancelled": cancelled("")} {
		l, open := proposing(t, `{}`)
		entry.InterruptID = open.ID
		entry.Metadata = protocol.Metadata{"signature": rawJSON(`"of mine"`), "aguiws": rawJSON(`{"expired":true}`)}
		_, says := startOf(t, l.answer(entry))
		if got := l.texts(); len(got) != 1 || got[0] != want+"{}" || says.Decisions[0].Status == "expired" {
			t.Errorf("said %q of what was %s, and told %+v", got, want, says)
		}
	}
}

// What is edited is told by where it is and what it was, in bounds, and without what is
// redacted.
func TestChangesOfArguments(t *testing.T) {
	long := strings.Repeat("x", 300)
	var many, more []string
	for i := range 30 {
		many = append(many, fmt.Sprintf(`"m%02d":1`, i))
		more = append(more, fmt.Sprintf(`"m%02d":2`, i))
	}
	for name, test := range map[string]struct {
		args, edited string
		want         string // "": none
		cut          string
	}{
		"nothing":       {`{"n":1.50,"l":[1,{"x":"é"}]}`, `{"l":[1.0,{"x":"\u00e9"}],"n":15e-1}`, "", ""},
		"nested":        {`{"a":{"b":[1,2]}}`, `{"a":{"b":[1,3]}}`, `[{"pointer":"/a/b/1","before":2,"after":3}]`, ""},
		"to the digit":  {`{"n":9007199254740993}`, `{"n":9007199254740992}`, `[{"pointer":"/n","before":9007199254740993,"after":9007199254740992}]`, ""},
		"less and more": {`{"a":1,"z/~":null}`, `{"b":[2]}`, `[{"pointer":"/a","before":1},{"pointer":"/b","after":[2]},{"pointer":"/z~1~0","before":null}]`, ""},
		"shorter":       {`{"l":[1,2]}`, `{"l":[1]}`, `[{"pointer":"/l/1","before":2}]`, ""},
		"another kind":  {`{"l":[1]}`, `{"l":{"0":1}}`, `[{"pointer":"/l","before":[1],"after":{"0":1}}]`, ""},
		"redacted":      {`{"card":{"number":1},"to":"a"}`, `{"card":{"number":2},"to":"b"}`, `[{"pointer":"/card","before":"[redacted]","after":"[redacted]"},{"pointer":"/to","before":"a","after":"b"}]`, ""},
		"redacted, as it was": {`{"card":{"number":1},"to":"a"}`, `{"card":{"number":1},"to":"b"}`,
			`[{"pointer":"/to","before":"a","after":"b"}]`, ""},
		"long":            {`{"a":"` + long + `"}`, `{"a":"short"}`, `[{"pointer":"/a","before":"` + long[:200] + `","after":"short","cut":["before"]}]`, ""},
		"a long name":     {`{"a":{"` + long + `":1}}`, `{"a":{"` + long + `":2}}`, `[{"pointer":"/a","before":"{\"` + long[:198] + `","after":"{\"` + long[:198] + `","cut":["before","after"]}]`, ""},
		"too many":        {`{` + strings.Join(many, ",") + `}`, `{` + strings.Join(more, ",") + `}`, "20", "changed"},
		"too large":       {`{"a":"` + strings.Repeat("x", 70<<10) + `"}`, `{"a":1}`, "", "changed"},
		"large, the same": {`{"a":"` + strings.Repeat("x", 70<<10) + `"}`, `{"a" : "` + strings.Repeat("x", 70<<10) + `"}`, "", "payload"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, open := proposing(t, test.args, func(o *runner.Options) { o.Redact = []adapter.Redaction{{Tool: "pay", Pointer: "/card"}} })
			started, says := startOf(t, l.approve(open.ID, `{"approved":true,"editedArgs":`+test.edited+`}`))
			d := says.Decisions[0]
			if cut := strings.Join(d.Cut, " "); cut != test.cut {
				t.Errorf("cut %q of %s", cut, started.Metadata["aguiws"])
			}
			if test.want == "20" {
				var list []struct{ Pointer string }
				if err := json.Unmarshal(d.Changed, &list); err != nil || len(list) != 20 || list[19].Pointer != "/m19" {
					t.Errorf("changed %s", d.Changed)
				}
				return
			}
			if string(d.Changed) != test.want {
				t.Errorf("changed %s, want %s", d.Changed, test.want)
			}
		})
	}
}

// What is told of answers is bounded, whatever they hold: followers get it, each of them.
func TestToldAnswersAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	questions := make([]protocol.Interrupt, 20)
	for i := range questions {
		questions[i] = confirmation(fmt.Sprint(i))
	}
	l := newLab(t, asker(questions...))
	var entries []protocol.ResumeEntry
	for i, open := range interrupts(t, l.say("hi")) {
		size := 1000 // each may be told, and not all
		if i == 0 {
			size = 3 << 20
		}
		entries = append(entries, resolved(open.ID, `{"approved":false,"reason":"`+strings.Repeat("é", size/2)+`"}`))
	}
	events := l.answer(entries...)
	succeeded(t, events)
	started, says := startOf(t, events)
	whole, reasons := 0, 0
	for i, d := range says.Decisions {
		payload, cut := started.Input.Resume[i].Payload, strings.Join(d.Cut, " ")
		if reasons += len(d.Reason); len(d.Reason) < 1000 {
			cut = strings.TrimSuffix(cut, "reason")
		}
		if d.Approved == nil || *d.Approved || strings.Contains(cut, "payload") != payload.IsZero() || i > 0 && strings.Contains(cut, "reason") || len(d.Reason) > 1<<10 || strings.Contains(d.Reason, "\ufffd") {
			t.Errorf("%d: %s of %d bytes, %q, and a payload of %d", i, d.Status, len(d.Reason), cut, len(payload))
		}
		if !payload.IsZero() {
			whole++
		}
	}
	if text := l.events[len(l.events)-len(events)]; len(text) > 48<<10 || whole == 0 || whole == len(entries) || reasons < 15_000 || !started.Input.Resume[0].Payload.IsZero() {
		t.Errorf("RUN_STARTED has %d bytes with %d payloads and %d bytes of reasons", len(text), whole, reasons)
	}
	// So much is not kept a second time.
	if restated, again := l.restatedStart(); again.Decisions != nil {
		t.Errorf("restated with %d bytes", len(restated.Metadata["aguiws"]))
	}
}

// What is redacted in the record is told to nobody.
func TestToldAnswersAreRedacted(t *testing.T) {
	l, open := proposing(t, `{"pin":94711000001}`, func(o *runner.Options) { o.Redact = []adapter.Redaction{{Pointer: "/pin"}, {Pointer: "/reason"}} })
	events := l.approve(open.ID, `{"approved":false,"reason":"94711000002","editedArgs":{"pin":94711000003},"pin":94711000004}`)
	started, says := startOf(t, events)
	if text := string(l.events[len(l.events)-len(events)]); strings.Contains(text, "947110") || says.Decisions[0].Reason != "[redacted]" ||
		!sameJSON(t, string(started.Input.Resume[0].Payload), `{"approved":false,"reason":"[redacted]","editedArgs":{"pin":"[redacted]"},"pin":"[redacted]"}`) {
		t.Errorf("told %s", text)
	}
}

// A time that ran out is told and recorded as that, whatever the policy and the answer for it:
// nobody has answered, and nobody has denied.
func TestExpiryIsToldAsExpiry(t *testing.T) {
	for name, test := range map[string]struct {
		policy adapter.ExpiryPolicy
		answer string
		want   string // what the agent says
	}{
		"cancelled": {policy: adapter.ExpiryCancel, want: "expired"},
		"failed":    {policy: adapter.ExpiryFail},
		"denied":    {answer: `{"approved":false,"reason":"late"}`, want: "expired"},
		"approved":  {answer: `{"approved":true}`, want: "executed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := pay(new([]string), `{}`, adapter.PolicyAsk)
			call.ExpiresAt = time.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano)
			call.Expiry.Answer = rawJSON(test.answer)
			if test.answer == "" {
				call.Expiry.Answer = nil
			}
			l := newLab(t, caller(call), func(o *runner.Options) { o.OnExpiry = test.policy })
			open := interrupts(t, l.say("hi"))[0]
			l.forward(2 * time.Hour)
			started, says := startOf(t, l.untilEnd())
			if len(started.Input.Resume) > 0 {
				t.Errorf("told as answered: %+v", started.Input.Resume)
			}
			if len(says.Decisions) != 1 {
				t.Fatalf("%s", started.Metadata["aguiws"])
			}
			if d := says.Decisions[0]; d.InterruptID != open.ID || d.Status != "expired" || d.Through != "expiry" || d.Approved != nil || d.By != "" || d.Reason != "" {
				t.Errorf("%s", started.Metadata["aguiws"])
			}
			if got := l.texts(); test.want != "" && (len(got) != 1 || got[0] != test.want+"{}") {
				t.Errorf("said %q", got)
			}
			if d := l.decided(); d.Interrupt != open.ID || d.Status != store.DecisionExpired || d.User != "" || d.Origin != (store.Origin{Through: store.ThroughExpiry}) || string(d.Payload) != test.answer {
				t.Errorf("on record: %+v %s", d.Decision, d.Body)
			}
		})
	}
}

// Who turns away by another message has answered nothing. It is told, and on record, that they
// cancelled what was asked.
func TestSteeringIsTold(t *testing.T) {
	l := newLab(t, inquirer(), cancelling)
	open := interrupts(t, l.say("ask"))
	in := user("next")
	in.RunID = "turning away"
	a := l.from(bobsSocket, in)
	if a.Disposition != admission.Started {
		t.Fatalf("%s %+v", a.Disposition, a.Refusal)
	}
	started, says := startOf(t, l.untilEnd())
	if len(started.Input.Resume) > 0 || len(says.Decisions) != len(open) || len(started.Input.Messages) != 1 {
		t.Fatalf("%+v %s", started.Input, started.Metadata["aguiws"])
	}
	for _, d := range says.Decisions {
		if d.Status != "cancelled" || d.By != "Bob" || d.Through != "steering" || d.Approved != nil {
			t.Errorf("%s", started.Metadata["aguiws"])
		}
	}
	steered := bobsSocket
	steered.Through = store.ThroughSteering
	for _, d := range l.decisions() {
		if d.Status != store.DecisionCancelled || d.User != bob || d.Origin != steered || d.AnsweredBy.RunID != a.RunID {
			t.Errorf("on record: %+v %s", d.Decision, d.Body)
		}
	}
	if n := len(l.decisions()); n != len(open) {
		t.Errorf("%d decisions are on record", n)
	}
}

// Answers that were given one after the other are told of each who gave them.
func TestDraftsAreToldOfWhoGaveThem(t *testing.T) {
	l := newLab(t, asker(confirmation("one"), confirmation("two")))
	open := interrupts(t, l.say("hi"))
	for i, name := range []string{"Ann", "Bob"} {
		a, err := l.runner.Answer(l.ctx(), l.key, "acme", "acme/"+name, "answer", []protocol.ResumeEntry{resolved(open[i].ID, `{"approved":true}`)},
			store.Origin{Through: store.ThroughInbox, Name: name}, nil)
		if err != nil || len(a.Missing) != 1-i {
			t.Fatalf("%+v %v", a, err)
		}
	}
	started, says := startOf(t, l.untilEnd())
	if len(started.Input.Resume) != 2 || len(says.Decisions) != 2 || says.Decisions[0].By != "Ann" || says.Decisions[1].By != "Bob" || says.Decisions[0].Through != "inbox" {
		t.Errorf("%s", started.Metadata["aguiws"])
	}
}

// lateStore lets a while pass before each Begin.
type lateStore struct {
	store.Store
	pass func()
}

func (s lateStore) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	s.pass()
	return s.Store.Begin(ctx, b)
}

// An answer whose time runs out between being judged and being accepted is refused as
// any other, and counted.
func TestLateExpiryIsCounted(t *testing.T) {
	question := confirmation("quick")
	question.ExpiresAt = time.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano)
	pass := func() {}
	l := newLabOn(t, func(s store.Store) store.Store { return lateStore{s, func() { pass() }} }, asker(question))
	open := interrupts(t, l.say("hi"))[0]
	pass = func() { l.forward(2 * time.Hour) }
	refusedWith(t, l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open.ID, `1`)}}), adapter.CodeExpired)
	succeeded(t, l.answer(cancelled(open.ID)))
	if d := l.decided(); d.Decision.Refused != 1 || d.Status != store.DecisionCancelled {
		t.Errorf("%d answers were refused before %s", d.Decision.Refused, d.Body)
	}
}

// Which run a run came from is told wherever the run is.
func TestParentRunIsTold(t *testing.T) {
	const parent = "the one before"
	in := func(text, label string) *protocol.RunAgentInput {
		in := user(text)
		in.RunID, in.ParentRunID = label, parent
		return in
	}
	parentOf := func(events []protocol.Event) string {
		started, _ := startOf(t, events)
		return started.ParentRunID
	}
	check := func(where, got string) {
		t.Helper()
		if got != parent {
			t.Errorf("%s it came from %q", where, got)
		}
	}
	t.Run("begun, queued and cancelled", func(t *testing.T) {
		agent, gate := gated()
		l := newLab(t, agent)
		l.submit(in("one", "run-1"))
		l.submit(in("two", "run-2"))
		l.submit(in("three", "run-3"))
		restated, _ := l.restatedStart()
		check("restated in its midst", restated.ParentRunID)
		if c, err := l.runner.Cancel(l.ctx(), l.key, "run-2", admission.Actor{}); err != nil || !c.Stopped {
			t.Fatalf("%+v %v", c, err)
		}
		check("a repeat of what was cancelled in the queue", parentOf(l.repeat(in("two", "run-2"))))
		close(gate)
		for _, which := range []string{"begun", "cancelled in the queue", "activated"} {
			check(which, parentOf(l.untilEnd()))
		}
		runs, err := l.runner.Runs(l.ctx(), l.key, store.DispatchQuery{})
		if err != nil || len(runs) != 3 {
			t.Fatalf("%+v %v", runs, err)
		}
		for _, run := range runs {
			check("listed", run.ParentRunID)
		}
		restated, _ = l.restatedStart()
		check("restated", restated.ParentRunID)
	})
	t.Run("requeued", func(t *testing.T) {
		agent := &steady{ran: map[string]int{}}
		l := newLab(t, agent)
		cut := l.cutAfter(l.store, 1)
		first := in("hi", "run-0")
		first.ThreadID = l.key.Thread
		if a, err := l.worker(cut, agent).Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: first}); err != nil || a.Disposition != admission.Started {
			t.Fatalf("%+v %v", a, err)
		}
		await(l, cut.lost)
		failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
		if a, err := l.runner.Requeue(l.ctx(), l.key, l.theRun(store.DispatchDeadLetter).ID); err != nil || a.Disposition != admission.Started {
			t.Fatalf("%+v %v", a, err)
		}
		check("requeued", parentOf(l.untilEnd()))
	})
}
