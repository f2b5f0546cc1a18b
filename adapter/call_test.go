package adapter_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// lead calls an agent with what it is told, and says what came of it.
func lead(agent string) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		said := run.Input().Messages
		r, err := run.Call(ctx, agent, adapter.CallInput{Text: said[len(said)-1].Content.String()})
		var failed *adapter.CallError
		switch {
		case errors.As(err, &failed):
			return run.Say(string(failed.Status) + " " + failed.Code)
		case err != nil:
			return err
		}
		return run.Say("it said " + r.Text + ", and returned " + string(r.Result))
	})
}

// echo says what it is told, in upper case, and counts how often.
func echo(times *int) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		said := run.Input().Messages
		text, err := adapter.Step(ctx, run, "echo", func(context.Context) (string, error) {
			*times++
			return strings.ToUpper(said[len(said)-1].Content.String()), nil
		})
		if err != nil {
			return err
		}
		run.Finish(json.RawMessage(`{"n":1}`), nil)
		return run.Say(text)
	})
}

func agents(named map[string]adapter.Agent) func(*runner.Options) {
	return func(o *runner.Options) {
		for name, agent := range named {
			o.Agents[name] = agent
		}
	}
}

// childOf is the thread that the latest run waits for.
func childOf(t *testing.T, events []protocol.Event) string {
	t.Helper()
	return waitedFor(t, interrupts(t, events)[0])
}

func waitedFor(t *testing.T, open protocol.Interrupt) string {
	t.Helper()
	var own struct{ Agent, ThreadID string }
	if err := json.Unmarshal(open.Metadata["aguiws"], &own); err != nil || open.Reason != adapter.ReasonCall || own.ThreadID == "" {
		t.Fatalf("waits for %+v, %v", open, err)
	}
	return own.ThreadID
}

func TestCallReturnsWhatTheAgentCameTo(t *testing.T) {
	times := 0
	l := newLab(t, lead("worker"), agents(map[string]adapter.Agent{"worker": echo(&times)}))
	child := childOf(t, l.say("hi"))
	l.untilEnd()
	if got := l.texts(); len(got) != 1 || got[0] != `it said HI, and returned {"n":1}` || times != 1 {
		t.Errorf("texts %q after %d", got, times)
	}
	l.wellFormed()
	runs := l.foundRuns(operate.RunQuery{Thread: child})
	if len(runs) != 1 || runs[0].Origin != store.OriginChild || runs[0].Agent != "worker" || runs[0].ParentRunID != "run-1" {
		t.Errorf("called as %+v", runs)
	}
	tree, err := l.runner.TreeThread(l.ctx(), store.ThreadKey{Namespace: l.key.Namespace, Thread: child})
	if err != nil || tree.Parent != l.key.Thread {
		t.Errorf("it stands at %+v, %v", tree, err)
	}
}

func TestCallThatFails(t *testing.T) {
	l := newLab(t, lead("worker"), agents(map[string]adapter.Agent{"worker": adapter.AgentFunc(func(context.Context, *adapter.Run) error {
		return errors.New("no")
	})}))
	childOf(t, l.say("hi"))
	l.said("failed " + adapter.CodeAgentError)
}

// What cannot be called is an error at once, and suspends nothing.
func TestCallsThatAreNone(t *testing.T) {
	call := func(ctx context.Context, run *adapter.Run, agent, text string) {
		if _, err := run.Call(ctx, agent, adapter.CallInput{Text: text}); err == nil || errors.Is(err, adapter.ErrSuspended) {
			t.Errorf("call of %q with %d bytes: %v", agent, len(text), err)
		}
	}
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		call(ctx, run, "nobody", "x")
		call(ctx, run, "", "")
		call(ctx, run, "", strings.Repeat("x", 256<<10))
		_, err := adapter.Step(ctx, run, "s", func(ctx context.Context) (int, error) {
			call(ctx, run, "", "x")
			return 0, nil
		})
		return err
	}))
	succeeded(t, l.say("hi"))
}

