package server

import (
	"context"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// plainSession serves a client without a subprotocol: it sends inputs and
// reads the events of the run it asked for, one run after the other. An input
// that comes meanwhile waits in the inbox.
type plainSession struct {
	*socket
	debts debts
}

func newPlainSession(sock *socket) *plainSession {
	return &plainSession{socket: sock}
}

func (s *plainSession) owe(thread string, events [][]byte) {
	s.debts.add(thread, events)
	s.poke()
}

func (s *plainSession) run() error {
	for {
		if err := s.flush(); err != nil {
			return err
		}
		select {
		case <-s.wake: // a pong or the like was gathered
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		case <-s.identity.Revoked:
			return closeExpired
		case <-s.srv.leave:
			return closeDraining
		case f := <-s.inbox:
			if err := s.answer(f); err != nil {
				return err
			}
		}
	}
}

func (s *plainSession) answer(f *frame) error {
	defer f.done()
	why := f.fault
	if why == nil && f.kind != "" {
		why = faultf(codeInvalidInput, "without the subprotocol %s only inputs are understood", Subprotocol)
	}
	if why != nil {
		err := s.refuse(&protocol.RunError{Code: why.code, Message: why.message})
		if err == nil && f.last {
			return closeMalformed
		}
		return err
	}
	if refused := s.mayRun(f); refused != nil {
		return s.refuse(refused)
	}
	r := &plainRun{
		plainSession: s, key: s.key(f.threadID), label: f.runID, profile: protocol.ProfileOf(f.input.ProtocolVersion),
	}
	r.follower = s.srv.runs.Follow(r.key, func() {
		r.ready.Store(true)
		s.poke()
	})
	defer r.follower.Close()
	defer s.srv.waiting.forget(s)
	s.debts.take()
	return r.serve(f)
}

// refuse is a whole stream: one RUN_ERROR.
func (s *plainSession) refuse(why *protocol.RunError) error {
	event, err := protocol.Encode(why)
	if err != nil {
		return fmt.Errorf("server: refusal: %w", err)
	}
	return s.write(event)
}
