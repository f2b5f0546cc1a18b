package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

const (
	// just is how long before its client has left an input may have come behind a run to end
	// it at once, and tries how often it is tried to cancel one.
	just  = 250 * time.Millisecond
	tries = 12
)

// leavingNode serves the script agent to clients that leave.
func leavingNode(t *testing.T, st store.Store, grace time.Duration, busy runner.BusyPolicy) *testServer {
	t.Helper()
	ts := nodeWith(t, st, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}, Busy: busy},
		&Options{FrameBurst: 1000, DisconnectGrace: grace})
	t.Cleanup(func() {
		if _, err := ts.control.StopAll(context.Background(), localThread, "the test is over", admission.Actor{}); err != nil {
			t.Error(err)
		}
	})
	return ts
}

// durable opens a store on a Redis.
func durable(t *testing.T, redis *redistest.Server) *redisstore.Store {
	t.Helper()
	st, err := redisstore.Open(t.Context(), redis.URL(), &redisstore.Options{Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	closes(t, st)
	return st
}

const long = "/slow 10000 10"

// asks posts an input and waits until its run has said something.
func (ts *testServer) asks(body string) *sseStream {
	ts.t.Helper()
	s := ts.post(body)
	s.until("TEXT_MESSAGE_CONTENT")
	return s
}

func (s *sseStream) until(kind string) map[string]any {
	s.t.Helper()
	for {
		e, ok := s.next()
		if !ok {
			s.t.Fatalf("ended before %s", kind)
		}
		if e.data == "" {
			continue
		}
		if m := s.decoded(e, ""); m["type"] == kind {
			return m
		}
	}
}

// follows is a socket that follows thread t.
func (ts *testServer) follows() *client {
	ts.t.Helper()
	c := ts.dial()
	c.send(`{"type":"ws.attach","threadId":"t"}`)
	c.expect("ws.attached")
	return c
}

func (ts *testServer) leftCount() int {
	return ts.core.Left.Len()
}

// isLeft waits until it is known that a run's client has gone.
func (ts *testServer) isLeft() {
	ts.t.Helper()
	eventually(ts.t, "the run is left", func() bool { return ts.leftCount() == 1 })
}

func (ts *testServer) active() string {
	ts.t.Helper()
	thread, err := ts.control.Thread(ts.t.Context(), localThread)
	if err != nil {
		ts.t.Fatal(err)
	}
	return thread.Active
}

// wasCancelled wants that the thread comes to rest with a run that was cancelled.
func (ts *testServer) wasCancelled() {
	ts.t.Helper()
	eventually(ts.t, "the run ends", func() bool { return ts.active() == "" })
	_, last := ts.events("").rest()
	if outcome, _ := last["outcome"].(map[string]any); last["type"] != "RUN_FINISHED" || outcome["type"] != "cancelled" {
		ts.t.Errorf("it ended with %v", last)
	}
}

// Whoever asks for a run over HTTP stops it by closing the connection.
func TestLeavingStops(t *testing.T) {
	ts := leavingNode(t, embedded(t), time.Millisecond, "")
	ts.asks(says("r1", long)).cancel()
	ts.wasCancelled()
	wantSuccess(t, newTab(ts.dial()).ask("r2", "/say hello"))
	if n := ts.leftCount(); n != 0 {
		t.Errorf("%d runs are still left", n)
	}
}

// The policy is an agent's or else a route's. Sockets stop nothing by closing.
func TestLeavingFinishes(t *testing.T) {
	for name, c := range map[string]struct {
		on   map[string]Disconnect
		path string
		left bool
	}{
		"agui":                          {nil, "/agui", true},
		"copilotkit":                    {nil, "/copilotkit/agent/default/run", false},
		"agui, to finish":               {map[string]Disconnect{"/agui": DisconnectFinish}, "/agui", false},
		"copilotkit, to stop":           {map[string]Disconnect{"/copilotkit": DisconnectStop}, "/copilotkit/agent/default/run", true},
		"the agent, to finish":          {map[string]Disconnect{"default": DisconnectFinish}, "/agui", false},
		"another agent, to finish":      {map[string]Disconnect{"other": DisconnectFinish}, "/agui", true},
		"the other agent, to finish":    {map[string]Disconnect{"other": DisconnectFinish}, "/agui/other", false},
		"the agent goes before a route": {map[string]Disconnect{"default": DisconnectStop, "/copilotkit": DisconnectFinish}, "/copilotkit/agent/default/run", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			ts := newTestServer(t, b, &Options{Agents: []string{"other"}, OnDisconnect: c.on, DisconnectGrace: time.Hour})
			s := ts.ask(http.MethodPost, c.path, input("t", "r")).opened()
			s.expect("RUN_STARTED")
			s.cancel()
			if c.left {
				ts.isLeft()
			}
			eventually(t, "nothing is served", func() bool { return ts.openSockets() == 0 && b.followers() == 0 })
			if n := ts.leftCount(); (n == 1) != c.left {
				t.Errorf("%d runs are left", n)
			}
		})
	}
	for name, mode := range map[string]func(*testServer) *client{
		"a socket":       func(ts *testServer) *client { return ts.dial() },
		"a plain socket": func(ts *testServer) *client { return ts.connect("/agui/ws", plainMode) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			ts := newTestServer(t, b, &Options{DisconnectGrace: time.Hour})
			c := mode(ts)
			c.send(input("t", "r"))
			eventually(t, "it is asked for", func() bool { return b.followers() == 1 })
			c.ws.CloseNow()
			ts.idle(b)
			if n := ts.leftCount(); n != 0 {
				t.Errorf("%d runs are left", n)
			}
		})
	}
}

