package client

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

const (
	// A frame is a sign of life; a ping that brings none in this time says that the
	// socket is dead.
	pongPatience     = 10 * time.Second
	defaultHeartbeat = 25 * time.Second
)

var errSilent = errors.New("client: the server is silent")

// socket is one connection of a Client.
type socket struct {
	*Conn
	hello Hello
	away  time.Duration // when to come back, as ws.goaway says

	queue  [][]byte // to be written; the client's lock holds it
	wake   chan struct{}
	heard  atomic.Int64 // when a frame came last, in nanoseconds since start
	start  time.Time
	silent atomic.Bool
}

// connect opens a socket and reads how the server presents itself.
func (c *Client) connect(ctx context.Context) (_ *socket, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.DialTimeout)
	defer cancel()
	header, err := c.opts.header(ctx)
	if err != nil {
		return nil, err
	}
	s := &socket{wake: make(chan struct{}, 1), start: time.Now()}
	s.Conn, err = Open(ctx, c.url, &DialOptions{Header: header, HTTPClient: c.opts.HTTPClient, ReadLimit: c.opts.ReadLimit, OnPing: s.lives})
	if err != nil {
		return nil, err
	}
	hello, err := s.Receive(ctx)
	if err == nil && s.Subprotocol() != Subprotocol {
		err = &FrameError{Data: hello.Data, err: errors.New("the server did not select " + Subprotocol)}
	}
	if err == nil && hello.Type != "ws.hello" {
		err = &FrameError{Data: hello.Data, err: errors.New("expected ws.hello")}
	}
	if err == nil && hello.Binding != "agui.v1" {
		err = &FrameError{Data: hello.Data, err: errors.New("expected the binding agui.v1")}
	}
	if err != nil {
		s.CloseNow()
		return nil, err
	}
	if c.opts.Received != nil {
		c.opts.Received(hello)
	}
	s.hello = hello.Hello
	return s, nil
}

// lives notes a sign of life.
func (s *socket) lives() { s.heard.Store(int64(time.Since(s.start))) }

// quiet is for how long there was no sign of life.
func (s *socket) quiet() time.Duration { return time.Since(s.start) - time.Duration(s.heard.Load()) }

// serve works a socket until it is lost, and returns why it was.
func (c *Client) serve(s *socket) error {
	c.mu.Lock()
	c.socket = s
	for _, t := range c.threads {
		t.attach()
	}
	c.mu.Unlock()
	c.tell(func(st *Status) { *st = Status{Connected: true, Hello: s.hello} })

	ctx, stop := context.WithCancel(c.ctx)
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write(ctx, s)
	}()
	why := c.read(s)
	stop()
	s.CloseNow()
	<-written
	if s.silent.Load() {
		why = errSilent
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.socket = nil
	clear(c.answers)
	for _, t := range c.threads {
		t.lost()
	}
	c.change()
	return why
}

func (c *Client) read(s *socket) error {
	for {
		f, err := s.Receive(c.ctx)
		s.lives()
		var unreadable *FrameError
		switch {
		case errors.As(err, &unreadable):
			c.opts.Logger.Warn("a frame cannot be read", "error", unreadable.err)
			continue
		case err != nil:
			return err
		}
		if c.opts.Received != nil {
			c.opts.Received(f)
		}
		c.take(s, f)
	}
}

// write writes what is queued, and asks whether anybody is there when nothing comes.
func (c *Client) write(ctx context.Context, s *socket) {
	heartbeat := millis(s.hello.HeartbeatMS)
	if heartbeat <= 0 {
		heartbeat = defaultHeartbeat
	}
	heartbeat += heartbeat / 4 // the server's own ping is sign enough
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	// The client can ask nothing while a frame is not taken: there silence alone tells.
	var watch *time.Timer
	watch = time.AfterFunc(math.MaxInt64, func() {
		if left := heartbeat + pongPatience - s.quiet(); left > 0 {
			watch.Reset(left)
			return
		}
		s.silent.Store(true)
		giveUp()
	})
	defer watch.Stop()
	beat := time.NewTimer(heartbeat)
	defer beat.Stop()
	asked := time.Duration(-1) // when the last ping was sent, like heard
	for {
		c.mu.Lock()
		queue := s.queue
		s.queue = nil
		c.mu.Unlock()
		watch.Reset(heartbeat + pongPatience)
		for _, data := range queue {
			if err := s.Write(ctx, websocket.MessageText, data); err != nil {
				s.CloseNow()
				return
			}
		}
		watch.Stop()
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-beat.C:
			switch quiet := s.quiet(); {
			case quiet < heartbeat:
				beat.Reset(heartbeat - quiet)
			case asked <= time.Duration(s.heard.Load()):
				asked = time.Since(s.start)
				c.mu.Lock()
				c.send(encode(map[string]any{"type": "ws.ping"}))
				c.mu.Unlock()
				beat.Reset(pongPatience)
			default:
				s.silent.Store(true)
				s.CloseNow()
				return
			}
		}
	}
}

// send queues a frame; without a socket it is lost. The lock is held.
func (c *Client) send(data []byte) {
	s := c.socket
	if s == nil {
		return
	}
	s.queue = append(s.queue, data)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take handles one frame.
func (c *Client) take(s *socket, f *Frame) {
	switch f.Type {
	case "ws.store":
		c.tell(func(st *Status) { st.StoreAway = !f.Available })
		if f.Available {
			c.mu.Lock()
			for _, t := range c.threads {
				c.later(rand.N(time.Second), t.again)
			}
			c.mu.Unlock()
		}
		return
	case "ws.goaway":
		s.away = millis(f.RetryAfterMS)
		c.tell(func(st *Status) { st.Draining = true })
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.change()
	if answer := c.answers[f.ID]; answer != nil {
		delete(c.answers, f.ID)
		answer(f)
		return
	}
	if f.Type == "ws.pong" {
		for id, seq := range f.Positions {
			if t := c.threads[id]; t != nil && seq > t.mine.Seq {
				t.behind()
			}
		}
		return
	}
	if t := c.threads[f.ThreadID]; t != nil {
		t.take(f)
		return
	}
	if f.Type == "ws.error" {
		c.opts.Logger.Warn("a frame was refused", "code", f.Code)
	}
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("client: " + err.Error()) // strings and numbers only
	}
	return data
}
