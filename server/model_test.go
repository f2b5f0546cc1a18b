package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/protocol/order"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/ws"
)

var (
	modelSeeds = flag.Int("model.seeds", 60, "how many histories the model of the binding is held to")
	modelSeed  = flag.Uint64("model.seed", 1, "the first of them")
)

// Inputs, repeats, attaches, cancels and cuts in a random order, by clients that do
// what docs/binding tells them to and no more: in the end each holds the thread as
// the store does, all that was streamed was legal where it stood, and what was
// said as of a position is what the client had built by then.
func TestModelOfTheBinding(t *testing.T) {
	pace := &wordly{threads: map[string]chan struct{}{}, tokens: map[string][]string{}}
	part := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error { return run.Say("part") })
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": pace, "part": part}})
	ts := newTestServer(t, running(r), &Options{FramesPerSecond: 1e6, FrameBurst: 1e6, InputsPerMinute: 1e6, InputBurst: 1e6,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	for seed := *modelSeed; seed < *modelSeed+uint64(*modelSeeds); seed++ {
		h := &history{t: t, ts: ts, pace: pace, took: map[string]string{}, rnd: rand.New(rand.NewPCG(seed, 0)), thread: fmt.Sprintf("t%d", seed)}
		if err := h.play(r); err != nil {
			var trace []string
			for _, p := range h.peers {
				trace = append(trace, p.trace...)
				trace = append(trace, "--")
			}
			t.Fatalf("seed %d: %v\n%s", seed, err, strings.Join(trace, "\n"))
		}
	}
}

// wordly is an agent that says a word whenever it is allowed another.
type wordly struct {
	mu      sync.Mutex
	threads map[string]chan struct{}
	tokens  map[string][]string // of events, by thread, each once
}

func (p *wordly) handOut(thread, token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.tokens[thread], token) {
		p.tokens[thread] = append(p.tokens[thread], token)
	}
}

func (p *wordly) handedOut(thread string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.tokens[thread])
}

func (p *wordly) of(thread string) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.threads[thread] == nil {
		p.threads[thread] = make(chan struct{}, 1000)
	}
	return p.threads[thread]
}

func (p *wordly) Run(ctx context.Context, run *adapter.Run) error {
	in := run.Input()
	if err := p.suspend(ctx, run, in); err != nil && !errors.Is(err, adapter.ErrWaitCancelled) {
		return err
	}
	if err := run.SetState(map[string]string{"run": in.RunID}); err != nil {
		return err
	}
	text, err := run.Text()
	if err != nil {
		return err
	}
	for i := range 6 {
		select {
		case <-p.of(in.ThreadID):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if _, err := fmt.Fprintf(text, "%d ", i); err != nil {
			return err
		}
	}
	return text.Close()
}

// suspend waits for what the last message names.
func (p *wordly) suspend(ctx context.Context, run *adapter.Run, in *protocol.RunAgentInput) error {
	if len(in.Messages) == 0 {
		return nil
	}
	switch in.Messages[len(in.Messages)-1].Content.String() {
	case "ask":
		_, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: "Really?"})
		return err
	case "await":
		e, err := run.Event(ctx, "word", nil)
		if err != nil {
			return err
		}
		p.handOut(in.ThreadID, e.Token)
		_, err = e.Wait(ctx, run.Now().Add(time.Hour))
		return err
	case "sleep":
		return run.Sleep(ctx, run.Now().Add(time.Hour))
	case "call":
		_, err := run.Call(ctx, "part", adapter.CallInput{Text: "go"})
		if failed := (*adapter.CallError)(nil); errors.As(err, &failed) {
			return nil
		}
		return err
	}
	return nil
}

// history is one random history of one thread.
type history struct {
	t      *testing.T
	ts     *testServer
	pace   *wordly
	rnd    *rand.Rand
	thread string
	peers  []*peerModel
	inputs []modelInput // that were sent, by whomever
	plain  []*plainModel
	took   map[string]string // what events were taken with, by token
}

type modelInput struct{ label, body, resume string }

func (in modelInput) frame(thread, label string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":%q,%s}`, thread, label, in.body)
}

func (h *history) play(r *runner.Runner) error {
	for range 1 + h.rnd.IntN(2) {
		p := &peerModel{h: h}
		p.connect()
		h.peers = append(h.peers, p)
	}
	for range 12 + h.rnd.IntN(20) {
		if err := h.step(h.peers[h.rnd.IntN(len(h.peers))]); err != nil {
			return err
		}
	}
	close(h.pace.of(h.thread))
	thread, err := h.atRest(r)
	if err != nil {
		return err
	}
	for _, p := range h.peers {
		if err := p.catchUp(thread); err != nil {
			return err
		}
		p.ws.CloseNow()
	}
	for _, p := range h.plain {
		if err := p.holds(thread); err != nil {
			return err
		}
	}
	return nil
}

