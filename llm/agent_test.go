package llm_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/llm"
	"github.com/aguiws/aguiws/protocol"
)

type mail struct {
	To   string `json:"to"`
	Body string `json:"body"`
}

type table struct {
	People int    `json:"people"`
	At     string `json:"at"`
}

type nothing struct{}

// kit is the tools of the tests, and what they did.
type kit struct {
	sent   atomic.Int64
	mailed atomic.Value // the last
	booked atomic.Value
}

func (k *kit) tools() []llm.Tool {
	return []llm.Tool{
		llm.Define(adapter.Tool[nothing, string]{
			Name: "clock", Description: "tells the time", Policy: llm.NeverAsk[nothing],
			Do: func(context.Context, adapter.Invocation, nothing) (string, error) { return "noon", nil },
		}),
		llm.Define(adapter.Tool[mail, string]{
			Name: "mail", Description: "sends a mail",
			Do: func(_ context.Context, _ adapter.Invocation, m mail) (string, error) {
				k.sent.Add(1)
				k.mailed.Store(m)
				return "sent", nil
			},
		}),
		llm.Form[table, string]{
			Name: "book", Description: "Books a table.",
			Do: func(_ context.Context, _ adapter.Invocation, in table) (string, error) {
				k.booked.Store(in)
				return "booked", nil
			},
		}.Define(),
	}
}

func TestAnswerIsStreamed(t *testing.T) {
	more := make(chan struct{})
	e := newEndpoint(t, func(w http.ResponseWriter, r *http.Request) {
		stream(w, delta(`"role":"assistant","content":""`), delta(`"reasoning_content":"Let me "`), delta(`"reasoning":"think."`), text("Hel"))
		select {
		case <-more:
			stream(w, text("lo."), finish("stop"), used(7, 3), "[DONE]")
		case <-r.Context().Done():
		}
	})
	l := newLab(t, e.agent())
	l.Begin(user("hi"))
	l.Until(func(e protocol.Event) bool {
		c, ok := e.(*protocol.TextMessageContent)
		return ok && c.Delta == "Hel" // while the answer still comes
	})
	close(more)
	succeeded(t, l.end())
	if got, want := l.transcript(), "reasoning Let me think.\nassistant Hello."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	first := e.requests()[0]
	if got, want := first.texts(), "system \"Be brief.\"\nuser \"hi\"\n"; got != want || first.Model != "m-1" || !first.StreamOptions.IncludeUsage {
		t.Errorf("asked %q, of %s, want %q", got, first.Model, want)
	}
	if first.key != "Bearer "+secret {
		t.Errorf("key %q", first.key)
	}
}

// steered is a run that is told something while its model answers, up to the end of the
// answer; turns is Options.MaxTurns.
func steered(t *testing.T, turns int) (*endpoint, *lab) {
	t.Helper()
	more := make(chan struct{})
	e := newEndpoint(t, func(w http.ResponseWriter, r *http.Request) {
		stream(w, text("Blue"))
		select {
		case <-more:
			stream(w, finish("stop"), used(7, 3), "[DONE]")
		case <-r.Context().Done():
		}
	}, answers("Red"))
	o := e.options()
	o.MaxTurns = turns
	l := newLab(t, newAgent(t, o))
	l.Begin(user("a colour"))
	l.Until(func(e protocol.Event) bool {
		c, ok := e.(*protocol.TextMessageContent)
		return ok && c.Delta == "Blue"
	})
	a, err := l.Runner().Inject(t.Context(), operate.Injection{Namespace: l.Key().Namespace, Thread: l.Key().Thread, Text: "not blue", When: admission.WhenStep})
	if err != nil || a.Disposition != admission.Queued {
		t.Fatalf("%+v %v", a, err)
	}
	close(more)
	succeeded(t, l.end())
	return e, l
}

// What is said while the model answers it is told next, in the same run.
func TestSteering(t *testing.T) {
	e, _ := steered(t, 0)
	if got, want := e.requests()[1].texts(), "system \"Be brief.\"\nuser \"a colour\"\nassistant \"Blue\"\nuser \"not blue\"\n"; got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
}

// What is said during the last answer that a run may ask for is answered by another run.
func TestSteeringIsBounded(t *testing.T) {
	e, l := steered(t, 1)
	succeeded(t, l.end())
	if got := len(e.requests()); got != 2 {
		t.Errorf("asked %d times", got)
	}
}

