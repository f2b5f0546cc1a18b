package server

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// plainSession serves a client without a subprotocol: it sends inputs and
// reads the events of the run it asked for, one run after the other. An input
// that comes meanwhile waits in the inbox.
type plainSession struct {
	*socket
}

func newPlainSession(sock *socket) *plainSession {
	return &plainSession{socket: sock}
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
	return runPlain(s.peer, s, f)
}

// emit gathers one text frame. Plain clients are told no positions.
func (s *plainSession) emit(event []byte, _ store.Position) error { return s.write(event) }