// atRest waits until all that was sent was taken and nothing is under way.
func (h *history) atRest(r *runner.Runner) (*operate.Thread, error) {
	eventually(h.t, "the sockets that were cut are closed", func() bool {
		m := h.ts.opts.Metrics
		return value(h.t, m, "aguiws_sockets", "full")+value(h.t, m, "aguiws_sockets", "plain") <= float64(len(h.peers))
	})
	for _, p := range h.peers {
		if err := p.ping(); err != nil {
			return nil, err
		}
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		thread, err := r.Thread(h.t.Context(), store.ThreadKey{Namespace: "local", Thread: h.thread})
		if err != nil {
			return nil, err
		}
		if thread == nil {
			thread = &operate.Thread{}
		}
		if thread.Active != "" || thread.Queued > 0 && thread.Open == nil || calls(thread) {
			continue
		}
		again := false
		for _, p := range h.plain {
			if p.over == nil {
				continue
			}
			again = true
			if thread.Queued > 0 { // behind a question, and with it who asked
				p.giveUp()
				<-p.over
				p.over = nil
				continue
			}
			select {
			case err := <-p.over:
				if err != nil {
					return nil, err
				}
				p.over = nil
			default: // it may not be in the queue yet
			}
		}
		if !again {
			return thread, nil
		}
	}
	return nil, fmt.Errorf("the thread does not come to rest")
}

// calls says whether a thread waits for an agent that it has called, which ends the wait by itself.
func calls(thread *operate.Thread) bool {
	return thread.Open != nil && slices.ContainsFunc(thread.Open.Interrupts, func(i operate.OpenInterrupt) bool {
		return strings.Contains(string(i.Interrupt), `"reason":"`+adapter.ReasonCall+`"`)
	})
}

// step is one of the things that clients do.
func (h *history) step(p *peerModel) error {
	switch n := h.rnd.IntN(100); {
	case n < 14: // something new
		in := modelInput{label: fmt.Sprintf("r%d", len(h.inputs)+1)}
		what := "say"
		switch h.rnd.IntN(8) {
		case 0, 1:
			what = "ask"
		case 2, 3:
			what = "await"
		case 4:
			what = "sleep"
		case 5:
			what = "call"
		}
		in.body = fmt.Sprintf(`"messages":[{"id":"m%d","role":"user","content":%q}]`, len(h.inputs)+1, what)
		h.inputs = append(h.inputs, in)
		p.send(in.frame(h.thread, in.label))
	case n < 24: // an answer
		open := p.open
		if len(open) == 0 {
			return p.digest(h.rnd.IntN(6))
		}
		entry := resolved(open[0], `{}`)
		if h.rnd.IntN(3) == 0 {
			entry = cancelled(open[0])
		}
		in := modelInput{label: fmt.Sprintf("r%d", len(h.inputs)+1), resume: open[0], body: fmt.Sprintf(`"messages":[],"resume":[%s]`, entry)}
		h.inputs = append(h.inputs, in)
		p.send(in.frame(h.thread, in.label))
	case n < 46:
		h.again(p)
	case n < 56:
		p.attach(h.rnd.IntN(3) == 0)
	case n < 60:
		p.send(fmt.Sprintf(`{"type":"ws.detach","threadId":%q}`, h.thread))
	case n < 64:
		if len(h.inputs) > 0 {
			p.send(fmt.Sprintf(`{"type":"ws.cancel","threadId":%q,"runId":%q}`, h.thread, h.inputs[h.rnd.IntN(len(h.inputs))].label))
		}
	case n < 74:
		p.ws.CloseNow()
		p.connect()
		if h.rnd.IntN(2) > 0 {
			p.attach(false)
		} else {
			h.again(p)
		}
	case n < 82:
		for range 1 + h.rnd.IntN(3) {
			if err := h.post(); err != nil {
				return err
			}
		}
	case n < 92:
		for range 1 + h.rnd.IntN(8) {
			h.pace.of(h.thread) <- struct{}{}
		}
	default:
		return p.digest(h.rnd.IntN(12))
	}
	return nil
}