// A second message is asked about with the whole conversation, or its end.
func TestHistory(t *testing.T) {
	for most, want := range map[int]string{
		0: "system \"Be brief.\"\nuser \"one\"\nassistant  +1\ntool \"\\\"noon\\\"\"\nassistant \"1\"\nuser \"two\"\n",
		2: "system \"Be brief.\"\nuser \"two\"\n",
		1: "system \"Be brief.\"\nuser \"two\"\n",
	} {
		e := newEndpoint(t, calls("clock", ""), answers("1"), answers("2"))
		o := e.options(new(kit).tools()...)
		o.MaxMessages = most
		l := newLab(t, newAgent(t, o))
		succeeded(t, l.say("one"))
		succeeded(t, l.say("two"))
		if got := e.requests()[2].texts(); got != want {
			t.Errorf("of %d: %s\nwant %s", most, got, want)
		}
	}
}

// What is free is carried out, and what needs somebody is asked about at once.
func TestToolsAreAskedAboutTogether(t *testing.T) {
	k := new(kit)
	e := newEndpoint(t,
		calls("clock", "{}", "mail", `{"to":"ann","body":"hi"}`, "mail", `{"to":"bob","body":"hi"}`, "book", `{"people":2}`),
		answers("Done."))
	l := newLab(t, e.agent(k.tools()...))
	open := interrupts(t, l.say("go"), 3)
	if len(e.requests()) != 1 || k.sent.Load() != 0 {
		t.Fatalf("%d requests, %d sent", len(e.requests()), k.sent.Load())
	}
	if got := l.transcript(); !strings.HasSuffix(got, `tool "noon"`) {
		t.Errorf("what is free has not been done: %s", got)
	}
	for i, want := range []string{protocol.ReasonToolCall, protocol.ReasonToolCall, protocol.ReasonInputRequired} {
		if open[i].Reason != want || open[i].ToolCallID == "" {
			t.Errorf("%d: %+v", i, open[i])
		}
	}
	if form := string(open[2].ResponseSchema); open[2].Message != "Books a table." || !strings.Contains(form, `"default":2`) || !strings.Contains(form, `"required":["people","at"]`) {
		t.Errorf("asked %q with %s", open[2].Message, form)
	}
	// The fields have the order of In.
	if form := string(open[2].ResponseSchema); strings.Index(form, `"people":{`) > strings.Index(form, `"at":{`) {
		t.Errorf("asked with %s", form)
	}
	succeeded(t, l.resume(
		resolved(open[0], `{"approved":true,"editedArgs":{"to":"ann","body":"hello"}}`),
		resolved(open[1], `{"approved":false,"reason":"not to bob"}`),
		resolved(open[2], `{"people":3,"at":"8 pm"}`)))
	want := strings.Join([]string{
		`assistant clock{} mail{"to":"ann","body":"hi"} mail{"to":"bob","body":"hi"} book{"people":2}`,
		`tool "noon"`, `tool "sent"`, `tool {"declined":true,"executed":false,"reason":"not to bob"}`, `tool "booked"`, "assistant Done.",
	}, "\n")
	if got := l.transcript(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if k.sent.Load() != 1 || k.mailed.Load() != (mail{"ann", "hello"}) || k.booked.Load() != (table{3, "8 pm"}) {
		t.Errorf("%d sent, %v, %v", k.sent.Load(), k.mailed.Load(), k.booked.Load())
	}
	if len(e.requests()) != 2 {
		t.Fatalf("%d requests", len(e.requests()))
	}
	second := e.requests()[1].texts()
	for _, want := range []string{" +4\n", "noon", "sent", `A human changed the arguments to {\"to\":\"ann\",\"body\":\"hello\"}`, "not to bob", "booked"} {
		if !strings.Contains(second, want) {
			t.Errorf("the model is not told %s in %s", want, second)
		}
	}
}

func TestCancelledCallIsTold(t *testing.T) {
	k := new(kit)
	e := newEndpoint(t, calls("book", "{}"), answers("As you like."))
	l := newLab(t, e.agent(k.tools()...))
	open := interrupts(t, l.say("go"), 1)
	succeeded(t, l.resume(protocol.ResumeEntry{InterruptID: open[0].ID, Status: protocol.ResumeCancelled}))
	if got := e.requests()[1].texts(); !strings.Contains(got, "it was cancelled") || k.booked.Load() != nil {
		t.Errorf("told %s, booked %v", got, k.booked.Load())
	}
}

// What cannot be called goes back to the model.
func TestBadCalls(t *testing.T) {
	for name, c := range map[string]struct{ tool, args, told string }{
		"unknown tool":  {"fly", "{}", `there is no tool \"fly\": there is clock, mail, book`},
		"not an object": {"mail", `[1]`, "arguments of mail"},
		"missing":       {"mail", `{"to":"ann"}`, "arguments of mail"},
		"no JSON":       {"mail", `{"to":`, "arguments of mail"},
		"a form's":      {"book", `{"people":`, "must be a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			k := new(kit)
			e := newEndpoint(t, calls(c.tool, c.args), answers("Sorry."))
			l := newLab(t, e.agent(k.tools()...))
			succeeded(t, l.say("go"))
			got := l.transcript()
			if !strings.Contains(got, c.told) || !strings.HasSuffix(got, "assistant Sorry.") {
				t.Errorf("got %s", got)
			}
			if told := e.requests()[1].texts(); !strings.Contains(strings.ReplaceAll(told, `\\\"`, `\"`), c.told) {
				t.Errorf("told %s", told)
			}
		})
	}
}

