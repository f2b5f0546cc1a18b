package adapter_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
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
