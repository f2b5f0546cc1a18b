package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/server"
)

func TestAskAndAnswer(t *testing.T) {
	n := serve(t, nil)
	thread := follow(t, dial(t, n, nil), "trip")
	end, err := thread.Say("/confirm Book the Adlon?").Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	asked := client.Asked(end)
	if len(asked) != 1 || asked[0].Message != "Book the Adlon?" {
		t.Fatalf("asked %v", asked)
	}
	if got := thread.View().Interrupts; !reflect.DeepEqual(got, asked) {
		t.Errorf("the view has %v, want %v", got, asked)
	}
	answer := thread.Answer(client.Resolve(asked[0], `{"approved":true}`))
	if _, err := answer.Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	view := thread.View()
	if len(view.Interrupts) != 0 || said(view) != "Confirmed." || !view.AtRest() || view.Position.Seq != 10 {
		t.Errorf("the thread is %+v", view)
	}

	// The same decision under another label is a repeat, and ends as the first did.
	other := follow(t, dial(t, n, nil), "trip")
	again := other.Answer(client.Resolve(asked[0], `{"approved":true}`))
	if _, err := again.Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	if d, of, err := again.Accepted(within(t)); d != client.Repeated || of != answer.ClientRunID() || err != nil {
		t.Errorf("again: %s of %s, %v", d, of, err)
	}
	same(t, thread, other)
}

func TestInputRefused(t *testing.T) {
	thread := follow(t, dial(t, serve(t, nil), nil), "t")
	end, err := thread.Say("/form").Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	for want, run := range map[string]*client.Run{
		"interrupts_pending":        thread.Say("never mind"),
		"interrupt_unknown":         thread.Answer(protocol.ResumeEntry{InterruptID: "nobody's", Status: protocol.ResumeCancelled}),
		"interrupt_payload_invalid": thread.Answer(client.Resolve(client.Asked(end)[0], `7`)),
		"invalid_input":             thread.Send(protocol.RunAgentInput{RunID: strings.Repeat("x", 2000)}),
	} {
		_, err := run.Wait(within(t))
		var refused *client.RefusedError
		if !errors.As(err, &refused) || refused.Code != want {
			t.Errorf("got %v, want %s", err, want)
			continue
		}
		switch want {
		case "interrupt_unknown":
			if !reflect.DeepEqual(refused.InterruptIDs, []string{"nobody's"}) {
				t.Errorf("refused because of %v", refused.InterruptIDs)
			}
		case "interrupt_payload_invalid":
			if len(refused.Fields) == 0 || refused.Fields[0].InterruptID != client.Asked(end)[0].ID {
				t.Errorf("refused because of %v", refused.Fields)
			}
		}
	}
	if _, err := thread.Answer(client.Withdraw(client.Asked(end)[0])).Wait(within(t)); err != nil {
		t.Error(err)
	}
}

func TestRunFails(t *testing.T) {
	thread := follow(t, dial(t, serve(t, nil), nil), "t")
	_, err := thread.Say("/fail on purpose").Wait(within(t))
	var failed *client.FailedError
	if !errors.As(err, &failed) || failed.Code != "agent_error" {
		t.Errorf("got %v, want agent_error", err)
	}
	// Following goes on behind it.
	if _, err := thread.Say("/say Well.").Wait(within(t)); err != nil || said(thread.View()) != "Well." {
		t.Errorf("got %v, %q", err, said(thread.View()))
	}
}

