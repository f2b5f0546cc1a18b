package adapter_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// asksOnce asks, and counts how often it went on.
func asksOnce(went *atomic.Int32, questions ...protocol.Interrupt) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		answers, err := run.Ask(ctx, slices.Clone(questions)...)
		if err != nil {
			return err
		}
		n, err := adapter.Step(ctx, run, "goes on", func(context.Context) (int32, error) { return went.Add(1), nil })
		if err != nil {
			return err
		}
		payload, _ := answers.Of[0].Payload()
		return run.Say(fmt.Sprint(n, " ", status(answers.Of[0]), string(payload)))
	})
}

// race sends one input per payload from two nodes at once.
func (l *lab) race(nodes []*runner.Runner, stopAll string, payloads ...string) map[admission.Disposition]int {
	l.t.Helper()
	answers := make(chan admission.Admitted)
	for i, payload := range payloads {
		go func() {
			in := &protocol.RunAgentInput{ThreadID: l.key.Thread, RunID: fmt.Sprint("racer-", i), Resume: []protocol.ResumeEntry{resolved(stopAll, payload)}}
			a, err := nodes[i%len(nodes)].Submit(context.Background(), admission.Input{Namespace: l.key.Namespace, Run: in})
			if err != nil {
				l.t.Error(err)
			}
			answers <- a
		}()
	}
	count := map[admission.Disposition]int{}
	for range payloads {
		a := await(l, answers)
		count[a.Disposition]++
		if a.Disposition == admission.Refused && (a.Refusal.Code != adapter.CodeConflict || details(l.t, a.Refusal)["runId"] == nil) {
			l.t.Errorf("refused with %+v", a.Refusal)
		}
	}
	return count
}

