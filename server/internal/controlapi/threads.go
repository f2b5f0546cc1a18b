package controlapi

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
)

type threadInfoJSON struct {
	ThreadID   string    `json:"threadId"`
	Title      string    `json:"title"`
	Updated    time.Time `json:"updatedAt" jsonschema:"its latest input; of those that wait alone, when it was asked"`
	Active     bool      `json:"active" jsonschema:"a run is under way"`
	Suspended  bool      `json:"waiting" jsonschema:"interrupts are open"`
	Queued     int       `json:"queued" jsonschema:"inputs that wait"`
	Failed     bool      `json:"failed" jsonschema:"the run that began last has failed; false if it was stopped, and of those that wait alone"`
	ActiveRun  string    `json:"activeRun,omitempty" jsonschema:"id of the run under way"`
	LatestRun  string    `json:"latestRun,omitempty" jsonschema:"id of the run that began last; left out of those that wait alone"`
	Agent      string    `json:"agent,omitempty" jsonschema:"whose run began last; left out if it has no name"`
	Parent     string    `json:"parentThreadId,omitempty" jsonschema:"the thread that it stands below"`
	Waits      []string  `json:"waitsFor,omitempty" jsonschema:"threads below it that have open interrupts, of the 200 of the namespace that have waited longest: the nearest first, 20 at most"`
	WaitsCount int       `json:"waitsForCount,omitempty" jsonschema:"how many of those 200 stand below it"`
}

type positionJSON struct {
	Epoch string `json:"epoch"`
	Seq   int64  `json:"seq"`
}

type threadJSON struct {
	ThreadID   string            `json:"threadId"`
	Title      string            `json:"title"`
	State      json.RawMessage   `json:"state"`
	Messages   []json.RawMessage `json:"messages"`
	Position   positionJSON      `json:"position" jsonschema:"the end of the thread's log"`
	ActiveRun  string            `json:"activeRun,omitempty" jsonschema:"id of the run under way"`
	OpenRun    string            `json:"openRun,omitempty" jsonschema:"id of the run under way, or of the one that has asked"`
	LatestRun  string            `json:"latestRun,omitempty" jsonschema:"id of the run that began last"`
	Queued     int               `json:"queued"`
	Paused     bool              `json:"paused" jsonschema:"its run is paused: unpause goes on with it"`
	Pausing    bool              `json:"pausePending" jsonschema:"the active run is to be paused at its next step"`
	Interrupts []interruptJSON   `json:"interrupts"`
	Parent     string            `json:"parentThreadId,omitempty" jsonschema:"the thread that it stands below"`
	Waits      []string          `json:"waitsFor,omitempty" jsonschema:"threads below it that have open interrupts, of the 200 of the namespace that have waited longest: the nearest first, 20 at most"`
	WaitsCount int               `json:"waitsForCount,omitempty" jsonschema:"how many of those 200 stand below it"`
	Partial    bool              `json:"partial,omitempty" jsonschema:"where it stands and what waits below it could not be read"`
	Corrupted  bool              `json:"corrupted,omitempty" jsonschema:"some of what is stored cannot be read and is left out"`
}

type titleJSON struct {
	Title string `json:"title" jsonschema:"at most 60 bytes are kept"`
}

type messagesJSON struct {
	Items []json.RawMessage `json:"items"`
	// Sequence is a place, and no name: the thread keeps an order, and no count of what has been in it.
	Sequence int64  `json:"sequence,omitempty" jsonschema:"of the first item, and one more for each behind it: where they stand in the thread, counted from 1. What comes in the place of messages that were taken out gets their numbers. Left out of an empty page"`
	Older    int64  `json:"older,omitempty" jsonschema:"how many messages stand before these"`
	Before   string `json:"before,omitempty" jsonschema:"for the page before this one; left out at the beginning"`

	Producers map[string]producerJSON `json:"producers,omitempty" jsonschema:"with limit or before: where the items come from, by their ids. One that is not named came before the server noted it"`
}

type producerJSON struct {
	RunID string `json:"runId" jsonschema:"the client's, of the run that it came with or that made it"`
	Step  string `json:"step,omitempty" jsonschema:"the step of its agent, or its subagent, that was under way"`
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
	{"limit", "the last messages, at most 200, or fewer where they are very long; all, or 50 before a place, if left out"},
	{"before", "of the page behind, of ws.attached, or of a stream's Aguiws-Before: the messages that stand before it"},
}

