package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

var errCut = errors.New("cut off")

// sent has a store's Commit do what is sent to it.
func sent(ctx context.Context, st store.Worker, b store.Batch, answered func(store.CommitResult, error)) bool {
	go func() { answered(st.Commit(ctx, b)) }()
	return true
}

// cutStore is a worker's way to the store, until it is cut.
type cutStore struct {
	store.Store
	cut   atomic.Bool
	lapse func()
}

func (c *cutStore) sever() {
	c.cut.Store(true)
	c.lapse()
}

func (c *cutStore) pass() error {
	if c.cut.Load() {
		return errCut
	}
	return nil
}

func (c *cutStore) Listen(func(store.Delivery)) {}

func (c *cutStore) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	if err := c.pass(); err != nil {
		return store.CommitResult{}, err
	}
	return c.Store.Commit(ctx, b)
}

func (c *cutStore) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	return sent(ctx, c, b, answered)
}

func (c *cutStore) Renew(ctx context.Context, claim store.Claim) (bool, error) {
	if err := c.pass(); err != nil {
		return false, err
	}
	return c.Store.Renew(ctx, claim)
}

func (c *cutStore) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	if err := c.pass(); err != nil {
		return nil, err
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

// doomed is a worker that can be cut off from the store.
func (l *lab) doomed() (*runner.Runner, *cutStore) {
	l.t.Helper()
	cut := &cutStore{Store: l.store, lapse: func() { l.ahead.Add(int64(lease + time.Millisecond)) }}
	r, err := runner.New(cut, &runner.Options{Agents: map[string]adapter.Agent{"": l.up}, Lease: lease, Sweep: time.Hour})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		at, cancel := context.WithCancel(context.Background())
		cancel()
		r.Shutdown(at)
	})
	return r, cut
}

// doomedWith is doomed, for a worker that is configured otherwise.
func (l *lab) doomedWith(options *Options) (*runner.Runner, *cutStore) {
	l.t.Helper()
	other, err := New(l.peer.URL, options)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		if err := other.Close(l.ctx()); err != nil {
			l.t.Error(err)
		}
	})
	defer func(own *Upstream) { l.up = own }(l.up)
	l.up = other
	return l.doomed()
}

// hangs is a turn of some events, after which nothing comes; reached is told.
func hangs(reached chan<- struct{}, events ...string) turn {
	return func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		if len(events) > 0 {
			sends(events...)(w, r, in)
		}
		reached <- struct{}{}
		<-r.Context().Done()
	}
}

func isWord(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageContent }

func TestLostWorker(t *testing.T) {
	const question = `"reason":"aguiws:uncertain_step"`
	for name, test := range map[string]struct {
		options Options
		resumed bool   // it is lost with an answer
		said    bool   // it is lost when something was said
		end     string // code; "" success, "asked" a question
		action  string // the answer to that
		after   string // code of the end after that
		sent    int    // requests of the turn that was lost
	}{
		"first":                         {end: "worker_lost", sent: 1},
		"first, in midst":               {said: true, end: "worker_lost", sent: 1},
		"first, idempotent":             {options: Options{Idempotent: true}, sent: 2},
		"first, idempotent, in midst":   {options: Options{Idempotent: true}, said: true, sent: 2},
		"first, asked about, rerun":     {options: Options{AskLost: true}, said: true, end: "asked", action: "rerun", sent: 2},
		"first, asked about, done":      {options: Options{AskLost: true}, end: "asked", action: "done", sent: 1},
		"first, asked about, fail":      {options: Options{AskLost: true}, end: "asked", action: "fail", after: "worker_lost", sent: 1},
		"answer, rerun":                 {resumed: true, end: "asked", action: "rerun", sent: 2},
		"answer, done":                  {resumed: true, end: "asked", action: "done", sent: 1},
		"answer, fail":                  {resumed: true, end: "asked", action: "fail", after: "worker_lost", sent: 1},
		"answer, in midst":              {resumed: true, said: true, end: "worker_lost", sent: 1},
		"answer, idempotent":            {options: Options{Idempotent: true}, resumed: true, sent: 2},
		"answer, idempotent, in midst":  {options: Options{Idempotent: true}, resumed: true, said: true, sent: 2},
		"answer, asked about, in midst": {options: Options{AskLost: true}, resumed: true, said: true, end: "asked", action: "rerun", sent: 2},
	} {
		t.Run(name, func(t *testing.T) {
			reached := make(chan struct{}, 1)
			lost := hangs(reached, began)
			if test.said {
				lost = hangs(reached, began, open, word)
			}
			whole := sends(began, open, word, shut, done)
			l := newLab(t, &test.options, sends(began, asks(confirm)))
			in, before := user("go"), 0
			if test.resumed {
				in = &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(interrupted(t, l.say("go"))[0].ID, `{"n":1.0}`)}}
				before = 1
			}
			l.peer.next(lost, whole)
			doomed, cut := l.doomed()
			in.ThreadID, in.RunID = "thread", "lost"
			if a, err := doomed.Submit(l.ctx(), admission.Input{Namespace: "test", Run: in}); err != nil || a.Disposition != admission.Started {
				t.Fatalf("%v %+v", err, a)
			}
			<-reached
			if test.said {
				l.until(isWord)
			}
			cut.sever()
			events := l.untilEnd()
			if test.end == "asked" {
				open := interrupted(t, events)
				if !strings.Contains(asJSON(t, open[0]), question) {
					t.Fatalf("asked %s", asJSON(t, open))
				}
				events, test.end = l.answer(resolved(open[0].ID, `{"action":"`+test.action+`"}`)), test.after
			}
			if test.end == "" {
				succeeded(t, events)
			} else {
				failedWith(t, events, test.end)
			}
			l.wellFormed()
			sent := l.peer.runs()[before:]
			if len(sent) != test.sent {
				t.Fatalf("%d requests", len(sent))
			}
			for _, again := range sent[1:] {
				if again.in.RunID != sent[0].in.RunID || asJSON(t, again.in.Resume) != asJSON(t, sent[0].in.Resume) || asJSON(t, again.in.Messages) != asJSON(t, sent[0].in.Messages) {
					t.Errorf("sent %s\nthen %s", sent[0].body, again.body)
				}
			}
			if test.sent == 2 && l.said() != "hi" {
				t.Errorf("said %q", l.said())
			}
		})
	}
}

// An agent that dies in mid-answer leaves open what it has done, like a worker that dies:
// with AskLost a human is asked, and what was said by then is taken back.
func TestLostAgent(t *testing.T) {
	drop := func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		sends(began, open, word)(w, r, in)
		panic(http.ErrAbortHandler)
	}
	hang := func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		sends(began, open, word)(w, r, in)
		<-r.Context().Done()
	}
	for name, lost := range map[string]turn{
		"drops":              drop,
		"ends":               sends(began, open, word),
		"ends with an event": sends(began, open, word, `{"type":"STEP_STARTED","stepName":"s"}`),
		"is silent":          hang,
		"says nothing":       sends(),
		"answers not at all": func(http.ResponseWriter, *http.Request, *protocol.RunAgentInput) { panic(http.ErrAbortHandler) },
	} {
		for _, resumed := range []bool{false, true} {
			for action, sent := range map[string]int{"rerun": 2, "done": 1, "fail": 1} {
				t.Run(fmt.Sprintf("%s/resumed %t/%s", name, resumed, action), func(t *testing.T) {
					l := newLab(t, &Options{AskLost: true}, lost)
					say, before := func() []protocol.Event { return l.say("go") }, 0
					if resumed {
						l.peer.next(sends(began, asks(confirm)), lost)
						asked := interrupted(t, l.say("go"))
						say, before = func() []protocol.Event { return l.answer(resolved(asked[0].ID, `{"n":1.0}`)) }, 1
					}
					if name == "is silent" {
						l.up.options.SilenceTimeout = 50 * time.Millisecond
					}
					doubt := interrupted(t, say())
					l.up.options.SilenceTimeout = patience
					if len(doubt) != 1 || doubt[0].Reason != adapter.ReasonUncertainStep || strings.Contains(doubt[0].Message, "the server was lost") || l.said() != "" {
						t.Fatalf("asked %s with %q in the thread", asJSON(t, doubt), l.said())
					}
					l.peer.next(sends(began, open, word, shut, done))
					end := l.answer(resolved(doubt[0].ID, `{"action":"`+action+`"}`))
					if action == "fail" {
						failedWith(t, end, adapter.CodeWorkerLost)
					} else {
						succeeded(t, end)
					}
					l.wellFormed()
					runs := l.peer.runs()[before:]
					if len(runs) != sent || (l.said() == "hi") != (sent == 2) {
						t.Fatalf("%d requests, said %q", len(runs), l.said())
					}
					for _, again := range runs[1:] {
						if again.in.RunID != runs[0].in.RunID || asJSON(t, again.in.Resume) != asJSON(t, runs[0].in.Resume) || asJSON(t, again.in.Messages) != asJSON(t, runs[0].in.Messages) {
							t.Errorf("sent %s\nthen %s", runs[0].body, again.body)
						}
					}
				})
			}
		}
	}
}

