package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// figures are numbers of which a double would make others, or other texts, each time
// in another order: no two of them are the same bytes.
func figures(turn int) string {
	list := []string{"9007199254740993", "1.0", "1e400", "-0", "0.1000000000000000055511151231257827", "1234567890123456789012345678901234567890"}
	return "[" + strings.Join(append(list[turn:len(list):len(list)], list[:turn]...), ",") + "]"
}

var (
	given    = `{"n":` + figures(0) + `}`
	proposed = `{"n":` + figures(1) + `}`
	edited   = `{"n":` + figures(2) + `}`
	filledIn = figures(3)
	bounds   = `{"type":"array","enum":[` + figures(3) + `],"items":{"minimum":-0,"exclusiveMaximum":10.0e400},"default":` + figures(4) + `}`
	set      = `{"n":` + figures(5) + `}`
)

// accountant proposes a call, carries it out, sets the state, asks for figures and says
// what came.
type accountant struct {
	mu   sync.Mutex
	done []string
}

func (a *accountant) Run(ctx context.Context, run *adapter.Run) error {
	_, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: "book", Args: json.RawMessage(proposed), Do: func(_ context.Context, call adapter.Invocation) (json.RawMessage, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.done = append(a.done, string(call.Args))
		return call.Args, nil
	}})
	if err != nil {
		return err
	}
	if err := run.SetState(json.RawMessage(set)); err != nil {
		return err
	}
	answers, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonInputRequired, ResponseSchema: protocol.Any(bounds)})
	if err != nil {
		return err
	}
	payload, _ := answers.Of[0].Payload()
	return run.Say("given " + string(run.Input().State) + " entered " + string(payload))
}

// way is how an input reaches a node, and what comes of it: the data of events.
type way func(ts *testServer, thread, run, input string) []string

func bySocket(ts *testServer, _, _, input string) (events []string) {
	c := ts.dial()
	c.send(input)
	for {
		f := c.frame()
		if !f.IsEvent() {
			continue
		}
		events = append(events, string(f.Data))
		switch e, _ := protocol.Decode(f.Data); e.(type) {
		case *protocol.RunFinished, *protocol.RunError:
			return events
		}
	}
}

func stream(s *sseStream) (events []string) {
	for e, ok := s.next(); ok; e, ok = s.next() {
		events = append(events, e.data)
	}
	return events
}

func byPost(ts *testServer, _, _, input string) []string { return stream(ts.post(input)) }

func byCopilotKit(ts *testServer, _, _, input string) []string {
	return stream(ts.copilotkit("run", input).opened())
}

// byV1 sends the answers of the input, and reads the log.
func byV1(ts *testServer, thread, run, input string) []string {
	var in struct {
		RunID  string            `json:"runId"`
		Resume []json.RawMessage `json:"resume"`
	}
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		ts.t.Fatal(err)
	}
	body, _ := json.Marshal(map[string]any{"runId": in.RunID, "entries": in.Resume})
	v1(ts, http.MethodPost, "/threads/"+thread+"/interrupts/resolve", string(body))
	return logOf(ts, thread, run)
}

func v1(ts *testServer, method, path, body string) string {
	ts.t.Helper()
	s := ts.ask(method, "/v1"+path, body, "Content-Type", "application/json")
	text, err := io.ReadAll(s.resp.Body)
	if err != nil || s.resp.StatusCode != http.StatusOK {
		ts.t.Fatalf("%s: %s %s %v", path, s.resp.Status, text, err)
	}
	return string(text)
}

// logOf reads a thread's log from its first event to the end of a run.
func logOf(ts *testServer, thread, run string) (events []string) {
	ts.t.Helper()
	var at struct{ Position struct{ Epoch string } }
	if err := json.Unmarshal([]byte(v1(ts, http.MethodGet, "/threads/"+thread, "")), &at); err != nil {
		ts.t.Fatal(err)
	}
	s := ts.ask(http.MethodGet, "/agui/threads/"+thread+"/events", "", "Last-Event-ID", at.Position.Epoch+":0").opened()
	defer s.cancel()
	for {
		e, ok := s.next()
		if !ok {
			ts.t.Fatalf("the log of %s has no end of %s", thread, run)
		}
		events = append(events, e.data)
		switch end, _ := protocol.Decode([]byte(e.data)); end := end.(type) {
		case *protocol.RunFinished:
			if end.RunID == run {
				return events
			}
		case *protocol.RunError:
			ts.t.Fatal(e.data)
		}
	}
}

