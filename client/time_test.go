package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

// stage is a server whose part a test plays, in memory, so that it fits into a
// synctest bubble. It is a listener and a RoundTripper.
type stage struct {
	t     *testing.T
	conns chan net.Conn
	done  chan struct{}
	again chan struct{}        // for the test to close
	play  func(n int, p *part) // the n-th socket, counted from 1

	mu       sync.Mutex
	attempts []time.Time
	refuse   func(n int) (status int, header http.Header) // 0 lets it in
}

func (s *stage) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

func (s *stage) Close() error   { return nil }
func (s *stage) Addr() net.Addr { return &net.UnixAddr{Name: "stage"} }

func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.attempts = append(s.attempts, time.Now())
	n := len(s.attempts)
	s.mu.Unlock()
	if s.refuse != nil {
		if status, header := s.refuse(n); status != 0 {
			for name, values := range header {
				w.Header()[name] = values
			}
			w.WriteHeader(status)
			return
		}
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{client.Subprotocol}})
	if err != nil {
		return
	}
	defer ws.CloseNow()
	p := &part{s.t, ws}
	p.say(`{"type":"ws.hello","binding":"agui.v1","heartbeatMs":25000,"maxFrameBytes":4194304}`)
	s.play(n, p)
	p.ws.Read(context.Background())
}

// when are the times of the attempts to connect.
func (s *stage) when() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time{}, s.attempts...)
}

// part is the server's end of a socket.
type part struct {
	t  *testing.T
	ws *websocket.Conn
}

func (p *part) say(frames ...string) {
	for _, f := range frames {
		p.ws.Write(context.Background(), websocket.MessageText, []byte(f))
	}
}

// hear wants a frame with the text in it, and returns its id.
func (p *part) hear(text string) string {
	_, data, err := p.ws.Read(context.Background())
	if err != nil || !strings.Contains(string(data), text) {
		p.t.Errorf("heard %s, %v, want %s", data, err, text)
	}
	var f struct{ ID string }
	json.Unmarshal(data, &f)
	return f.ID
}

// attached lets the client follow an unused thread.
func (p *part) attached() {
	id := p.hear(`"ws.attach"`)
	p.say(`{"type":"ws.attached","id":"`+id+`","threadId":"t","epoch":"e","seq":0,"recovered":false,"reason":"no_position","interrupts":[],"queued":[]}`,
		`{"type":"ws.live","threadId":"t","seq":0}`)
}

// staged runs a test with a client of the stage.
func staged(t *testing.T, s *stage, test func(t *testing.T, c *client.Client)) {
	synctest.Test(t, func(t *testing.T) {
		s.t, s.conns, s.done, s.again = t, make(chan net.Conn), make(chan struct{}), make(chan struct{})
		web := &http.Server{Handler: s}
		served := make(chan struct{})
		go func() {
			defer close(served)
			web.Serve(s)
		}()
		transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			s.conns <- far
			return near, nil
		}}
		c, err := client.Dial(t.Context(), "ws://stage/agui/ws", &client.Options{HTTPClient: &http.Client{Transport: transport}})
		if err != nil {
			t.Fatal(err)
		}
		test(t, c)
		c.Close()
		transport.CloseIdleConnections()
		close(s.done)
		web.Close()
		<-served
	})
}

func TestSilentServerIsLeft(t *testing.T) {
	s := &stage{}
	s.play = func(n int, p *part) {
		switch n {
		case 1:
			p.hear(`"ws.ping"`)
			p.say(`{"type":"ws.pong","positions":{}}`)
			p.hear(`"ws.ping"`)
		case 2:
			close(s.again)
		}
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		begun := time.Now()
		<-s.again
		// Twice it is asked when the server's ping is a quarter late; the second time it
		// is given 10 s.
		if took := time.Since(begun); took < 72500*time.Millisecond || took > 73*time.Second {
			t.Errorf("it was left after %v", took)
		}
	})
}

// A server that pings is not asked whether it is there.
func TestPingIsASignOfLife(t *testing.T) {
	s := &stage{}
	s.play = func(n int, p *part) {
		ctx := p.ws.CloseRead(context.Background()) // and closes if a frame comes
		for range 10 {
			time.Sleep(25 * time.Second)
			if err := p.ws.Ping(ctx); err != nil {
				t.Errorf("the client has gone or has sent something: %v", err)
			}
		}
		close(s.again)
	}
	staged(t, s, func(t *testing.T, c *client.Client) { <-s.again })
}

func TestComesBackWhenTold(t *testing.T) {
	s := &stage{}
	s.play = func(n int, p *part) {
		switch n {
		case 1:
			p.say(`{"type":"ws.goaway","reason":"draining","retryAfterMs":5000}`)
			p.ws.Close(websocket.StatusServiceRestart, "")
		case 2:
			close(s.again)
		}
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		begun := time.Now()
		<-s.again
		if took := time.Since(begun); took < 5*time.Second || took > 6*time.Second {
			t.Errorf("it came back after %v", took)
		}
	})
}

