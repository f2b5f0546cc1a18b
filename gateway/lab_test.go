package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

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

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lease is by the store's clock, which is put forward when a worker is lost.
const (
	lease    = 10 * time.Second
	patience = 30 * time.Second
)

// lab is one thread before an agent behind HTTP.
type lab struct {
	t      *testing.T
	peer   *peer
	up     *Upstream
	runner *runner.Runner
	store  store.Store
	key    store.ThreadKey
	ahead  *atomic.Int64
	cursor *follow.Follower
	woken  chan struct{}
	unread [][]byte
	texts  [][]byte // of all that was logged
	got    []protocol.Event
	labels int
	log    *record

	mu       sync.Mutex
	observed []Observation
}

// peer is the agent: each request is answered by the next turn, the last one again and
// again.
type peer struct {
	*httptest.Server
	mu    sync.Mutex
	turns []turn
	took  []taken
}

type turn func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput)

type taken struct {
	path   string
	header http.Header
	body   []byte
	in     *protocol.RunAgentInput
}

func newPeer(t *testing.T, turns ...turn) *peer {
	p := &peer{turns: turns}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Server.Close)
	return p
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	in, _ := protocol.DecodeInput(body)
	p.mu.Lock()
	p.took = append(p.took, taken{r.URL.Path, r.Header, body, in})
	do := p.turns[0]
	if r.Method == http.MethodPost && r.URL.Path == "/" && len(p.turns) > 1 {
		p.turns = p.turns[1:]
	}
	p.mu.Unlock()
	if r.URL.Path != "/" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	do(w, r, in)
}

// serve starts another server, and returns its URL.
func serve(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// runs are the requests for runs so far.
func (p *peer) runs() []taken {
	p.mu.Lock()
	defer p.mu.Unlock()
	var runs []taken
	for _, t := range p.took {
		if t.path == "/" {
			runs = append(runs, t)
		}
	}
	return runs
}

func (p *peer) next(turns ...turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns = turns
}

// sends is a turn of these events, in which THREAD and RUN stand for the ids that came.
func sends(events ...string) turn {
	return func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			write(w, in, e)
		}
	}
}

func write(w http.ResponseWriter, in *protocol.RunAgentInput, event string) {
	if in != nil {
		event = strings.NewReplacer("THREAD", in.ThreadID, "RUN\"", in.RunID+"\"").Replace(event)
	}
	fmt.Fprintf(w, "data: %s\n\n", event)
	w.(http.Flusher).Flush()
}

func status(code int, header ...string) turn {
	return func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, "no, because of secret\x00things\n")
	}
}

const (
	began = `{"type":"RUN_STARTED","threadId":"THREAD","runId":"RUN"}`
	done  = `{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN"}`
	open  = `{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant"}`
	word  = `{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"hi"}`
	shut  = `{"type":"TEXT_MESSAGE_END","messageId":"a"}`
)

// asks ends a run with these interrupts.
func asks(interrupts string) string {
	return `{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN","outcome":{"type":"interrupt","interrupts":[` + interrupts + `]}}`
}

func newLab(t *testing.T, options *Options, turns ...turn) *lab {
	t.Helper()
	return newLabOf(t, newPeer(t, turns...), options)
}

func newLabOf(t *testing.T, p *peer, options *Options) *lab {
	t.Helper()
	return newLabAt(t, p, p.URL, options)
}

// newLabAt is for who calls the peer's URL something else.
func newLabAt(t *testing.T, p *peer, url string, options *Options) *lab {
	t.Helper()
	l := &lab{t: t, peer: p, key: store.ThreadKey{Namespace: "test", Thread: "thread"}, ahead: new(atomic.Int64), log: &record{}}
	st, err := redisstore.Embedded(&redisstore.Options{Lease: lease, Clock: func() time.Time {
		return time.Now().Add(time.Duration(l.ahead.Load()))
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	l.store = st
	var o Options
	if options != nil {
		o = *options
	}
	o.Logger = slog.New(slog.NewTextHandler(l.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.Observe = func(o Observation) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.observed = append(l.observed, o)
	}
	if l.up, err = New(url, &o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	l.runner = l.start(l.store)
	l.follow()
	return l
}

func (l *lab) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := l.up.Close(ctx); err != nil {
		l.t.Error(err)
	}
}

// start starts a worker on a store.
func (l *lab) start(st store.Store, configure ...func(*runner.Options)) *runner.Runner {
	l.t.Helper()
	o := &runner.Options{Agents: map[string]adapter.Agent{"": l.up}, Lease: lease, Sweep: 20 * time.Millisecond}
	for _, fn := range configure {
		fn(o)
	}
	r, err := runner.New(st, o)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { shutdown(r) })
	return r
}

func shutdown(r *runner.Runner) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r.Shutdown(ctx)
}

func (l *lab) follow() {
	l.woken = make(chan struct{}, 1)
	l.cursor = l.runner.Follow(l.key, func() {
		select {
		case l.woken <- struct{}{}:
		default:
		}
	})
	l.t.Cleanup(func() { l.cursor.Close() })
	if _, err := l.cursor.Attach(l.ctx(), nil); err != nil {
		l.t.Fatal(err)
	}
}

// on goes on with another thread.
func (l *lab) on(thread string) {
	l.key.Thread = thread
	l.unread, l.texts, l.got = nil, nil, nil
	l.follow()
}

func (l *lab) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	l.t.Cleanup(cancel)
	return ctx
}

func (l *lab) submit(in *protocol.RunAgentInput) admission.Admitted {
	l.t.Helper()
	in.ThreadID = l.key.Thread
	if in.RunID == "" {
		l.labels++
		in.RunID = fmt.Sprintf("run-%d", l.labels)
	}
	admitted, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in})
	if err != nil {
		l.t.Fatal(err)
	}
	if admitted.Disposition != admission.Started {
		l.t.Fatalf("%s %+v", admitted.Disposition, admitted.Refusal)
	}
	return admitted
}

