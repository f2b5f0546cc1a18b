package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/protocol/order"
	"github.com/aguiws/aguiws/redisstore"
)

const (
	// leaseInTests is by the store's clock, which is put forward when a worker is
	// lost: nobody is taken for lost who is only slow.
	leaseInTests = 10 * time.Second
	// soon is how often other nodes look for what is due.
	soon = 500 * time.Millisecond
)

// lab is one thread, one store and a runner that can be lost and replaced.
type lab struct {
	t      *testing.T
	store  store.Store
	runner *runner.Runner
	key    store.ThreadKey
	runs   int
	got    []protocol.Event // all that was logged
	events [][]byte
	unread [][]byte // read with what until has returned
	cursor *follow.Follower
	woken  chan struct{}
	ahead  *atomic.Int64 // nanoseconds, of the store's clock
}

// newLab runs agent on an embedded store.
func newLab(t *testing.T, agent adapter.Agent, configure ...func(*runner.Options)) *lab {
	t.Helper()
	return newLabOn(t, func(s store.Store) store.Store { return s }, agent, configure...)
}

// newLabOn runs agent on what wrap makes of an embedded store.
func newLabOn(t *testing.T, wrap func(store.Store) store.Store, agent adapter.Agent, configure ...func(*runner.Options)) *lab {
	t.Helper()
	ahead := new(atomic.Int64)
	st, err := redisstore.Embedded(&redisstore.Options{Lease: leaseInTests, Clock: func() time.Time {
		return time.Now().Add(time.Duration(ahead.Load()))
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	l := &lab{t: t, store: wrap(st), key: store.ThreadKey{Namespace: "test", Thread: "thread"}, ahead: ahead}
	l.start(agent, configure...)
	l.follow(nil)
	return l
}

// forward puts the store's clock forward.
func (l *lab) forward(d time.Duration) { l.ahead.Add(int64(d)) }

// lapse ends all leases.
func (l *lab) lapse() { l.forward(leaseInTests + time.Millisecond) }

// follow reads the thread's events after a position, through the lab's runner.
func (l *lab) follow(after *store.Position) {
	l.t.Helper()
	woken := make(chan struct{}, 1)
	l.woken = woken
	l.cursor = l.runner.Follow(l.key, func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	l.t.Cleanup(l.cursor.Close)
	a, err := l.cursor.Attach(l.ctx(), after)
	if err != nil {
		l.t.Fatal(err)
	}
	if after != nil && !a.Recovered {
		l.t.Fatalf("not recovered: %s", a.Reason)
	}
}

// replace starts another runner, and reads on where the one before left off.
func (l *lab) replace(agent adapter.Agent, configure ...func(*runner.Options)) {
	l.t.Helper()
	at := l.cursor.Position()
	l.cursor.Close()
	l.start(agent, configure...)
	l.follow(&at)
}

// on is the same node on another thread.
func (l *lab) on(thread string) *lab {
	l.t.Helper()
	other := &lab{t: l.t, store: l.store, runner: l.runner, ahead: l.ahead, key: store.ThreadKey{Namespace: l.key.Namespace, Thread: thread}}
	other.follow(nil)
	return other
}

// deaf is a way to the store that leaves its deliveries to the lab's runner.
type deaf struct{ store.Store }

func (deaf) Listen(func(store.Delivery)) {}

// worker is another node, with its own way to the lab's store.
func (l *lab) worker(store store.Store, agent adapter.Agent, configure ...func(*runner.Options)) *runner.Runner {
	l.t.Helper()
	o := &runner.Options{Agents: map[string]adapter.Agent{"": agent}, Lease: leaseInTests, Sweep: soon, Logger: slog.New(slog.DiscardHandler)}
	for _, fn := range configure {
		fn(o)
	}
	w, err := runner.New(deaf{store}, o)
	if err != nil {
		l.t.Fatal(err)
	}
	l.abandon(w)
	return w
}

// abandon ends a worker with the test. What it carries is not waited for: a worker
// that was cut off goes on trying.
func (l *lab) abandon(w *runner.Runner) {
	l.t.Cleanup(func() {
		at, cancel := context.WithCancel(context.Background())
		cancel()
		w.Shutdown(at)
	})
}

// beginOn lets a worker begin a run.
func (l *lab) beginOn(w *runner.Runner, text, label string) {
	l.t.Helper()
	in := user(text)
	in.ThreadID, in.RunID = l.key.Thread, label
	if a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err != nil || a.Disposition != admission.Started {
		l.t.Fatalf("%s %+v %v", a.Disposition, a.Refusal, err)
	}
}

// await receives, unless that takes too long.
func await[T any](l *lab, from <-chan T) T {
	l.t.Helper()
	select {
	case v := <-from:
		return v
	case <-l.ctx().Done():
		l.t.Fatalf("nothing happens after %s", show(l.got))
		panic("unreachable")
	}
}

func (l *lab) start(agent adapter.Agent, configure ...func(*runner.Options)) {
	l.t.Helper()
	o := &runner.Options{
		Agents: map[string]adapter.Agent{"": agent}, Lease: leaseInTests, Sweep: 20 * time.Millisecond, Logger: slog.New(slog.DiscardHandler),
	}
	for _, fn := range configure {
		fn(o)
	}
	r, err := runner.New(l.store, o)
	if err != nil {
		l.t.Fatal(err)
	}
	l.runner = r
	l.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		r.Shutdown(ctx)
	})
}

// patience is for machines that do much else, and twice the longest rest of a run
// that a node cannot go on with.
const patience = time.Minute

func (l *lab) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	l.t.Cleanup(cancel)
	return ctx
}

// submit sends an input as a client would.
func (l *lab) submit(input *protocol.RunAgentInput) admission.Admitted {
	l.t.Helper()
	if input.ThreadID == "" {
		input.ThreadID = l.key.Thread
	}
	if input.RunID == "" {
		l.runs++
		input.RunID = fmt.Sprintf("run-%d", l.runs)
	}
	admitted, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: input})
	if err != nil {
		l.t.Fatal(err)
	}
	return admitted
}

