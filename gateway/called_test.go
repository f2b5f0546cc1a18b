package gateway

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// An agent behind a URL is called as any other: it asks in its own thread, and its last words
// are the caller's.
func TestAgentBehindAURLIsCalled(t *testing.T) {
	l := newLab(t, nil, sends(began, asks(confirm)), sends(began, open, word, shut, done))
	shutdown(l.runner)
	l.runner = l.start(l.store, func(o *runner.Options) {
		o.Agents["lead"] = adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			res, err := run.Call(ctx, "", adapter.CallInput{Text: "go"})
			if err != nil {
				return err
			}
			return run.Say("it says " + res.Text)
		})
	})
	submit := func(thread, agent, label string, in *protocol.RunAgentInput) {
		t.Helper()
		in.ThreadID, in.RunID = thread, label
		a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Agent: agent, Run: in})
		if err != nil || a.Disposition != admission.Started {
			t.Fatalf("%+v %v", a, err)
		}
	}
	// until is the thread when it is as wanted.
	until := func(thread string, wanted func(*operate.Thread) bool) *operate.Thread {
		t.Helper()
		for ctx := l.ctx(); ; time.Sleep(time.Millisecond) {
			th, err := l.runner.Thread(ctx, store.ThreadKey{Namespace: l.key.Namespace, Thread: thread})
			if err != nil {
				t.Fatal(err)
			}
			if th != nil && wanted(th) {
				return th
			}
		}
	}
	asked := func(th *operate.Thread) bool { return th.Open != nil }
	reads := func(th *operate.Thread) (i protocol.Interrupt) {
		t.Helper()
		if err := json.Unmarshal(th.Open.Interrupts[0].Interrupt, &i); err != nil {
			t.Fatal(err)
		}
		return i
	}

	submit(l.key.Thread, "lead", "r1", user("hi"))
	waits := reads(until(l.key.Thread, asked))
	var own struct{ ThreadID string }
	if err := json.Unmarshal(waits.Metadata["aguiws"], &own); err != nil || waits.Reason != adapter.ReasonCall {
		t.Fatalf("%+v %v", waits, err)
	}
	question := reads(until(own.ThreadID, asked))
	submit(own.ThreadID, "", "r2", &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(question.ID, "true")}})
	th := until(l.key.Thread, func(th *operate.Thread) bool { return th.Open == nil && th.Active == "" && th.Queued == 0 })
	if last := th.Messages[len(th.Messages)-1].Content.String(); last != "it says hi" {
		t.Errorf("the caller's last words: %q", last)
	}
	if sent := l.peer.runs(); len(sent) != 2 || sent[0].in.ThreadID == l.key.Thread {
		t.Errorf("sent %+v", sent)
	}
}