// post sends an event. The first body is the one that counts.
func (h *history) post() error {
	tokens := h.pace.handedOut(h.thread)
	if len(tokens) == 0 {
		return nil
	}
	token, body := tokens[h.rnd.IntN(len(tokens))], fmt.Sprint(h.rnd.IntN(2))
	resp, err := http.Post(h.ts.http.URL+adapter.EventsPath+token, "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	before, taken := h.took[token]
	switch got := fmt.Sprint(resp.StatusCode, " ", string(text)); {
	case got == `200 {"repeat":false}` && !taken:
		h.took[token] = body
	case got == `200 {"repeat":true}` && taken && before == body:
	case resp.StatusCode == http.StatusConflict && taken && before != body:
	case !taken && (resp.StatusCode == http.StatusTooEarly || resp.StatusCode == http.StatusGone || resp.StatusCode == http.StatusServiceUnavailable):
	default:
		return fmt.Errorf("the event %s is answered with %s after %q, which was taken: %v", body, got, before, taken)
	}
	return nil
}

// again sends an input that was sent before.
func (h *history) again(p *peerModel) {
	if len(h.inputs) == 0 {
		return
	}
	in := h.inputs[h.rnd.IntN(len(h.inputs))]
	if h.rnd.IntN(2) == 0 {
		in = h.inputs[len(h.inputs)-1]
	}
	label := in.label
	if in.resume != "" && h.rnd.IntN(3) == 0 {
		label = "another-" + label
	}
	if h.rnd.IntN(5) == 0 {
		h.plain = append(h.plain, h.askPlain(in.frame(h.thread, label), label))
	} else {
		p.send(in.frame(h.thread, label))
	}
}

// peerModel is a client of one thread by docs/binding.
type peerModel struct {
	h      *history
	ws     *websocket.Conn
	frames chan []byte
	trace  []string

	// What it holds, over sockets.
	at    store.Position // "": nothing
	fold  *fold.Fold
	order *order.Sequence
	open  []string // interrupts

	// What it knows of this socket.
	wire      store.Position // of the last event of the thread
	uncounted int
	group     [][]byte
	restating *store.Position // announced by ws.attached
	answering bool            // behind ws.run repeat
	of        string          // the run that answers, as live events name it
	follows   bool            // what is counted continues what is held
	asked     string          // the attach that is on its way: what comes before its answer is of no use
	attaches  int
	live      bool
	pong      bool
}

func (p *peerModel) connect() {
	p.h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, p.h.ts.http.URL+"/agui/ws", &websocket.DialOptions{Subprotocols: []string{ws.Subprotocol}})
	if err != nil {
		p.h.t.Fatal(err)
	}
	ws.SetReadLimit(16 << 20)
	frames := make(chan []byte, 10_000)
	go func() {
		defer close(frames)
		for {
			_, data, err := ws.Read(context.Background())
			if err != nil {
				return
			}
			frames <- data
		}
	}()
	p.ws, p.frames = ws, frames
	p.trace = append(p.trace, "connects")
	p.wire, p.uncounted, p.group, p.restating = store.Position{}, 0, nil, nil
	p.answering, p.follows, p.asked, p.live = false, false, "", false
}

func (p *peerModel) send(frame string) {
	p.trace = append(p.trace, "→ "+frame)
	p.ws.Write(context.Background(), websocket.MessageText, []byte(frame))
}

// attach asks for what is missing, or, as a page does that was reloaded, for all.
func (p *peerModel) attach(reloaded bool) {
	if reloaded {
		p.at = store.Position{}
	}
	after := ""
	if p.at.Epoch != "" {
		after = fmt.Sprintf(`,"after":{"epoch":%q,"seq":%d}`, p.at.Epoch, p.at.Seq)
	}
	p.attaches++
	p.asked, p.live = fmt.Sprint("attach", p.attaches), false
	p.send(fmt.Sprintf(`{"type":"ws.attach","threadId":%q,"id":%q%s}`, p.h.thread, p.asked, after))
}