var answerBehaviours = []behaviour{
	{"one answer sent at once to two nodes continues once, and both are told of the same run", func(t *testing.T) {
		for range 10 {
			var went atomic.Int32
			agent := asksOnce(&went, confirmation("?"))
			l := newLab(t, agent)
			open := interrupts(t, l.say("hi"))
			count := l.race([]*runner.Runner{l.runner, l.worker(l.store, agent)}, open[0].ID, "1", "1")
			if count[admission.Started] != 1 || count[admission.Repeat] != 1 {
				t.Errorf("answers %v", count)
			}
			succeeded(t, l.untilEnd())
			if n := went.Load(); n != 1 {
				t.Errorf("it went on %d times", n)
			}
		}
	}},
	{"of two different answers sent at once to two nodes one counts, and the other is told which", func(t *testing.T) {
		for range 10 {
			var went atomic.Int32
			agent := asksOnce(&went, confirmation("?"))
			l := newLab(t, agent)
			open := interrupts(t, l.say("hi"))
			count := l.race([]*runner.Runner{l.runner, l.worker(l.store, agent)}, open[0].ID, "1", "2")
			if count[admission.Started] != 1 || count[admission.Refused] != 1 {
				t.Errorf("answers %v", count)
			}
			succeeded(t, l.untilEnd())
			if n := went.Load(); n != 1 {
				t.Errorf("it went on %d times", n)
			}
		}
	}},
	{"thirty-two threads that ask and are answered at once do not mix", func(t *testing.T) {
		const threads = 32
		var asked, answered sync.WaitGroup // all are at it before one goes on
		asked.Add(threads)
		answered.Add(threads)
		var begun, went sync.Map // a worker that is lost makes none of them twice
		agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			own := run.Input().ThreadID
			if _, again := begun.LoadOrStore(own, true); !again {
				asked.Done()
				asked.Wait()
			}
			answers, err := run.Ask(ctx, confirmation("of "+own))
			if err != nil {
				return err
			}
			if _, again := went.LoadOrStore(own, true); !again {
				answered.Done()
				answered.Wait()
			}
			payload, _ := answers.Of[0].Payload()
			return run.Say(own + " " + string(payload))
		})
		l := newLab(t, agent)
		var labs []*lab
		for i := range threads {
			each := l.on(fmt.Sprint("thread", i))
			labs = append(labs, each)
			each.begins(user("hi"))
		}
		for _, each := range labs {
			open := interrupts(t, each.untilEnd())
			if open[0].Message != "of "+each.key.Thread {
				t.Errorf("%s is asked %q", each.key.Thread, open[0].Message)
			}
			in := &protocol.RunAgentInput{RunID: "answer", Resume: []protocol.ResumeEntry{resolved(open[0].ID, `"`+each.key.Thread+`"`)}}
			each.begins(in)
		}
		for _, each := range labs {
			succeeded(t, each.untilEnd())
			if got := strings.Join(each.texts(), "|"); got != each.key.Thread+` "`+each.key.Thread+`"` {
				t.Errorf("%s says %q", each.key.Thread, got)
			}
		}
	}},
	{"an answer on another thread is refused there, and the right one accepted here", func(t *testing.T) {
		var went atomic.Int32
		l := newLab(t, asksOnce(&went, confirmation("?")))
		open := interrupts(t, l.say("hi"))
		other := l.on("other")
		theirs := interrupts(t, other.say("hi"))
		for _, entries := range [][]protocol.ResumeEntry{
			{resolved(open[0].ID, "1")},
			{resolved(open[0].ID, "1"), resolved(theirs[0].ID, "1")},
		} {
			if a := other.submit(&protocol.RunAgentInput{Resume: entries}); a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodeUnknownInterrupt {
				t.Errorf("%s %+v", a.Disposition, a.Refusal)
			}
		}
		succeeded(t, l.answer(resolved(open[0].ID, "1")))
		succeeded(t, other.answer(resolved(theirs[0].ID, "1")))
	}},
	{"an expiry and an answer at the same moment have one winner", func(t *testing.T) {
		for range 5 {
			var went atomic.Int32
			agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				i := confirmation("?")
				i.ExpiresAt = run.Now().Add(30 * time.Millisecond).UTC().Format(time.RFC3339Nano)
				return asksOnce(&went, i).Run(ctx, run)
			})
			l := newLab(t, agent, func(o *runner.Options) { o.OnExpiry = adapter.ExpiryCancel; o.Sweep = time.Millisecond })
			open := interrupts(t, l.say("hi"))
			entry := []protocol.ResumeEntry{resolved(open[0].ID, "1")}
			for started := false; !started; { // until it is answered, by whomever
				a := l.submit(&protocol.RunAgentInput{Resume: entry})
				if started = a.Disposition == admission.Started || a.Disposition == admission.Repeat; a.Disposition == admission.Refused {
					if a.Refusal.Code != adapter.CodeExpired {
						t.Fatalf("%+v", a.Refusal)
					}
					left, err := l.runner.Thread(l.ctx(), l.key)
					if err != nil {
						t.Fatal(err)
					}
					started = left.Open == nil
				}
			}
			succeeded(t, l.untilEnd())
			if n := went.Load(); n != 1 {
				t.Errorf("it went on %d times", n)
			}
			l.wellFormed()
		}
	}},
	{"who attaches while a thread waits gets all that was asked, byte for byte, after a restart too", func(t *testing.T) {
		var went atomic.Int32
		questions := []protocol.Interrupt{
			{Reason: protocol.ReasonInputRequired, Message: "how many? é", ResponseSchema: protocol.Any(`{ "type":"integer" }`), ExpiresAt: "2099-01-01T00:00:00Z"},
			{Reason: "acme:review", Message: "fine?", Metadata: protocol.Metadata{"acme": rawJSON(`{"b": 1.0, "a":[]}`)}},
		}
		agent := asksOnce(&went, questions...)
		l := newLab(t, agent)
		open := interrupts(t, l.say("hi"))
		attach := func() *follow.Attached {
			f := l.runner.Follow(l.key, func() {})
			t.Cleanup(f.Close)
			a, err := f.Attach(l.ctx(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		before := attach()
		if err := l.runner.Shutdown(l.ctx()); err != nil {
			t.Fatal(err)
		}
		l.replace(agent)
		after := attach()
		if len(before.Interrupts) != 2 || !slices.EqualFunc(before.Interrupts, after.Interrupts, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Errorf("open before the restart %s, after it %s", before.Interrupts, after.Interrupts)
		}
		if !slices.EqualFunc(before.Restatement, after.Restatement, bytes.Equal) {
			t.Errorf("restated before the restart\n%s\nafter it\n%s", before.Restatement, after.Restatement)
		}
		finished := decoded(t, after.Restatement)
		again := interrupts(t, finished)
		for i := range open {
			was, _ := json.Marshal(open[i])
			is, _ := json.Marshal(again[i])
			if !bytes.Equal(was, is) {
				t.Errorf("asked %s, restated %s", was, is)
			}
		}
		succeeded(t, l.answer(resolved(open[0].ID, "3"), resolved(open[1].ID, "true")))
	}},
	{"live, missed and read from elsewhere, the events of a thread are the same bytes", func(t *testing.T) {
		var went atomic.Int32
		agent := asksOnce(&went, confirmation("?"))
		l := newLab(t, agent)
		open := interrupts(t, l.say("hi"))
		half := l.cursor.Position()
		l.replace(agent)
		succeeded(t, l.answer(resolved(open[0].ID, "1")))
		start := store.Position{Epoch: half.Epoch}
		for name, r := range map[string]*runner.Runner{"same node": l.runner, "other node": l.worker(l.store, agent)} {
			f := r.Follow(l.key, func() {})
			t.Cleanup(f.Close)
			if a, err := f.Attach(l.ctx(), &start); err != nil || !a.Recovered {
				t.Fatalf("%s: %+v %v", name, a, err)
			}
			var replayed [][]byte
			for {
				page, err := f.Next(l.ctx())
				if err != nil {
					t.Fatal(err)
				}
				replayed = append(replayed, page.Events...)
				if len(page.Events) == 0 {
					break
				}
			}
			if !slices.EqualFunc(replayed, l.events, bytes.Equal) {
				t.Errorf("%s: replayed\n%s\nlive\n%s", name, replayed, l.events)
			}
		}
	}},
	{"a cancelled question lets the execution go on, and finish", func(t *testing.T) {
		var went atomic.Int32
		l := newLab(t, asksOnce(&went, confirmation("?")))
		open := interrupts(t, l.say("hi"))
		succeeded(t, l.answer(cancelled(open[0].ID)))
		if got := strings.Join(l.texts(), "|"); got != "1 cancelled" {
			t.Errorf("said %q", got)
		}
	}},
	{"what comes while a thread waits is run after the answer", func(t *testing.T) {
		var calls atomic.Int32
		asked, hold := make(chan struct{}), make(chan struct{})
		l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			m := run.Input().Messages
			if m[len(m)-1].Content.String() == "second" {
				return run.Say("second done")
			}
			if calls.Add(1) == 1 {
				close(asked)
				<-hold
			}
			if _, err := run.Ask(ctx, confirmation("?")); err != nil {
				return err
			}
			return run.Say("first done")
		}))
		l.submit(user("first"))
		await(l, asked)
		l.queues(user("second"))
		close(hold)
		open := interrupts(t, l.untilEnd())
		l.begins(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1")}})
		l.untilLabel("run-2")
		if got := strings.Join(l.texts(), "|"); got != "first done|second done" {
			t.Errorf("said %q", got)
		}
		l.wellFormed()
	}},
}
