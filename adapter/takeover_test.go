package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

var errCut = fmt.Errorf("%w: cut", store.ErrOutcomeUnknown)

// cutStore is a worker's way to the store until it is cut: what a dead process
// looks like from outside. How events fall into batches is a matter of timing,
// so it may cut one in two.
type cutStore struct {
	store.Store
	mu     sync.Mutex
	events int                // that still pass; negative: no limit
	before protocol.EventType // the first of these does not pass, nor what follows
	cut    bool
	lost   chan struct{} // closed when it is cut
	passed int
	fold   *fold.Fold // of the run's events that passed
	lapse  func()     // ends its lease
}

// cutAfter lets that many events pass; a negative number is no limit.
func (l *lab) cutAfter(store store.Store, events int) *cutStore {
	held := fold.New(nil, nil)
	held.Apply(&protocol.RunStarted{})
	return &cutStore{Store: store, events: events, lost: make(chan struct{}), fold: held, lapse: l.lapse}
}

// cutBefore lets pass what comes before an event of the type.
func (l *lab) cutBefore(store store.Store, t protocol.EventType) *cutStore {
	c := l.cutAfter(store, -1)
	c.before = t
	return c
}

func (c *cutStore) sever() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.severed()
}

func (c *cutStore) severed() {
	if !c.cut {
		c.cut = true
		c.lapse()
		close(c.lost)
	}
}

func (c *cutStore) pass() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return errCut
	}
	return nil
}

func (c *cutStore) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return store.CommitResult{}, errCut
	}
	if i := slices.IndexFunc(b.Events, c.ends); i >= 0 {
		c.events = i
	}
	if c.events >= 0 && len(b.Events) > c.events {
		defer c.severed()
		b.Events, b.End = b.Events[:c.events], nil
		b.Closing = c.closing(b.Events)
		end := b.Expect + int64(len(b.Events))
		b.Entries = slices.DeleteFunc(slices.Clone(b.Entries), func(text rawJSON) bool {
			var r struct{ Position int64 }
			return json.Unmarshal(text, &r) != nil || r.Position > end
		})
		if _, err := c.Store.Commit(ctx, b); err != nil {
			return store.CommitResult{}, err
		}
		return store.CommitResult{}, errCut
	}
	if c.events >= 0 {
		c.events -= len(b.Events)
	}
	c.passed += len(b.Events)
	c.closing(b.Events)
	return c.Store.Commit(ctx, b)
}

func (c *cutStore) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	return sent(ctx, c, b, answered)
}

// closing is what ends what the run has open after the events.
func (c *cutStore) closing(events [][]byte) rawJSON {
	for _, text := range events {
		if e, err := protocol.Decode(text); err == nil {
			c.fold.Apply(e)
		}
	}
	closings := []rawJSON{}
	for _, e := range c.fold.Closings() {
		text, err := protocol.Encode(e)
		if err != nil {
			panic(err)
		}
		closings = append(closings, text)
	}
	list, err := json.Marshal(closings)
	if err != nil {
		panic(err)
	}
	return list
}

// Renew is not under way when the way is cut: the lease would hold on behind it.
func (c *cutStore) Renew(ctx context.Context, claim store.Claim) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return false, errCut
	}
	return c.Store.Renew(ctx, claim)
}

// Work is not under way when the way is cut: what it was given nobody else would be.
func (c *cutStore) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return nil, errCut
	}
	return c.Store.Work(ctx, q)
}

func (c *cutStore) HandBack(ctx context.Context, claim store.Claim) error {
	if err := c.pass(); err != nil {
		return err
	}
	return c.Store.HandBack(ctx, claim)
}

func (c *cutStore) Claim(ctx context.Context, r store.ClaimRequest) (store.ClaimResult, error) {
	if err := c.pass(); err != nil {
		return store.ClaimResult{}, err
	}
	return c.Store.Claim(ctx, r)
}

func (c *cutStore) ends(event []byte) bool {
	e, err := protocol.Decode(event)
	return c.before != "" && err == nil && e.Type() == c.before
}

// steady is an agent whose run has everything open at one time or another. It
// emits the same in every call, and counts what its steps do.
type steady struct {
	restart bool
	mu      sync.Mutex
	ran     map[string]int
}

func (s *steady) Restartable() bool { return s.restart }

