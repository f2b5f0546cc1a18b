package adaptertest

import (
	"context"
	"encoding/json"
	"fmt"
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
	// lease is by the store's clock, which is put forward when a worker has died: no worker is
	// taken for dead that is only slow.
	lease = 10 * time.Second
	sweep = 20 * time.Millisecond
	// patience is for machines that do much else.
	patience = time.Minute
)

// Bench is one thread of an agent, in the namespace "test". A test that cannot go on ends, and so
// does one that waits for a minute. Events in an order that AG-UI does not permit are an error
// of the test. The methods are called by the goroutine of the test.
type Bench struct {
	// User and Tenant are who sends what the Bench sends from now on; "": nobody knows.
	User, Tenant string

	t         testing.TB
	deaths    *crash // nil: none is planned
	store     *redisstore.Store
	ahead     atomic.Int64 // nanoseconds, of the store's clock
	agent     adapter.Agent
	configure []func(*runner.Options)
	node      *node
	key       store.ThreadKey
	sent      int
	input     *protocol.RunAgentInput // the last one
	below     map[string]string       // threads below this one, by the interrupts that they have asked

	cursor  *follow.Follower
	woken   chan struct{}
	unread  [][]byte
	order   order.Sequence
	told    *fold.Fold       // what a client holds
	known   []string         // the messages that it held when it had the last Run
	got     []protocol.Event // since then
	running string           // the runId of the last run that has started
}

