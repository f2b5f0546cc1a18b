package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"

	"github.com/aguiws/aguiws/internal/build"
	"github.com/aguiws/aguiws/internal/tracing"
)

// The variables of OpenTelemetry that turn traces on, and off. The SDK reads the others.
const (
	tracesExporter  = "OTEL_TRACES_EXPORTER"
	tracesEndpoint  = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	allEndpoint     = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tracesProtocol  = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	allProtocol     = "OTEL_EXPORTER_OTLP_PROTOCOL"
	telemetryIsOff  = "OTEL_SDK_DISABLED"
	defaultEndpoint = "http://localhost:4318"
)

// flushTimeout bounds how long an end waits for the collector.
const flushTimeout = 2 * time.Second

// traceSettings say where spans go, and why nowhere. Platforms set these variables for all that
// they run, so none of them keeps the server from starting.
type traceSettings struct {
	endpoint string // "": nothing is traced
	unusable error  // nil: nothing is wrong
}

// readTraces takes what the environment says of traces.
func readTraces(env environment) traceSettings {
	exporter := env.get(tracesExporter)
	name, endpoint, protocol := tracesEndpoint, env.get(tracesEndpoint), tracesProtocol
	if endpoint == "" && env.get(allEndpoint) != "" {
		name, endpoint = allEndpoint, strings.TrimRight(env.get(allEndpoint), "/")+"/v1/traces"
	}
	if env.get(protocol) == "" {
		protocol = allProtocol
	}
	spoken := env.get(protocol)
	switch {
	case strings.EqualFold(env.get(telemetryIsOff), "true"), exporter == "none", exporter == "" && endpoint == "":
		return traceSettings{}
	case exporter != "" && exporter != "otlp":
		return traceSettings{unusable: fmt.Errorf("%s: must be otlp or none", tracesExporter)}
	case spoken != "" && spoken != "http/protobuf":
		return traceSettings{unusable: fmt.Errorf("%s: must be http/protobuf", protocol)}
	}
	endpoint = cmp.Or(endpoint, defaultEndpoint+"/v1/traces")
	if at, err := url.Parse(endpoint); err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return traceSettings{unusable: fmt.Errorf("%s: must begin with http:// or https:// and name a host", name)}
	}
	return traceSettings{endpoint: endpoint}
}

// shown is the endpoint without what may be secret.
func (t traceSettings) shown() string {
	at, _ := url.Parse(t.endpoint) // it was read before
	return (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: at.Path}).String()
}

// client sends to the endpoint. Headers, certificates, time and compression are the
// environment's.
func (t traceSettings) client(options ...otlptracehttp.Option) otlptrace.Client {
	return otlptracehttp.NewClient(append(options, otlptracehttp.WithEndpointURL(t.endpoint))...)
}

// provider makes spans and sends them, and stop sends the last ones. A collector that is slow
// or away costs spans, and neither time nor memory beyond the queue. The provider is nil if
// nothing is traced.
func (t traceSettings) provider(ctx context.Context, log *slog.Logger) (_ trace.TracerProvider, stop func()) {
	if t.unusable != nil {
		log.Warn("traces are off", "error", t.unusable)
	}
	if t.endpoint == "" {
		return nil, func() {}
	}
	exporter, err := otlptrace.New(ctx, t.client())
	if err != nil { // ctx has ended
		log.Warn("traces are off", "error", err)
		return nil, func() {}
	}
	otel.SetErrorHandler(&traceLog{log, rate.Sometimes{Interval: time.Minute}})
	p := providerOf(ctx, exporter)
	log.Info("tracing", "endpoint", t.shown())
	return p, func() {
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		if err := p.Shutdown(ctx); err != nil {
			log.Warn("the last spans were not sent", "error", err)
		}
	}
}

// providerOf hands spans to an exporter from a queue of its own.
func providerOf(ctx context.Context, exporter sdk.SpanExporter) *sdk.TracerProvider {
	of, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "aguiws"), attribute.String("service.version", build.Version())),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		otel.Handle(err) // what could be read of it is there
	}
	return sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(of))
}

// traceLog tells of spans that were not sent, once a minute.
type traceLog struct {
	log  *slog.Logger
	told rate.Sometimes
}

func (l *traceLog) Handle(err error) {
	tell := false
	l.told.Do(func() { tell = true }) // Under a lock, which a slow log must not hold.
	if tell {
		l.log.Warn("spans were not sent", "error", readable(err.Error()))
	}
}

// headers are those of a request by which its trace goes on here.
func (t traceSettings) headers() []string {
	if t.endpoint == "" {
		return nil
	}
	return tracing.Headers
}

// traces sends no spans to the collector, and says how it takes them.
func (r *report) traces(ctx context.Context, t traceSettings) {
	if t.unusable != nil {
		r.say("warn", "traces", "nothing is traced: %v", t.unusable)
	}
	if t.endpoint == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c := t.client(otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	err := errors.Join(c.Start(ctx), c.UploadTraces(ctx, nil), c.Stop(ctx))
	if err != nil {
		r.say("warn", "traces", "%s takes no spans now, so they would be lost: %v", t.shown(), err)
		return
	}
	r.say("ok", "traces", "%s takes spans", t.shown())
}