// A frontend's tool is left to it, and its result comes with the next input.
func TestFrontendTools(t *testing.T) {
	k := new(kit)
	e := newEndpoint(t, calls("clock", "{}", "paint", `{"color":"red"}`), answers("Painted."))
	l := newLab(t, e.agent(k.tools()...))
	in := user("go")
	in.Tools = []protocol.Tool{
		{Name: "paint", Description: "paints", Parameters: protocol.Any(`{"type":"object"}`)},
		{Name: "no good name!", Description: "x"}, {Name: "mail", Description: "another"}, {Name: "bare"},
	}
	l.Begin(in)
	f := succeeded(t, l.end())
	if len(f.Outcome.PendingToolCallIDs) != 1 {
		t.Fatalf("%+v", f.Outcome)
	}
	var offered []string
	for _, tool := range e.requests()[0].Tools {
		offered = append(offered, tool.Function.Name)
	}
	if got := strings.Join(offered, " "); got != "clock mail book paint bare" {
		t.Errorf("offered %s", got)
	}
	l.Begin(&protocol.RunAgentInput{Messages: protocol.Messages{
		{ID: "r", Role: protocol.RoleTool, ToolCallID: f.Outcome.PendingToolCallIDs[0], Content: protocol.Text("red now")},
	}})
	succeeded(t, l.end())
	if got := e.requests()[1].texts(); !strings.HasSuffix(got, "assistant  +2\ntool \"\\\"noon\\\"\"\ntool \"red now\"\n") {
		t.Errorf("told %s", got)
	}
}

func TestTurnsAreBounded(t *testing.T) {
	e := newEndpoint(t, calls("clock", "{}"), calls("clock", "{}"), calls("clock", "{}"))
	o := e.options(new(kit).tools()...)
	o.MaxTurns = 2
	if got := failed(t, newLab(t, newAgent(t, o)).say("go")); !strings.Contains(got, "called tools 2 times") || len(e.requests()) != 2 {
		t.Errorf("%d requests, %s", len(e.requests()), got)
	}
}

// Cancelling a run ends the request.
func TestCancelEndsTheRequest(t *testing.T) {
	over := make(chan struct{})
	e := newEndpoint(t, func(w http.ResponseWriter, r *http.Request) {
		stream(w, text("I beg"))
		<-r.Context().Done()
		close(over)
	})
	l := newLab(t, e.agent())
	l.Begin(user("hi"))
	l.Until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageContent })
	if _, err := l.Runner().StopAll(t.Context(), l.Key(), "enough", admission.Actor{}); err != nil {
		t.Fatal(err)
	}
	l.end()
	<-over // or the test times out: the request goes on
	if len(e.requests()) != 1 {
		t.Errorf("%d requests", len(e.requests()))
	}
}

// A worker dies in the middle of an answer: another one asks for that one again, and for
// nothing that is recorded.
func TestCrashInAnswer(t *testing.T) {
	k := new(kit)
	e := newEndpoint(t, calls("clock", "{}", "mail", `{"to":"ann","body":"hi"}`),
		func(w http.ResponseWriter, r *http.Request) {
			stream(w, text("It is no"))
			<-r.Context().Done()
		},
		answers("It is noon."))
	agent := e.agent(k.tools()...)
	l := newLab(t, agent)
	open := interrupts(t, l.say("go"), 1)
	l.Begin(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0], `{"approved":true}`)}})
	l.Until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageContent })
	l.Crash()
	succeeded(t, l.end())
	if len(e.requests()) != 3 || k.sent.Load() != 1 {
		t.Errorf("%d requests, %d sent", len(e.requests()), k.sent.Load())
	}
	want := `assistant clock{} mail{"to":"ann","body":"hi"}` + "\ntool \"noon\"\ntool \"sent\"\nassistant It is noon."
	if got := l.transcript(); got != want {
		t.Errorf("got %s", got)
	}
	if a, b := e.requests()[1].texts(), e.requests()[2].texts(); a != b {
		t.Errorf("asked %s\nand then %s", a, b)
	}
}