// The next message does not wait for a run that is left, over whatever wire and
// whatever becomes of messages while a run is active.
func TestNextMessageAfterLeaving(t *testing.T) {
	for _, busy := range []runner.BusyPolicy{"", runner.BusyReject} {
		for name, next := range map[string]func(ts *testServer){
			"POST": func(ts *testServer) {
				s := ts.post(says("r2", "/say hello"))
				if end := s.until("RUN_FINISHED"); end["runId"] != "r2" {
					ts.t.Errorf("got %v", end)
				}
			},
			"the same runId": func(ts *testServer) {
				s := ts.post(strings.Replace(says("r1", "/say hello"), "m-r1", "m-next", 1))
				if end := s.until("RUN_FINISHED"); end["outcome"] != nil && end["outcome"].(map[string]any)["type"] == "cancelled" {
					ts.t.Errorf("got %v", end)
				}
			},
			"a socket": func(ts *testServer) { wantSuccess(ts.t, newTab(ts.dial()).ask("r2", "/say hello")) },
			"a plain socket": func(ts *testServer) {
				c := ts.connect("/agui/ws", plainMode)
				c.send(says("r2", "/say hello"))
				for f := c.expect("RUN_STARTED"); f["type"] != "RUN_FINISHED"; f = c.expectAny() {
					if f["type"] == "RUN_ERROR" {
						ts.t.Fatalf("got %v", f)
					}
				}
			},
		} {
			t.Run(name+" "+string(busy), func(t *testing.T) {
				ts := leavingNode(t, embedded(t), time.Hour, busy)
				ts.asks(says("r1", long)).cancel()
				ts.isLeft()
				next(ts)
				if n := ts.leftCount(); n != 0 {
					t.Errorf("%d runs are left", n)
				}
				counts(t, ts.opts.Metrics, 1, "aguiws_disconnect_cancels_total")
			})
		}
	}
}

// Whoever comes back within the grace keeps the run for as long as they follow.
func TestComingBackKeeps(t *testing.T) {
	for name, come := range map[string]func(ts *testServer) (leave func()){
		"the same input": func(ts *testServer) func() { return ts.asks(says("r1", long)).cancel },
		"the same input, on a socket": func(ts *testServer) func() {
			c := ts.dial()
			c.send(says("r1", long))
			c.expect("ws.run")
			return func() { c.ws.CloseNow() }
		},
		"GET events": func(ts *testServer) func() { s := ts.events(""); s.expect("RUN_STARTED"); return s.cancel },
		"ws.attach":  func(ts *testServer) func() { c := ts.follows(); return func() { c.ws.CloseNow() } },
		"connect": func(ts *testServer) func() {
			s := ts.copilotkit("connect", opening).opened()
			s.expect("RUN_STARTED")
			return s.cancel
		},
	} {
		t.Run(name, func(t *testing.T) {
			ts := leavingNode(t, embedded(t), time.Hour, "")
			ts.asks(says("r1", long)).cancel()
			ts.isLeft()
			leave := come(ts)
			over := func() bool { // as if the grace were
				c, err := ts.core.Runs.CancelLeft(t.Context(), localThread, ts.active(), "r1", 0)
				if err != nil {
					t.Fatal(err)
				}
				return c.Stopped
			}
			if over() {
				t.Fatal("it was stopped")
			}
			leave()
			eventually(t, "it is stopped without them", over)
		})
	}
}

