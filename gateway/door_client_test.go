package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// repeater is a client of AG-UI over HTTP, which holds what it was told, and repeats it.
type repeater struct {
	t        testing.TB
	d        *door
	p        *performance
	thread   string
	messages protocol.Messages
	state    json.RawMessage
	runs     int
	open     []protocol.Interrupt
	failed   *protocol.RunError // the last run that did
}

func (d *door) visit(t testing.TB, turns []*spoken) *repeater {
	c := &repeater{t: t, d: d, p: &performance{turns: turns}, thread: fmt.Sprintf("t%d", d.threads.Add(1)), state: json.RawMessage("{}")}
	d.scripts.Store(c.thread, c.p)
	return c
}

func (c *repeater) leave() {
	c.d.scripts.Delete(c.thread)
	r, _ := http.NewRequest(http.MethodDelete, c.d.url+"/v1/threads/"+c.thread, nil)
	c.do(r)
}

func (c *repeater) do(r *http.Request) []byte {
	c.t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		c.t.Fatalf("%s %s: %d %s %v", r.Method, r.URL.Path, response.StatusCode, text, err)
	}
	return text
}

func (c *repeater) get(path string) []byte {
	c.t.Helper()
	r, _ := http.NewRequest(http.MethodGet, c.d.url+path, nil)
	return c.do(r)
}

// turn says something more, or yes to what is asked, with all that was told before, and
// returns the run's end.
func (c *repeater) turn() protocol.Event {
	c.t.Helper()
	in := protocol.RunAgentInput{
		ThreadID: c.thread, RunID: fmt.Sprintf("run-%d", c.runs), ProtocolVersion: protocol.Version11,
		State: protocol.Any(c.state), ForwardedProps: protocol.Any(`{"script":` + quoted(c.thread) + `}`),
	}
	for _, i := range c.open {
		in.Resume = append(in.Resume, protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeResolved, Payload: protocol.Any(`{"approved":true}`)})
	}
	if len(c.open) == 0 {
		c.messages = append(slices.Clip(c.messages), protocol.Message{ID: fmt.Sprintf("say-%d", c.runs), Role: protocol.RoleUser, Content: protocol.Text("go on")})
	}
	in.Messages = c.messages
	c.runs++
	body, err := json.Marshal(in)
	if err != nil {
		c.t.Fatal(err)
	}
	r, _ := http.NewRequest(http.MethodPost, c.d.url+"/agui", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	events := eventsOf(c.t, c.do(r))
	if len(events) == 0 || events[0].Type() != protocol.TypeRunStarted {
		c.t.Fatalf("turn %d: a client that repeats what it was told is refused: %+v", c.runs, events)
	}
	held := fold.New(c.messages, c.state)
	for _, e := range events {
		_ = held.Apply(e)
	}
	c.messages, c.state, c.open = held.Messages(), held.State(), held.Interrupts()
	end := events[len(events)-1]
	if failed, is := end.(*protocol.RunError); is {
		c.failed = failed
		c.open = nil // unless they are given back, and none is here: the agent has taken them
	}
	return end
}

func eventsOf(t testing.TB, stream []byte) (events []protocol.Event) {
	t.Helper()
	for line := range bytes.Lines(stream) {
		text, is := bytes.CutPrefix(bytes.TrimRight(line, "\n"), []byte("data: "))
		if !is {
			continue
		}
		e, err := protocol.Decode(text)
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		events = append(events, e)
	}
	return events
}

// agrees holds that who follows, who comes later, and who asks /v1 are told the same.
func (c *repeater) agrees() {
	c.t.Helper()
	ids, calls := map[string]bool{}, map[string]bool{}
	for _, m := range c.messages {
		if ids[m.ID] {
			c.t.Errorf("two messages are told under the id %.80q", m.ID)
		}
		ids[m.ID] = true
		for _, call := range m.ToolCalls {
			if calls[call.ID] {
				c.t.Errorf("two calls are told under the id %.80q", call.ID)
			}
			calls[call.ID] = true
		}
	}
	live := quotedMessages(c.t, c.messages)
	restated := fold.New(nil, nil)
	for _, e := range eventsOf(c.t, c.get("/agui/threads/"+c.thread+"/events")) {
		_ = restated.Apply(e)
	}
	if got := quotedMessages(c.t, restated.Messages()); got != live {
		c.t.Errorf("live     %.3000s\nrestated %.3000s", live, got)
	}
	if got := string(restated.State()); got != string(c.state) {
		c.t.Errorf("the state is %.300s live and %.300s restated", c.state, got)
	}
	var page struct{ Items protocol.Messages }
	if err := json.Unmarshal(c.get("/v1/threads/"+c.thread+"/messages"), &page); err != nil {
		c.t.Fatal(err)
	}
	if got := quotedMessages(c.t, page.Items); got != live {
		c.t.Errorf("live %.3000s\n/v1  %.3000s", live, got)
	}
}