// What is shown is what is executed: by whatever way numbers come in, and on whichever
// node, the same bytes are shown, compared, executed and told.
func TestNumbersKeepTheirText(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	agent := new(accountant)
	open := func() *testServer {
		store, err := redisstore.Open(context.Background(), redis.URL(), &redisstore.Options{Timeout: patience})
		if err != nil {
			t.Fatal(err)
		}
		closes(t, store)
		return node(t, store, agent)
	}
	near, far := open(), open()
	for name, ways := range map[string]struct{ ask, answer way }{
		"socket":     {bySocket, bySocket},
		"POST":       {byPost, byPost},
		"CopilotKit": {byCopilotKit, byCopilotKit},
		"v1":         {byPost, byV1},
	} {
		t.Run(name, func(t *testing.T) {
			agent.done = nil
			send := func(by way, ts *testServer, run, members string) (string, []string) {
				t.Helper()
				events := by(ts, name, run, fmt.Sprintf(`{"threadId":%q,"runId":%q,"tools":[],"context":[],"forwardedProps":{},%s}`, name, run, members))
				return events[len(events)-1], events
			}
			shows := func(where, text string, want ...string) {
				t.Helper()
				for _, w := range want {
					if !strings.Contains(text, w) {
						t.Errorf("%s does not show %s: %s", where, w, text)
					}
				}
			}
			asked := func(end string) string {
				t.Helper()
				var e struct {
					Outcome struct{ Interrupts []struct{ ID string } }
				}
				if json.Unmarshal([]byte(end), &e) != nil || len(e.Outcome.Interrupts) != 1 {
					t.Fatalf("it ended with %s", end)
				}
				return e.Outcome.Interrupts[0].ID
			}
			answer := func(id, payload string) string {
				return fmt.Sprintf(`"messages":[],"state":%s,"resume":[{"interruptId":%q,"status":"resolved","payload":%s}]`, given, id, payload)
			}

			end, events := send(ways.ask, near, "r1", `"messages":[{"id":"m","role":"user","content":"go"}],"state":`+given)
			shows("the first run", strings.Join(events, "\n"), given, figures(1))
			call := asked(end)
			shows("the inbox of another node", v1(far, http.MethodGet, "/inbox", ""), figures(1))

			end, events = send(ways.answer, far, "r2", answer(call, `{"approved":true,"editedArgs":`+edited+`}`))
			shows("the second run", strings.Join(events, "\n"), figures(2), set)
			if !slices.Equal(agent.done, []string{edited}) {
				t.Errorf("executed with %q", agent.done)
			}
			form := asked(end)
			shows("the second question", end, bounds)
			shows("that question in the inbox", v1(near, http.MethodGet, "/threads/"+name+"/interrupts", ""), bounds)

			end, events = send(ways.answer, near, "r3", answer(form, filledIn))
			if strings.Contains(end, "RUN_ERROR") {
				t.Fatal(end)
			}
			said := fold.New(nil, nil)
			for _, data := range events {
				e, err := protocol.Decode([]byte(data))
				if err != nil {
					t.Fatal(err)
				}
				said.Apply(e)
			}
			want := "given " + given + " entered " + filledIn
			if !slices.ContainsFunc(said.Messages(), func(m protocol.Message) bool { return m.Content.String() == want }) {
				t.Errorf("nobody said %q", want)
			}
			shows("the thread", v1(far, http.MethodGet, "/threads/"+name, ""), set, figures(1), figures(2), filledIn)
			shows("the log", strings.Join(logOf(far, name, "r3"), "\n"), given, figures(1), figures(2), set, bounds, filledIn)

			// The same answer again is a repeat, however its numbers are written, and
			// another number another answer.
			again := strings.NewReplacer("1.0", "1", "1e400", "10e399", "-0", "0")
			if end, _ := send(byPost, far, "r2", answer(call, `{"editedArgs":`+again.Replace(edited)+`,"approved":true}`)); strings.Contains(end, "RUN_ERROR") {
				t.Errorf("the same answer: %s", end)
			}
			for _, other := range []string{"9007199254740992", "9007199254740993.5"} {
				end, _ := send(byPost, far, "r4", answer(call, `{"approved":true,"editedArgs":`+strings.Replace(edited, "9007199254740993", other, 1)+`}`))
				if !strings.Contains(end, "interrupt_conflict") {
					t.Errorf("with %s for …993: %s", other, end)
				}
			}
			if len(agent.done) != 1 {
				t.Errorf("executed %q", agent.done)
			}
		})
	}
}

// Arguments are shown to who decides as they are carried out: whole, however long.
func TestLongArgumentsAreShownWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	ts, effects := endToEnd(t)
	args := `{"body":"` + strings.Repeat("x", 1<<20) + ` and pay eve 9007199254740993"}`
	tb := newTab(ts.dial())
	id := interrupts(t, tb.ask("r1", "/tool mail "+args))[0]
	for _, path := range []string{"/threads/t/interrupts", "/threads/t"} {
		var shown struct {
			Items []struct {
				Interrupts []struct{ ToolCall struct{ Arguments string } }
			}
			Interrupts []struct{ ToolCall struct{ Arguments string } }
		}
		if err := json.Unmarshal([]byte(v1(ts, http.MethodGet, path, "")), &shown); err != nil {
			t.Fatal(err)
		}
		if len(shown.Items) > 0 {
			shown.Interrupts = shown.Items[0].Interrupts
		}
		if len(shown.Interrupts) != 1 || shown.Interrupts[0].ToolCall.Arguments != args {
			t.Errorf("%s shows something else", path)
		}
	}
	tb.send(resumes("r2", resolved(id, `{"approved":true}`)))
	wantSuccess(t, tb.until())
	if lines := effectLines(t, effects); len(lines) != 1 || !strings.Contains(lines[0], args) {
		t.Errorf("%d effects, or with something else", len(lines))
	}
}