// A run that others follow is not stopped by one who leaves, and is by the last.
func TestLeavingOthers(t *testing.T) {
	for name, other := range map[string]func(ts *testServer) (leave func()){
		"a repeat":   func(ts *testServer) func() { return ts.asks(says("r1", long)).cancel },
		"GET events": func(ts *testServer) func() { s := ts.events(""); s.expect("RUN_STARTED"); return s.cancel },
		"a socket": func(ts *testServer) func() {
			c := ts.follows()
			return func() { c.ws.CloseNow() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			ts := leavingNode(t, embedded(t), time.Millisecond, "")
			first := ts.asks(says("r1", long))
			leave := other(ts)
			first.cancel()
			eventually(t, "one is gone", func() bool { return ts.openSockets() == 1 && ts.leftCount() == 0 })
			if ts.active() == "" {
				t.Fatal("it was stopped")
			}
			leave()
			if name == "a repeat" {
				ts.wasCancelled()
			}
		})
	}
	t.Run("the first, when a repeat leaves", func(t *testing.T) {
		ts := leavingNode(t, embedded(t), time.Millisecond, "")
		first := ts.asks(says("r1", long))
		ts.asks(says("r1", long)).cancel()
		eventually(t, "one is gone", func() bool { return ts.openSockets() == 1 && ts.leftCount() == 0 })
		first.until("TEXT_MESSAGE_CONTENT")
		if ts.active() == "" {
			t.Error("it was stopped")
		}
	})
}

// What waits in the queue is not stopped by one who leaves.
func TestLeavingTheQueue(t *testing.T) {
	ts := leavingNode(t, embedded(t), time.Millisecond, "")
	first := ts.asks(says("r1", long))
	waiting := ts.post(says("r2", "/say it came to its turn"))
	ts.awaitQueued()
	ts.awaitSender()
	waiting.cancel()
	eventually(t, "it has gone", func() bool { return ts.openSockets() == 1 && ts.leftCount() == 0 })
	ts.stops("r1", true)
	first.until("RUN_ERROR") // as who is from before 1.0 is told of it
	eventually(t, "rest", func() bool { return ts.active() == "" })
	types, last := ts.events("").rest()
	if outcome, _ := last["outcome"].(map[string]any); last["runId"] != "r2" || outcome["type"] == "cancelled" {
		t.Errorf("%v ended with %v", types, last)
	}
}

// Between nodes whoever follows keeps a run, and who waits behind it does not.
func TestLeavingOnTwoNodes(t *testing.T) {
	two := func(t *testing.T, grace time.Duration) (a, b *testServer) {
		redis := redistest.Start(t, redistest.Options{})
		return leavingNode(t, durable(t, redis), grace, ""), leavingNode(t, durable(t, redis), grace, "")
	}
	t.Run("who waits", func(t *testing.T) {
		a, b := two(t, time.Millisecond)
		b.post(says("r0", "/say before")).rest() // it has followed the thread
		first := a.asks(says("r1", long))
		next := b.post(says("r2", "/say hello"))
		b.awaitQueued()
		first.cancel()
		if end := next.until("RUN_FINISHED"); end["runId"] != "r2" {
			t.Errorf("got %v", end)
		}
		eventually(t, "it is forgotten", func() bool { return a.leftCount() == 0 })
	})
	for name, other := range map[string]func(b *testServer){
		"a repeat":   func(b *testServer) { b.asks(says("r1", long)) },
		"GET events": func(b *testServer) { b.events("").expect("RUN_STARTED") },
		"a socket":   func(b *testServer) { b.follows() },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := two(t, time.Millisecond)
			first := a.asks(says("r1", long))
			other(b)
			first.cancel()
			eventually(t, "one is gone", func() bool { return a.openSockets() == 0 && a.leftCount() == 0 })
			if a.active() == "" {
				t.Error("it was stopped")
			}
		})
	}
	t.Run("nobody", func(t *testing.T) {
		a, b := two(t, time.Millisecond)
		b.post(says("r0", "/say before")).rest()
		a.asks(says("r1", long)).cancel()
		a.wasCancelled()
	})
}

// The store is asked twice. At first only what came just before counts, as what was sent
// when the connection was closed may. When the grace is over nothing needs to wait.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, began := newFake(), time.Now()
		var looks []string
		b.left = func(key store.ThreadKey, run, label string, behind time.Duration) (admission.Cancelled, error) {
			looks = append(looks, fmt.Sprint(run, " ", label, " ", time.Since(began), " ", behind))
			if len(looks) == 1 {
				return admission.Cancelled{}, errors.New("no answer")
			}
			return admission.Cancelled{Stopped: behind == 0}, nil
		}
		s, p, end := piped(t, b, &Options{DisconnectGrace: time.Second})
		defer end()
		near, far := net.Pipe()
		p.conns <- far
		io.WriteString(near, postThread)
		if _, err := http.ReadResponse(bufio.NewReader(near), nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		near.Close()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		want := []string{fmt.Sprint("server-r r ", time.Duration(0), " ", just), fmt.Sprint("server-r r ", time.Second, " ", time.Duration(0))}
		if !slices.Equal(looks, want) {
			t.Errorf("got  %q\nwant %q", looks, want)
		}
		if s.core.Left.Len() != 0 {
			t.Error("it is still left")
		}
	})
}

