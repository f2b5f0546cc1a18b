package adapter_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
)

func TestNewRefuses(t *testing.T) {
	store, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	agents := map[string]adapter.Agent{"": adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil })}
	for name, test := range map[string]struct {
		options *runner.Options
		says    string
	}{
		"no agent":           {nil, "needs an agent"},
		"durable, in memory": {&runner.Options{Agents: agents, Mode: runner.ModeDurable}, "--redis"},
		"lease":              {&runner.Options{Agents: agents, Lease: time.Minute}, "longer than the store's 10s"},
		"unknown mode":       {&runner.Options{Agents: agents, Mode: "fast"}, `"fast"`},
	} {
		if r, err := runner.New(store, test.options); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v %v", name, r, err)
		}
	}
}

// leaving is a store during whose Begin the sender of the input goes away.
type leaving struct {
	store.Store
	leave context.CancelFunc
}

func (s leaving) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	s.leave()
	return s.Store.Begin(ctx, b)
}

// A sender that goes away while its run is being admitted does not take the
// run with it: it is admitted, and carried.
func TestSubmitOutlivesItsSender(t *testing.T) {
	agent, gate := gated()
	close(gate)
	ctx, leave := context.WithCancel(context.Background())
	l := newLabOn(t, func(s store.Store) store.Store { return leaving{s, leave} }, agent)
	in := user("hi")
	in.ThreadID, in.RunID = l.key.Thread, "run-1"
	a, err := l.runner.Submit(ctx, admission.Input{Namespace: l.key.Namespace, Run: in})
	if err != nil || a.Disposition != admission.Started {
		t.Fatalf("%s %v", a.Disposition, err)
	}
	succeeded(t, l.untilEnd())
}
