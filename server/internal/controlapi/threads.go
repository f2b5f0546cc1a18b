package controlapi

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
)

type positionJSON struct {
	Epoch string `json:"epoch"`
	Seq   int64  `json:"seq"`
}

type titleJSON struct {
	Title string `json:"title" jsonschema:"The new title. The server keeps at most 60 bytes of it."`
}

type messagesJSON struct {
	Items []json.RawMessage `json:"items"`
	// Sequence is a place, and no name: the thread keeps an order, and no count of what has been in it.
	Sequence int64  `json:"sequence,omitempty" jsonschema:"The number of the first item in the thread, counted from 1. Each later item has the next number. Messages that replace others get the numbers of those. An empty page has none."`
	Older    int64  `json:"older,omitempty" jsonschema:"The number of messages before the first item."`
	Before   string `json:"before,omitempty" jsonschema:"The value of before for the previous page. The first page has none."`

	Producers map[string]producerJSON `json:"producers,omitempty" jsonschema:"The origin of each item, by its id, in answers to requests with limit or before. A message that was stored before the server recorded origins has none."`
}

type producerJSON struct {
	RunID string `json:"runId" jsonschema:"The client's id of the run that brought or made the message."`
	Step  string `json:"step,omitempty" jsonschema:"The step, or the subagent, that was under way."`
}

func messagePage(items []json.RawMessage, older int64, before string, by map[string]store.Producer) messagesJSON {
	page := messagesJSON{Items: append([]json.RawMessage{}, items...), Older: older, Before: before}
	for id, p := range by {
		if page.Producers == nil {
			page.Producers = make(map[string]producerJSON, len(by))
		}
		page.Producers[id] = producerJSON(p)
	}
	if len(items) > 0 {
		page.Sequence = older + 1
	}
	return page
}

var messageParameters = []parameter{
	{"limit", "The number of messages, at most 200. The page has the last ones, and fewer if they are very long. Without limit it has all messages, or 50 if before is given."},
	{"before", "A place in the thread: the page has the messages before it. A later page, ws.attached, and the header Aguiws-Before of a stream each name one."},
}

type inputJSON struct {
	Text      string    `json:"text" jsonschema:"The user message. If it is empty, after or before must be given: the agent then answers the last message that stays."`
	Label     string    `json:"runId,omitempty" jsonschema:"An id of the caller's for the run. The caller sends the same id to repeat the same input. The server makes one if it is left out."`
	Agent     string    `json:"agent,omitempty"`
	StopAll   bool      `json:"interrupt,omitempty" jsonschema:"The server first stops everything that is under way."`
	After     string    `json:"after,omitempty" jsonschema:"The id of the message to rewind to. The server takes the messages after it out of the thread and keeps them as a branch. It refuses while a run is under way."`
	Before    string    `json:"before,omitempty" jsonschema:"The id of the message to rewind past. The server takes this message out as well."`
	When      string    `json:"when,omitempty" jsonschema:"The time at which the message is heard. With queue, the default, it gets a run of its own. With step, the active run hears it at its next step if the agent listens for messages. Until then it is queued, and an open interrupt stays open."`
	Priority  *uint8    `json:"priority,omitempty" jsonschema:"The place in the queue: 0 is first and 255 is last. The default is 128."`
	Dedupe    string    `json:"dedupe,omitempty" jsonschema:"A key of the caller's. The server refuses the input while another input of the thread with the same key waits or runs."`
	Available time.Time `json:"availableAt,omitzero" jsonschema:"The time before which the run does not begin."`
}

type admittedJSON struct {
	Disposition string        `json:"disposition" jsonschema:"The server's verdict: started, queued, or repeat if the same input had been accepted before."`
	Label       string        `json:"runId" jsonschema:"The client's id of the run."`
	ID          string        `json:"id" jsonschema:"The server's id of the run."`
	Position    *positionJSON `json:"start,omitempty" jsonschema:"The position before the run's RUN_STARTED."`
}

type reasonJSON struct {
	Reason string `json:"reason,omitempty" jsonschema:"A reason, which the server stores with each run that it stops."`
}

type allStoppedJSON struct {
	Epoch      int64    `json:"epoch" jsonschema:"The thread's dispatch epoch after the stop."`
	Active     string   `json:"active,omitempty" jsonschema:"The run that was under way."`
	Superseded []string `json:"superseded" jsonschema:"The runs that waited in the queue."`
	Waiting    string   `json:"waiting,omitempty" jsonschema:"The run that waited for answers. Its questions are cancelled."`

	Below *stoppedBelowJSON `json:"below,omitempty" jsonschema:"The state of the threads below this one. It is left out if the store could not read it."`
}