// A store that does not answer when the grace is over is asked again, and not for ever.
func TestGraceWithoutTheStore(t *testing.T) {
	for name, failing := range map[string]int{"for a while": 5, "for good": 1000} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, looks := newFake(), 0
				b.left = func(store.ThreadKey, string, string, time.Duration) (admission.Cancelled, error) {
					if looks++; looks <= failing {
						return admission.Cancelled{}, errors.New("no answer")
					}
					return admission.Cancelled{Stopped: true}, nil
				}
				s, p, end := piped(t, b, &Options{DisconnectGrace: -1})
				defer end()
				near, far := net.Pipe()
				p.conns <- far
				io.WriteString(near, postThread)
				if _, err := http.ReadResponse(bufio.NewReader(near), nil); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				near.Close()
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if want := min(failing+1, tries); looks != want || s.core.Left.Len() != 0 {
					t.Errorf("it was tried %d times, want %d, and %d are left", looks, want, s.core.Left.Len())
				}
			})
		})
	}
}

// A client that is closed by the server has not left: by its credential, by a drain, or
// because it takes nothing.
func TestServerEndsAreNotLeaving(t *testing.T) {
	t.Parallel() // it ends by the clock
	synctest.Test(t, func(t *testing.T) {
		b := newFake()
		b.left = func(store.ThreadKey, string, string, time.Duration) (admission.Cancelled, error) {
			t.Error("it was taken for left")
			return admission.Cancelled{}, nil
		}
		answer := byHand(t, b, &Options{Auth: byToken{"good": {Expires: time.Now().Add(time.Minute)}}})
		answer(authorized(postThread, "good"))
		time.Sleep(time.Minute)
	})
	t.Run("stalled", func(t *testing.T) {
		b := newFake()
		ts := newTestServer(t, b, &Options{WriteTimeout: time.Second, DisconnectGrace: time.Hour})
		stalled(ts, postThread)
		eventually(t, "it is served", func() bool { return b.followers() == 1 })
		for i := range 120 {
			b.log(localThread, big(i))
		}
		ts.idle(b)
		if n := ts.leftCount(); n != 0 {
			t.Errorf("%d runs are left", n)
		}
	})
	t.Run("drain", func(t *testing.T) {
		ts := leavingNode(t, embedded(t), time.Hour, "")
		ts.asks(says("r1", "/slow 100 10")).cancel()
		ts.isLeft()
		run := ts.active()
		ts.stop()
		if n := ts.leftCount(); n != 0 {
			t.Errorf("%d runs are left", n)
		}
		if run == "" {
			t.Error("it had ended")
		}
	})
}

// There are not more graces than there may be sockets: the run goes on.
func TestLeftRunsAreBounded(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, &Options{Sockets: 2, DisconnectGrace: time.Hour})
	for i := range 3 {
		s := ts.ask(http.MethodPost, "/agui", input(fmt.Sprint("t", i), "r")).opened()
		s.expect("RUN_STARTED")
		s.cancel()
		ts.idle(b)
	}
	if n := ts.leftCount(); n != 2 {
		t.Errorf("%d runs are left", n)
	}
}

// What was asked about has ended, whether it has a question open or not.
func TestLeavingAnInterrupt(t *testing.T) {
	ts := leavingNode(t, embedded(t), time.Millisecond, "")
	s := ts.post(says("r1", "/confirm sure?"))
	end := s.until("RUN_FINISHED")
	runs, err := ts.control.Runs(context.Background(), localThread, store.DispatchQuery{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v %v", runs, err)
	}
	if c, err := ts.core.Runs.CancelLeft(context.Background(), localThread, runs[0].ID, "r1", 0); err != nil || c.Stopped {
		t.Errorf("got %+v %v", c, err)
	}
	_, last := ts.events("").rest()
	if fmt.Sprint(last["outcome"]) != fmt.Sprint(end["outcome"]) {
		t.Errorf("it ended with %v, and is said to with %v", end, last)
	}
}

// Who asks again for what waits behind a run that is left does not keep that run.
func TestAskingForAnotherKeepsNothing(t *testing.T) {
	ts := leavingNode(t, embedded(t), 300*time.Millisecond, "")
	first := ts.asks(says("r1", long))
	waiting := ts.post(says("r2", "/say hello"))
	ts.awaitQueued()
	again := ts.post(says("r2", "/say hello"))
	eventually(t, "both wait", func() bool { return ts.waiting("r2") == 2 })
	first.cancel()
	for _, s := range []*sseStream{waiting, again} {
		if end := s.until("RUN_FINISHED"); end["runId"] != "r2" {
			t.Errorf("got %v", end)
		}
	}
}

// waiting is how many senders of a queued input of thread t are remembered.
func (ts *testServer) waiting(label string) int {
	return ts.core.Awaiting.Waiting(localThread, label)
}
