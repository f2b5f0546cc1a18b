package ws

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// plainSession serves a client without a subprotocol: it sends inputs and
// reads the events of the run it asked for, one run after the other. An input
// that comes meanwhile waits in the inbox; one that stops a run does not.
type plainSession struct {
	*socket
	dialect frames.Dialect
	counts  bool // clients of the dialect are told where they stand

	mu    sync.Mutex
	asked []*frames.Frame // inputs that were received and are not answered to their end
}

func newPlainSession(sock *socket, h *handshake) *plainSession {
	return &plainSession{socket: sock, dialect: h.dialect, counts: h.counts}
}

func (s *plainSession) parse(data []byte) *frames.Frame {
	f := frames.ParsePlain(data)
	f.Dialect = s.dialect
	return f
}

// received stops what a client stops: the turn of that would come when the run is over.
func (s *plainSession) received(f *frames.Frame) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case f.Input != nil:
		s.asked = append(s.asked, f)
	case f.Kind == frames.KindAbort && f.Fault == nil:
		for _, asked := range s.asked {
			if asked.Label == f.Label {
				asked.Aborted.Store(true)
			}
		}
		f.Done()
		s.Poke()
		return true
	}
	return false
}

func (s *plainSession) answered(f *frames.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = slices.DeleteFunc(s.asked, func(asked *frames.Frame) bool { return asked == f })
}

// turn serves a run as long as it streams.
func (s *plainSession) turn() error {
	select {
	case <-s.srv.Leave:
		return peer.CloseDraining
	case f := <-s.inbox:
		if err := s.answer(f); err != nil {
			return err
		}
		if len(s.inbox) > 0 {
			s.Poke()
		}
	default: // a pong or the like was gathered
	}
	return s.Flush()
}

func (s *plainSession) end() {}

func (s *plainSession) answer(f *frames.Frame) error {
	defer f.Done()
	defer s.answered(f)
	why := f.Fault
	if why == nil && f.Kind != "" {
		why = frames.Faultf(refusal.CodeInvalidInput, "without the subprotocol %s only inputs are understood", Subprotocol)
	}
	if why != nil {
		s.srv.Metrics.Refused(why.Code)
		err := core.Refuse(s, &protocol.RunError{Code: why.Code, Message: why.Message})
		if err == nil && f.Last {
			return peer.CloseMalformed
		}
		return err
	}
	if refused := s.mayRun(f); refused != nil {
		return core.Refuse(s, refused)
	}
	w := core.Wire(unlessAborted{s, &f.Aborted})
	if s.counts && f.Dialect.Of(f.Input) == frames.TanStack {
		w = placed{w, f.ThreadID}
	}
	return s.srv.RunPlain(s.Peer, w, f, false)
}

// unlessAborted is a wire to a client that reads nothing more of a run that it stopped:
// it would take it for the next one's.
type unlessAborted struct {
	core.Wire
	aborted *atomic.Bool
}

func (w unlessAborted) Emit(event []byte, at store.Position) error {
	if w.aborted.Load() {
		return nil
	}
	return w.Wire.Emit(event, at)
}

// Emit gathers one text frame. Plain clients are told no positions.
func (s *plainSession) Emit(event []byte, _ store.Position) error { return s.write(event) }

// Recovered says nothing: plain clients are told where they stand by nothing but events.
func (s *plainSession) Recovered(bool) {}