// Attempts are random times apart, below a bound that doubles; one that is refused for a
// time waits that long at least.
func TestBacksOff(t *testing.T) {
	s := &stage{}
	s.refuse = func(n int) (int, http.Header) {
		switch {
		case n == 1 || n == 12:
			return 0, nil
		case n == 11:
			return http.StatusTooManyRequests, http.Header{"Retry-After": {"60"}}
		}
		return http.StatusServiceUnavailable, nil
	}
	s.play = func(n int, p *part) {
		if n == 12 {
			close(s.again)
			return
		}
		p.ws.Close(websocket.StatusInternalError, "")
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		<-s.again
		bound := 250 * time.Millisecond
		when := s.when()
		for i := 1; i < 11; i++ {
			if wait := when[i].Sub(when[i-1]); wait >= bound {
				t.Errorf("attempt %d came after %v, want less than %v", i+1, wait, bound)
			}
			bound = min(2*bound, 15*time.Second)
		}
		if wait := when[11].Sub(when[10]); wait < time.Minute || wait > 75*time.Second {
			t.Errorf("the last attempt came after %v", wait)
		}
	})
}

// What the store could not take is sent again when the server said, or when the store is
// back.
func TestPutOff(t *testing.T) {
	var heard []time.Time
	s := &stage{}
	s.play = func(n int, p *part) {
		p.attached()
		refuse := func(id string) {
			p.say(`{"type":"ws.run","id":"`+id+`","threadId":"t","runId":"r","disposition":"refused"}`,
				`{"type":"ws.stream","threadId":"t","epoch":"","seq":0,"uncounted":1}`,
				`{"type":"RUN_ERROR","message":"away","code":"store_unavailable","metadata":{"aguiws":{"retryAfterMs":20000}}}`)
		}
		refuse(p.hear(`"runId"`))
		heard = append(heard, time.Now())
		refuse(p.hear(`"runId"`))
		heard = append(heard, time.Now())
		p.say(`{"type":"ws.store","available":false}`, `{"type":"ws.store","available":true}`)
		id := p.hear(`"runId"`)
		heard = append(heard, time.Now())
		p.say(`{"type":"ws.run","id":"`+id+`","threadId":"t","runId":"r","disposition":"started"}`,
			`{"type":"ws.stream","threadId":"t","epoch":"e","seq":0}`,
			`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		thread, err := c.Follow(t.Context(), "t", nil)
		if err != nil {
			t.Fatal(err)
		}
		run := thread.Send(protocol.RunAgentInput{RunID: "r"})
		if _, err := run.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if at := thread.View().Position; at != (client.Position{Epoch: "e", Seq: 2}) {
			t.Errorf("the thread is at %v", at)
		}
		if wait := heard[1].Sub(heard[0]); wait != 20*time.Second {
			t.Errorf("it was sent again after %v", wait)
		}
		if wait := heard[2].Sub(heard[1]); wait >= time.Second {
			t.Errorf("the store was back, and it was sent again after %v", wait)
		}
	})
}

// What is missing is asked for from the position that is held, and what comes before the
// answer is dropped. Frames that nobody knows are ignored.
func TestGapIsAskedFor(t *testing.T) {
	s := &stage{}
	s.play = func(n int, p *part) {
		p.attached()
		<-s.again
		p.say(`{"type":"ws.later","threadId":"t","seq":"?"}`, `{"type":"ws.stream","threadId":"t","epoch":"e","seq":1}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
		id := p.hear(`"after":{"epoch":"e","seq":0}`)
		p.say(`{"type":"CUSTOM","name":"too early","value":1}`,
			`{"type":"ws.attached","id":"`+id+`","threadId":"t","epoch":"e","seq":0,"recovered":true,"interrupts":[],"queued":[]}`,
			`{"type":"ws.stream","threadId":"t","epoch":"e","seq":0}`,
			`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`,
			`{"type":"ws.live","threadId":"t","seq":2}`)
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		thread, err := c.Follow(t.Context(), "t", nil)
		if err != nil {
			t.Fatal(err)
		}
		updates := thread.Subscribe()
		defer updates.Close()
		close(s.again)
		for _, want := range []protocol.EventType{"", protocol.TypeRunStarted, protocol.TypeRunFinished} {
			u, err := updates.Next(t.Context())
			if err != nil || (u.Event == nil) != (want == "") || u.Event != nil && u.Event.Type() != want {
				t.Fatalf("got %+v, %v, want %s", u, err, want)
			}
		}
		if at := thread.View().Position.Seq; at != 2 {
			t.Errorf("it is at %d", at)
		}
	})
}