// New runs an agent on an embedded store until the test ends. configure sets the runner's
// options: other agents that the agent calls, logins, policies. The test's log has the runner's
// warnings and errors, unless a Logger is set.
func New(t testing.TB, agent adapter.Agent, configure ...func(*runner.Options)) *Bench {
	t.Helper()
	b := &Bench{t: t, agent: agent, configure: configure, key: store.ThreadKey{Namespace: "test", Thread: "thread"}, below: map[string]string{}, told: fold.New(nil, nil)}
	if c, ok := t.(*crash); ok && !c.planned {
		c.planned, b.deaths = true, c
	}
	st, err := redisstore.Embedded(&redisstore.Options{Lease: lease, Clock: func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	b.store = st
	b.start(b.deaths)
	t.Cleanup(func() {
		b.cursor.Close()
		if err := b.node.shutdown(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// start starts a node, and follows the thread through it.
func (b *Bench) start(deaths *crash) {
	b.t.Helper()
	n := newNode(b.store, deaths)
	o := &runner.Options{Agents: map[string]adapter.Agent{"": b.agent}, Lease: lease, Sweep: sweep, Logger: n.logger(b.t)}
	for _, fn := range b.configure {
		fn(o)
	}
	n.hook(o)
	var err error
	if n.runner, err = runner.New(n, o); err != nil {
		b.t.Fatal(err)
	}
	var after *store.Position
	if b.cursor != nil {
		at := b.cursor.Position()
		after = &at
		b.cursor.Close()
	}
	woken := make(chan struct{}, 1)
	b.node, b.woken = n, woken
	b.cursor = n.runner.Follow(b.key, func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	if _, err := b.cursor.Attach(b.ctx(), after); err != nil {
		b.t.Fatal(err)
	}
}

func (b *Bench) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	b.t.Cleanup(cancel)
	return ctx
}

// Runner is the node that runs the agent now, for what a Bench does not do itself.
func (b *Bench) Runner() *runner.Runner { return b.node.runner }

// Key is the thread.
func (b *Bench) Key() store.ThreadKey { return b.key }

// Forward puts the store's clock forward. Times of Run.Sleep, of Event.Wait and of questions
// that come by that run out, and Next returns what the agent does then. It is called while no
// run is active.
func (b *Bench) Forward(d time.Duration) { b.ahead.Add(int64(d)) }

// Send sends a user's message, and waits until the run that it begins has ended or asks.
func (b *Bench) Send(text string) *Run {
	b.t.Helper()
	return b.Input(message(text))
}

func message(text string) *protocol.RunAgentInput {
	return &protocol.RunAgentInput{Messages: protocol.Messages{{Role: protocol.RoleUser, Content: protocol.Text(text)}}}
}

// Input sends an input, and waits as Send does. The ids that it lacks are given to it.
func (b *Bench) Input(in *protocol.RunAgentInput) *Run {
	b.t.Helper()
	return b.ends(b.submit(b.key.Thread, in))
}

// Begin sends an input, and waits for nothing. Until and Next see what comes of it.
func (b *Bench) Begin(in *protocol.RunAgentInput) {
	b.t.Helper()
	b.submit(b.key.Thread, in)
}

// submit sends an input until it is taken, and returns its runId.
func (b *Bench) submit(thread string, in *protocol.RunAgentInput) string {
	b.t.Helper()
	sent := *in
	b.sent++
	if sent.ThreadID = thread; sent.RunID == "" {
		sent.RunID = fmt.Sprint("run-", b.sent)
	}
	sent.Messages = append(protocol.Messages(nil), in.Messages...)
	for i := range sent.Messages {
		if sent.Messages[i].ID == "" {
			sent.Messages[i].ID = fmt.Sprint("message-", b.sent, "-", i+1)
		}
	}
	b.input = &sent
	b.call(func(ctx context.Context, r *runner.Runner) error {
		a, err := r.Submit(ctx, admission.Input{Namespace: b.key.Namespace, Tenant: b.Tenant, User: b.User, Run: &sent})
		if err == nil && a.Refusal != nil {
			err = fmt.Errorf("the input is refused as %s: %s", a.Refusal.Code, a.Refusal.Message)
		}
		return err
	})
	return sent.RunID
}

// call does something on the node, or on the next one when that has died.
func (b *Bench) call(do func(context.Context, *runner.Runner) error) {
	b.t.Helper()
	ctx := b.ctx()
	for {
		err := do(ctx, b.node.runner)
		died := b.node.hasDied()
		if died {
			b.takeOver()
		}
		if err == nil {
			return
		}
		if !died {
			b.t.Fatal(err)
		}
	}
}

// Approve permits what the interrupts ask about, and waits as Send does. Answers to some of
// the open interrupts are refused: all of them are answered at once.
func (b *Bench) Approve(interrupts ...protocol.Interrupt) *Run {
	b.t.Helper()
	return b.resolve(interrupts, map[string]bool{"approved": true})
}

// Decline says no, and waits as Send does.
func (b *Bench) Decline(interrupts ...protocol.Interrupt) *Run {
	b.t.Helper()
	return b.resolve(interrupts, map[string]bool{"approved": false})
}

// Answer answers the open interrupt with the JSON of payload, and waits as Send does. A
// json.RawMessage is sent as it is.
func (b *Bench) Answer(interrupt protocol.Interrupt, payload any) *Run {
	b.t.Helper()
	return b.resolve([]protocol.Interrupt{interrupt}, payload)
}

// Cancel cancels interrupts, and waits as Send does.
func (b *Bench) Cancel(interrupts ...protocol.Interrupt) *Run {
	b.t.Helper()
	var entries []protocol.ResumeEntry
	for _, i := range interrupts {
		entries = append(entries, protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeCancelled})
	}
	return b.resume(entries)
}

func (b *Bench) resolve(interrupts []protocol.Interrupt, payload any) *Run {
	b.t.Helper()
	text := b.json(payload)
	var entries []protocol.ResumeEntry
	for _, i := range interrupts {
		entries = append(entries, protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeResolved, Payload: protocol.Any(text)})
	}
	return b.resume(entries)
}

func (b *Bench) json(payload any) json.RawMessage {
	b.t.Helper()
	text, err := json.Marshal(payload)
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

func (b *Bench) resume(entries []protocol.ResumeEntry) *Run {
	b.t.Helper()
	if len(entries) == 0 {
		b.t.Fatal("the run asks nothing that could be answered")
	}
	in := &protocol.RunAgentInput{Resume: entries}
	if thread, ok := b.below[entries[0].InterruptID]; ok { // what goes on then, on this thread, has no name yet
		b.submit(thread, in)
		return b.ends("")
	}
	return b.Input(in)
}

// Event posts the JSON of payload to the URL of an adapter.Event, as another system would, and
// returns what the agent does then.
func (b *Bench) Event(url string, payload any) *Run {
	b.t.Helper()
	token := url[strings.LastIndex(url, "/")+1:]
	of, ok := b.node.runner.OpenEvent(token)
	if !ok {
		b.t.Fatalf("%q is no URL of an event", url)
	}
	text := b.json(payload)
	b.call(func(ctx context.Context, r *runner.Runner) error {
		a, err := r.SendEvent(ctx, of, text)
		if err == nil && a.Refusal != nil {
			err = fmt.Errorf("the event is refused as %s: %s", a.Refusal.Code, a.Refusal.Message)
		}
		return err
	})
	return b.ends("")
}

// Deploy has another node go on with a changed agent, as after a deployment. A replay
// that takes another path than the journal ends in RUN_ERROR agent_replay_diverged.
func (b *Bench) Deploy(agent adapter.Agent) {
	b.t.Helper()
	b.agent = agent
	b.replace()
}

// Crash lets the worker die now, and has another node go on with its run. A step that was
// under way is asked about.
func (b *Bench) Crash() {
	b.t.Helper()
	b.node.die()
	b.takeOver()
}

// takeOver has another node go on when the one before has died.
func (b *Bench) takeOver() {
	b.t.Helper()
	if b.deaths != nil { // what a step comes to that is under way is needed for the question about it
		select {
		case <-b.node.still:
		case <-b.ctx().Done():
			b.t.Fatal("the worker has died, and a step that it was in does not end")
		}
		b.deaths.node = b.node
	}
	b.replace()
}

func (b *Bench) replace() {
	b.t.Helper()
	if err := b.node.shutdown(); err != nil {
		b.t.Error(err)
	}
	// Redis counts by its own clock for how long the work stays with a node that has died.
	if err := b.store.Return(b.ctx(), b.node.given); err != nil {
		b.t.Fatal(err)
	}
	b.Forward(lease + time.Millisecond)
	b.start(nil)
}
