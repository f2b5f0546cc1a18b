package gateway

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

const (
	traceA = "0af7651916cd43dd8448eb211c80319c"
	traceB = "1af7651916cd43dd8448eb211c80319c"
	caller = "b7ad6b7169203331"
)

// traced submits an input with a trace context, and waits for the run's end.
func (l *lab) traced(in *protocol.RunAgentInput, traceID string) []protocol.Event {
	l.t.Helper()
	in.ThreadID, in.RunID = l.key.Thread, "run-"+traceID
	headers := map[string]string{"Traceparent": "00-" + traceID + "-" + caller + "-01", "Tracestate": "vendor=1"}
	if _, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in, Headers: headers}); err != nil {
		l.t.Fatal(err)
	}
	return l.untilEnd()
}

// spans waits for the spans of a trace until its run is among them, by names.
func spans(t *testing.T, from *tracetest.InMemoryExporter, traceID string) map[string]tracetest.SpanStubs {
	t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		by := map[string]tracetest.SpanStubs{}
		for _, s := range from.GetSpans() {
			if s.SpanContext.TraceID().String() == traceID {
				by[s.Name] = append(by[s.Name], s)
			}
		}
		if len(by["run"]) > 0 || time.Now().After(late) {
			return by
		}
	}
}

// One trace goes from who calls over the input, its run, its steps and commits to the agent.
// The run that goes on with an answer is in the trace of the answer, and linked to the run
// that asked, though another worker carries it. Nothing that was said is in a span.
func TestOneTraceFromCallerToAgent(t *testing.T) {
	l := newLab(t, &Options{PassHeaders: []string{"traceparent", "tracestate"}}, sends(began, asks(`{"id":"q","reason":"confirm","message":"secret-asked?"}`)), sends(began, open, word, shut, done))
	kept := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(kept))
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	on := func(o *runner.Options) { o.Traces = provider }
	shutdown(l.runner)
	l.runner = l.start(l.store, on)
	l.follow()

	in := user("secret-said")
	id := interrupted(t, l.traced(in, traceA))[0].ID
	first := l.oneTrace(kept, traceA, 0)
	shutdown(l.runner)
	l.runner = l.start(l.store, on)
	l.follow()
	succeeded(t, l.traced(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(id, `"secret-answer"`)}}, traceB))
	second := l.oneTrace(kept, traceB, 1)

	if len(first.Links) > 0 || len(second.Links) != 1 || second.Links[0].SpanContext.SpanID() != first.SpanContext.SpanID() {
		t.Errorf("the runs have the links %v and %v", first.Links, second.Links)
	}
	for _, s := range kept.GetSpans() {
		for _, a := range s.Attributes {
			if strings.Contains(a.Value.String(), "secret") {
				t.Errorf("%s tells %s", s.Name, a.Value.String())
			}
		}
	}
}

// oneTrace wants a trace whole, whose request is the peer's nth, and returns its run.
func (l *lab) oneTrace(kept *tracetest.InMemoryExporter, traceID string, nth int) tracetest.SpanStub {
	l.t.Helper()
	by := spans(l.t, kept, traceID)
	if got := slices.Sorted(maps.Keys(by)); !slices.Equal(got, []string{"commit", "input", "run", "step"}) || len(by["input"]) != 1 || len(by["run"]) != 1 {
		l.t.Fatalf("the trace has %v", by)
	}
	input, run := by["input"][0], by["run"][0]
	if input.Parent.SpanID().String() != caller || run.Parent.SpanID() != input.SpanContext.SpanID() {
		l.t.Errorf("the input lies under %s, and the run under %s", input.Parent.SpanID(), run.Parent.SpanID())
	}
	for _, below := range append(by["step"], by["commit"]...) {
		if below.Parent.SpanID() != run.SpanContext.SpanID() {
			l.t.Errorf("the %s lies under %s", below.Name, below.Parent.SpanID())
		}
	}
	sent := l.peer.runs()[nth].header
	if want := "00-" + traceID + "-" + by["step"][0].SpanContext.SpanID().String() + "-01"; sent.Get("Traceparent") != want || sent.Get("Tracestate") != "vendor=1" {
		l.t.Errorf("the agent got %q with %q, and not %q", sent.Get("Traceparent"), sent.Get("Tracestate"), want)
	}
	return run
}

// Without a provider a trace context goes along like any other header, as it is.
func TestTraceContextIsTheCallersWhenNothingIsTraced(t *testing.T) {
	l := newLab(t, &Options{PassHeaders: []string{"traceparent"}}, sends(began, done))
	succeeded(t, l.traced(user("go"), traceA))
	if got := l.peer.runs()[0].header; got.Get("Traceparent") != "00-"+traceA+"-"+caller+"-01" || got.Get("Tracestate") != "" {
		t.Errorf("sent %v", got)
	}
}