// digest takes in up to n frames that have come.
func (p *peerModel) digest(n int) error {
	for range n {
		select {
		case data, ok := <-p.frames:
			if !ok {
				return fmt.Errorf("the server closed the socket")
			}
			if err := p.take(data); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (p *peerModel) until(what string, done func() bool) error {
	timeout := time.After(patience)
	for !done() {
		select {
		case data, ok := <-p.frames:
			if !ok {
				return fmt.Errorf("the server closed the socket")
			}
			if err := p.take(data); err != nil {
				return err
			}
		case <-timeout:
			return fmt.Errorf("never: %s", what)
		}
	}
	return nil
}

func (p *peerModel) take(data []byte) error {
	p.trace = append(p.trace, "← "+string(data))
	var f struct {
		Type, Epoch, ThreadID, ID, Disposition, Of string
		Seq                                        int64
		Uncounted                                  int
		Recovered                                  bool
		Interrupts                                 []struct{ ID string }
		Positions                                  map[string]int64
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if !strings.HasPrefix(f.Type, "ws.") {
		return p.Event(data)
	}
	if p.uncounted > 0 {
		return fmt.Errorf("%s within a group", data)
	}
	at := store.Position{Epoch: f.Epoch, Seq: f.Seq}
	switch f.Type {
	case "ws.run":
		p.answering, p.of = f.Disposition == "repeat", f.Of
	case "ws.stream":
		if f.Epoch != "" && p.follows && p.asked == "" && at != p.at {
			return fmt.Errorf("the stream moves from %v, which was counted, to %v", p.at, at)
		}
		if f.Epoch != "" {
			p.wire = at
		}
		p.uncounted, p.group = f.Uncounted, nil
		if p.at.Epoch == "" && f.Seq == 0 && f.Epoch != "" && p.asked == "" { // an unused thread is nothing, and that is held
			p.hold(at)
		}
		if f.Epoch != "" && p.at == at && p.asked == "" {
			p.follows = true
		}
	case "ws.attached":
		p.wire, p.answering = at, false
		if f.ID == p.asked {
			p.asked = ""
		}
		if p.asked != "" {
			return nil // that is told again
		}
		p.open = nil
		for _, i := range f.Interrupts {
			p.open = append(p.open, i.ID)
		}
		if f.Recovered {
			if at != p.at {
				return fmt.Errorf("recovered at %v, and %v was asked for", at, p.at)
			}
			p.follows = true
		} else {
			p.restating, p.follows = &at, false
		}
	case "ws.live":
		if p.restating != nil { // as nothing
			p.hold(*p.restating)
			p.restating = nil
		}
		p.live = p.asked == ""
		if p.follows && p.asked == "" && p.at.Seq != f.Seq {
			return fmt.Errorf("live at %d, and %d were counted", f.Seq, p.at.Seq)
		}
	case "ws.detached":
		p.follows = false
	case "ws.pong":
		p.pong = true
		if seq, there := f.Positions[p.h.thread]; there && p.follows && p.asked == "" && seq != p.at.Seq {
			return fmt.Errorf("%d were written, and %d were counted", seq, p.at.Seq)
		}
	case "ws.error":
		return fmt.Errorf("refused: %s", data)
	}
	return nil
}

// hold takes a position for what is held from now on, from scratch.
func (p *peerModel) hold(at store.Position, events ...protocol.Event) error {
	p.at, p.fold, p.order, p.follows = at, fold.New(nil, nil), &order.Sequence{}, true
	return p.apply(events...)
}

func (p *peerModel) apply(events ...protocol.Event) error {
	for _, e := range events {
		if err := p.order.Check(e); err != nil {
			return err
		}
		if err := p.fold.Apply(e); err != nil {
			return err
		}
		switch e := e.(type) {
		case *protocol.RunStarted:
			p.open = nil
		case *protocol.RunFinished:
			p.open = nil
			if e.Outcome != nil {
				for _, i := range e.Outcome.Interrupts {
					p.open = append(p.open, i.ID)
				}
			}
		}
	}
	return nil
}

func (p *peerModel) Event(data []byte) error {
	if p.uncounted > 0 {
		p.group = append(p.group, data)
		if p.uncounted--; p.uncounted == 0 {
			return p.told()
		}
		return nil
	}
	if p.wire.Epoch == "" {
		return fmt.Errorf("%s came before any ws.stream", data)
	}
	p.wire.Seq++
	switch {
	case p.asked != "":
		return nil
	case p.at.Epoch == "" || p.wire.Epoch != p.at.Epoch || p.wire.Seq > p.at.Seq+1:
		if p.follows {
			return fmt.Errorf("%v follows %v", p.wire, p.at)
		}
		if frames.TypeOf(data) != protocol.TypeRunStarted {
			return fmt.Errorf("following begins in the midst of a run, which nothing opened: %s", data)
		}
		p.attach(false)
		return nil
	case p.wire.Seq <= p.at.Seq:
		return nil
	}
	e, err := protocol.Decode(data)
	if err != nil {
		return err
	}
	p.follows, p.at = true, p.wire
	return p.apply(e)
}

// told is called when a group of uncounted events is whole.
func (p *peerModel) told() error {
	sequence, held := &order.Sequence{}, fold.New(nil, nil)
	var events []protocol.Event
	for _, data := range p.group {
		e, err := protocol.Decode(data)
		if err == nil {
			err = sequence.Check(e)
		}
		if err == nil {
			err = held.Apply(e)
		}
		if err != nil {
			return fmt.Errorf("a group: %w", err)
		}
		events = append(events, e)
	}
	first, begins := events[0].(*protocol.RunStarted)
	restates := begins && first.Metadata["aguiws"] != nil
	switch {
	case p.restating != nil:
		at := *p.restating
		p.restating = nil
		return p.hold(at, events...)
	case !restates || p.asked != "": // the end of what never began, a refusal; or an attach will tell all
		return nil
	case !p.answering:
		return fmt.Errorf("restated without having asked")
	case p.follows && p.at == p.wire:
		return sameFold(held, p.fold) // nothing of it is news but its end
	case p.follows:
		return fmt.Errorf("restated as of %v, and %v is held", p.wire, p.at)
	default:
		switch events[len(events)-1].(type) {
		case *protocol.RunFinished, *protocol.RunError:
		default: // it goes on live, by its own name
			first.RunID = p.of
		}
		return p.hold(p.wire, events...)
	}
}

func sameFold(got, want *fold.Fold) error {
	x, y := shownFold(got.Messages(), got.State()), shownFold(want.Messages(), want.State())
	if x != y {
		return fmt.Errorf("told\n%s\nheld\n%s", x, y)
	}
	return nil
}

func shownFold(messages protocol.Messages, state json.RawMessage) string {
	if len(messages) == 0 {
		messages = protocol.Messages{}
	}
	if len(state) == 0 {
		state = json.RawMessage(`{}`)
	}
	text, err := json.Marshal(map[string]any{"messages": messages, "state": state})
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// catchUp brings a peer up to the thread at rest, and compares.
func (p *peerModel) catchUp(thread *operate.Thread) error {
	p.attach(false)
	if err := p.until("caught up", func() bool { return p.live && p.asked == "" }); err != nil {
		return err
	}
	if err := p.ping(); err != nil {
		return err
	}
	if thread.End.Epoch == "" {
		return nil
	}
	if p.at != thread.End {
		return fmt.Errorf("the peer is at %v, the thread at %v", p.at, thread.End)
	}
	if got, want := shownFold(p.fold.Messages(), p.fold.State()), shownFold(thread.Messages, thread.State); got != want {
		return fmt.Errorf("the peer holds\n%s\nthe thread is\n%s", got, want)
	}
	var open []string
	if thread.Open != nil {
		for _, i := range thread.Open.Interrupts {
			open = append(open, i.ID)
		}
	}
	if fmt.Sprint(open) != fmt.Sprint(p.open) {
		return fmt.Errorf("open to the peer: %v, in the thread: %v", p.open, open)
	}
	return nil
}

// ping returns when all that was sent has been answered.
func (p *peerModel) ping() error {
	p.pong = false
	p.send(`{"type":"ws.ping"}`)
	return p.until("pong", func() bool { return p.pong })
}

// plainModel is a client that knows nothing: it posts an input and reads one run.
type plainModel struct {
	label string
	fold  *fold.Fold
	ended bool // well
	over  chan error

	giveUp func()
}

func (h *history) askPlain(body, label string) *plainModel {
	s := h.ts.ask(http.MethodPost, "/agui", strings.Replace(body, `"threadId"`, `"protocolVersion":"1.1","threadId"`, 1))
	p := &plainModel{label: label, fold: fold.New(nil, nil), over: make(chan error, 1), giveUp: s.cancel}
	go func() { p.over <- p.read(s.resp.Body) }()
	return p
}

func (p *plainModel) read(body io.Reader) error {
	sequence := &order.Sequence{}
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, isEvent := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !isEvent {
			continue
		}
		if p.ended {
			return fmt.Errorf("behind the end of %s: %s", p.label, data)
		}
		e, err := protocol.Decode(data)
		if err == nil {
			err = sequence.Check(e)
		}
		if err == nil {
			err = p.fold.Apply(e)
		}
		if err != nil {
			return fmt.Errorf("the stream of %s: %s: %w", p.label, data, err)
		}
		switch e.(type) {
		case *protocol.RunFinished, *protocol.RunError:
			p.ended = true
		}
	}
	if !p.ended {
		return fmt.Errorf("the stream of %s breaks off: %w", p.label, lines.Err())
	}
	return nil
}

// holds compares what was read with what the thread became: no text in it is
// another, or longer.
func (p *plainModel) holds(thread *operate.Thread) error {
	said := map[string]string{}
	for _, m := range thread.Messages {
		said[m.ID] = m.Content.String()
	}
	for _, m := range p.fold.Messages() {
		if text, there := said[m.ID]; there && !strings.HasPrefix(text, m.Content.String()) {
			return fmt.Errorf("a plain client of %s holds %q, the thread %q", p.label, m.Content.String(), text)
		}
	}
	return nil
}
