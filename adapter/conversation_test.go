package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// attempts are the inputs that an agent was called with.
type attempts struct {
	mu     sync.Mutex
	inputs []string
}

func (a *attempts) note(run *adapter.Run) int {
	text, err := json.Marshal(run.Input())
	if err != nil {
		panic(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inputs = append(a.inputs, string(text))
	return len(a.inputs)
}

// messages are the conversations that they had.
func (a *attempts) messages() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.inputs)
}

// disturb does things to a conversation that an agent may: a program of moves that are
// the same in each attempt.
func disturb(ctx context.Context, run *adapter.Run, seed uint64, moves int) error {
	r := rand.New(rand.NewPCG(seed, 1))
	given := run.Input().Messages
	for i := range moves {
		var err error
		switch r.IntN(8) {
		case 0, 1:
			err = run.Say(fmt.Sprint("move ", i))
		case 2: // edits, leaves out and reorders
			messages := slices.Clone(given)
			for range r.IntN(3) {
				at := r.IntN(len(messages))
				if messages[at].Role == protocol.RoleUser {
					messages[at].Content = protocol.Text(fmt.Sprint("edited ", i))
				}
			}
			if r.IntN(2) == 0 {
				messages = slices.Delete(messages, 1, 2)
			}
			if r.IntN(3) == 0 {
				messages[0], messages[len(messages)-1] = messages[len(messages)-1], messages[0]
			}
			if r.IntN(3) == 0 {
				messages = slices.Insert(messages, 1, protocol.Message{ID: fmt.Sprint("between-", i), Role: protocol.RoleUser, Content: protocol.Text("new")})
			}
			err = run.Emit(&protocol.MessagesSnapshot{Messages: messages})
		case 3: // a message of the thread becomes an activity
			err = run.Emit(&protocol.ActivitySnapshot{MessageID: "plan", ActivityType: "PLAN", Content: json.RawMessage(fmt.Sprintf(`{"move":%d}`, i))})
		case 4: // answers a call from before, in the midst of the messages
			err = run.Emit(&protocol.ToolCallResult{MessageID: fmt.Sprint("result-", i), ToolCallID: "early", Content: *protocol.Text("done")})
		case 5:
			_, err = adapter.Step(ctx, run, "step", func(context.Context) (int, error) { return i, nil })
		default:
			_, err = run.Ask(ctx, confirmation(fmt.Sprint("move ", i)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Whatever an agent does to the conversation, each attempt at its execution is given the
// one that the first was given, to the byte: after an answer, a lost worker, or a replay
// that was given back.
func TestEveryAttemptIsGivenTheSameConversation(t *testing.T) {
	seeds := uint64(24)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 2))
			moves := 4 + r.IntN(8)
			var a attempts
			diverges := r.IntN(3)
			agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				input := run.Input()
				if strings.HasPrefix(input.Messages[len(input.Messages)-1].Content.String(), "before") {
					return run.Emit(
						&protocol.ToolCallStart{ToolCallID: "early", ToolCallName: "look"}, &protocol.ToolCallEnd{ToolCallID: "early"},
						&protocol.ActivitySnapshot{MessageID: "plan", ActivityType: "PLAN", Content: json.RawMessage(`{"a":1.50}`)})
				}
				n := a.note(run)
				if n > 1 && diverges > 0 {
					diverges--
					if err := run.Say("another path"); err != nil {
						return err
					}
					_, err := run.Ask(ctx, confirmation("something else"))
					return err
				}
				return disturb(ctx, run, seed, moves)
			})
			l := newLab(t, agent)
			l.say("before")
			l.say("before that")
			dying := l.cutAfter(l.store, -1)
			if r.IntN(2) == 0 {
				dying = l.cutAfter(l.store, 2+r.IntN(12))
			}
			w := l.worker(dying, agent)
			l.beginOn(w, "go", "run-x")
			for range 40 {
				events := l.untilEnd()
				finished, ok := events[len(events)-1].(*protocol.RunFinished)
				if ok && (finished.Outcome == nil || finished.Outcome.Type == protocol.OutcomeSuccess) {
					break
				}
				th, err := l.runner.Thread(l.ctx(), l.key)
				if err != nil {
					t.Fatal(err)
				}
				if th.Open == nil {
					break // over for good
				}
				var entries []protocol.ResumeEntry
				for _, it := range th.Open.Interrupts {
					entries = append(entries, resolved(it.ID, `{"approved":true}`))
				}
				if s := l.submit(&protocol.RunAgentInput{Resume: entries}); s.Disposition != admission.Started {
					t.Fatalf("%s %+v", s.Disposition, s.Refusal)
				}
			}
			inputs := a.messages()
			for i, input := range inputs {
				if input != inputs[0] {
					t.Fatalf("attempt %d of %d was given\n%s\nthe first\n%s", i+1, len(inputs), input, inputs[0])
				}
			}
			t.Logf("%d attempts: %.60s", len(inputs), show(l.got[len(l.got)-1:]))
		})
	}
}