// A thread that is deleted is empty, and followed on.
func TestDeleted(t *testing.T) {
	s := &stage{}
	s.play = func(n int, p *part) {
		p.attached()
		id := p.hear(`"runId":"r"`)
		p.say(`{"type":"ws.run","id":"`+id+`","threadId":"t","runId":"r","disposition":"started"}`,
			`{"type":"ws.stream","threadId":"t","epoch":"e","seq":0}`,
			`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"hi"}],"tools":[],"context":[]}}`,
			`{"type":"ws.detached","threadId":"t","reason":"deleted"}`)
		p.attached()
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		thread, err := c.Follow(t.Context(), "t", nil)
		if err != nil {
			t.Fatal(err)
		}
		updates := thread.Subscribe()
		defer updates.Close()
		if _, err := thread.Send(protocol.RunAgentInput{RunID: "r"}).Wait(t.Context()); !errors.Is(err, client.ErrDeleted) {
			t.Errorf("its run: %v", err)
		}
		if err := thread.Await(t.Context(), client.View.AtRest); err != nil {
			t.Fatal(err)
		}
		var reasons []string
		for range 4 {
			u, err := updates.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			reasons = append(reasons, u.Reason)
		}
		if want := []string{"", "", "deleted", "no_position"}; !slices.Equal(reasons, want) || len(thread.View().Messages) != 0 {
			t.Errorf("updates %q, %+v", reasons, thread.View())
		}
	})
}

// A server that takes nothing of what is written is left as one that is silent is.
func TestServerThatTakesNothingIsLeft(t *testing.T) {
	s := &stage{}
	s.play = func(n int, p *part) {
		switch n {
		case 1:
			p.attached()
			<-s.again
		case 2:
			close(s.again)
		}
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		thread, err := c.Follow(t.Context(), "t", nil)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		thread.Say(strings.Repeat("a", 1<<20))
		<-s.again
		if took := time.Since(begun); took < 41*time.Second || took > 42*time.Second {
			t.Errorf("it was left after %v", took)
		}
	})
}

// A server that refuses for now, and says no time or nonsense, is not asked at once.
func TestPutOffWithoutATime(t *testing.T) {
	for _, after := range []string{"0", "-1", "9223372036854775807"} {
		var asked int
		s := &stage{}
		s.play = func(n int, p *part) {
			p.attached()
			for {
				_, data, err := p.ws.Read(context.Background())
				if err != nil {
					return
				}
				asked++
				var f struct{ ID string }
				json.Unmarshal(data, &f)
				p.say(`{"type":"ws.error","id":"` + f.ID + `","code":"rate_limited","message":"","retryAfterMs":` + after + `}`)
				if asked >= 1000 {
					return
				}
			}
		}
		staged(t, s, func(t *testing.T, c *client.Client) {
			thread, err := c.Follow(t.Context(), "t", nil)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			thread.Say("hi").Wait(ctx)
			c.Close()
			synctest.Wait()
			if asked > 50 {
				t.Errorf("retryAfterMs %s: it was asked %d times in 10 s", after, asked)
			}
		})
	}
}

// Who stops waiting for a thread leaves it to the others that want it.
func TestFollowGivenUpByOneOfTwo(t *testing.T) {
	s := &stage{}
	s.play = func(n int, p *part) {
		id := p.hear(`"ws.attach"`)
		<-s.again
		p.say(`{"type":"ws.attached","id":"`+id+`","threadId":"t","epoch":"e","seq":0,"recovered":false,"reason":"no_position","interrupts":[],"queued":[]}`,
			`{"type":"ws.live","threadId":"t","seq":0}`)
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		ctx, cancel := context.WithCancel(t.Context())
		first, second := make(chan error), make(chan error)
		follow := func(ctx context.Context, result chan error) {
			_, err := c.Follow(ctx, "t", nil)
			result <- err
		}
		go follow(ctx, first)
		synctest.Wait()
		go follow(t.Context(), second)
		synctest.Wait()
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("the first: %v", err)
		}
		close(s.again)
		if err := <-second; err != nil {
			t.Errorf("the second: %v", err)
		}
	})
}

// Two inputs may have one label: each gets the end of its own run.
func TestTwoInputsOfOneLabel(t *testing.T) {
	s := &stage{}
	s.play = func(n int, p *part) {
		p.attached()
		for _, as := range []string{"started", "queued"} {
			id := p.hear(`"runId":"r"`)
			p.say(`{"type":"ws.run","id":"` + id + `","threadId":"t","runId":"r","disposition":"` + as + `"}`)
		}
		p.say(`{"type":"ws.stream","threadId":"t","epoch":"e","seq":0}`,
			`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":1}`)
		<-s.again
		p.say(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":2}`)
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		thread, err := c.Follow(t.Context(), "t", nil)
		if err != nil {
			t.Fatal(err)
		}
		first, second := thread.Send(protocol.RunAgentInput{RunID: "r"}), thread.Send(protocol.RunAgentInput{RunID: "r"})
		for i, run := range []*client.Run{first, second} {
			end, err := run.Wait(t.Context())
			if err != nil || string(end.Result) != string("12"[i]) {
				t.Errorf("run %d ended with %+v, %v", i+1, end, err)
			}
			if i == 0 {
				synctest.Wait()
				select {
				case <-second.Done():
					t.Error("the second ended with the first")
				default:
				}
				close(s.again)
			}
		}
	})
}