type pauseJSON struct {
	Reason    string `json:"reason,omitempty" jsonschema:"The reason: review, safety, budget, maintenance or other."`
	Text      string `json:"text,omitempty" jsonschema:"A text that people see, at most 500 bytes."`
	TimeoutMs int    `json:"timeoutMs,omitempty" jsonschema:"The length of the pause in milliseconds. The default is a setting of the server."`
	OnTimeout string `json:"onTimeout,omitempty" jsonschema:"The action at the end of the pause: go_on, the default, or cancel."`
}

type pausedJSON struct {
	Paused  bool `json:"paused" jsonschema:"The run is paused."`
	Pending bool `json:"pending" jsonschema:"The run will stop at its next step, if it reaches one. If paused and pending are both false, no run is under way."`
}

type resumedJSON struct {
	Resumed bool `json:"resumed" jsonschema:"The value is false if no run was paused."`
}

func threadOperations() []operation {
	return []operation{
		{method: "GET", path: "/threads", id: "listThreads", lists: true, summary: "List the threads of a namespace, the latest input first",
			scope: identity.ScopeRead, query: threadsParameters, status: 200, answer: listOf[threadJSON]{}, serve: (*call).listThreads},
		{method: "GET", path: "/threads/{thread}", id: "getThread", summary: "Read a thread: its messages, its state and its open interrupts",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, status: 200, answer: wholeThreadJSON{}, serve: (*call).getThread},
		{method: "PATCH", path: "/threads/{thread}", id: "renameThread", summary: "Give a thread a title",
			notes: blindNotes, scope: identity.ScopeRun, beyond: identity.ScopeAdmin, body: titleJSON{}, status: 200, answer: threadJSON{}, blind: blindThreadJSON{}, serve: (*call).renameThread},
		{method: "DELETE", path: "/threads/{thread}", id: "deleteThread", summary: "Delete a thread in which no run is active and no input waits",
			notes: "The questions that are open in it are cancelled, and the run that waits for them ends.",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, status: 204, serve: (*call).deleteThread},
		{method: "GET", path: "/threads/{thread}/messages", id: "listMessages", summary: "List the messages of a thread",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, query: messageParameters, status: 200, answer: messagesJSON{}, serve: (*call).listMessages},
		{method: "POST", path: "/threads/{thread}/input", id: "addInput", summary: "Add a user message, or rewind the thread first",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, admits: true, body: inputJSON{}, status: 202, answer: admittedJSON{}, serve: (*call).addInput},
		{method: "POST", path: "/threads/{thread}/interrupt", id: "interruptThread", summary: "Stop everything in a thread: the active run, the queued inputs, and the run that waits for answers",
			notes: "Open interrupts are cancelled.",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, query: stopParameters, body: reasonJSON{}, status: 200, answer: allStoppedJSON{}, serve: (*call).stopAll},
		{method: "POST", path: "/threads/{thread}/pause", id: "pauseThread", summary: "Pause the active run at its next step",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, body: pauseJSON{}, status: 200, answer: pausedJSON{}, serve: (*call).pauseThread},
		{method: "POST", path: "/threads/{thread}/unpause", id: "unpauseThread", summary: "Continue a paused run",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, admits: true, status: 200, answer: resumedJSON{}, serve: (*call).unpauseThread},
	}
}

// thread reads the path's thread, which must have been used.
func (c *call) thread() (*operate.Thread, error) {
	t, err := c.Runner.Thread(c.r.Context(), c.key)
	if err == nil && t == nil {
		err = errNoThread
	}
	return t, err
}

// used refuses the path's thread if it was never used, without reading what is in it.
func (c *call) used() error {
	_, used, err := c.Runner.Whose(c.r.Context(), c.key)
	if err == nil && !used {
		err = errNoThread
	}
	return err
}

