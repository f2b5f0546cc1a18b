// Command gosdk is a server on the events, the types and the SSE writer of AG-UI's
// community Go SDK, which predates AG-UI 1.0. It is here to be judged. What the SDK
// leaves to its users it does as such servers do: open questions lie in memory, by
// thread, a resume is checked against them and then taken out, and the run that
// continues tells its tool call from the beginning.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/encoding/sse"
	"github.com/google/uuid"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("listening", listener.Addr())
	s := &server{waiting: map[string]question{}}
	fmt.Fprintln(os.Stderr, http.Serve(listener, s))
}

// question is what a thread waits for.
type question struct {
	interrupts []types.Interrupt
	calls      []call
}

type call struct{ id, name, args string }

type server struct {
	mu      sync.Mutex
	waiting map[string]question
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "POST", http.StatusMethodNotAllowed)
		return
	}
	var input types.RunAgentInput
	if err := json.NewDecoder(r.Body).Decode(&input); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := &stream{ctx: r.Context(), w: w, sse: sse.NewSSEWriter().WithLogger(slog.New(slog.DiscardHandler)), input: &input}
	out.send(events.NewRunStartedEvent(input.ThreadID, input.RunID))
	if err := s.run(out); err != nil {
		out.send(events.NewRunErrorEvent(err.Error(), events.WithRunID(input.RunID)))
	}
}

// stream is one answer.
type stream struct {
	ctx   context.Context
	w     http.ResponseWriter
	sse   *sse.SSEWriter
	input *types.RunAgentInput
	// messages is what the run has said so far, for the snapshot.
	messages []types.Message
}

func (o *stream) send(e events.Event) {
	_ = o.sse.WriteEvent(o.ctx, o.w, e)
}

func (o *stream) finish(option events.RunFinishedOption) error {
	o.send(events.NewRunFinishedEventWithOptions(o.input.ThreadID, o.input.RunID, option))
	return nil
}

func (s *server) run(o *stream) error {
	s.mu.Lock()
	open, asked := s.waiting[o.input.ThreadID]
	s.mu.Unlock()
	if len(o.input.Resume) > 0 || asked {
		return s.resume(o, open)
	}
	last := types.Message{}
	if n := len(o.input.Messages); n > 0 {
		last = o.input.Messages[n-1]
	}
	said, _ := last.ContentString()
	if last.Role == types.RoleTool {
		return o.say([]string{"You answered: ", said}, 0)
	}
	word, rest, _ := strings.Cut(said, " ")
	switch word {
	case "/say":
		return o.say(strings.SplitAfter(rest, " "), 0)
	case "/slow":
		var n, ms int
		fmt.Sscan(rest, &n, &ms)
		numbers := make([]string, n)
		for i := range numbers {
			numbers[i] = strconv.Itoa(i+1) + " "
		}
		return o.say(numbers, time.Duration(ms)*time.Millisecond)
	case "/fail":
		return fmt.Errorf("%s", rest)
	case "/confirm":
		return s.ask(o, question{interrupts: []types.Interrupt{{ID: uuid.NewString(), Reason: "confirmation", Message: rest}}})
	case "/tool":
		name, args, _ := strings.Cut(rest, " ")
		return s.propose(o, call{uuid.NewString(), name, args})
	case "/parallel":
		n, _ := strconv.Atoi(rest)
		var calls []call
		for i := range n {
			calls = append(calls, call{uuid.NewString(), fmt.Sprintf("task_%d", i+1), fmt.Sprintf(`{"number":%d}`, i+1)})
		}
		return s.propose(o, calls...)
	}
	return o.say([]string{"What?"}, 0)
}

func (o *stream) say(deltas []string, pause time.Duration) error {
	id := uuid.NewString()
	o.send(events.NewTextMessageStartEvent(id, events.WithRole("assistant")))
	for _, delta := range deltas {
		time.Sleep(pause)
		o.send(events.NewTextMessageContentEvent(id, delta))
	}
	o.send(events.NewTextMessageEndEvent(id))
	return o.finish(events.WithSuccessOutcome())
}

func (o *stream) call(c call) {
	o.send(events.NewToolCallStartEvent(c.id, c.name))
	o.send(events.NewToolCallArgsEvent(c.id, c.args))
	o.send(events.NewToolCallEndEvent(c.id))
}

func (s *server) propose(o *stream, calls ...call) error {
	q := question{calls: calls}
	message := types.Message{ID: uuid.NewString(), Role: types.RoleAssistant}
	for _, c := range calls {
		o.call(c)
		q.interrupts = append(q.interrupts, types.Interrupt{ID: uuid.NewString(), Reason: "tool_call", ToolCallID: c.id})
		message.ToolCalls = append(message.ToolCalls, types.ToolCall{ID: c.id, Type: "function",
			Function: types.FunctionCall{Name: c.name, Arguments: c.args}})
	}
	o.messages = append(o.messages, message)
	return s.ask(o, q)
}

func (s *server) ask(o *stream, q question) error {
	s.mu.Lock()
	s.waiting[o.input.ThreadID] = q
	s.mu.Unlock()
	state := o.input.State
	if state == nil {
		state = map[string]any{}
	}
	o.send(events.NewStateSnapshotEvent(state))
	o.send(events.NewMessagesSnapshotEvent(append(o.input.Messages, o.messages...)))
	return o.finish(events.WithInterruptOutcome(q.interrupts))
}

// resume checks the answers before it takes the question out.
func (s *server) resume(o *stream, open question) error {
	answers := map[string]types.ResumeEntry{}
	for _, answer := range o.input.Resume {
		answers[answer.InterruptID] = answer
	}
	for _, i := range open.interrupts {
		if _, answered := answers[i.ID]; !answered {
			return fmt.Errorf("the interrupt %s is not answered", i.ID)
		}
	}
	if len(answers) != len(open.interrupts) {
		return fmt.Errorf("there is an answer to a question that is not open")
	}
	s.mu.Lock()
	delete(s.waiting, o.input.ThreadID)
	s.mu.Unlock()
	for i, c := range open.calls {
		answer := answers[open.interrupts[i].ID]
		payload, _ := answer.Payload.(map[string]any)
		approved, _ := payload["approved"].(bool)
		args := json.RawMessage(c.args)
		if edited, there := payload["editedArgs"]; there {
			args, _ = json.Marshal(edited)
		}
		o.call(c)
		result, _ := json.Marshal(map[string]any{"executed": approved && answer.Status == types.ResumeStatusResolved, "args": args})
		o.send(events.NewToolCallResultEvent(uuid.NewString(), c.id, string(result)))
	}
	return o.finish(events.WithSuccessOutcome())
}
