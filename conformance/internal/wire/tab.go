package wire

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/protocol"
)

const (
	// Patience is how long a tab waits for what must come, also on a machine that
	// does much else.
	Patience = time.Minute
	// dialPatience bounds one attempt to connect.
	dialPatience = 10 * time.Second
	backoffFirst = 10 * time.Millisecond
	backoffMost  = 200 * time.Millisecond
	subprotocol  = "agui.v1.json"
	readLimit    = 16 << 20
)

// Tab follows one thread from Open to the test's end. Its methods may be called
// concurrently.
type Tab struct {
	t      testing.TB
	name   string
	thread string
	urls   []string
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever something has changed
	sock    *websocket.Conn
	next    int // frame ids
	inputs  []*Input
	view    view
	parted  []Parting
	warned  bool // by ws.goaway, on this socket
	closed  bool
}

// Run is a run as the log tells it.
type Run struct {
	ID    string
	Start int64          // position of its RUN_STARTED
	End   protocol.Event // nil while it is active
}

// Open connects to the first of the addresses that answers, and to the next one
// after a loss. The tab is closed when the test ends.
func Open(t testing.TB, name, thread string, urls ...string) *Tab {
	t.Helper()
	tab := &Tab{
		t: t, name: name, thread: thread, urls: urls,
		done: make(chan struct{}), changed: make(chan struct{}),
	}
	tab.ctx, tab.cancel = context.WithCancel(context.Background())
	go tab.live()
	t.Cleanup(tab.Close)
	return tab
}

// Close ends the tab and waits for it. A second call does nothing.
func (tab *Tab) Close() {
	tab.mu.Lock()
	tab.closed = true
	tab.mu.Unlock()
	tab.cancel()
	<-tab.done
}

// Drop cuts the socket as a lost network does. The tab comes back by itself.
func (tab *Tab) Drop() {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if tab.sock != nil {
		_ = tab.sock.CloseNow()
	}
}

// Await waits until the condition holds. It is judged under the tab's lock and
// must not call the tab.
func (tab *Tab) Await(what string, holds func(v View) bool) {
	tab.t.Helper()
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	for {
		tab.mu.Lock()
		ok, changed := holds(View{tab}), tab.changed
		tab.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline.C:
			tab.t.Fatalf("tab %s never saw: %s\n%s", tab.name, what, tab.Describe())
		}
	}
}

// AwaitRest waits until the tab is live, all its inputs are ended and no run is
// active or queued behind one.
func (tab *Tab) AwaitRest() {
	tab.t.Helper()
	tab.Await("the thread at rest", View.AtRest)
}

// View is what a tab holds, for conditions.
type View struct{ tab *Tab }

// Live reports whether the tab is connected and has caught up.
func (v View) Live() bool { return v.tab.view.live }

// AtRest is AwaitRest's condition.
func (v View) AtRest() bool {
	w := &v.tab.view
	return w.live && !w.active && !w.asking && !slices.ContainsFunc(v.tab.inputs, func(in *Input) bool { return in.end == nil })
}

// Active reports whether a run is active.
func (v View) Active() bool { return v.tab.view.active }

// Position is the last position applied.
func (v View) Position() int64 { return v.tab.view.seq }

// Interrupts are those that are open.
func (v View) Interrupts() []protocol.Interrupt { return v.tab.view.interrupts }

// Runs are those that the tab saw in the log, in order.
func (v View) Runs() []Run { return v.tab.view.runs }

// LastText is the content of the thread's last message.
func (v View) LastText() string {
	if v.tab.view.fold == nil {
		return ""
	}
	messages := v.tab.view.fold.Messages()
	if len(messages) == 0 {
		return ""
	}
	return messages[len(messages)-1].Content.String()
}

// Interrupts are those that are open, once the thread is at rest.
func (tab *Tab) Interrupts() []protocol.Interrupt {
	tab.t.Helper()
	tab.AwaitRest()
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.view.interrupts)
}

// Runs are those that the tab saw in the log, in order.
func (tab *Tab) Runs() []Run {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.view.runs)
}

// Restatements are the reasons for which the tab, holding a position, was
// restated all the same.
func (tab *Tab) Restatements() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.view.restated)
}

// Texts are the contents of the messages of one role, in order.
func (tab *Tab) Texts(role protocol.Role) []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	var texts []string
	for _, m := range tab.view.fold.Messages() {
		if m.Role == role {
			texts = append(texts, m.Content.String())
		}
	}
	return texts
}

// Chat is the chat as JSON, for comparing: messages, state and open interrupts.
func (tab *Tab) Chat() string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return tab.view.chat()
}

// Describe says where the tab stands, for a failing test.
func (tab *Tab) Describe() string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	w := &tab.view
	text, _ := json.MarshalIndent(map[string]any{
		"connected": tab.sock != nil, "live": w.live, "active": w.active, "asking": w.asking, "epoch": w.epoch, "seq": w.seq,
		"runs": w.runs, "inputs": describeInputs(tab.inputs), "chat": json.RawMessage(w.chat()),
	}, "", "  ")
	return string(text)
}

// change tells who waits. The lock is held.
func (tab *Tab) change() {
	close(tab.changed)
	tab.changed = make(chan struct{})
}

// wrong reports what the binding does not allow.
func (tab *Tab) wrong(format string, args ...any) {
	tab.t.Errorf("tab "+tab.name+" at position %d: "+format, append([]any{tab.view.seq}, args...)...)
}
