package tracing

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// The headers of a trace context, in lower case.
const (
	Traceparent = "traceparent"
	Tracestate  = "tracestate"
)

// Headers are those that a server takes from its clients.
var Headers = []string{Traceparent, Tracestate}

// maxState is how long a tracestate is handed on at most. The recommendation asks for as much.
const maxState = 512

// Context is the trace context of ctx, as a traceparent and a tracestate; "": there is none.
func Context(ctx context.Context) (parent, state string) {
	of := trace.SpanContextFromContext(ctx)
	if !of.IsValid() {
		return "", ""
	}
	if state = of.TraceState().String(); len(state) > maxState {
		state = ""
	}
	return "00-" + of.TraceID().String() + "-" + of.SpanID().String() + "-" + (of.TraceFlags() & trace.FlagsSampled).String(), state
}

// ID is that of the trace of ctx; "": it has none.
func ID(ctx context.Context) string {
	of := trace.SpanContextFromContext(ctx)
	if !of.IsValid() {
		return ""
	}
	return of.TraceID().String()
}

// Into has the headers carry the trace context of ctx, if there is one, in place of the one
// that they have. Names are in lower case, and headers may be nil.
func Into(headers map[string]string, ctx context.Context) map[string]string {
	parent, state := Context(ctx)
	if parent == "" {
		return headers
	}
	if headers == nil {
		headers = make(map[string]string, len(Headers))
	}
	headers[Traceparent] = parent
	delete(headers, Tracestate)
	if state != "" {
		headers[Tracestate] = state
	}
	return headers
}

// under is ctx with the trace context of the headers, unless it has one.
func under(ctx context.Context, headers map[string]string) context.Context {
	if trace.SpanContextFromContext(ctx).IsValid() {
		return ctx
	}
	of, ok := parse(headers[Traceparent])
	if !ok {
		return ctx
	}
	if text := headers[Tracestate]; text != "" && len(text) <= maxState {
		if state, err := trace.ParseTraceState(text); err == nil {
			of = of.WithTraceState(state)
		}
	}
	return trace.ContextWithRemoteSpanContext(ctx, of)
}

// parse reads a traceparent. One of a later version may go on behind what this one has.
func parse(text string) (of trace.SpanContext, ok bool) {
	const size = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(text) < size || text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return of, false
	}
	version, knownVersion := octet(text[:2])
	flags, knownFlags := octet(text[53:55])
	if !knownVersion || !knownFlags || version == 0xff || len(text) > size && (version == 0 || text[size] != '-') {
		return of, false
	}
	traceID, err := trace.TraceIDFromHex(text[3:35])
	if err != nil {
		return of, false
	}
	spanID, err := trace.SpanIDFromHex(text[36:52])
	if err != nil {
		return of, false
	}
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: traceID, SpanID: spanID, TraceFlags: trace.TraceFlags(flags) & trace.FlagsSampled, Remote: true,
	}), true
}

// octet reads two digits, which are written in lower case.
func octet(text string) (value byte, ok bool) {
	for _, c := range []byte(text) {
		switch {
		case c >= '0' && c <= '9':
			value = value<<4 | (c - '0')
		case c >= 'a' && c <= 'f':
			value = value<<4 | (c - 'a' + 10)
		default:
			return 0, false
		}
	}
	return value, true
}
