package server

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// plainSession serves a client without a subprotocol: it sends inputs and
// reads the events of the run it asked for, one run after the other. An input
// that comes meanwhile waits in the inbox; one that stops a run does not.
type plainSession struct {
	*socket
	dialect dialect
	counts  bool // clients of the dialect are told where they stand

	mu    sync.Mutex
	asked []*frame // inputs that were received and are not answered to their end
}

func newPlainSession(sock *socket, h *handshake) *plainSession {
	return &plainSession{socket: sock, dialect: h.dialect, counts: h.counts}
}

func (s *plainSession) parse(data []byte) *frame {
	f := parsePlainFrame(data)
	f.dialect = s.dialect
	return f
}

// received stops what a client stops: the turn of that would come when the run is over.
func (s *plainSession) received(f *frame) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case f.input != nil:
		s.asked = append(s.asked, f)
	case f.kind == kindAbort && f.fault == nil:
		for _, asked := range s.asked {
			if asked.label == f.label {
				asked.aborted.Store(true)
			}
		}
		f.done()
		s.poke()
		return true
	}
	return false
}

func (s *plainSession) answered(f *frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = slices.DeleteFunc(s.asked, func(asked *frame) bool { return asked == f })
}

// turn serves a run as long as it streams.
func (s *plainSession) turn() error {
	select {
	case <-s.srv.leave:
		return closeDraining
	case f := <-s.inbox:
		if err := s.answer(f); err != nil {
			return err
		}
		if len(s.inbox) > 0 {
			s.poke()
		}
	default: // a pong or the like was gathered
	}
	return s.flush()
}

func (s *plainSession) end() {}

func (s *plainSession) answer(f *frame) error {
	defer f.done()
	defer s.answered(f)
	why := f.fault
	if why == nil && f.kind != "" {
		why = faultf(codeInvalidInput, "without the subprotocol %s only inputs are understood", Subprotocol)
	}
	if why != nil {
		s.srv.metrics.refused(why.code)
		err := refuse(s, &protocol.RunError{Code: why.code, Message: why.message})
		if err == nil && f.last {
			return closeMalformed
		}
		return err
	}
	if refused := s.mayRun(f); refused != nil {
		return refuse(s, refused)
	}
	w := wire(unlessAborted{s, &f.aborted})
	if s.counts && f.dialect.of(f.input) == dialectTanStack {
		w = placed{w, f.threadID}
	}
	return runPlain(s.peer, w, f, false)
}

// unlessAborted is a wire to a client that reads nothing more of a run that it stopped:
// it would take it for the next one's.
type unlessAborted struct {
	wire
	aborted *atomic.Bool
}

func (w unlessAborted) emit(event []byte, at store.Position) error {
	if w.aborted.Load() {
		return nil
	}
	return w.wire.emit(event, at)
}

// emit gathers one text frame. Plain clients are told no positions.
func (s *plainSession) emit(event []byte, _ store.Position) error { return s.write(event) }

// recovered says nothing: plain clients are told where they stand by nothing but events.
func (s *plainSession) recovered(bool) {}