type inputJSON struct {
	Text      string    `json:"text" jsonschema:"the user message; empty with after or before: none is added, and the user message that stays last is answered anew"`
	Label     string    `json:"runId,omitempty" jsonschema:"the same for the same input sent again; made if left out"`
	Agent     string    `json:"agent,omitempty"`
	StopAll   bool      `json:"interrupt,omitempty" jsonschema:"stop all that is under way first"`
	After     string    `json:"after,omitempty" jsonschema:"rewind: the messages after the one with this id are taken out first, and kept as a branch; refused while a run is under way"`
	Before    string    `json:"before,omitempty" jsonschema:"rewind: the message with this id is taken out too"`
	When      string    `json:"when,omitempty" jsonschema:"step: heard by the run under way at its next step, if its agent listens, and queued until then; an open interrupt stays open. queue, or left out: by a run of its own"`
	Priority  *uint8    `json:"priority,omitempty" jsonschema:"0 is first and 255 last; 128 if left out"`
	Dedupe    string    `json:"dedupe,omitempty" jsonschema:"refused while an input of the thread with this key waits or runs"`
	Available time.Time `json:"availableAt,omitzero" jsonschema:"not to begin before"`
}

type admittedJSON struct {
	Disposition string        `json:"disposition" jsonschema:"started, queued or repeat"`
	Label       string        `json:"runId" jsonschema:"the client's name of the run"`
	ID          string        `json:"id" jsonschema:"the server's"`
	Position    *positionJSON `json:"start,omitempty" jsonschema:"the position before its RUN_STARTED"`
}

type reasonJSON struct {
	Reason string `json:"reason,omitempty" jsonschema:"kept with what is stopped"`
}

type allStoppedJSON struct {
	Epoch      int64    `json:"epoch" jsonschema:"the thread's dispatch epoch by now"`
	Active     string   `json:"active,omitempty" jsonschema:"the run that was under way"`
	Superseded []string `json:"superseded" jsonschema:"the runs that waited in the queue"`
	Waiting    string   `json:"waiting,omitempty" jsonschema:"the run that waited for answers; its questions are cancelled"`

	Below *stoppedBelowJSON `json:"below,omitempty" jsonschema:"what goes on in the threads below it; left out where that could not be read"`
}

type pauseJSON struct {
	Reason    string `json:"reason,omitempty" jsonschema:"review, safety, budget, maintenance or other"`
	Text      string `json:"text,omitempty" jsonschema:"shown to people; at most 500 bytes"`
	TimeoutMs int    `json:"timeoutMs,omitempty" jsonschema:"for how long the run stays paused; what the server's settings say if left out"`
	OnTimeout string `json:"onTimeout,omitempty" jsonschema:"go_on, also if left out, or cancel: what becomes of the run then"`
	GraceMs   int    `json:"graceMs,omitempty" jsonschema:"for how long the run may take to come to a step before the pause is off; until it ends if left out"`
}

type pausedJSON struct {
	Paused  bool `json:"paused" jsonschema:"the run is paused"`
	Pending bool `json:"pending" jsonschema:"the run stops at its next step, if it comes to one; both false: no run is under way"`
}

type resumedJSON struct {
	Resumed bool `json:"resumed" jsonschema:"false: there was nothing to go on with"`
}

func threadOperations() []operation {
	return []operation{
		{method: "GET", path: "/threads", id: "listThreads", summary: "The threads of the caller's namespace, or of another of its tenant, latest input first",
			scope: identity.ScopeRead, query: threadsParameters, status: 200, answer: listOf[threadInfoJSON]{}, serve: (*call).listThreads},
		{method: "GET", path: "/threads/{thread}", id: "getThread", summary: "A thread: messages, state, what is open",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, status: 200, answer: threadJSON{}, serve: (*call).getThread},
		{method: "PATCH", path: "/threads/{thread}", id: "renameThread", summary: "Give a thread a title",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, body: titleJSON{}, status: 204, serve: (*call).renameThread},
		{method: "DELETE", path: "/threads/{thread}", id: "deleteThread", summary: "Forget a thread that is at rest",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, status: 204, serve: (*call).deleteThread},
		{method: "GET", path: "/threads/{thread}/messages", id: "listMessages", summary: "The messages of a thread",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, query: messageParameters, status: 200, answer: messagesJSON{}, serve: (*call).listMessages},
		{method: "POST", path: "/threads/{thread}/input", id: "addInput", summary: "Add a user message, or rewind and add one or answer one anew",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, admits: true, body: inputJSON{}, status: 202, answer: admittedJSON{}, serve: (*call).addInput},
		{method: "POST", path: "/threads/{thread}/interrupt", id: "interruptThread", summary: "Stop all that is under way or waits; open interrupts stay",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, query: stopParameters, body: reasonJSON{}, status: 200, answer: allStoppedJSON{}, serve: (*call).stopAll},
		{method: "POST", path: "/threads/{thread}/pause", id: "pauseThread", summary: "Suspend the active run at its next step",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, body: pauseJSON{}, status: 200, answer: pausedJSON{}, serve: (*call).pauseThread},
		{method: "POST", path: "/threads/{thread}/unpause", id: "unpauseThread", summary: "Go on with what was paused",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, admits: true, status: 200, answer: resumedJSON{}, serve: (*call).unpauseThread},
	}
}

