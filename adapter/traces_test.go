package adapter_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
)

// kept has the spans of workers in memory.
type kept struct {
	*tracetest.InMemoryExporter
	on func(*runner.Options)
}

func newKept(t *testing.T) kept {
	spans := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(spans))
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	return kept{spans, func(o *runner.Options) { o.Traces = provider }}
}

// named waits for as many spans of a name, in the order in which they ended.
func (k kept) named(t *testing.T, name string, many int) tracetest.SpanStubs {
	t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		var found tracetest.SpanStubs
		for _, s := range k.GetSpans() {
			if s.Name == name {
				found = append(found, s)
			}
		}
		if len(found) == many {
			// They come as they end, and a run's span may end behind that of the one that goes on with it.
			slices.SortStableFunc(found, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
			return found
		}
		if time.Now().After(late) {
			t.Fatalf("%d spans are named %s, and not %d", len(found), name, many)
		}
	}
}

func valueOf(s tracetest.SpanStub, key string) string {
	for _, a := range s.Attributes {
		if a.Key == attribute.Key(key) {
			return a.Value.String()
		}
	}
	return ""
}

// Each worker of a run has a span under the input's, also that of an input which has waited.
func TestEveryWorkerGoesOnWithTheTrace(t *testing.T) {
	reached, goOn := make(chan string, 4), make(chan struct{})
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for _, name := range []string{"one", "two"} {
			if _, err := adapter.Step(ctx, run, name, func(context.Context) (bool, error) {
				reached <- name
				<-goOn
				return true, nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	k := newKept(t)
	l := newLabOn(t, onDurable, agent, k.on)
	l.submit(user("first"))
	await(l, reached)
	l.submit(user("waits"))
	wait := l.drain()
	close(goOn)
	wait()
	l.replace(agent, k.on)
	succeeded(t, l.untilEnd())
	succeeded(t, l.untilEnd())

	parents := map[string]string{}
	for _, s := range k.named(t, "input", 2) {
		parents[valueOf(s, "aguiws.run")] = s.SpanContext.SpanID().String()
	}
	ends := map[string]int{}
	for _, s := range k.named(t, "run", 3) {
		run := valueOf(s, "aguiws.run")
		if s.Parent.SpanID().String() != parents[run] || !s.Parent.IsRemote() {
			t.Errorf("%s lies under %s", run, s.Parent.SpanID())
		}
		ends[run+" "+valueOf(s, "aguiws.end")]++
	}
	if ends["run-1 "] != 1 || ends["run-1 finish"] != 1 || ends["run-2 finish"] != 1 {
		t.Errorf("the workers' runs ended as %v", ends)
	}
}

// A text makes as many spans as another one, however long it is.
func TestDeltasHaveNoSpans(t *testing.T) {
	k := newKept(t)
	l := newLab(t, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		text, err := run.Text()
		for range 2000 {
			if err == nil {
				_, err = text.Write([]byte("word "))
			}
		}
		if err != nil {
			return err
		}
		return text.Close()
	}), k.on, func(o *runner.Options) { o.Linger = -1 })
	succeeded(t, l.say("hi"))
	k.named(t, "run", 1)
	if all := k.GetSpans(); len(all) > 5 {
		t.Errorf("%d spans: %v", len(all), all)
	}
}

// An agent whose goroutine waits has the context of the run that began it. Its steps lie under
// the run that they are of.
func TestStepsOfAGoroutineThatWaited(t *testing.T) {
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := run.Ask(ctx, confirmation("go on?")); err != nil {
			return err
		}
		_, err := adapter.Step(ctx, run, "work", func(context.Context) (bool, error) { return true, nil })
		return err
	})
	k := newKept(t)
	l := newLab(t, agent, blocking, k.on)
	open := interrupts(t, l.say("hi"))
	succeeded(t, l.answer(resolved(open[0].ID, "true")))
	runs, step := k.named(t, "run", 2), k.named(t, "step", 1)[0]
	if asked := runs[0]; valueOf(asked, "aguiws.end") != "suspend" || len(runs[1].Links) != 1 || runs[1].Links[0].SpanContext.SpanID() != asked.SpanContext.SpanID() {
		t.Errorf("the run that goes on has the links %v", runs[1].Links)
	}
	if step.Parent.SpanID() != runs[1].SpanContext.SpanID() {
		t.Errorf("the step lies under %s", step.Parent.SpanID())
	}
}