func (s *steady) Run(ctx context.Context, run *adapter.Run) error {
	count := func(name string) func(context.Context) (bool, error) {
		return func(context.Context) (bool, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.ran[name]++
			return true, run.Say("inside " + name)
		}
	}
	text, err := run.Text()
	if err != nil {
		return err
	}
	for i := range 3 {
		if _, err := fmt.Fprintf(text, "%d ", i); err != nil {
			return err
		}
	}
	finish, err := run.StartStep("phase")
	if err != nil {
		return err
	}
	if err := run.SetState(map[string][]string{"done": {}}); err != nil {
		return err
	}
	if _, err := adapter.StepWith(ctx, run, "first", adapter.StepOptions{Idempotent: true}, count("first")); err != nil {
		return err
	}
	fmt.Fprint(text, "after ")
	if err := run.PatchState(json.RawMessage(`[{"op":"add","path":"/done/-","value":"first"}]`)); err != nil {
		return err
	}
	if err := s.delegate(run, "outer", func() error {
		if err := s.delegate(run, "inner", func() error { return nil }); err != nil {
			return err
		}
		_, err := adapter.StepWith(ctx, run, "between", adapter.StepOptions{Idempotent: true}, count("between"))
		return err
	}); err != nil {
		return err
	}
	call := run.NewID()
	if err := run.Emit(
		&protocol.ToolCallStart{ToolCallID: call, ToolCallName: "look"},
		&protocol.ToolCallArgs{ToolCallID: call, Delta: `{"x":`},
		&protocol.ToolCallArgs{ToolCallID: call, Delta: `1}`},
		&protocol.ToolCallEnd{ToolCallID: call},
	); err != nil {
		return err
	}
	if _, err := adapter.StepWith(ctx, run, "second", adapter.StepOptions{Idempotent: true}, count("second")); err != nil {
		return err
	}
	if err := run.ToolResult(call, "seen"); err != nil {
		return err
	}
	if err := run.Think("hm"); err != nil {
		return err
	}
	fmt.Fprint(text, "end")
	if err := finish(); err != nil {
		return err
	}
	return text.Close()
}

// delegate lets a subagent speak before and after fn.
func (s *steady) delegate(run *adapter.Run, name string, fn func() error) error {
	return run.Delegate(name, "", func(id string) error {
		by, message := protocol.Attributed{SubagentRunID: &id}, run.NewID()
		if err := run.Emit(
			&protocol.StepStarted{Attributed: by, StepName: name},
			&protocol.TextMessageStart{Attributed: by, MessageID: message, Role: protocol.RoleAssistant},
			&protocol.TextMessageContent{Attributed: by, MessageID: message, Delta: name + " begins "},
		); err != nil {
			return err
		}
		if err := fn(); err != nil {
			return err
		}
		return run.Emit(
			&protocol.TextMessageContent{Attributed: by, MessageID: message, Delta: name + " ends"},
			&protocol.TextMessageEnd{Attributed: by, MessageID: message},
			&protocol.StepFinished{Attributed: by, StepName: name},
		)
	})
}

// Wherever the worker is lost, the run goes on elsewhere, and what clients hold
// in the end is what they would hold had it not been.
func TestTakeoverAtEveryEvent(t *testing.T) {
	whole := runCut(t, -1)
	for k := range whole.passed {
		t.Run(fmt.Sprintf("after %d", k), func(t *testing.T) {
			t.Parallel()
			cut := runCut(t, k)
			if got := finished(cut.events); got != "inner outer" {
				t.Errorf("finished subagents: %s after %s", got, show(cut.events))
			}
			if got, want := cut.held, whole.held; got != want {
				t.Errorf("a client holds\n%s\nwant\n%s\nafter %s", got, want, show(cut.events))
			}
			all, marked := snapshots(cut.events)
			if before, _ := snapshots(whole.events); marked != all-before {
				t.Errorf("%d of %d message snapshots say that the run was taken over, and %d are the run's own: %s", marked, all, before, show(cut.events))
			}
		})
	}
}

// snapshots counts message snapshots, and those of them by which a worker says
// that it takes over.
func snapshots(events []protocol.Event) (all, marked int) {
	for _, e := range events {
		if s, ok := e.(*protocol.MessagesSnapshot); ok {
			all++
			if string(s.Metadata["aguiws"]) == `{"takeover":true}` {
				marked++
			}
		}
	}
	return all, marked
}

// finished names the subagents that ended well, in order.
func finished(events []protocol.Event) string {
	names := map[string]string{}
	var ended []string
	for _, e := range events {
		switch e := e.(type) {
		case *protocol.SubagentStarted:
			names[e.SubagentRunID] = e.Name
		case *protocol.SubagentFinished:
			ended = append(ended, names[e.SubagentRunID])
		}
	}
	slices.Sort(ended)
	return strings.Join(slices.Compact(ended), " ")
}