// thread reads the path's thread, which must have been used.
func (c *call) thread() (*adapter.Thread, error) {
	t, err := c.Runner.Thread(c.r.Context(), c.key)
	if err == nil && t == nil {
		err = errNoThread
	}
	return t, err
}

func (c *call) getThread() (any, error) {
	t, err := c.thread()
	if err != nil {
		return nil, err
	}
	// The tree lies in another part of the store, which keeps nobody from the thread.
	stand, failed := c.Runner.Placed(c.r.Context(), c.key.Namespace, []string{c.key.Thread})
	of := stand[c.key.Thread]
	messages, err := messageTexts(t.Messages)
	return threadJSON{
		ThreadID: t.Thread, Title: t.Title, State: t.State, Messages: messages,
		Position: positionJSON{t.End.Epoch, t.End.Seq}, ActiveRun: t.Active, OpenRun: t.OpenRun, LatestRun: t.Latest, Queued: t.Queued,
		Paused: t.Pause == adapter.PausePaused, Pausing: t.Pause == adapter.PausePending,
		Interrupts: interruptsOf(t.Open), Corrupted: t.Corrupted,
		Parent: of.Parent, Waits: of.Waits, WaitsCount: of.WaitsCount, Partial: failed != nil,
	}, err
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
	if err == nil && !used {
		err = errNoThread
	}
	return nil, err
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
	admitted, err := c.Runner.Inject(c.r.Context(), adapter.Injection{
		From:      c.caller.Origin(adapter.ThroughOperator),
		Namespace: c.key.Namespace, Tenant: c.caller.Tenant(), User: c.caller.User(), Thread: c.key.Thread, Agent: in.Agent, Text: in.Text,
		Label: in.Label, StopAll: in.StopAll, After: in.After, Before: in.Before, When: adapter.WhenNamed(in.When),
		Dispatch: adapter.DispatchOptions{Priority: in.Priority, Dedupe: in.Dedupe, Available: in.Available},
		Headers:  c.caller.Headers(),
	})
	return c.admitted(admitted, in.Label, err)
}

// admitted answers an input that was judged.
func (c *call) admitted(a adapter.Admitted, label string, err error) (any, error) {
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
	state, err := c.Runner.Pause(c.r.Context(), c.key, adapter.PauseOptions{
		Reason: adapter.PauseReason(how.Reason), Text: how.Text, Timeout: milliseconds(how.TimeoutMs),
		OnTimeout: adapter.OnPauseTimeout(how.OnTimeout), Grace: milliseconds(how.GraceMs),
	})
	switch {
	case errors.Is(err, adapter.ErrCannotPause):
		return nil, errCannotPause
	case errors.Is(err, adapter.ErrPauseOptions):
		return nil, badRequest(strings.TrimPrefix(err.Error(), adapter.ErrPauseOptions.Error()+": "))
	}
	return pausedJSON{state == adapter.PausePaused, state == adapter.PausePending}, err
}

// milliseconds is a time that is refused where it is none that can be waited for.
func milliseconds(ms int) time.Duration {
	return time.Duration(max(min(int64(ms), math.MaxInt64/int64(time.Millisecond)), -1)) * time.Millisecond
}

func (c *call) unpauseThread() (any, error) {
	if _, err := c.thread(); err != nil {
		return nil, err
	}
	resumed, err := c.Runner.Unpause(c.r.Context(), c.key, c.caller.Tenant(), c.caller.User(), newLabel("unpause"),
		c.caller.Origin(adapter.ThroughOperator), c.caller.Headers())
	return resumedJSON{resumed}, err
}
