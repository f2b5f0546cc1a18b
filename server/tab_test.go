package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/protocol/order"
	"github.com/aguiws/aguiws/redisstore"
)

// endToEnd serves the script agent from an embedded store.
func endToEnd(t *testing.T) (ts *testServer, effects string) {
	t.Helper()
	effects = filepath.Join(t.TempDir(), "effects")
	return node(t, embedded(t), script.New(script.Options{Effects: effects})), effects
}

// effectLines are what the script agent has carried out.
func effectLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// embedded is a store that is closed when the test ends.
func embedded(t *testing.T) *redisstore.Store {
	t.Helper()
	store, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	closes(t, store)
	return store
}

func closes(t *testing.T, store *redisstore.Store) {
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// node serves an agent from a store.
func node(t *testing.T, store store.Store, agent adapter.Agent) *testServer {
	t.Helper()
	return nodeWith(t, store, &runner.Options{Agents: map[string]adapter.Agent{"": agent}}, &Options{FrameBurst: 1000})
}

func nodeWith(t *testing.T, store store.Store, runs *runner.Options, opts *Options) *testServer {
	t.Helper()
	return newTestServer(t, running(newRunner(t, store, runs)), opts)
}

func newRunner(t *testing.T, store store.Store, opts *runner.Options) *runner.Runner {
	t.Helper()
	r, err := runner.New(store, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tab is a client of one thread that counts and folds as docs/binding tells a
// client to, and fails the test when the server does not keep to it.
type tab struct {
	*client
	epoch  string
	seq    int64
	fold   *fold.Fold
	order  *order.Sequence
	frames []map[string]any // control frames since the last take
}

func newTab(c *client) *tab {
	tb := &tab{client: c}
	tb.fresh()
	return tb
}

// fresh forgets everything, as a reloaded page does.
func (tb *tab) fresh() {
	tb.fold = fold.New(nil, nil)
	tb.order = &order.Sequence{}
}

// next reads up to the next event, and applies it.
func (tb *tab) next() protocol.Event {
	tb.t.Helper()
	for {
		if e := tb.apply(tb.frame()); e != nil {
			return e
		}
	}
}

// apply takes a frame in, and returns it if it is an event.
func (tb *tab) apply(f *agui.Frame) protocol.Event {
	tb.t.Helper()
	if !f.IsEvent() {
		tb.control(f)
		return nil
	}
	e, err := protocol.Decode(f.Data)
	if err != nil {
		tb.t.Fatalf("%s: %v", f.Data, err)
	}
	if f.ThreadID == "" {
		tb.t.Fatalf("%s came before any ws.stream", f.Data)
	}
	tb.seq = f.Seq
	if err := tb.order.Check(e); err != nil {
		tb.t.Fatalf("%s: %v", f.Data, err)
	}
	if err := tb.fold.Apply(e); err != nil {
		tb.t.Fatalf("%s: %v", f.Data, err)
	}
	return e
}

func (tb *tab) control(f *agui.Frame) {
	tb.t.Helper()
	var frame map[string]any
	if err := json.Unmarshal(f.Data, &frame); err != nil {
		tb.t.Fatalf("%s: %v", f.Data, err)
	}
	tb.frames = append(tb.frames, frame)
	switch f.Type {
	case "ws.stream":
		tb.epoch, tb.seq = f.Epoch, f.Seq
	case "ws.live":
		if tb.epoch != "" && f.Seq != tb.seq {
			tb.t.Fatalf("ws.live says %d, but %d were counted", f.Seq, tb.seq)
		}
	}
}

// until reads a run to its end.
func (tb *tab) until() protocol.Event {
	tb.t.Helper()
	for {
		switch e := tb.next().(type) {
		case *protocol.RunFinished, *protocol.RunError:
			return e
		}
	}
}

// begun reads until the run's text has begun to stream.
func (tb *tab) begun() {
	tb.t.Helper()
	for {
		if _, ok := tb.next().(*protocol.TextMessageContent); ok {
			return
		}
	}
}

func kindOf(frame map[string]any) string {
	kind, _ := frame["type"].(string)
	return kind
}

// take returns the control frames of a type since the last take.
func (tb *tab) take(kind string) (of []map[string]any) {
	for _, f := range tb.frames {
		if f["type"] == kind {
			of = append(of, f)
		}
	}
	tb.frames = nil
	return of
}

// ask sends a user message and returns how its run ended.
func (tb *tab) ask(run, text string) protocol.Event {
	tb.t.Helper()
	tb.send(says(run, text))
	return tb.until()
}

func says(run, text string) string {
	return fmt.Sprintf(`{"threadId":"t","runId":%q,"messages":[{"id":"m-%s","role":"user","content":%q}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, run, run, text)
}

// resumes is an input that answers interrupts.
func resumes(run string, entries ...string) string {
	return fmt.Sprintf(`{"threadId":"t","runId":%q,"messages":[],"resume":[%s]}`, run, strings.Join(entries, ","))
}

func resolved(id, payload string) string {
	return fmt.Sprintf(`{"interruptId":%q,"status":"resolved","payload":%s}`, id, payload)
}

func cancelled(id string) string {
	return fmt.Sprintf(`{"interruptId":%q,"status":"cancelled"}`, id)
}

// interrupts are those that a run ended with.
func interrupts(t *testing.T, end protocol.Event) (ids []string) {
	t.Helper()
	f, ok := end.(*protocol.RunFinished)
	if !ok || f.Outcome == nil || f.Outcome.Type != protocol.OutcomeInterrupt {
		t.Fatalf("the run did not end with interrupts: %s", encoded(t, end))
	}
	for _, i := range f.Outcome.Interrupts {
		ids = append(ids, i.ID)
	}
	return ids
}

func encoded(t *testing.T, e protocol.Event) string {
	t.Helper()
	data, err := protocol.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// refusal is the code of the RUN_ERROR that a run ended with.
func wantCode(t *testing.T, end protocol.Event, code string) *protocol.RunError {
	t.Helper()
	e, ok := end.(*protocol.RunError)
	if !ok || e.Code != code {
		t.Fatalf("got %s, want %s", encoded(t, end), code)
	}
	return e
}

func wantSuccess(t *testing.T, end protocol.Event) {
	t.Helper()
	if f, ok := end.(*protocol.RunFinished); !ok || f.Outcome != nil && f.Outcome.Type != protocol.OutcomeSuccess {
		t.Fatalf("got %s, want a success", encoded(t, end))
	}
}

// said is the text of the thread's last assistant message.
func (tb *tab) said() string {
	tb.t.Helper()
	messages := tb.fold.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == protocol.RoleAssistant {
			return messages[i].Content.String()
		}
	}
	return ""
}

// same compares what two tabs show.
func same(t *testing.T, a, b *tab) {
	t.Helper()
	x, err := json.Marshal(a.fold.Messages())
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b.fold.Messages())
	if err != nil {
		t.Fatal(err)
	}
	if !sameJSON(t, x, y) {
		t.Errorf("one tab shows\n%s\nthe other\n%s", x, y)
	}
	if p, q := len(a.fold.Interrupts()), len(b.fold.Interrupts()); p != q {
		t.Errorf("one tab has %d pending interrupts, the other %d", p, q)
	}
}

// checkPosition compares the tab's position with what the server says it wrote.
func (tb *tab) checkPosition() {
	tb.t.Helper()
	tb.send(`{"type":"ws.ping"}`)
	f := tb.expect("ws.pong")
	if got := f["positions"].(map[string]any)["t"]; got != float64(tb.seq) {
		tb.t.Errorf("the server wrote up to %v, %d were counted", got, tb.seq)
	}
}