type cutRun struct {
	passed int
	held   string
	events []protocol.Event
}

func runCut(t *testing.T, events int, configure ...func(*runner.Options)) cutRun {
	agent := &steady{restart: true, ran: map[string]int{}}
	l := newLab(t, agent, configure...)
	dying := l.cutAfter(l.store, events)
	l.beginOn(l.worker(dying, agent, configure...), "hi", "run-1")
	logged := l.untilEnd()
	succeeded(t, logged)
	l.wellFormed()
	agent.mu.Lock() // the call that was cut may still be in a step
	for name, n := range agent.ran {
		if n > 2 {
			t.Errorf("step %s ran %d times", name, n)
		}
	}
	agent.mu.Unlock()
	f := fold.New(nil, nil)
	for _, e := range l.got {
		f.Apply(e)
	}
	messages, err := json.Marshal(meaningful(f.Messages()))
	if err != nil {
		t.Fatal(err)
	}
	return cutRun{dying.passed, numbered(string(messages)) + string(f.State()), logged}
}

var madeID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}(~\d+)?`)

// numbered replaces made ids, which differ from execution to execution, by
// numbers in the order in which they appear.
func numbered(text string) string {
	seen := map[string]string{}
	return madeID.ReplaceAllStringFunc(text, func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprintf("id-%d", len(seen)+1)
		}
		return seen[id]
	})
}

// meaningful leaves out reasoning that a takeover emptied.
func meaningful(messages protocol.Messages) protocol.Messages {
	return slices.DeleteFunc(slices.Clone(messages), func(m protocol.Message) bool {
		return m.Role == protocol.RoleReasoning && m.Content.String() == ""
	})
}

// A run of which nothing was recorded ends when its agent cannot be restarted.
func TestWorkerLostBeforeAnything(t *testing.T) {
	agent := &steady{ran: map[string]int{}}
	l := newLab(t, agent)
	l.beginOn(l.worker(l.cutAfter(l.store, 1), agent), "hi", "run-1")
	failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
	l.wellFormed()
}

// A call of a subagent that began again under another id, and then again, is
// answered once and left pending by nobody.
func TestTakeoverTwiceInASubagent(t *testing.T) {
	t.Parallel()
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := adapter.StepWith(ctx, run, "a", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil }); err != nil {
			return err
		}
		return run.Delegate("helper", "", func(id string) error {
			by, call := protocol.Attributed{SubagentRunID: &id}, run.NewID()
			return run.Emit(
				&protocol.ToolCallStart{Attributed: by, ToolCallID: call, ToolCallName: "look"},
				&protocol.ToolCallEnd{Attributed: by, ToolCallID: call},
				&protocol.ToolCallResult{Attributed: by, MessageID: run.NewID(), ToolCallID: call, Content: *protocol.Text("seen"), Role: protocol.RoleTool},
			)
		})
	})
	l := newLab(t, agent)
	if err := l.runner.Shutdown(l.ctx()); err != nil {
		t.Fatal(err)
	}
	first, second := l.cutBefore(l.store, protocol.TypeToolCallResult), l.cutBefore(l.store, protocol.TypeToolCallResult)
	l.beginOn(l.worker(first, agent), "hi", "run-0")
	await(l, first.lost)
	l.worker(second, agent)
	await(l, second.lost)
	l.replace(agent)
	events := l.untilEnd()
	succeeded(t, events)
	l.wellFormed()
	if got := strings.Count(show(events), "SUBAGENT_STARTED"); got != 3 {
		t.Errorf("the subagent began %d times: %s", got, show(events))
	}
	if pending := events[len(events)-1].(*protocol.RunFinished).Outcome.PendingToolCallIDs; len(pending) != 0 {
		t.Errorf("pending %q", pending)
	}
}

// A run whose journal nobody can read ends when it has waited for who can, blames no
// worker, and the thread goes on.
func TestUnreadableJournal(t *testing.T) {
	t.Parallel()
	var lapse func() // ends the lease of who has tried
	l := newLabOn(t, func(s store.Store) store.Store {
		return &journals{s, func(view *store.ExecutionView) {
			view.Journal = append(view.Journal, rawJSON(`{"kind":"of another version"}`))
			lapse()
		}}
	}, asker(confirmation("?")),
		func(o *runner.Options) { o.AgentWait = -1 })
	lapse = l.lapse
	open := interrupts(t, l.say("hi"))
	failedWith(t, l.answer(resolved(open[0].ID, "1")), adapter.CodeStateCorrupted)
	interrupts(t, l.say("next"))
	l.wellFormed()
}
