package adapter_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// tallying answers with how many messages it sees and what the last one says, and counts
// how often it is called.
func tallying(calls *int) adapter.Agent {
	return adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		*calls++
		m := run.Input().Messages
		return run.Say(fmt.Sprintf("%d: %s", len(m), m[len(m)-1].Content))
	})
}

// inject adds to the lab's thread what must be accepted, and waits for the end.
func (l *lab) inject(in operate.Injection) admission.Admitted {
	l.t.Helper()
	in.Namespace, in.Thread = l.key.Namespace, l.key.Thread
	a, err := l.runner.Inject(l.ctx(), in)
	if err != nil || a.Disposition != admission.Started {
		l.t.Fatalf("%+v %+v %v", a, a.Refusal, err)
	}
	succeeded(l.t, l.untilEnd())
	return a
}

// held are the texts of the thread's messages, as a client that follows has them.
func (l *lab) held() (messages protocol.Messages, texts string) {
	l.t.Helper()
	f := fold.New(nil, nil)
	for _, e := range l.got {
		if err := f.Apply(e); err != nil {
			l.t.Fatal(err)
		}
	}
	var all []string
	for _, m := range f.Messages() {
		all = append(all, m.Content.String())
	}
	return f.Messages(), strings.Join(all, " | ")
}

func (l *lab) branches() []operate.Branch {
	l.t.Helper()
	branches, err := l.runner.Branches(l.ctx(), l.key)
	if err != nil {
		l.t.Fatal(err)
	}
	return branches
}

// What is edited, answered anew or restored is in the thread, what it replaced is a branch,
// and the other way round.
func TestBranches(t *testing.T) {
	calls := 0
	l := newLab(t, tallying(&calls))
	l.say("a")
	l.say("b")
	want := func(what, texts string, branches ...string) {
		t.Helper()
		if _, got := l.held(); got != texts {
			t.Errorf("%s: the thread holds %s, want %s", what, got, texts)
		}
		thread, err := l.runner.Thread(l.ctx(), l.key)
		if err != nil || len(thread.Messages) != strings.Count(texts, "|")+1 {
			t.Errorf("%s: %d messages are stored, %v", what, len(thread.Messages), err)
		}
		var got []string
		for _, b := range l.branches() {
			got = append(got, fmt.Sprintf("%d after %q: %s %v", b.Count, b.After, b.Title, b.Kept))
		}
		if !slices.Equal(got, branches) {
			t.Errorf("%s: the branches are %q, want %q", what, got, branches)
		}
		l.wellFormed()
	}
	held, _ := l.held()
	l.inject(operate.Injection{Text: "c", Before: "m-b"})
	first := fmt.Sprintf("2 after %q: b true", held[1].ID)
	want("edited", "a | 1: a | c | 3: c", first)

	held, _ = l.held()
	l.inject(operate.Injection{After: held[2].ID})
	anew := fmt.Sprintf("1 after %q:  true", held[2].ID)
	want("answered anew", "a | 1: a | c | 3: c", anew, first)
	if now, _ := l.held(); now[3].ID == held[3].ID {
		t.Error("it is the answer from before")
	}
	l.inject(operate.Injection{Text: "d", Before: "m-a"})
	all := `4 after "": a true`
	want("from the beginning", "d | 1: d", all, anew, first)

	// What stood in a branch can be restored when that is back.
	branches := l.branches()
	in := operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Restores: branches[1].ID}
	if a, err := l.runner.Inject(l.ctx(), in); err != nil || a.Refusal == nil || a.Refusal.Code != adapter.CodeBranchGone {
		t.Errorf("%+v %v", a, err)
	}
	before := calls
	restored := l.inject(operate.Injection{Restores: branches[0].ID, Label: "back"})
	want("restored", "a | 1: a | c | 3: c", `2 after "": d true`, anew, first)
	l.inject(operate.Injection{Restores: branches[2].ID})
	second := fmt.Sprintf("2 after %q: c true", held[1].ID)
	want("and the first one", "a | 1: a | b | 3: b", second, `2 after "": d true`, anew)
	if calls != before {
		t.Error("the agent was called to restore")
	}
	in = operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Restores: branches[0].ID, Label: "back"}
	if a, err := l.runner.Inject(l.ctx(), in); err != nil || a.Disposition != admission.Repeat || a.RunID != restored.RunID {
		t.Errorf("sent again: %+v %v", a, err)
	}
	in.Label = "other"
	if a, err := l.runner.Inject(l.ctx(), in); err != nil || a.Refusal == nil || a.Refusal.Code != adapter.CodeBranchGone {
		t.Errorf("what is no branch any more: %+v %v", a, err)
	}
	l.say("e")
	want("it goes on", "a | 1: a | b | 3: b | e | 5: e", second, `2 after "": d true`, anew)
}

