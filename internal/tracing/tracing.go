// Package tracing makes the spans of a runner, and writes and reads W3C trace contexts. It knows
// OpenTelemetry's API, and no SDK.
package tracing

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// The names of spans.
const (
	SpanInput  = "input"  // an input, from its judgement until its run begins or waits
	SpanRun    = "run"    // what one worker does for a run, until the run ends, pauses or moves on
	SpanStep   = "step"   // a step's function
	SpanCommit = "commit" // a batch of a run, but of deltas alone, until the store has it
)

// The names of attributes. None has a text that a person or a model wrote.
const (
	KeyThread      = "aguiws.thread"
	KeyRun         = "aguiws.run"      // the client's id
	KeyDispatch    = "aguiws.dispatch" // the server's id, as logs have it
	KeyAgent       = "aguiws.agent"
	KeyNode        = "aguiws.node"
	KeyAttempt     = "aguiws.attempt"     // workers so far, this one included
	KeyDisposition = "aguiws.disposition" // started, queued, repeat or refused
	KeyCode        = "aguiws.code"        // of a refusal
	KeyStep        = "aguiws.step"        // name and ordinal
	KeyEvents      = "aguiws.events"      // how many a batch has
	KeyEnd         = "aguiws.end"         // finish, suspend, cancel or fail
)

// maxValue bounds a value, as ids are bounded. Clients and agents choose them.
const maxValue = 1024

// Tracer makes spans. nil makes none, and its methods return the context that they were given.
type Tracer struct {
	of   trace.Tracer
	node attribute.KeyValue
}

// New makes the tracer of a node.
func New(p trace.TracerProvider, node string) *Tracer {
	return &Tracer{p.Tracer("github.com/aguiws/aguiws"), text(KeyNode, node)}
}

// Span is one that began. The zero value is none.
type Span struct{ of trace.Span }

// Of is what a run is called.
type Of struct{ Thread, Run, Dispatch, Agent string }

// Input begins the span of an input. headers are what came along with it, by names in lower
// case: their trace context is the parent, unless ctx has one.
func (t *Tracer) Input(ctx context.Context, headers map[string]string, of Of) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := t.of.Start(under(ctx, headers), SpanInput, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(text(KeyThread, of.Thread), text(KeyRun, of.Run), text(KeyAgent, of.Agent), t.node))
	return ctx, Span{span}
}

// Judged says what became of an input, and ends its span. code is of a refusal.
func (s Span) Judged(disposition, run, code string, err error) {
	if s.of == nil {
		return
	}
	s.of.SetAttributes(text(KeyDisposition, disposition))
	if run != "" {
		s.of.SetAttributes(text(KeyDispatch, run))
	}
	if code != "" {
		s.of.SetAttributes(text(KeyCode, code))
	}
	s.End(err != nil)
}

// Run begins the span of what this worker does for a run. headers are what the run was begun
// with, by names in lower case.
func (t *Tracer) Run(ctx context.Context, headers map[string]string, of Of, attempt int) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := t.of.Start(under(ctx, headers), SpanRun, trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(text(KeyThread, of.Thread), text(KeyRun, of.Run), text(KeyDispatch, of.Dispatch), attribute.Int(KeyAttempt, attempt), t.node))
	return ctx, Span{span}
}

// GoesOn says of the run of ctx whose agent has it, and links it to the run that asked last.
// asked is that run's trace context; "": it has none.
func (t *Tracer) GoesOn(ctx context.Context, agent, asked string) {
	if t == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(text(KeyAgent, agent))
	if of, ok := parse(asked); ok {
		span.AddLink(trace.Link{SpanContext: of})
	}
}

// Step begins the span of a step's function. It lies under the span of ctx, or under that of
// the run if ctx has none that is under way.
func (t *Tracer) Step(ctx, run context.Context, key string) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	if !trace.SpanFromContext(ctx).IsRecording() {
		ctx = trace.ContextWithSpan(ctx, trace.SpanFromContext(run))
	}
	ctx, span := t.of.Start(ctx, SpanStep, trace.WithAttributes(text(KeyStep, key)))
	return ctx, Span{span}
}

// Commit begins the span of a batch. end is how the batch ends its run; "": it does not.
func (t *Tracer) Commit(run context.Context, events int, end string) (context.Context, Span) {
	if t == nil {
		return run, Span{}
	}
	ctx, span := t.of.Start(run, SpanCommit, trace.WithAttributes(attribute.Int(KeyEvents, events)))
	if end != "" {
		span.SetAttributes(text(KeyEnd, end))
	}
	return ctx, Span{span}
}

// Ended says how the run of ctx has ended.
func (t *Tracer) Ended(ctx context.Context, end string, failed bool) {
	if t == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	if span.SetAttributes(text(KeyEnd, end)); failed {
		span.SetStatus(codes.Error, "")
	}
}

// End ends the span.
func (s Span) End(failed bool) {
	if s.of == nil {
		return
	}
	if failed {
		s.of.SetStatus(codes.Error, "")
	}
	s.of.End()
}

// text is an attribute within bounds. Text that is no UTF-8 would keep an exporter from all
// spans that it sends together.
func text(key, value string) attribute.KeyValue {
	return attribute.String(key, strings.ToValidUTF8(value[:min(len(value), maxValue)], ""))
}
