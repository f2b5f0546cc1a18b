package client_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/client"
)

// A frame that was put off, or whose socket was lost, is sent again until it is answered or nobody waits for it.
func TestRequestsAreSentAgain(t *testing.T) {
	var heard []time.Time
	s := &stage{}
	s.play = func(n int, p *part) {
		p.attached()
		id := p.hear(`"ws.cancel"`)
		heard = append(heard, time.Now())
		switch n {
		case 1:
			p.say(`{"type":"ws.error","id":"` + id + `","code":"rate_limited","message":"","retryAfterMs":20000}`)
			p.hear(`"ws.cancel"`)
			heard = append(heard, time.Now())
			p.ws.CloseNow()
		case 2:
			p.say(`{"type":"ws.cancelled","id":"` + id + `","threadId":"t","runId":"r","stopped":true}`)
			<-s.again
		}
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		thread, err := c.Follow(t.Context(), "t", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if stopped, err := thread.Cancel(ctx, "r"); !stopped || err != nil {
			t.Errorf("stopped %v, %v", stopped, err)
		}
		if wait := heard[1].Sub(heard[0]); wait < 20*time.Second || wait > 25*time.Second {
			t.Errorf("it was sent again after %v", wait)
		}
		if len(heard) != 3 {
			t.Errorf("it was sent %d times", len(heard))
		}
		close(s.again)
	})
}

// Nobody waits any more: what was put off is not sent.
func TestRequestsEndWithTheirContext(t *testing.T) {
	s := &stage{}
	s.play = func(n int, p *part) {
		p.attached()
		id := p.hear(`"ws.cancel"`)
		p.say(`{"type":"ws.error","id":"` + id + `","code":"rate_limited","message":"","retryAfterMs":5000}`)
		if _, data, err := p.ws.Read(context.Background()); err == nil {
			t.Errorf("heard %s", data)
		}
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		thread, err := c.Follow(t.Context(), "t", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := thread.Cancel(ctx, "r"); err != context.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
		time.Sleep(15 * time.Second) // less than a heartbeat
		c.Close()
		synctest.Wait()
	})
}

// Two ask for what stands before the same message: the second asks again for what stands before the page of the first.
func TestOlderIsAskedAgainWhenThePageMoved(t *testing.T) {
	s := &stage{}
	s.play = func(n int, p *part) {
		id := p.hear(`"ws.attach"`)
		p.say(`{"type":"ws.attached","id":"`+id+`","threadId":"t","epoch":"e","seq":0,"recovered":true,"interrupts":[],"queued":[]}`,
			`{"type":"ws.live","threadId":"t","seq":0}`)
		first, second := p.hear(`"before":"m5"`), p.hear(`"before":"m5"`)
		for _, id := range []string{first, second} {
			p.say(`{"type":"ws.messages","id":"` + id + `","threadId":"t","messages":[{"id":"m4","role":"user","content":"4"}],"older":3,"before":"m4"}`)
		}
		id = p.hear(`"before":"m4"`)
		p.say(`{"type":"ws.messages","id":"` + id + `","threadId":"t","messages":[{"id":"m3","role":"user","content":"3"}],"older":2,"before":"m3"}`)
		<-s.again
	}
	staged(t, s, func(t *testing.T, c *client.Client) {
		thread, err := c.Follow(t.Context(), "t", &client.View{Position: client.Position{Epoch: "e"}, Older: 4, Before: "m5"})
		if err != nil {
			t.Fatal(err)
		}
		ends := make(chan error)
		for range 2 {
			go func() { ends <- thread.Older(t.Context(), 1) }()
		}
		for range 2 {
			if err := <-ends; err != nil {
				t.Error(err)
			}
		}
		if view := thread.View(); len(view.Messages) != 2 || view.Older != 2 {
			t.Errorf("%d messages, %d older", len(view.Messages), view.Older)
		}
		close(s.again)
	})
}