// frozenSizes notes what beginning and suspending an execution brings to the store.
type frozenSizes struct {
	store.Store
	mu            sync.Mutex
	frozen, moved int
}

func (s *frozenSizes) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, ok := b.Kind.(store.Execute); ok {
		s.frozen = len(k.Frozen)
	}
	return s.Store.Begin(ctx, b)
}

func (s *frozenSizes) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.End != nil && b.End.Snapshot != nil {
		u := b.End.Snapshot
		s.moved = len(u.Frozen) + len(u.State)
		for id, m := range u.Upsert {
			s.moved += len(id) + len(m)
		}
		for _, id := range slices.Concat(u.Order, u.Append, u.Remove) {
			s.moved += len(id)
		}
	}
	return s.Store.Commit(ctx, b)
}

// What an execution is given, and what a suspension keeps of it, does not grow with the
// thread.
func TestAnExecutionKeepsNoCopyOfItsThread(t *testing.T) {
	sizes := &frozenSizes{}
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := run.Say("hm"); err != nil {
			return err
		}
		if _, err := run.Confirm(ctx, "really?"); err != nil {
			return err
		}
		return run.Say("done")
	})
	l := newLabOn(t, func(s store.Store) store.Store { sizes.Store = s; return sizes }, agent)
	history := make(protocol.Messages, 2000)
	for i := range history {
		history[i] = protocol.Message{ID: fmt.Sprintf("history-%d", i), Role: protocol.RoleUser, Content: protocol.Text(strings.Repeat("x", 100))}
	}
	var first [3]int
	for i, messages := range []protocol.Messages{nil, history, nil, nil} {
		in := user(fmt.Sprint("turn ", i))
		in.Messages = append(slices.Clone(messages), in.Messages...)
		l.begins(in)
		open := interrupts(t, l.untilEnd())
		suspended := sizes.moved
		succeeded(t, l.answer(resolved(open[0].ID, `{"approved":true}`)))
		got := [3]int{sizes.frozen, suspended, sizes.moved}
		t.Logf("with %d messages: %d bytes frozen, %d when it suspends, %d when it ends", len(messages), got[0], got[1], got[2])
		switch {
		case i == 0:
			first = got
		case messages == nil && (got[0] > first[0]+20 || got[1] > first[1]+20 || got[2] > first[2]+20):
			t.Errorf("in a thread of 2,000 messages %d bytes, and in one of a few %d", got, first)
		}
	}
}