func TestInputLargerThanAFrame(t *testing.T) {
	thread := follow(t, dial(t, serve(t, &server.Options{MaxFrameBytes: 4096}), nil), "t")
	if _, err := thread.Say(strings.Repeat("x", 5000)).Wait(within(t)); !errors.Is(err, client.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if _, err := thread.Say("/say fine").Wait(within(t)); err != nil {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	thread := follow(t, dial(t, serve(t, nil), nil), "t")
	run, waiting := thread.Say("/slow 1000 20"), thread.Say("/say next")
	if d, _, err := waiting.Accepted(within(t)); d != client.Queued || err != nil {
		t.Fatalf("the second input is %q, %v", d, err)
	}
	if q := thread.View().Queued; len(q) != 1 || q[0].Label != waiting.ClientRunID() || len(q[0].Messages) != 1 {
		t.Errorf("queued: %v", q)
	}
	for _, r := range []*client.Run{waiting, run} {
		if stopped, err := r.Cancel(within(t)); !stopped || err != nil {
			t.Errorf("stopped %v, %v", stopped, err)
		}
		end, err := r.Wait(within(t))
		if err != nil || end.Outcome == nil || end.Outcome.Type != protocol.OutcomeCancelled {
			t.Errorf("ended with %+v, %v", end, err)
		}
	}
	if stopped, err := run.Cancel(within(t)); stopped || err != nil {
		t.Errorf("again: stopped %v, %v", stopped, err)
	}
	if err := thread.Await(within(t), client.View.AtRest); err != nil {
		t.Error(err)
	}
}

// Wherever the connection is cut, every event comes once and in order, every input is
// executed once, and what is folded is what is.
func TestCutAnywhere(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("AGUIWS_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("AGUIWS_SEED=%d", seed)
	n := serve(t, nil)
	w, h := over(t, n)
	c := dial(t, n, quick(h))
	w.mu.Lock()
	w.chance, w.most = rand.New(rand.NewPCG(seed, 0)), 40_000 // no event is larger
	w.mu.Unlock()
	w.lose()
	thread := follow(t, c, "t")
	updates := thread.Subscribe()
	defer updates.Close()

	texts := []string{"/say A few words.", "/think about it", `/state {"n":1}`, "/delegate to another", "/activity", "/slow 20 2", "/parallel 3"}
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for i := range rounds * len(texts) {
		end, err := thread.Say(texts[i%len(texts)]).Wait(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if asked := client.Asked(end); len(asked) > 0 {
			var entries []protocol.ResumeEntry
			for _, i := range asked {
				entries = append(entries, client.Resolve(i, `{"approved":false}`))
			}
			if _, err := thread.Answer(entries...).Wait(within(t)); err != nil {
				t.Fatal(err)
			}
		}
		if i%5 == 0 {
			w.lose()
		}
	}
	w.calm()
	w.lose()
	if err := thread.Await(within(t), client.View.AtRest); err != nil {
		t.Fatal(err)
	}
	same(t, thread, follow(t, dial(t, n, nil), "t"))

	sequence, last, runs := new(order.Sequence), int64(0), 0
	for last < thread.View().Position.Seq {
		u, err := updates.Next(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if u.View != nil {
			if u.Reason != "" {
				t.Errorf("restated at %d: %s", u.Position.Seq, u.Reason)
			}
			last = u.Position.Seq
			continue
		}
		if u.Position.Seq != last+1 {
			t.Fatalf("%s came at %d behind %d", u.Event.Type(), u.Position.Seq, last)
		}
		last++
		if err := sequence.Check(u.Event); err != nil {
			t.Errorf("%d: %v", last, err)
		}
		if u.Event.Type() == protocol.TypeRunStarted {
			runs++
		}
	}
	if want := rounds * (len(texts) + 1); runs != want {
		t.Errorf("%d runs are in the log, want %d", runs, want)
	}
}

func TestServerRestarts(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	open := func() *redisstore.Store {
		store, err := redisstore.Open(t.Context(), redis.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	first := open()
	a := serveFrom(t, first, nil)
	w, h := over(t, a)
	var last client.Status
	options := quick(h)
	options.Changed = func(s client.Status) { last = s }
	c := dial(t, a, options)
	thread := follow(t, c, "t")
	end, err := thread.Say("/confirm Still there?").Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	kept := thread.View()
	a.stop()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	// It is asked while there is no server.
	answer := thread.Answer(client.Resolve(client.Asked(end)[0], `{"approved":true}`))
	second := open()
	defer second.Close()
	b := serveFrom(t, second, nil)
	defer b.stop()
	w.turnTo(b)
	if _, err := answer.Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	if got := thread.View(); said(got) != "Confirmed." || got.Position.Epoch != kept.Position.Epoch {
		t.Errorf("the thread is %+v", got)
	}

	// What was kept as JSON is gone on from.
	text, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	var held client.View
	if err := json.Unmarshal(text, &held); err != nil {
		t.Fatal(err)
	}
	reasons := make(chan *client.Frame, 1)
	other, err := client.Dial(t.Context(), b.url(), &client.Options{Received: func(f *client.Frame) {
		if f.Type == "ws.attached" {
			reasons <- f
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	back, err := other.Follow(within(t), "t", &held)
	if err != nil {
		t.Fatal(err)
	}
	same(t, thread, back)
	if f := <-reasons; !f.Recovered || f.Seq != kept.Position.Seq {
		t.Errorf("attached: %s", f.Data)
	}
	c.Close()
	if !last.Stopped || !errors.Is(last.Err, client.ErrClosed) {
		t.Errorf("the last status is %+v", last)
	}
}

// A server that forgot everything restates the thread, and inputs are executed anew.
func TestRestated(t *testing.T) {
	a := serve(t, nil)
	w, h := over(t, a)
	thread := follow(t, dial(t, a, quick(h)), "t")
	if _, err := thread.Say("/say Something.").Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	updates := thread.Subscribe()
	defer updates.Close()
	if u, err := updates.Next(within(t)); err != nil || u.View == nil || said(*u.View) != "Something." {
		t.Fatalf("a subscription begins with %+v, %v", u, err)
	}
	w.turnTo(serve(t, nil))
	w.lose()
	u, err := updates.Next(within(t))
	if err != nil || u.View == nil || u.Reason != "epoch_changed" || len(u.View.Messages) != 0 {
		t.Errorf("got %+v, %v", u, err)
	}
	if _, err := thread.Say("/say Another.").Wait(within(t)); err != nil || len(thread.View().Messages) != 2 {
		t.Errorf("got %v, %+v", err, thread.View())
	}
}

// Who takes nothing holds its thread up, and no other, and gets every event in the end.
func TestSlowSubscriber(t *testing.T) {
	n := serve(t, nil)
	c := dial(t, n, &client.Options{Buffer: 8})
	slow, other := follow(t, c, "slow"), follow(t, c, "other")
	updates := slow.Subscribe()
	defer updates.Close()
	for range 5 {
		run := slow.Say("/slow 30 1")
		if _, _, err := run.Accepted(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := other.Say("/say Not held up.").Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	whole := follow(t, dial(t, n, nil), "slow")
	if err := whole.Await(within(t), client.View.AtRest); err != nil {
		t.Fatal(err)
	}
	end := whole.View().Position
	if got := slow.View(); got.Live || got.Position.Seq > 9 {
		t.Errorf("the thread went on to %v", got.Position)
	}
	for last := int64(0); last < end.Seq; last++ {
		u, err := updates.Next(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if u.View != nil {
			last--
		} else if u.Position.Seq != last+1 {
			t.Fatalf("%d came behind %d", u.Position.Seq, last)
		}
	}
	if err := slow.Await(within(t), client.View.AtRest); err != nil {
		t.Fatal(err)
	}
	same(t, slow, whole)
}

// A run is heard of to its end by who subscribed before, as it is said.
func TestUpdatesOfARun(t *testing.T) {
	thread := follow(t, dial(t, serve(t, nil), nil), "t")
	updates := thread.Subscribe()
	defer updates.Close()
	thread.Say("/say A few words.")
	var b strings.Builder
	for u, err := range updates.All(within(t)) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := u.Event.(type) {
		case *protocol.TextMessageContent:
			b.WriteString(e.Delta)
		case *protocol.RunFinished:
			updates.Close()
			if b.String() != "A few words." {
				t.Errorf("said %q", b.String())
			}
			if _, err := updates.Next(t.Context()); !errors.Is(err, client.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
			return
		}
	}
}

func TestSendTwice(t *testing.T) {
	thread := follow(t, dial(t, serve(t, nil), nil), "t")
	input := protocol.RunAgentInput{RunID: "r1", Messages: protocol.Messages{{ID: "m1", Role: protocol.RoleUser, Content: protocol.Text("/say Once.")}}}
	a, b := thread.Send(input), thread.Send(input)
	for _, r := range []*client.Run{a, b} {
		if _, err := r.Wait(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	if d, of, _ := b.Accepted(within(t)); d != client.Repeated || of != "r1" {
		t.Errorf("the second is %s of %q", d, of)
	}
	if n := len(thread.View().Messages); n != 2 {
		t.Errorf("there are %d messages", n)
	}
}

func TestLeaveAndClose(t *testing.T) {
	n := serve(t, nil)
	c := dial(t, n, nil)
	thread := follow(t, c, "t")
	run := thread.Say("/slow 200 20")
	if _, _, err := run.Accepted(within(t)); err != nil {
		t.Fatal(err)
	}
	updates := thread.Subscribe()
	thread.Leave()
	for _, err := range updates.All(within(t)) {
		if err != nil && !errors.Is(err, client.ErrClosed) {
			t.Error(err)
		}
	}
	updates.Close()
	if _, err := run.Wait(within(t)); !errors.Is(err, client.ErrClosed) {
		t.Errorf("the run's handle: %v", err)
	}
	if _, err := thread.Say("hello").Wait(within(t)); !errors.Is(err, client.ErrClosed) {
		t.Errorf("sending: %v", err)
	}
	// Its run goes on, and can be taken up and stopped.
	back := follow(t, c, "t")
	if stopped, err := back.Cancel(within(t), run.ClientRunID()); !stopped || err != nil {
		t.Errorf("stopped %v, %v", stopped, err)
	}
	c.Close()
	c.Close()
	if _, err := c.Follow(within(t), "t", nil); !errors.Is(err, client.ErrClosed) {
		t.Errorf("following: %v", err)
	}
}

func TestRefusedHandshake(t *testing.T) {
	n := serve(t, nil)
	_, err := client.Dial(t.Context(), n.http.URL+"/agui/nobody/ws", nil)
	var refused *client.RefusedError
	if !errors.As(err, &refused) || refused.Status != http.StatusNotFound || refused.Code != "unknown_agent" {
		t.Errorf("got %v", err)
	}
	if _, err := client.Dial(t.Context(), "http://127.0.0.1:1/agui/ws", nil); err == nil || errors.As(err, new(*client.RefusedError)) {
		t.Errorf("nobody there: %v", err)
	}
}

// A credential that is gone is no reason to ask again, unless there is a fresh one.
func TestCredential(t *testing.T) {
	expired := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer good" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"code":"unauthenticated","message":"who are you?"}`)
			return
		}
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{client.Subprotocol}})
		if err != nil {
			return
		}
		ws.Write(r.Context(), websocket.MessageText, []byte(`{"type":"ws.hello","binding":"agui.v1"}`))
		<-expired
		ws.Close(4401, "expired")
	}))
	defer s.Close()
	stopped := make(chan client.Status, 10)
	c, err := client.Dial(t.Context(), s.URL, &client.Options{Token: "good", BackoffMin: time.Millisecond, Changed: func(s client.Status) { stopped <- s }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fresh, err := client.Dial(t.Context(), s.URL, &client.Options{BackoffMin: time.Millisecond,
		Authorize: func(_ context.Context, h http.Header) error { h.Set("Authorization", "Bearer good"); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if _, err := client.Dial(t.Context(), s.URL, &client.Options{Token: "bad"}); err == nil {
		t.Error("a bad token was accepted")
	}
	close(expired)
	for st := range stopped {
		if st.Connected {
			continue
		}
		var why *client.StoppedError
		if !st.Stopped || !errors.As(st.Err, &why) || why.Code != 4401 {
			t.Errorf("got %+v", st)
		}
		break
	}
	if fresh.Status().Stopped {
		t.Error("the one that can authorize itself has stopped")
	}
}

func said(v client.View) string {
	for i := len(v.Messages) - 1; i >= 0; i-- {
		if v.Messages[i].Role == protocol.RoleAssistant {
			return v.Messages[i].Content.String()
		}
	}
	return ""
}

// level waits until whichever of two followers is behind has come to where the other is:
// a client hears of the end of its own run before another has.
func level(t *testing.T, a, b *client.Thread) {
	t.Helper()
	for _, pair := range [][2]*client.Thread{{a, b}, {b, a}} {
		if err := pair[0].Await(within(t), func(v client.View) bool {
			at := pair[1].View().Position
			return v.Live && v.Position.Epoch == at.Epoch && v.Position.Seq >= at.Seq
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// same compares what two clients hold of a thread at rest.
func same(t *testing.T, a, b *client.Thread) {
	t.Helper()
	level(t, a, b)
	var texts [2]string
	for i, th := range []*client.Thread{a, b} {
		if err := th.Await(within(t), client.View.AtRest); err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(th.View(), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Errorf("one holds\n%s\nthe other\n%s", texts[0], texts[1])
	}
}