// messageTexts are messages as JSON, which is no HTML, as in written.
func messageTexts(messages protocol.Messages) ([]json.RawMessage, error) {
	texts := make([]json.RawMessage, len(messages))
	for i, m := range messages {
		var err error
		if texts[i], err = m.MarshalJSON(); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func (c *call) listMessages() (any, error) {
	limit, err := c.number("limit", maxPage)
	if err != nil {
		return nil, err
	}
	if before := c.r.URL.Query().Get("before"); limit > 0 || before != "" {
		return c.pageOfMessages(store.MessageQuery{Before: before, Limit: limit})
	}
	t, err := c.thread()
	if err != nil {
		return nil, err
	}
	messages, err := messageTexts(t.Messages)
	return messagePage(messages, 0, "", nil), err
}

func (c *call) pageOfMessages(q store.MessageQuery) (any, error) {
	page, err := c.Runner.Messages(c.r.Context(), c.key, q)
	if err == nil && page == nil {
		err = errNoThread
	}
	if err != nil {
		return nil, err
	}
	return messagePage(page.Messages, page.Older, page.Before, page.Producers), nil
}

func (c *call) renameThread() (any, error) {
	var title titleJSON
	if err := c.read(&title); err != nil {
		return nil, err
	}
	used, err := c.Runner.SetTitle(c.r.Context(), c.key, title.Title)
	if err != nil {
		return nil, err
	}
	if !used {
		return nil, errNoThread
	}
	t, err := c.Runner.OneInTree(c.r.Context(), c.key)
	if err == nil && t == nil {
		err = errNoThread
	}
	if err != nil {
		return nil, err
	}
	return c.shown(*t, false), nil
}

func (c *call) deleteThread() (any, error) {
	_, err := c.deleteTree()
	return nil, err
}

func (c *call) addInput() (any, error) {
	var in inputJSON
	if err := c.read(&in); err != nil {
		return nil, err
	}
	switch {
	case in.Text == "" && in.After == "" && in.Before == "":
		return nil, badRequest("text: must not be empty")
	case !c.hasAgent(in.Agent):
		return nil, badRequest("agent: there is no agent of that name")
	}
	if in.Label == "" {
		in.Label = newLabel("input")
	}
	admitted, err := c.Runner.Inject(c.r.Context(), operate.Injection{
		From:      c.caller.Origin(store.ThroughOperator),
		Namespace: c.key.Namespace, Tenant: c.caller.Identity.Tenant, User: c.caller.Name(), Thread: c.key.Thread, Agent: in.Agent, Text: in.Text,
		Label: in.Label, StopAll: in.StopAll, After: in.After, Before: in.Before, When: admission.WhenNamed(in.When),
		Dispatch: admission.DispatchOptions{Priority: in.Priority, Dedupe: in.Dedupe, Available: in.Available},
		Headers:  c.caller.Headers,
	})
	return c.admitted(admitted, in.Label, err)
}

// admitted answers an input that was judged.
func (c *call) admitted(a admission.Admitted, label string, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if a.Refusal != nil {
		return nil, problemOfInput(a.Refusal)
	}
	if a.Of != "" {
		label = a.Of
	}
	answer := admittedJSON{Disposition: string(a.Disposition), Label: label, ID: a.RunID}
	if a.Position.Epoch != "" {
		answer.Position = &positionJSON{a.Position.Epoch, a.Position.Seq}
	}
	return answer, nil
}

func (c *call) stopAll() (any, error) {
	var why reasonJSON
	if err := c.read(&why); err != nil {
		return nil, err
	}
	if _, err := c.thread(); err != nil && !errors.Is(err, store.ErrCorrupted) {
		return nil, err
	}
	stop, err := c.stopsBelow()
	if err != nil {
		return nil, err
	}
	i, err := c.Runner.StopAll(c.r.Context(), c.key, why.Reason, c.actor())
	if err != nil {
		return nil, err
	}
	stopped := allStoppedJSON{Epoch: i.Epoch, Active: i.Active, Superseded: append([]string{}, i.Superseded...), Waiting: i.Waiting}
	stopped.Below, err = c.below(why.Reason, stop)
	return stopped, err
}

func (c *call) pauseThread() (any, error) {
	var how pauseJSON
	if err := c.read(&how); err != nil {
		return nil, err
	}
	if _, err := c.thread(); err != nil {
		return nil, err
	}
	state, err := c.Runner.Pause(c.r.Context(), c.key, operate.PauseOptions{
		Reason: operate.PauseReason(how.Reason), Text: how.Text, Timeout: milliseconds(how.TimeoutMs),
		OnTimeout: operate.OnPauseTimeout(how.OnTimeout),
	})
	switch {
	case errors.Is(err, operate.ErrCannotPause):
		return nil, errCannotPause
	case errors.Is(err, operate.ErrPauseOptions):
		return nil, badRequest(strings.TrimPrefix(err.Error(), operate.ErrPauseOptions.Error()+": "))
	}
	return pausedJSON{state == operate.PausePaused, state == operate.PausePending}, err
}

// milliseconds is a time that is refused where it is none that can be waited for.
func milliseconds(ms int) time.Duration {
	return time.Duration(max(min(int64(ms), math.MaxInt64/int64(time.Millisecond)), -1)) * time.Millisecond
}

func (c *call) unpauseThread() (any, error) {
	if _, err := c.thread(); err != nil {
		return nil, err
	}
	resumed, err := c.Runner.Unpause(c.r.Context(), c.key, c.caller.Identity.Tenant, c.caller.Name(), newLabel("unpause"),
		c.caller.Origin(store.ThroughOperator), c.caller.Headers)
	return resumedJSON{resumed}, err
}
