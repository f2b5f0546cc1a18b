package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

func TestReadTraces(t *testing.T) {
	for _, each := range []struct {
		env      environment
		endpoint string
		wrong    string
	}{
		{env(), "", ""},
		{env(allEndpoint, "http://c:4318"), "http://c:4318/v1/traces", ""},
		{env(allEndpoint, "https://c/otlp/"), "https://c/otlp/v1/traces", ""},
		{env(allEndpoint, "http://c:4318", tracesEndpoint, "http://d/in"), "http://d/in", ""},
		{env(tracesExporter, "otlp"), "http://localhost:4318/v1/traces", ""},
		{env(tracesExporter, "none", allEndpoint, "http://c:4318"), "", ""},
		{env(telemetryIsOff, "true", allEndpoint, "http://c:4318"), "", ""},
		{env(tracesExporter, "console"), "", tracesExporter},
		{env(allEndpoint, "c:4317"), "", allEndpoint},
		{env(tracesEndpoint, "ftp://k-4711@c"), "", tracesEndpoint},
		{env(allEndpoint, "http://c:4317", allProtocol, "grpc"), "", allProtocol},
		{env(allEndpoint, "http://c:4317", allProtocol, "grpc", tracesProtocol, "http/protobuf"), "http://c:4317/v1/traces", ""},
	} {
		got := readTraces(each.env)
		wrong := fmt.Sprint(got.unusable)
		if got.endpoint != each.endpoint || (got.unusable != nil) != (each.wrong != "") || !strings.Contains(wrong, each.wrong) || strings.Contains(wrong, "k-4711") {
			t.Errorf("%q: %q, %v", each.env, got.endpoint, got.unusable)
		}
	}
}

// agent answers each input, and keeps the traceparents that came.
func tracedAgent(t *testing.T, came func(traceparent string)) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ ThreadID, RunID string }
		if r.Method == http.MethodGet || json.NewDecoder(r.Body).Decode(&in) != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		came(r.Header.Get("Traceparent"))
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{begins, ends} {
			fmt.Fprintf(w, "data: %s\n\n", strings.NewReplacer("THREAD", in.ThreadID, "RUN_ID", in.RunID).Replace(event))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// postTraced runs a message through, within a trace.
func (c *started) postTraced(thread, traceID string) {
	c.t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+c.addr+"/agui", strings.NewReader(`{"threadId":"`+thread+`","runId":"r","messages":[{"id":"m-`+thread+`","role":"user","content":"hi"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Traceparent", "00-"+traceID+"-b7ad6b7169203331-01")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), `"RUN_FINISHED"`) {
		c.t.Errorf("%s, %v", body, err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// The variables of OpenTelemetry are enough: the trace of a request goes on at the agent, and
// the collector has all of its spans when the command has ended.
func TestTracesAreSent(t *testing.T) {
	const traceID = "0af7651916cd43dd8448eb211c80319c"
	var mu sync.Mutex
	var names, agents []string
	to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent collector.ExportTraceServiceRequest
		body, err := io.ReadAll(r.Body)
		if err != nil || proto.Unmarshal(body, &sent) != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, of := range sent.ResourceSpans {
			if !strings.Contains(of.Resource.String(), `"aguiws"`) {
				t.Errorf("the resource is %v", of.Resource)
			}
			for _, s := range of.ScopeSpans {
				for _, span := range s.Spans {
					if fmt.Sprintf("%x", span.TraceId) == traceID && !slices.Contains(names, span.Name) {
						names = append(names, span.Name)
					}
				}
			}
		}
	}))
	defer to.Close()
	upstream := tracedAgent(t, func(traceparent string) {
		mu.Lock()
		defer mu.Unlock()
		agents = append(agents, traceparent)
	})
	var out strings.Builder
	if err := run(context.Background(), []string{"check", "--addr", "127.0.0.1:0"}, env(allEndpoint, to.URL), &out, io.Discard); err != nil {
		t.Error(err)
	}
	wantLines(t, out.String(), "ok    traces: "+to.URL+"/v1/traces takes spans")
	c := start(t, env(allEndpoint, to.URL), "--upstream", upstream)
	c.postTraced("a", traceID)
	c.end()
	slices.Sort(names)
	if !slices.Equal(names, []string{"commit", "input", "run", "step"}) {
		t.Errorf("the collector has %q", names)
	}
	if len(agents) != 1 || !strings.HasPrefix(agents[0], "00-"+traceID+"-") || strings.Contains(agents[0], "b7ad6b7169203331") {
		t.Errorf("the agent got %q", agents)
	}
}

// A collector that takes a request and does not answer keeps neither a run nor the end of the
// command from going on.
func TestSilentCollector(t *testing.T) {
	over := make(chan struct{})
	var asked atomic.Int32
	to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		<-over
	}))
	defer to.Close()
	defer close(over)
	c := start(t, env(allEndpoint, to.URL), "--upstream", tracedAgent(t, func(string) {}))
	for n := range 3 {
		c.postTraced(fmt.Sprint("t", n), fmt.Sprintf("%032x", n+1))
	}
	c.end()
	if log := c.log.String(); asked.Load() == 0 || !strings.Contains(log, "the last spans were not sent") {
		t.Errorf("it was asked %d times; the log:\n%s", asked.Load(), log)
	}
}

// stuck is an exporter that takes its time.
type stuck struct {
	until chan struct{}
	spans atomic.Int64
}

func (s *stuck) ExportSpans(_ context.Context, spans []sdk.ReadOnlySpan) error {
	<-s.until
	s.spans.Add(int64(len(spans)))
	return nil
}

func (*stuck) Shutdown(context.Context) error { return nil }

// Spans that find no room are lost, and wait nowhere.
func TestSpansWaitInABoundedQueue(t *testing.T) {
	to := &stuck{until: make(chan struct{})}
	p := providerOf(context.Background(), to)
	tracer := p.Tracer("")
	const made = 20_000
	for range made {
		_, span := tracer.Start(context.Background(), "span")
		span.End()
	}
	close(to.until)
	if err := p.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if held := to.spans.Load(); held == 0 || held > sdk.DefaultMaxQueueSize+2*sdk.DefaultMaxExportBatchSize {
		t.Errorf("%d of %d spans were held", held, made)
	}
}
