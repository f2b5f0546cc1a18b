package wire

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

const (
	// Patience is how long a tab waits for what must come, also on a machine that
	// does much else.
	Patience     = time.Minute
	backoffFirst = 10 * time.Millisecond
	backoffMost  = 200 * time.Millisecond
	readLimit    = 16 << 20
)

// Tab follows one thread from Open to the test's end. Its methods may be called
// concurrently.
type Tab struct {
	t      testing.TB
	name   struct{ tab, thread string }
	urls   []*url.URL
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	opened chan struct{}  // closed when the thread is followed
	thread *client.Thread // from then on
	http   http.Transport

	mu       sync.Mutex
	attempts int
	conn     net.Conn // the latest
	now      client.Status
	inputs   []*Input
	judge    judge
	parted   []Parting
	left     time.Time // when it ceased to be live; zero while it is
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
	tab := &Tab{t: t, opened: make(chan struct{})}
	tab.name.tab, tab.name.thread = name, thread
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		tab.urls = append(tab.urls, u)
	}
	tab.http.DialContext = tab.dial
	tab.ctx, tab.cancel = context.WithCancel(context.Background())
	tab.wg.Go(tab.open)
	t.Cleanup(tab.Close)
	return tab
}

// open connects, again and again, until the tab is closed.
func (tab *Tab) open() {
	options := &client.Options{
		HTTPClient: &http.Client{Transport: tab}, ReadLimit: readLimit, BackoffMin: backoffFirst, BackoffMax: backoffMost,
		Received: tab.frame, Changed: tab.status, Logger: slog.New(complaints{tab}),
	}
	for tab.ctx.Err() == nil {
		c, err := client.Dial(tab.ctx, tab.urls[0].String(), options)
		if err != nil {
			pause(tab.ctx, backoffMost)
			continue
		}
		defer c.Close()
		thread, err := c.Follow(tab.ctx, tab.name.thread, nil)
		if err == nil {
			tab.thread = thread
			close(tab.opened)
		} else if tab.ctx.Err() == nil {
			tab.t.Errorf("tab %s: %v", tab.name.tab, err)
		}
		<-tab.ctx.Done()
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// RoundTrip sends a handshake to the next address.
func (tab *Tab) RoundTrip(r *http.Request) (*http.Response, error) {
	tab.mu.Lock()
	u := tab.urls[tab.attempts%len(tab.urls)]
	tab.attempts++
	tab.mu.Unlock()
	r = r.Clone(r.Context())
	r.URL.Host, r.URL.Path, r.Host = u.Host, u.Path, u.Host
	return tab.http.RoundTrip(r)
}

func (tab *Tab) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.conn = c
	return c, err
}

// status notes how sockets end.
func (tab *Tab) status(s client.Status) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if tab.now.Connected && !s.Connected && !s.Stopped {
		tab.parted = append(tab.parted, Parting{Warned: tab.now.Draining, Code: int(websocket.CloseStatus(s.Err))})
		if tab.left.IsZero() {
			tab.left = time.Now()
		}
	}
	tab.now = s
}

// Close ends the tab and waits for it. A second call does nothing.
func (tab *Tab) Close() {
	tab.cancel()
	tab.wg.Wait()
	tab.http.CloseIdleConnections()
}

// Drop cuts the socket as a lost network does. The tab comes back by itself.
func (tab *Tab) Drop() {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if tab.conn != nil {
		_ = tab.conn.Close()
	}
}

// Await waits until the condition holds. It is judged under the tab's lock and
// must not call the tab.
func (tab *Tab) Await(what string, holds func(v View) bool) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	select {
	case <-tab.opened:
	case <-ctx.Done():
		tab.t.Fatalf("tab %s never saw: %s, for want of a connection", tab.name.tab, what)
	}
	err := tab.thread.Await(ctx, func(v client.View) bool {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		return holds(View{tab, v})
	})
	if err != nil {
		tab.t.Fatalf("tab %s never saw: %s\n%s", tab.name.tab, what, tab.Describe())
	}
}

// AwaitRest waits until the tab is live, all its inputs are ended and no run is
// active or queued behind one.
func (tab *Tab) AwaitRest() {
	tab.t.Helper()
	tab.Await("the thread at rest", View.AtRest)
}

// View is what a tab holds, for conditions.
type View struct {
	tab  *Tab
	held client.View
}

// Live reports whether the tab is connected and has caught up.
func (v View) Live() bool { return v.held.Live }

// AtRest is AwaitRest's condition.
func (v View) AtRest() bool {
	return v.held.Live && !v.Active() && !slices.ContainsFunc(v.tab.inputs, func(in *Input) bool { return !in.ended() })
}

// Active reports whether a run is active.
func (v View) Active() bool { return v.held.ActiveLabel != "" }

// Position is the last position applied.
func (v View) Position() int64 { return v.held.Position.Seq }

// Interrupts are those that are open.
func (v View) Interrupts() []protocol.Interrupt { return v.held.Interrupts }

// Runs are those that the tab saw in the log, in order.
func (v View) Runs() []Run { return v.tab.judge.runs }

// LastText is the content of the thread's last message.
func (v View) LastText() string {
	if len(v.held.Messages) == 0 {
		return ""
	}
	return v.held.Messages[len(v.held.Messages)-1].Content.String()
}

// Interrupts are those that are open, once the thread is at rest.
func (tab *Tab) Interrupts() []protocol.Interrupt {
	tab.t.Helper()
	tab.AwaitRest()
	return tab.thread.View().Interrupts
}

// Runs are those that the tab saw in the log, in order.
func (tab *Tab) Runs() []Run {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.judge.runs)
}

// Restatements are the reasons for which the tab, holding a position, was
// restated all the same.
func (tab *Tab) Restatements() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.judge.restated)
}

// Texts are the contents of the messages of one role, in order.
func (tab *Tab) Texts(role protocol.Role) []string {
	var texts []string
	for _, m := range tab.view().Messages {
		if m.Role == role {
			texts = append(texts, m.Content.String())
		}
	}
	return texts
}

// Chat is the chat as JSON, for comparing: messages, state and open interrupts.
func (tab *Tab) Chat() string {
	v := tab.view()
	var state any
	if err := json.Unmarshal(v.State, &state); err != nil {
		state = err.Error()
	}
	text, err := json.MarshalIndent(map[string]any{"messages": v.Messages, "state": state, "interrupts": v.Interrupts}, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// view is empty before there was a connection.
func (tab *Tab) view() client.View {
	select {
	case <-tab.opened:
		return tab.thread.View()
	default:
		return client.View{State: json.RawMessage("{}")}
	}
}

// Describe says where the tab stands, for a failing test.
func (tab *Tab) Describe() string {
	view, chat := tab.view(), tab.Chat()
	tab.mu.Lock()
	status := tab.now
	tab.mu.Unlock()
	text, _ := json.MarshalIndent(map[string]any{
		"connected": status.Connected, "live": view.Live, "active": view.ActiveLabel, "position": view.Position,
		"runs": tab.Runs(), "inputs": describeInputs(tab.sent()), "chat": json.RawMessage(chat),
	}, "", "  ")
	return string(text)
}

// wrong reports what the binding does not allow.
func (tab *Tab) wrong(format string, args ...any) {
	tab.t.Errorf("tab "+tab.name.tab+" at position %d: "+format, append([]any{tab.judge.last.Seq}, args...)...)
}
