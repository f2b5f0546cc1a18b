package llm_test

import (
	"context"
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

// lease is by the store's clock, which is put forward when a worker is lost.
const lease = 10 * time.Second

// patience is for machines that do much else.
const patience = 30 * time.Second

// lab is one thread on an embedded store, with a runner that can be lost.
type lab struct {
	t      *testing.T
	store  store.Store
	runner *runner.Runner
	node   *mortal // the runner's
	key    store.ThreadKey
	runs   int
	got    []protocol.Event
	told   strings.Builder // their texts
	unread [][]byte
	cursor *follow.Follower
	woken  chan struct{}
	ahead  atomic.Int64
}

func newLab(t *testing.T, agent adapter.Agent, configure ...func(*runner.Options)) *lab {
	t.Helper()
	l := &lab{t: t, key: store.ThreadKey{Namespace: "test", Thread: "thread"}}
	st, err := redisstore.Embedded(&redisstore.Options{Lease: lease, Clock: func() time.Time {
		return time.Now().Add(time.Duration(l.ahead.Load()))
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	l.store = st
	l.start(agent, configure...)
	return l
}

// start runs the agent on a node that can be lost.
func (l *lab) start(agent adapter.Agent, configure ...func(*runner.Options)) {
	l.t.Helper()
	node := &mortal{Store: l.store}
	o := &runner.Options{
		Agents: map[string]adapter.Agent{"": agent}, Lease: lease, Sweep: 20 * time.Millisecond, Logger: slog.New(slog.DiscardHandler),
	}
	for _, fn := range configure {
		fn(o)
	}
	r, err := runner.New(node, o)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if node.dead.Load() {
			cancel()
		}
		r.Shutdown(ctx)
	})
	var after *store.Position
	if l.cursor != nil {
		at := l.cursor.Position()
		after = &at
		l.cursor.Close()
	}
	woken := make(chan struct{}, 1)
	l.runner, l.node, l.woken = r, node, woken
	l.cursor = r.Follow(l.key, func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	l.t.Cleanup(l.cursor.Close)
	if _, err := l.cursor.Attach(l.ctx(), after); err != nil {
		l.t.Fatal(err)
	}
}

// mortal is a node's way to the store until it dies.
type mortal struct {
	store.Store
	dead atomic.Bool
}

var errDead = fmt.Errorf("%w: the node is dead", store.ErrOutcomeUnknown)

func (m *mortal) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	if m.dead.Load() {
		return store.CommitResult{}, errDead
	}
	return m.Store.Commit(ctx, b)
}

func (m *mortal) Renew(ctx context.Context, c store.Claim) (bool, error) {
	if m.dead.Load() {
		return false, errDead
	}
	return m.Store.Renew(ctx, c)
}

func (m *mortal) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	if m.dead.Load() {
		return nil, errDead
	}
	return m.Store.Work(ctx, q)
}

// Await is refused, so that a dead node is not handed work.
func (m *mortal) Await(context.Context, store.WorkQuery) ([]store.Work, error) {
	return nil, store.ErrCannotAwait
}

// die loses the node, and has another one go on.
func (l *lab) die(agent adapter.Agent) {
	l.t.Helper()
	l.node.dead.Store(true)
	l.ahead.Add(int64(lease + time.Millisecond))
	l.start(agent)
}

func (l *lab) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	l.t.Cleanup(cancel)
	return ctx
}

func (l *lab) submit(input *protocol.RunAgentInput) {
	l.t.Helper()
	l.runs++
	input.ThreadID, input.RunID = l.key.Thread, fmt.Sprintf("run-%d", l.runs)
	a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: input})
	if err != nil || a.Disposition != admission.Started {
		l.t.Fatalf("%s %+v %v", a.Disposition, a.Refusal, err)
	}
}

// say sends a user's message and waits for the run's end.
func (l *lab) say(text string) protocol.Event {
	l.t.Helper()
	l.submit(user(text))
	return l.end()
}