// An execution calls 64 times at most.
func TestCallsAreCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("one call after another: the race detector sees nothing in it")
	}
	times := 0
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for n := 1; ; n++ {
			if _, err := run.Call(ctx, "worker", adapter.CallInput{Text: "x"}); errors.Is(err, adapter.ErrSuspended) {
				return err
			} else if err != nil {
				return run.Say(fmt.Sprint("call ", n, " is refused"))
			}
		}
	}), agents(map[string]adapter.Agent{"worker": echo(&times)}))
	for events := l.say("hi"); ; events = l.untilEnd() {
		if end, is := events[len(events)-1].(*protocol.RunFinished); is && end.Outcome != nil && end.Outcome.Type == protocol.OutcomeInterrupt {
			continue
		}
		succeeded(t, events)
		break
	}
	if got := l.texts(); len(got) != 1 || got[0] != "call 65 is refused" || times != 64 {
		t.Errorf("%q after %d calls", got, times)
	}
}

// An agent may call itself, as deep as threads stand.
func TestCallsAreAsDeepAsTheTree(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		r, err := run.Call(ctx, "", adapter.CallInput{Text: "deeper"})
		var refused *adapter.CallError
		switch {
		case errors.As(err, &refused) && refused.Status == adapter.CallRefused && refused.Code == adapter.CodeCallTooDeep:
			return run.Say("0")
		case err != nil:
			return err
		}
		var below int
		fmt.Sscan(r.Text, &below)
		return run.Say(fmt.Sprint(below + 1))
	}))
	childOf(t, l.say("hi"))
	l.said(fmt.Sprint(store.TreeDepth))
}

// What has no room beside the threads that there are is told so, by whose room it is.
func TestCallsWithoutRoom(t *testing.T) {
	for why, code := range map[store.TreeRefusal]string{
		store.TreeTooLarge: adapter.CodeTreeFull, store.TooManyNodes: adapter.CodeNamespaceFull, store.TooMuchMetadata: adapter.CodeNamespaceFull,
	} {
		times := 0
		l := newLabOn(t, func(s store.Store) store.Store { return roomless{s, why} }, lead("worker"), agents(map[string]adapter.Agent{"worker": echo(&times)}))
		childOf(t, l.say("hi"))
		l.said("refused " + code)
		if times != 0 {
			t.Errorf("called %d times", times)
		}
	}
}

// roomless is a store without room for another thread.
type roomless struct {
	store.Store
	why store.TreeRefusal
}

func (r roomless) PutNode(context.Context, store.ThreadKey, store.NodeChange) (*store.Node, error) {
	return nil, &store.TreeError{Why: r.why}
}

// A call is answered by nobody but what was called, asks nobody, and its inbox entry is the
// child's question.
func TestCallIsNoQuestion(t *testing.T) {
	l := newLab(t, lead("worker"), agents(map[string]adapter.Agent{"worker": asker(confirmation("Really?"))}))
	asked := l.say("hi")
	thread := childOf(t, asked)
	question := l.asks(thread)
	child := l.on(thread)
	refusedWith(t, l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(interrupts(t, asked)[0].ID, "null")}}), adapter.CodeInvalidInput)
	open, _, err := l.runner.Inbox(l.ctx(), operate.InboxQuery{InboxQuery: store.InboxQuery{Namespace: l.key.Namespace}})
	if err != nil || len(open) != 1 || open[0].Thread != child.key {
		t.Errorf("the inbox has %+v, %v", open, err)
	}
	placed, err := l.runner.Placed(l.ctx(), l.key.Namespace, []string{l.key.Thread})
	if err != nil || placed[l.key.Thread].WaitsCount != 1 || placed[l.key.Thread].Waits[0] != child.key.Thread {
		t.Errorf("the caller waits for %+v, %v", placed, err)
	}
	child.answer(resolved(question.ID, `{"approved":true}`))
	l.untilEnd()
	if got := l.texts(); len(got) != 1 || !strings.HasPrefix(got[0], "it said ") {
		t.Errorf("texts %q", got)
	}
}

// asks waits until a thread asks something that people answer.
func (l *lab) asks(thread string) operate.OpenInterrupt {
	l.t.Helper()
	key := store.ThreadKey{Namespace: l.key.Namespace, Thread: thread}
	for ctx := l.ctx(); ; {
		t, err := l.runner.Thread(ctx, key)
		if err != nil {
			l.t.Fatal(err)
		}
		if t != nil && t.Open != nil && t.Open.Interrupts[0].By != store.AskedByCall {
			return t.Open.Interrupts[0]
		}
		time.Sleep(time.Millisecond)
	}
}

