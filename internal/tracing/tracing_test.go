package tracing

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestTraceparent(t *testing.T) {
	const ids = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"
	for came, sampled := range map[string]string{
		"00-" + ids + "-01":                  "01",
		"00-" + ids + "-00":                  "00",
		"00-" + ids + "-ff":                  "01",
		"cc-" + ids + "-01":                  "01",
		"cc-" + ids + "-01-more":             "01",
		"00-" + ids + "-01-more":             "",
		"cc-" + ids + "-01more":              "",
		"ff-" + ids + "-01":                  "",
		"0A-" + ids + "-01":                  "",
		"00-" + ids + "-0A":                  "",
		"00-" + ids + "_01":                  "",
		"00_" + ids + "-01":                  "",
		"00-" + ids:                          "",
		"00-" + ids + "-01, 00-a":            "",
		"00-" + strings.ToUpper(ids) + "-01": "",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01": "",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01": "",
		"": "",
	} {
		want := ""
		if sampled != "" {
			want = "00-" + ids + "-" + sampled
		}
		if parent, _ := Context(under(context.Background(), map[string]string{Traceparent: came})); parent != want {
			t.Errorf("%q becomes %q", came, parent)
		}
	}
	for came, want := range map[string]string{
		"vendor=1,other=2": "vendor=1,other=2",
		"no state":         "",
		"vendor=" + strings.Repeat("x", maxState/2): "",
		strings.Repeat("x", 1<<20):                  "",
	} {
		if want == "" && len(came) > 100 && len(came) < maxState {
			came = came + ",b=" + strings.Repeat("y", maxState/2)
		}
		headers := Into(nil, under(context.Background(), map[string]string{Traceparent: "00-" + ids + "-01", Tracestate: came}))
		if headers[Tracestate] != want || headers[Traceparent] == "" {
			t.Errorf("%.60q becomes %v", came, headers)
		}
	}
}

// Ids are what clients send, and one that cannot be exported would take others along.
func TestValuesCanBeExported(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	tracer := New(sdk.NewTracerProvider(sdk.WithSyncer(kept)), "node")
	_, span := tracer.Input(context.Background(), nil, Of{Thread: "a\xffb", Run: strings.Repeat("é", maxValue)})
	span.Judged("refused", "", "code", nil)
	for _, each := range kept.GetSpans()[0].Attributes {
		if value := each.Value.AsString(); !utf8.ValidString(value) || len(value) > maxValue {
			t.Errorf("%s is %.40q of %d bytes", each.Key, value, len(value))
		}
	}
}

// What is off costs no memory.
func TestOffCostsNothing(t *testing.T) {
	var off *Tracer
	ctx := context.Background()
	headers := map[string]string{Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	if n := testing.AllocsPerRun(100, func() {
		in, span := off.Input(ctx, headers, Of{Thread: "t"})
		span.Judged("started", "r", "", nil)
		run, carried := off.Run(ctx, headers, Of{Thread: "t"}, 1)
		off.GoesOn(run, "agent", headers[Traceparent])
		within, step := off.Step(ctx, run, "step")
		step.End(true)
		batch, commit := off.Commit(run, 1, "finish")
		commit.End(false)
		off.Ended(run, "finish", false)
		carried.End(false)
		if in != ctx || run != ctx || within != ctx || batch != ctx {
			t.Error("a context was made")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// The page of operators lists each span and each attribute, and no other.
func TestSpansAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Traces\n")
	var spans, keys []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| .* \\|$").FindAllStringSubmatch(section, -1) {
		spans = append(spans, row[1])
	}
	for _, key := range regexp.MustCompile("`(aguiws\\.[a-z]+)`").FindAllStringSubmatch(section, -1) {
		keys = append(keys, key[1])
	}
	slices.Sort(keys)
	if want := []string{SpanInput, SpanRun, SpanStep, SpanCommit}; !slices.Equal(spans, want) {
		t.Errorf("it lists the spans %q", spans)
	}
	want := []string{KeyThread, KeyRun, KeyDispatch, KeyAgent, KeyNode, KeyAttempt, KeyDisposition, KeyCode, KeyStep, KeyEvents, KeyEnd}
	slices.Sort(want)
	if got := slices.Compact(keys); !slices.Equal(got, want) {
		t.Errorf("it lists the attributes %q", got)
	}
}