// What an execution was given and the thread has no more is kept for as long as the
// execution may go on.
func TestNothingIsKeptOfAConversationThatIsOver(t *testing.T) {
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		given := run.Input().Messages
		if last := given[len(given)-1].Content.String(); last == "say" {
			return run.Say("said")
		}
		if err := run.Emit(&protocol.MessagesSnapshot{Messages: given[1:]}); err != nil {
			return err
		}
		_, err := run.Ask(ctx, confirmation("?"))
		return err
	})
	for name, over := range map[string]func(*lab, protocol.Interrupt){
		"answered": func(l *lab, it protocol.Interrupt) { succeeded(l.t, l.answer(resolved(it.ID, `{"approved":true}`))) },
		"steered away from": func(l *lab, it protocol.Interrupt) {
			in := user("next")
			in.Messages[0].Content = protocol.Text("say")
			in.Resume = []protocol.ResumeEntry{cancelled(it.ID)}
			l.begins(in)
			succeeded(l.t, l.untilEnd())
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, agent)
			in := user("go")
			in.Messages = append(user("secret").Messages, in.Messages...)
			l.begins(in)
			open := interrupts(t, l.untilEnd())
			kept := func() bool {
				view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
				if err != nil {
					t.Fatal(err)
				}
				return strings.Contains(fmt.Sprintf("%s %s", view.Snapshot.Messages, view.Snapshot.Frozen), "secret")
			}
			if !kept() {
				t.Fatal("the question's execution could not be given the same again")
			}
			over(l, open[0])
			if kept() {
				t.Error("the message that was taken out is still kept")
			}
		})
	}
}

// Who goes on with a dead letter is given what its first attempt was given.
func TestADeadLetterIsGivenTheSameConversation(t *testing.T) {
	for _, asks := range []bool{false, true} {
		t.Run(fmt.Sprint("asks ", asks), func(t *testing.T) {
			var a attempts
			agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				given := run.Input().Messages
				if given[len(given)-1].Content.String() == "before" {
					return run.Say("hm")
				}
				a.note(run)
				if err := run.Emit(&protocol.MessagesSnapshot{Messages: slices.Concat(given[1:], given[:1])}); err != nil {
					return err
				}
				if asks {
					if _, err := run.Ask(ctx, confirmation("?")); err != nil {
						return err
					}
				}
				if _, err := adapter.StepWith(ctx, run, "step", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil }); err != nil {
					return err
				}
				return run.Emit(&protocol.MessagesSnapshot{Messages: given[len(given)-1:]})
			})
			l := newLab(t, agent, func(o *runner.Options) { o.Sweep = time.Hour })
			succeeded(t, l.say("before"))
			cut := l.cutBefore(l.store, protocol.TypeRunFinished)
			w, err := runner.New(deaf{cut}, &runner.Options{
				Agents: map[string]adapter.Agent{"": agent}, Lease: leaseInTests, Sweep: soon, MaxAttempts: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			l.abandon(w)
			in := user("hi")
			in.ThreadID, in.RunID = l.key.Thread, "run-0"
			if asks {
				if s := l.submit(in); s.Disposition != admission.Started {
					t.Fatalf("%+v", s.Refusal)
				}
				in = &protocol.RunAgentInput{ThreadID: l.key.Thread, RunID: "run-a", Resume: []protocol.ResumeEntry{resolved(interrupts(t, l.untilEnd())[0].ID, `{}`)}}
			}
			if s, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err != nil || s.Disposition != admission.Started {
				t.Fatalf("%+v %v", s, err)
			}
			await(l, cut.lost)
			if c, err := l.store.Claim(l.ctx(), store.ClaimRequest{Thread: l.key, Token: "lost too"}); err != nil || c.Kind != store.ClaimTakeover {
				t.Fatalf("%+v %v", c, err)
			}
			l.lapse()
			l.replace(agent)
			failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
			s, err := l.runner.Requeue(l.ctx(), l.key, l.theRun(store.DispatchDeadLetter).ID)
			if err != nil || s.Disposition != admission.Started {
				t.Fatalf("%+v %v", s, err)
			}
			succeeded(t, l.untilEnd())
			l.wellFormed()
			inputs := a.messages()
			if len(inputs) < 2 {
				t.Fatalf("%d attempts", len(inputs))
			}
			for i, input := range inputs {
				if input != inputs[0] {
					t.Errorf("attempt %d of %d was given\n%s\nthe first\n%s", i+1, len(inputs), input, inputs[0])
				}
			}
		})
	}
}