// What a thread below asks is answered at the one above, once; an input is told where to go.
func TestQuestionOfTheCalledIsAnsweredAtTheCaller(t *testing.T) {
	agent, configure := chain()
	l := newLab(t, agent, configure...)
	worker := l.below(childOf(t, l.say("hi")))
	question := l.asks(worker)
	yes := []protocol.ResumeEntry{resolved(question.ID, `{"approved":true}`)}
	refused := l.submit(&protocol.RunAgentInput{Resume: yes})
	refusedWith(t, refused, adapter.CodeUnknownInterrupt)
	if got := details(t, refused.Refusal)["threadId"]; got != worker {
		t.Errorf("told to answer %v, not %s", got, worker)
	}
	answer := func(entries []protocol.ResumeEntry, want admission.Disposition, code string) {
		t.Helper()
		a, err := l.runner.Answer(l.ctx(), l.key, "", "ann", "answer", entries, store.Origin{Through: store.ThroughInbox}, nil)
		if err != nil || a.Admitted.Disposition != want || a.Thread != worker || want == admission.Refused && a.Admitted.Refusal.Code != code {
			t.Errorf("%+v, %v", a, err)
		}
	}
	answer(yes, admission.Started, "")
	succeeded(t, l.untilEnd())
	answer(yes, admission.Repeat, "")
	answer([]protocol.ResumeEntry{resolved(question.ID, `{"approved":false}`)}, admission.Refused, adapter.CodeConflict)
	if runs := l.foundRuns(operate.RunQuery{Thread: worker}); len(runs) != 2 {
		t.Errorf("%d runs", len(runs))
	}
}

// shortSighted is a way to the store that shows nothing of the threads below, or no such thread.
type shortSighted struct {
	store.Store
	unseen string // a thread; "": it is not known which there are
}

func (s *shortSighted) TreeBelow(ctx context.Context, key store.ThreadKey) ([]string, error) {
	if s.unseen == "" {
		return nil, errCut
	}
	return s.Store.TreeBelow(ctx, key)
}

func (s *shortSighted) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	if key.Thread == s.unseen {
		return nil, store.ErrCorrupted
	}
	return s.Store.Read(ctx, key, q)
}

// An input that is refused stays so, whatever becomes of looking below.
func TestThreadsBelowSpoilNoRefusal(t *testing.T) {
	agent, configure := chain()
	l := newLab(t, agent, configure...)
	child := childOf(t, l.say("hi"))
	question := l.asks(l.below(child))
	for _, unseen := range []string{"", child} {
		node := l.worker(&shortSighted{l.store, unseen}, agent, configure...)
		in := &protocol.RunAgentInput{ThreadID: l.key.Thread, RunID: "run-2", Resume: []protocol.ResumeEntry{resolved("nobody's", "true")}}
		if unseen != "" {
			in.Resume[0].InterruptID = question.ID // further below, it is found
		}
		a, err := node.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in})
		if err != nil {
			t.Fatal(err)
		}
		refusedWith(t, a, adapter.CodeUnknownInterrupt)
		if told := details(t, a.Refusal)["threadId"]; (told != nil) != (unseen != "") {
			t.Errorf("told to answer %v", told)
		}
	}
}

// postponing counts how often a call is left for later.
// yielding takes no more work when it has left a call to others once.
type yielding struct {
	store.Store
	l    *lab
	left atomic.Bool
}

func (s *yielding) Postpone(ctx context.Context, key store.ThreadKey, id string, until time.Time) (bool, error) {
	is, err := s.Store.Postpone(ctx, key, id, until)
	if s.left.Swap(true) {
		s.l.forward(time.Minute) // it was waiting for this work already
	}
	return is, err
}

func (s *yielding) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	if s.left.Load() {
		return nil, nil
	}
	return s.Store.Work(ctx, q)
}

func (s *yielding) Await(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	if s.left.Load() {
		<-ctx.Done()
		return nil, nil
	}
	return s.Store.Await(ctx, q)
}

