package ws

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// fullSession speaks the binding: control frames, and any number of threads on
// one socket. All but again belongs to the goroutine that takes the turn.
type fullSession struct {
	*socket
	threads map[string]*delivery
	// stream is the thread whose positions the client counts: the one of the
	// last ws.stream. Empty when the next event needs a ws.stream in any case.
	stream string
	retry  *time.Timer // for deliveries that the store failed; nil: none has been needed
	again  atomic.Bool // retry has fired
	debts  core.Debts

	greeted, warned bool // ws.hello and ws.goaway are sent
	toldDown        bool // the last ws.store said that the store does not answer
}

func newFullSession(sock *socket) *fullSession {
	return &fullSession{socket: sock, threads: map[string]*delivery{}}
}

// goAway announces the close. Clients are spread, so that they do not all come to
// the next node at once.
func (s *fullSession) goAway() error {
	return s.send(goawayFrame{"ws.goaway", "draining", rand.Int64N(1000)})
}

// turn greets, tells of a drain and of the store, answers one frame and moves each cursor by one
// page, as far as there is something of it to do.
func (s *fullSession) turn() error {
	if !s.greeted {
		s.greeted = true
		if err := s.hello(); err != nil {
			return err
		}
	}
	select {
	case <-s.srv.Drain:
		if !s.warned {
			s.warned = true
			if err := s.goAway(); err != nil {
				return err
			}
		}
	default:
	}
	select {
	case <-s.srv.Leave:
		return s.depart()
	default:
	}
	if down := !s.srv.Runs.StoreAvailable(); down != s.toldDown {
		s.toldDown = down
		if err := s.send(storeFrame{"ws.store", !down}); err != nil {
			return err
		}
	}
	if s.again.Swap(false) {
		for _, d := range s.threads {
			if d.Failures > 0 {
				d.Ready.Store(true)
			}
		}
	}
	select {
	case f := <-s.inbox:
		if err := s.answer(f); err != nil {
			return err
		}
	default:
	}
	if err := s.advance(s.Ctx); err != nil {
		return err
	}
	if len(s.inbox) > 0 {
		s.Poke()
	}
	return s.Flush()
}

func (s *fullSession) parse(data []byte) *frames.Frame { return frames.Parse(data) }

func (s *fullSession) received(*frames.Frame) bool { return false }

func (s *fullSession) end() {
	s.srv.Awaiting.Forget(s)
	for _, d := range s.threads {
		d.Close()
	}
	if s.retry != nil {
		s.retry.Stop()
	}
}

// profiles are the parts of the binding beyond its core, each a page of docs/binding.
var profiles = []string{"resume", "queue", "interrupts", "history", "windows", "payloads", "threads", "drain"}

func (s *fullSession) hello() error {
	opts := &s.srv.opts
	return s.send(helloFrame{
		Type: "ws.hello", Binding: "agui.v1", Profiles: profiles, HeartbeatMs: opts.Heartbeat.Milliseconds(), MaxFrameBytes: opts.MaxFrameBytes,
		Durable: s.srv.Runs.Durable(), Capabilities: s.srv.opts.Capabilities(s.Ctx, s.Agent),
	})
}

// depart writes what the threads ended with and closes.
func (s *fullSession) depart() error {
	ctx, cancel := context.WithTimeout(s.Ctx, core.Departure)
	defer cancel()
	for _, d := range s.threads {
		d.Ready.Store(true)
	}
	for moved := true; moved && ctx.Err() == nil; {
		if err := s.advance(ctx); err != nil {
			return err
		}
		if err := s.Flush(); err != nil {
			return err
		}
		moved = false
		for _, d := range s.threads {
			moved = moved || d.Ready.Load()
		}
	}
	return peer.CloseDraining
}

// answer gives a frame its effect and its answer. An error ends the socket.
func (s *fullSession) answer(f *frames.Frame) error {
	defer f.Done()
	switch {
	case f.Fault != nil:
		err := s.fault(f, f.Fault)
		if err == nil && f.Last {
			return peer.CloseMalformed
		}
		return err
	case f.Input != nil:
		return s.input(f)
	case f.Kind == "ws.detach":
		// Over the rate too: whoever was refused it would be sent more, for nothing.
		return s.detach(f)
	case f.RetryAfter > 0:
		return s.fault(f, frames.Laterf(f.RetryAfter+time.Millisecond, refusal.CodeRateLimited, "too many frames; slow down"))
	case f.Kind == "ws.attach":
		return s.attach(f)
	case f.Kind == "ws.messages":
		return s.messages(f)
	case f.Kind == "ws.cancel":
		return s.cancelRun(f)
	default:
		return s.pong(f)
	}
}

// send gathers a control frame.
func (s *fullSession) send(frame any) error {
	data, err := frames.Encode(frame)
	if err != nil {
		return err
	}
	return s.write(data)
}

func (s *fullSession) fault(f *frames.Frame, why *frames.Fault) error {
	s.srv.Metrics.Refused(why.Code)
	return s.send(errorFrame{"ws.error", why.Code, why.Message, why.Retry.Milliseconds(), f.ThreadID, f.ID})
}

func (s *fullSession) pong(f *frames.Frame) error {
	positions := make(map[string]int64, len(s.threads))
	for id, d := range s.threads {
		if s.Reads() {
			positions[id] = d.Position.Seq
		}
	}
	return s.send(pongFrame{"ws.pong", f.ID, positions})
}