// An answer that the agent has not taken is the human's again, and goes once when it is
// given again.
func TestAnswersAreGivenBack(t *testing.T) {
	for name, test := range map[string]struct {
		turn turn
		code string
	}{
		"refused":                      {status(400), CodeRefused},
		"failed":                       {status(503), CodeFailed},
		"no stream":                    {status(200, "Content-Type", "text/html"), CodeContentType},
		"an error":                     {sends(`{"type":"RUN_ERROR","message":"no","code":"busy"}`), "busy"},
		"an error behind a beginning":  {sends(began, `{"type":"RUN_ERROR","message":"no"}`), "agent_error"},
		"an error behind a second one": {sends(began, began, `{"type":"RUN_ERROR","message":"no"}`), "agent_error"},
	} {
		for _, options := range []Options{{}, {Idempotent: true}, {AskLost: true}} {
			t.Run(name, func(t *testing.T) {
				l := newLab(t, &options, sends(began, asks(confirm+","+form)), test.turn, sends(began, open, word, shut, done))
				open := interrupted(t, l.say("go"))
				failedWith(t, l.answer(resolved(open[0].ID, "true"), resolved(open[1].ID, `{"n":1}`)), test.code)
				// The same interrupts are open, and another answer is as good.
				succeeded(t, l.answer(cancelled(open[0].ID), resolved(open[1].ID, `{"n":2}`)))
				l.wellFormed()
				sent := l.peer.runs()
				if len(sent) != 3 || l.said() != "hi" {
					t.Fatalf("%d requests, %q", len(sent), l.said())
				}
				if got := asJSON(t, sent[2].in.Resume); got != `[{"interruptId":"up-1","status":"cancelled"},{"interruptId":"up-2","status":"resolved","payload":{"n":2}}]` {
					t.Errorf("sent %s", got)
				}
				if sent[1].in.RunID == sent[2].in.RunID {
					t.Error("two answers are one run")
				}
			})
		}
	}
}

// An answer is the agent's when it has said more than that it began, whatever that is.
func TestAnswersThatAreTaken(t *testing.T) {
	for name, test := range map[string]struct {
		turn turn
		code string
	}{
		"an error after a word": {sends(began, open, word, `{"type":"RUN_ERROR","message":"no"}`), "agent_error"},
		"cut after a word":      {sends(began, open, word), CodeTruncated},
		"a word that is wrong":  {sends(began, word), "agent_protocol_violation"},
		"no event":              {sends("{}"), "agent_protocol_violation"},
		"no event of AG-UI":     {sends(began, `{"type":"TOOL_CALL_RESULT","toolCallId":"c","content":"paid 100"}`), "agent_protocol_violation"},
		"an event too large":    {sends(began, `{"type":"STATE_SNAPSHOT","snapshot":"`+strings.Repeat("x", 2<<20)+`"}`), CodeTooLarge},
	} {
		for _, options := range []Options{{}, {Idempotent: true}, {AskLost: true}} {
			t.Run(name, func(t *testing.T) {
				options.MaxEventBytes = 1 << 20
				l := newLab(t, &options, sends(began, asks(confirm)), test.turn, sends(began, done))
				open := interrupted(t, l.say("go"))
				if options.AskLost && test.code == CodeTruncated {
					return // TestLostAgent
				}
				failedWith(t, l.answer(resolved(open[0].ID, "true")), test.code)
				succeeded(t, l.say("more")) // nothing is open
				l.wellFormed()
			})
		}
	}
}

// A cancellation that the agent refuses leaves nothing open: nobody could get past it.
func TestRefusedCancellation(t *testing.T) {
	l := newLab(t, nil, sends(began, asks(confirm)), status(409), sends(began, done))
	open := interrupted(t, l.say("go"))
	failedWith(t, l.answer(cancelled(open[0].ID)), CodeRefused)
	succeeded(t, l.say("more"))
	l.wellFormed()
}