// A node that does not know the agent leaves the call to one that does: not all know it in a
// rolling deployment.
func TestCallOfAnAgentThatOnlyOthersKnow(t *testing.T) {
	s := new(yielding)
	s.l = newLabOn(t, func(inner store.Store) store.Store { s.Store = inner; return s }, lead("worker"))
	l := s.l
	times := 0
	knows := agents(map[string]adapter.Agent{"worker": echo(&times)})
	caller, m := l.toDie(1, true, lead("worker"), knows)
	l.beginOn(caller, "hi", "run-1")
	<-m.died
	childOf(t, l.untilEnd())
	l.forward(time.Minute)
	for ctx := l.ctx(); !s.left.Load(); time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatal("the call is not left for later")
		}
	}
	l.worker(s.Store, lead("worker"), knows)
	l.forward(time.Minute)
	l.said("it said HI, and returned {\"n\":1}")
}

// A call counts for its user, and what is refused for good is told to its caller.
func TestCallCountsForTheUser(t *testing.T) {
	times := 0
	l := newLab(t, lead("worker"), agents(map[string]adapter.Agent{"worker": echo(&times)}), func(o *runner.Options) { o.MaxThreadsPerUser = 1 })
	l.sayAs("ann", "hi")
	l.untilEnd()
	l.said("refused " + adapter.CodeThreadQuota)
	if times != 0 {
		t.Errorf("called %d times", times)
	}
}

// Who has begun the caller may not approve what the called asks.
func TestCallKeepsDutiesSeparate(t *testing.T) {
	l := newLab(t, lead("worker"), agents(map[string]adapter.Agent{"worker": asker(adapter.AnotherResolves(confirmation("Really?")))}),
		func(o *runner.Options) { o.SeparateDuties = true })
	l.sayAs("ann", "hi")
	thread := childOf(t, l.untilEnd())
	yes := []protocol.ResumeEntry{resolved(l.asks(thread).ID, `{"approved":true}`)}
	for _, who := range []struct {
		user string
		want admission.Disposition
	}{{"ann", admission.Refused}, {"bob", admission.Started}} {
		a, err := l.runner.Answer(l.ctx(), l.key, "", who.user, "by "+who.user, yes, store.Origin{}, nil)
		if err != nil || a.Admitted.Disposition != who.want {
			t.Errorf("%s: %+v, %v", who.user, a, err)
		}
	}
}

// Nor may who has written to what the caller has called, however deep, approve what it led the
// caller to ask.
func TestWhoWritesToTheCalledHasLedTheCaller(t *testing.T) {
	calls := func(agent string, asks bool) adapter.Agent {
		return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			r, err := run.Call(ctx, agent, adapter.CallInput{Text: "hi"})
			if err == nil && asks {
				_, err = run.Ask(ctx, adapter.AnotherResolves(confirmation(r.Text+"?")))
			}
			return cmp.Or(err, run.Say(r.Text))
		})
	}
	repeats := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		answers, err := run.Ask(ctx, confirmation("what?"))
		if err != nil {
			return err
		}
		return run.Say(answers.Messages[0].Content.String())
	})
	l := newLab(t, calls("middle", true), agents(map[string]adapter.Agent{"middle": calls("worker", false), "worker": repeats}), separate)
	l.sayAs(ann, "hi")
	worker := l.on(l.below(childOf(t, l.untilEnd())))
	says := user("pay bob")
	says.Resume = []protocol.ResumeEntry{resolved(l.asks(worker.key.Thread).ID, "{}")}
	if a := worker.as(bob, says); a.Disposition != admission.Started {
		t.Fatalf("%+v", a)
	}
	asked := interrupts(t, l.untilEnd())[0]
	yes := []protocol.ResumeEntry{resolved(asked.ID, `{"approved":true}`)}
	for _, who := range []string{ann, bob, ""} {
		refusedWith(t, l.as(who, &protocol.RunAgentInput{Resume: yes}), adapter.CodeOwnApproval)
	}
	if a := l.as("acme/eve", &protocol.RunAgentInput{Resume: yes}); a.Disposition != admission.Started {
		t.Errorf("%+v", a)
	}
}

func (l *lab) sayAs(who, text string) {
	l.t.Helper()
	in := user(text)
	in.ThreadID, in.RunID = l.key.Thread, "run-1"
	a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, User: who, Run: in})
	if err != nil || a.Disposition != admission.Started {
		l.t.Fatalf("%+v, %v", a, err)
	}
}