// begins is submit of an input whose run must begin at once.
func (l *lab) begins(input *protocol.RunAgentInput) admission.Admitted {
	l.t.Helper()
	return l.taken(input, admission.Started)
}

// queues is submit of an input that must wait.
func (l *lab) queues(input *protocol.RunAgentInput) admission.Admitted {
	l.t.Helper()
	return l.taken(input, admission.Queued)
}

func (l *lab) taken(input *protocol.RunAgentInput, as admission.Disposition) admission.Admitted {
	l.t.Helper()
	a := l.submit(input)
	if a.Disposition != as {
		l.t.Fatalf("%s of %q, not %s: %+v", a.Disposition, a.Of, as, a.Refusal)
	}
	return a
}

// say sends a user message that must be accepted, and waits for the run's end.
func (l *lab) say(text string) []protocol.Event {
	l.t.Helper()
	l.begins(user(text))
	return l.untilEnd()
}

// answer resolves the open interrupts that must be, and waits for the end.
func (l *lab) answer(entries ...protocol.ResumeEntry) []protocol.Event {
	l.t.Helper()
	l.begins(&protocol.RunAgentInput{Resume: entries})
	return l.untilEnd()
}

func user(text string) *protocol.RunAgentInput {
	return &protocol.RunAgentInput{Messages: protocol.Messages{{ID: "m-" + text, Role: protocol.RoleUser, Content: protocol.Text(text)}}}
}

func resolved(id, payload string) protocol.ResumeEntry {
	return protocol.ResumeEntry{InterruptID: id, Status: protocol.ResumeResolved, Payload: protocol.Any(payload)}
}

func cancelled(id string) protocol.ResumeEntry {
	return protocol.ResumeEntry{InterruptID: id, Status: protocol.ResumeCancelled}
}

