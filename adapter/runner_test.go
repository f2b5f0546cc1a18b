package adapter_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
)

func TestNewRunnerRefuses(t *testing.T) {
	store, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	agents := map[string]adapter.Agent{"": adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil })}
	for name, test := range map[string]struct {
		options *adapter.Options
		says    string
	}{
		"no agent":           {nil, "needs an agent"},
		"durable, in memory": {&adapter.Options{Agents: agents, Mode: adapter.ModeDurable}, "--redis"},
		"unknown mode":       {&adapter.Options{Agents: agents, Mode: "fast"}, `"fast"`},
	} {
		if r, err := adapter.NewRunner(store, test.options); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v %v", name, r, err)
		}
	}
}

// A sender that has gone away does not take its run with it.
func TestSubmitOutlivesItsSender(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent)
	ctx, leave := context.WithCancel(context.Background())
	in := user("hi")
	in.ThreadID, in.RunID = l.key.Thread, "run-1"
	if _, err := l.runner.Submit(ctx, adapter.Input{Namespace: l.key.Namespace, Run: in}); err != nil {
		t.Fatal(err)
	}
	leave()
	close(gate)
	succeeded(t, l.untilEnd())
}

// untilDraining repeats the first input until the runner refuses even that.
func (l *lab) untilDraining(text string) {
	l.t.Helper()
	for {
		in := user(text)
		in.RunID = "run-1"
		a := l.submit(in)
		if a.Disposition == adapter.Refused && a.Refusal.Code == adapter.CodeServerDraining {
			return
		}
	}
}

// A draining worker finishes a run that may finish, and refuses new ones.
func TestShutdownLetsRunsFinish(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent)
	l.submit(user("one"))
	l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
	down := make(chan error)
	go func() { down <- l.runner.Shutdown(l.ctx()) }()
	l.untilDraining("one")
	close(gate)
	if err := <-down; err != nil {
		t.Fatal(err)
	}
	l.until(func(e protocol.Event) bool { return isEnd(e) })
	if err := l.runner.Shutdown(l.ctx()); err != nil {
		t.Errorf("second shutdown: %v", err)
	}
}

// A worker that drains hands a run back at its next step; another goes on with
// it at once, without waiting for the lease.
func TestDrainHandsBackAtAStep(t *testing.T) {
	reached, goOn := make(chan struct{}, 2), make(chan struct{})
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for _, name := range []string{"one", "two"} {
			_, err := adapter.Step(ctx, run, name, func(context.Context) (bool, error) {
				reached <- struct{}{}
				<-goOn
				return true, nil
			})
			if err != nil {
				return err
			}
		}
		return run.Say("done")
	})
	l := newLab(t, agent, func(o *adapter.Options) { o.Lease = time.Hour })
	l.submit(user("hi"))
	<-reached
	down := make(chan error)
	go func() { down <- l.runner.Shutdown(l.ctx()) }()
	l.untilDraining("hi")
	close(goOn)
	if err := <-down; err != nil {
		t.Fatal(err)
	}
	l.cursor.Close()
	l.start(agent)
	l.cursor = l.runner.Follow(l.key, func() {
		select {
		case l.woken <- struct{}{}:
		default:
		}
	})
	for {
		a, err := l.cursor.Attach(l.ctx(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.ActiveRunID == "" {
			l.got = decoded(t, a.Restatement)
			break
		}
		select {
		case <-l.woken:
		case <-l.ctx().Done():
			t.Fatal("nobody goes on with the run")
		}
	}
	if n := len(reached); n != 1 {
		t.Errorf("%d more steps ran, want the second one only", n)
	}
	if got := l.texts(); len(got) == 0 || got[0] != "done" {
		t.Errorf("texts %q", got)
	}
}