func (l *lab) resume(entries ...protocol.ResumeEntry) protocol.Event {
	l.t.Helper()
	l.submit(&protocol.RunAgentInput{Resume: entries})
	return l.end()
}

func user(text string) *protocol.RunAgentInput {
	return &protocol.RunAgentInput{Messages: protocol.Messages{{ID: "m-" + text, Role: protocol.RoleUser, Content: protocol.Text(text)}}}
}

func resolved(i protocol.Interrupt, payload string) protocol.ResumeEntry {
	return protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeResolved, Payload: protocol.Any(payload)}
}

// until returns the first event that is wanted.
func (l *lab) until(wanted func(protocol.Event) bool) protocol.Event {
	l.t.Helper()
	ctx := l.ctx()
	for {
		for len(l.unread) > 0 {
			e, err := protocol.Decode(l.unread[0])
			if err != nil {
				l.t.Fatal(err)
			}
			l.told.Write(l.unread[0])
			l.unread = l.unread[1:]
			l.got = append(l.got, e)
			if wanted(e) {
				return e
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
			l.t.Fatalf("nothing more after %s", l.shown())
		}
	}
}

func (l *lab) end() protocol.Event {
	l.t.Helper()
	e := l.until(func(e protocol.Event) bool {
		return e.Type() == protocol.TypeRunFinished || e.Type() == protocol.TypeRunError
	})
	l.wellFormed()
	return e
}

func (l *lab) wellFormed() {
	l.t.Helper()
	var s order.Sequence
	for _, e := range l.got {
		if err := s.Check(e); err != nil {
			l.t.Fatalf("%v in %s", err, l.shown())
		}
	}
}

// messages are what a client holds.
func (l *lab) messages() protocol.Messages {
	l.t.Helper()
	f := fold.New(nil, nil)
	for _, e := range l.got {
		if err := f.Apply(e); err != nil {
			l.t.Fatal(err)
		}
	}
	return f.Messages()
}

// transcript are the messages but the user's, in short.
func (l *lab) transcript() string {
	l.t.Helper()
	var list []string
	for _, m := range l.messages() {
		said := []string{string(m.Role)}
		if text := m.Content.String(); text != "" {
			said = append(said, text)
		}
		for _, c := range m.ToolCalls {
			said = append(said, c.Function.Name+c.Function.Arguments)
		}
		if m.Role != protocol.RoleUser {
			list = append(list, strings.Join(said, " "))
		}
	}
	return strings.Join(list, "\n")
}

// raw is all that clients were told.
func (l *lab) raw() string { return l.told.String() }

func (l *lab) shown() string {
	var types []string
	for _, e := range l.got {
		name := string(e.Type())
		if bad, ok := e.(*protocol.RunError); ok {
			name += "(" + bad.Code + ": " + bad.Message + ")"
		}
		types = append(types, name)
	}
	return strings.Join(types, " ")
}

// succeeded wants a run that ended well.
func succeeded(t *testing.T, e protocol.Event) *protocol.RunFinished {
	t.Helper()
	f, ok := e.(*protocol.RunFinished)
	if !ok || f.Outcome.Type != protocol.OutcomeSuccess {
		t.Fatalf("ended by %+v", e)
	}
	return f
}

// interrupts wants a run that asks.
func interrupts(t *testing.T, e protocol.Event, n int) []protocol.Interrupt {
	t.Helper()
	f, ok := e.(*protocol.RunFinished)
	if !ok || f.Outcome.Type != protocol.OutcomeInterrupt || len(f.Outcome.Interrupts) != n {
		t.Fatalf("ended by %+v", e)
	}
	return f.Outcome.Interrupts
}

// failed wants RUN_ERROR, and returns its sentence.
func failed(t *testing.T, e protocol.Event) string {
	t.Helper()
	bad, ok := e.(*protocol.RunError)
	if !ok {
		t.Fatalf("ended by %+v", e)
	}
	return bad.Message
}