// until returns the events logged from now on, through the first that is the
// last one wanted.
func (l *lab) until(last func(protocol.Event) bool) []protocol.Event {
	l.t.Helper()
	return l.within(patience, last)
}

func (l *lab) within(patience time.Duration, last func(protocol.Event) bool) []protocol.Event {
	l.t.Helper()
	var events []protocol.Event
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		for len(l.unread) > 0 {
			text := l.unread[0]
			e, err := protocol.Decode(text)
			if err != nil {
				l.t.Fatal(err)
			}
			l.unread = l.unread[1:]
			l.events = append(l.events, text)
			l.got = append(l.got, e)
			events = append(events, e)
			if last(e) {
				return events
			}
		}
		page, err := l.cursor.Next(ctx)
		if err != nil {
			l.t.Fatal(err)
		}
		if l.unread = page.Events; len(l.unread) > 0 {
			continue
		}
		select {
		case <-l.woken:
		case <-ctx.Done():
			l.t.Fatalf("no end after %s", show(events))
		}
	}
}

func (l *lab) untilEnd() []protocol.Event {
	l.t.Helper()
	return l.until(isEnd)
}

func isEnd(e protocol.Event) bool {
	return e.Type() == protocol.TypeRunFinished || e.Type() == protocol.TypeRunError
}

// wellFormed checks everything logged against the order rules.
func (l *lab) wellFormed() {
	l.t.Helper()
	var s order.Sequence
	for _, e := range l.got {
		if err := s.Check(e); err != nil {
			l.t.Fatalf("%v in %s", err, show(l.got))
		}
	}
}

// texts are the assistant's messages as a client holds them at the end.
func (l *lab) texts() []string {
	l.t.Helper()
	return l.contents(protocol.RoleAssistant)
}

func (l *lab) contents(role protocol.Role) []string {
	l.t.Helper()
	f := fold.New(nil, nil)
	for _, e := range l.got {
		if err := f.Apply(e); err != nil {
			l.t.Fatal(err)
		}
	}
	var texts []string
	for _, m := range f.Messages() {
		if m.Role == role && m.Content != nil {
			texts = append(texts, m.Content.String())
		}
	}
	return texts
}

// show lists the types of events.
func show(events []protocol.Event) string {
	types := make([]string, len(events))
	for i, e := range events {
		types[i] = string(e.Type())
		if err, ok := e.(*protocol.RunError); ok {
			types[i] += "(" + err.Code + ": " + err.Message + ")"
		}
	}
	return strings.Join(types, " ")
}

// interrupts are those that the run ended with.
func interrupts(t *testing.T, events []protocol.Event) []protocol.Interrupt {
	t.Helper()
	finished, ok := events[len(events)-1].(*protocol.RunFinished)
	if !ok || finished.Outcome == nil || finished.Outcome.Type != protocol.OutcomeInterrupt {
		t.Fatalf("no interrupt: %s", show(events))
	}
	return finished.Outcome.Interrupts
}

func succeeded(t *testing.T, events []protocol.Event) {
	t.Helper()
	finished, ok := events[len(events)-1].(*protocol.RunFinished)
	if !ok || finished.Outcome != nil && finished.Outcome.Type != protocol.OutcomeSuccess {
		t.Fatalf("no success: %s", show(events))
	}
}

func failedWith(t *testing.T, events []protocol.Event, code string) *protocol.RunError {
	t.Helper()
	failed, ok := events[len(events)-1].(*protocol.RunError)
	if !ok || failed.Code != code {
		t.Fatalf("no %s: %s", code, show(events))
	}
	return failed
}

// status is the status of the entry that an answer is.
func status(a adapter.Answer) string {
	if _, resolved := a.Payload(); !resolved {
		return string(protocol.ResumeCancelled)
	}
	return string(protocol.ResumeResolved)
}

func confirmation(text string) protocol.Interrupt {
	return protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: text}
}

func details(t *testing.T, e *protocol.RunError) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(e.Metadata["aguiws"], &members); err != nil {
		t.Fatal(err)
	}
	return members
}

type rawJSON = json.RawMessage
