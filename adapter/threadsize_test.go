package adapter_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// sized is an input of about so many bytes, which nothing packs.
func sized(name string, bytes int) *protocol.RunAgentInput {
	in := user(name)
	var text strings.Builder
	for text.Len() < bytes {
		text.WriteString(rand.Text())
	}
	in.Messages[0].Content = protocol.Text(text.String())
	return in
}

// A thread at its size takes no new input, and all else.
func TestThreadIsBoundedByBytes(t *testing.T) {
	l := newLab(t, asker(confirmation("?")), func(o *runner.Options) { o.MaxThreadBytes = 100_000 })
	wantLarge := func(what string, a admission.Admitted) {
		t.Helper()
		if a.Refusal == nil || a.Refusal.Code != adapter.CodeThreadTooLarge {
			t.Fatalf("%s: %+v %+v", what, a, a.Refusal)
		}
		if d := details(t, a.Refusal); d["limit"] != 100_000.0 || d["size"] == nil {
			t.Errorf("%s: details %v", what, d)
		}
	}
	wantLarge("one input beyond the limit", l.submit(sized("huge", 120_000)))
	first := sized("first", 70_000)
	l.submit(first)
	open := interrupts(t, l.untilEnd())
	view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
	if err != nil || view.Bytes < 100_000 { // the message stands in the snapshot and in the log
		t.Fatalf("%d bytes, %v", view.Bytes, err)
	}
	steer := sized("away", 10)
	steer.Resume = []protocol.ResumeEntry{{InterruptID: open[0].ID, Status: protocol.ResumeCancelled}}
	wantLarge("turning away from what is asked", l.submit(steer))
	succeeded(t, l.answer(resolved(open[0].ID, "1")))
	wantLarge("a small input", l.submit(sized("more", 10)))
	held, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil || len(held.Messages) == 0 {
		t.Fatalf("it cannot be read: %v", err)
	}
	if deleted, err := l.store.Delete(l.ctx(), l.key, store.Deletion{}); err != nil || !deleted {
		t.Errorf("deleted %t, %v", deleted, err)
	}
	l.cursor.Close()
	l.follow(nil)
	if a := l.submit(sized("again", 10)); a.Disposition != admission.Started {
		t.Errorf("after it was deleted: %+v", a)
	}
}

// What would wait is refused too, and what takes more out than it brings is not.
func TestRewindMakesRoom(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }),
		func(o *runner.Options) { o.MaxThreadBytes = 205_000 })
	kept, taken := sized("kept", 1000), sized("taken", 120_000)
	for _, in := range []*protocol.RunAgentInput{kept, taken} {
		l.begins(in)
		succeeded(t, l.untilEnd())
	}
	more := sized("more", 20_000)
	if a := l.submit(more); a.Refusal == nil || a.Refusal.Code != adapter.CodeThreadTooLarge {
		t.Fatalf("%+v", a)
	}
	back := user("instead")
	back.Messages = append(protocol.Messages{kept.Messages[0]}, back.Messages...)
	l.begins(back)
	succeeded(t, l.untilEnd())
}

// What a frontend was asked to do it can still tell, up to where a run would end.
func TestResultsOfCallsHaveRoom(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		if messages := run.Input().Messages; messages[len(messages)-1].Role == protocol.RoleTool {
			return nil
		}
		return run.Emit(&protocol.ToolCallStart{ToolCallID: "call", ToolCallName: "look"}, &protocol.ToolCallEnd{ToolCallID: "call"})
	}), func(o *runner.Options) { o.MaxThreadBytes = 100_000 })
	l.begins(sized("first", 70_000))
	succeeded(t, l.untilEnd())
	result := func(id string, bytes int) *protocol.RunAgentInput {
		in := sized(id, bytes)
		in.Messages[0].Role, in.Messages[0].ToolCallID = protocol.RoleTool, "call"
		return in
	}
	for name, in := range map[string]*protocol.RunAgentInput{"a message": sized("more", 10), "too large a result": result("huge", 100_000)} {
		if a := l.submit(in); a.Refusal == nil || a.Refusal.Code != adapter.CodeThreadTooLarge {
			t.Fatalf("%s: %+v", name, a)
		}
	}
	l.begins(result("seen", 10))
	succeeded(t, l.untilEnd())
}

// Clients send all that they hold. Of that a thread at work takes as much as one at rest.
func TestWhatWaitsBringsWhatIsNew(t *testing.T) {
	c := newCrowd()
	l := newLab(t, c, func(o *runner.Options) { o.MaxThreadBytes = 90_000 })
	first := sized("first", 50_000)
	l.begins(first)
	await(l, c.began)
	more := user("more")
	more.Messages = append(protocol.Messages{first.Messages[0]}, more.Messages...)
	if a := l.submit(more); a.Disposition != admission.Queued {
		t.Errorf("a small input: %+v", a.Refusal)
	}
	if a := l.submit(sized("large", 65_000)); a.Refusal == nil || a.Refusal.Code != adapter.CodeThreadTooLarge {
		t.Errorf("a large one: %+v", a)
	}
	c.end()
	await(l, c.began)
	c.end()
}

// An agent that says more and more is ended, whatever it makes of the error, and so is
// one that records more and more.
func TestEndlessAgentOutgrowsItsThread(t *testing.T) {
	word := strings.Repeat("x", 1000)
	ended := make(chan error, 1)
	for name, run := range map[string]func(context.Context, *adapter.Run) error{
		"says": func(ctx context.Context, run *adapter.Run) error {
			for ctx.Err() == nil {
				run.Say(word)
			}
			return nil
		},
		"records": func(ctx context.Context, run *adapter.Run) error {
			for ctx.Err() == nil {
				adapter.Step(ctx, run, "s", func(context.Context) (string, error) { return word, nil })
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, r *adapter.Run) error {
				err := run(ctx, r)
				ended <- r.Say("late")
				return err
			}), func(o *runner.Options) { o.MaxThreadBytes = 100_000 })
			failedWith(t, l.say("hi"), adapter.CodeThreadTooLarge)
			if err := await(l, ended); err == nil {
				t.Error("an agent that is over may still speak")
			}
			l.wellFormed()
			view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
			if err != nil || view.Bytes > 3*200_000 || name == "says" && view.Bytes < 100_000 {
				t.Errorf("%d bytes, %v", view.Bytes, err)
			}
		})
	}
}