// What goes back is not taken for something that comes later, and takes no call apart from
// its result.
func TestRefusedGoingBack(t *testing.T) {
	gate := make(chan struct{})
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		m := run.Input().Messages
		if m[len(m)-1].Content.String() == "wait" {
			select {
			case <-gate:
			case <-ctx.Done():
			}
			return nil
		}
		return run.Emit(&protocol.ToolCallStart{ToolCallID: "call", ToolCallName: "look"}, &protocol.ToolCallEnd{ToolCallID: "call"},
			&protocol.ToolCallResult{MessageID: "result", ToolCallID: "call", Content: *protocol.Text("seen")})
	}))
	l.say("a")
	held, _ := l.held()
	refused := func(what string, in operate.Injection, code string) {
		t.Helper()
		in.Namespace, in.Thread = l.key.Namespace, l.key.Thread
		if a, err := l.runner.Inject(l.ctx(), in); err != nil || a.Refusal == nil || a.Refusal.Code != code {
			t.Errorf("%s: %+v %+v %v", what, a, a.Refusal, err)
		}
	}
	refused("between a call and its result", operate.Injection{Text: "b", After: held[1].ID}, adapter.CodeInvalidInput)
	refused("anew what no user said", operate.Injection{After: "result"}, adapter.CodeInvalidInput)
	refused("nothing", operate.Injection{}, adapter.CodeInvalidInput)
	refused("two ways", operate.Injection{Text: "b", After: "m-a", Before: "m-a"}, adapter.CodeInvalidInput)
	refused("not there", operate.Injection{Text: "b", Before: "x"}, adapter.CodeInvalidInput)
	refused("no branch", operate.Injection{Restores: "x"}, adapter.CodeBranchGone)
	if len(l.branches()) != 0 {
		t.Error("a branch of what was refused")
	}
	l.submit(user("wait"))
	for _, in := range []operate.Injection{{Text: "b", Before: "m-a"}, {After: "m-a"}} {
		refused("while a run is under way", in, adapter.CodeThreadBusy)
	}
	close(gate)
	l.untilEnd()
	l.inject(operate.Injection{After: "m-a"})
	if n := len(l.branches()); n != 1 {
		t.Errorf("%d branches", n)
	}
}

// A worker that is lost in the midst of restoring has restored: nobody calls the agent.
func TestRestoreIsTakenOver(t *testing.T) {
	calls := 0
	l := newLab(t, tallying(&calls))
	l.say("a")
	l.say("b")
	l.inject(operate.Injection{Text: "c", Before: "m-b"})
	id := l.branches()[0].ID
	cut := l.cutBefore(l.store, protocol.TypeRunFinished)
	lost := l.worker(cut, tallying(&calls))
	a, err := lost.Inject(l.ctx(), operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Restores: id})
	if err != nil || a.Disposition != admission.Started {
		t.Fatalf("%+v %v", a, err)
	}
	before := calls
	await(l, cut.lost)
	succeeded(t, l.untilEnd())
	l.wellFormed()
	if _, got := l.held(); got != "a | 1: a | b | 3: b" || calls != before {
		t.Errorf("%s after %d calls", got, calls-before)
	}
}

// More than is kept of one branch is taken out all the same, and said not to be kept.
func TestBranchTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	calls := 0
	l := newLab(t, tallying(&calls), func(o *runner.Options) { o.MaxThreadBytes = 64 << 20 })
	l.say("a")
	for i := range 3 {
		l.submit(sized(fmt.Sprint(i), 1<<20))
		succeeded(t, l.untilEnd())
	}
	held, _ := l.held()
	l.inject(operate.Injection{Text: "b", Before: held[2].ID})
	b := l.branches()
	if len(b) != 1 || b[0].Kept || b[0].Count != 6 {
		t.Fatalf("%+v", b)
	}
	in := operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Restores: b[0].ID}
	if a, err := l.runner.Inject(l.ctx(), in); err != nil || a.Refusal == nil || a.Refusal.Code != adapter.CodeBranchGone {
		t.Errorf("%+v %v", a, err)
	}
}

// What the store takes for too many messages is said not to be kept, too.
func TestBranchTooLargeForTheStore(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes large inputs; -short leaves it out")
	}
	calls := 0
	// Under the race detector the embedded store takes seconds for such an input.
	l := newLab(t, tallying(&calls), func(o *runner.Options) { o.StoreTimeout = time.Minute })
	l.say("a")
	l.submit(sized("b", 1<<20))
	succeeded(t, l.untilEnd())
	held, _ := l.held()
	l.inject(operate.Injection{Text: "c", Before: held[2].ID})
	b := l.branches()
	if len(b) != 1 || b[0].Kept {
		t.Fatalf("%+v", b)
	}
}