func quotedMessages(t testing.TB, messages protocol.Messages) string {
	t.Helper()
	text, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// keeps holds that what the agent has said stands once, as what it was.
func (c *repeater) keeps(told []said) {
	c.t.Helper()
	for _, s := range told {
		found := 0
		for _, m := range c.messages {
			if s.role != "" && m.Role == s.role && m.Content != nil && strings.Contains(m.Content.String(), word(s.number)+s.has) {
				found++
			}
			for _, call := range m.ToolCalls {
				if s.role == "" && strings.Contains(call.Function.Arguments, word(s.number)+s.has) {
					found = 1
				}
			}
		}
		if found != 1 {
			c.t.Errorf("%s %s of the agent's id %.40q stands %d times in %.3000s", s.role, word(s.number), s.own, found, quotedMessages(c.t, c.messages))
		}
	}
}

// asks holds that a question shows the call that was announced last under its name, unless
// a snapshot may have left that out.
func (c *repeater) asks(asked int, restated bool, end *protocol.RunFinished) {
	c.t.Helper()
	if end.Outcome == nil || end.Outcome.Type != protocol.OutcomeInterrupt {
		return
	}
	var inbox struct {
		Items []struct {
			ThreadID   string
			Interrupts []struct {
				ToolCall *struct{ Name, Arguments string }
			}
		}
	}
	if err := json.Unmarshal(c.get("/v1/inbox?thread="+c.thread), &inbox); err != nil {
		c.t.Fatal(err)
	}
	for _, item := range inbox.Items {
		if item.ThreadID != c.thread {
			continue
		}
		switch shown := item.Interrupts[0].ToolCall; {
		case asked == 0 || shown == nil && restated:
		case shown == nil || !strings.Contains(shown.Arguments, word(asked)):
			c.t.Errorf("the call %s is asked about, and %+v is shown", arguments(asked), shown)
		}
	}
}

// sends holds that the agent was sent the conversation last, under its own ids.
func (c *repeater) sends(before protocol.Messages, told []said) {
	c.t.Helper()
	c.p.mu.Lock()
	in := c.p.took[len(c.p.took)-1]
	c.p.mu.Unlock()
	if string(in.State) != string(c.state) {
		c.t.Errorf("the agent is sent the state %.300s, and it is %.300s", in.State, c.state)
	}
	if len(in.Messages) != len(before)+1 {
		c.t.Fatalf("the agent is sent %.3000s, and told was %.3000s", quotedMessages(c.t, in.Messages), quotedMessages(c.t, before))
	}
	own := map[string]string{} // of calls
	for i, m := range before {
		sent := in.Messages[i]
		same := sent
		same.ID, same.ToolCallID, same.ToolCalls = m.ID, m.ToolCallID, slices.Clone(sent.ToolCalls)
		for j := range same.ToolCalls {
			if j < len(m.ToolCalls) {
				own[m.ToolCalls[j].ID] = same.ToolCalls[j].ID
				same.ToolCalls[j].ID = m.ToolCalls[j].ID
			}
		}
		if a, b := quotedMessages(c.t, protocol.Messages{same}), quotedMessages(c.t, protocol.Messages{m}); a != b {
			c.t.Errorf("the agent is sent %.1000s for %.1000s", a, b)
		}
	}
	for i, m := range before {
		if call, known := own[m.ToolCallID]; known && m.Role == protocol.RoleTool && in.Messages[i].ToolCallID != call {
			c.t.Errorf("the agent is sent the result of %.80q for one of %.80q", in.Messages[i].ToolCallID, call)
		}
	}
	for _, s := range told {
		if s.role == "" || len(s.own) < 900 {
			c.sentAs(in.Messages, s)
		}
	}
}

func (c *repeater) sentAs(messages protocol.Messages, s said) {
	c.t.Helper()
	for _, m := range messages {
		if s.role != "" && m.Role == s.role && m.Content != nil && strings.Contains(m.Content.String(), word(s.number)) && m.ID != s.own {
			c.t.Errorf("the agent is sent %s under %.80q, and has called it %.80q", word(s.number), m.ID, s.own)
		}
		for _, call := range m.ToolCalls {
			if s.role == "" && strings.Contains(call.Function.Arguments, word(s.number)) && call.ID != s.own {
				c.t.Errorf("the agent is sent the call %s under %.80q, and has called it %.80q", word(s.number), call.ID, s.own)
			}
		}
	}
}