func (l *lab) say(text string) []protocol.Event {
	l.t.Helper()
	l.submit(user(text))
	return l.untilEnd()
}

func (l *lab) answer(entries ...protocol.ResumeEntry) []protocol.Event {
	l.t.Helper()
	l.submit(&protocol.RunAgentInput{Resume: entries})
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

// until returns the events from now on, through the first that is the last one wanted.
func (l *lab) until(last func(protocol.Event) bool) []protocol.Event {
	l.t.Helper()
	from := len(l.got)
	ctx := l.ctx()
	for {
		for len(l.unread) > 0 {
			text := l.unread[0]
			e, err := protocol.Decode(text)
			if err != nil {
				l.t.Fatal(err)
			}
			l.unread = l.unread[1:]
			l.texts, l.got = append(l.texts, text), append(l.got, e)
			if last(e) {
				return l.got[from:]
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
			l.t.Fatalf("no end after %s\n%s", show(l.got[from:]), l.log)
		}
	}
}

func (l *lab) untilEnd() []protocol.Event {
	l.t.Helper()
	return l.until(func(e protocol.Event) bool {
		return e.Type() == protocol.TypeRunFinished || e.Type() == protocol.TypeRunError
	})
}

// wellFormed checks all that was logged against the order rules.
func (l *lab) wellFormed() {
	l.t.Helper()
	var s order.Sequence
	for i, e := range l.got {
		if err := s.Check(e); err != nil {
			l.t.Fatalf("%v in %s", err, show(l.got))
		}
		if err := protocol.ValidateEvent(l.texts[i]); err != nil {
			if _, unknown := e.(*protocol.Unknown); !unknown {
				l.t.Errorf("%s: %v", l.texts[i], err)
			}
		}
	}
	if err := s.End(); err != nil {
		l.t.Error(err)
	}
}

func (l *lab) fold() *fold.Fold {
	f := fold.New(nil, nil)
	for _, e := range l.got {
		_ = f.Apply(e)
	}
	return f
}

// said are the assistant's texts.
func (l *lab) said() string {
	var all []string
	for _, m := range l.fold().Messages() {
		if m.Role == protocol.RoleAssistant && m.Content != nil {
			all = append(all, m.Content.String())
		}
	}
	return strings.Join(all, "|")
}

// requests are what was observed of requests, once there are as many as runs were sent.
func (l *lab) requests() []Observation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.observed), func(o Observation) bool { return o.Repair != "" })
}

// repairs are their names, sorted, once what follows the run is read.
func (l *lab) repairs() []string {
	l.up.behind.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	var names []string
	for _, o := range l.observed {
		if o.Repair != "" && !slices.Contains(names, o.Repair) {
			names = append(names, o.Repair)
		}
	}
	slices.Sort(names)
	return names
}

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

func succeeded(t *testing.T, events []protocol.Event) *protocol.RunFinished {
	t.Helper()
	e, ok := events[len(events)-1].(*protocol.RunFinished)
	if !ok || e.Outcome != nil && e.Outcome.Type != protocol.OutcomeSuccess {
		t.Fatalf("no success: %s", show(events))
	}
	return e
}

func failedWith(t *testing.T, events []protocol.Event, code string) *protocol.RunError {
	t.Helper()
	e, ok := events[len(events)-1].(*protocol.RunError)
	if !ok || e.Code != code {
		t.Fatalf("no %s: %s", code, show(events))
	}
	return e
}

func interrupted(t *testing.T, events []protocol.Event) []protocol.Interrupt {
	t.Helper()
	e, ok := events[len(events)-1].(*protocol.RunFinished)
	if !ok || e.Outcome == nil || e.Outcome.Type != protocol.OutcomeInterrupt {
		t.Fatalf("no interrupt: %s", show(events))
	}
	return e.Outcome.Interrupts
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// record keeps a log.
type record struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// takes has a relay take an event as it comes.
func takes(r *relay, text []byte) (*outcome, error) {
	d := newDecoding()
	next, err := d.next(text, false)
	if err != nil {
		return nil, err
	}
	return r.take(next)
}
