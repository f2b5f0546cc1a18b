package execution

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

const goneWithProcess = "the execution waited in a process that is gone"

// callBlocking calls the agent, or goes on with its goroutine that waits.
func (x *execution) callBlocking() error {
	ctx, stop := x.limitTime(x.Ctx)
	defer stop()
	x.left = make(chan departure, 1)
	p := x.Parking.unpark(x.id)
	switch {
	case p != nil:
		x.mu.Lock()
		x.parked, x.main = p, p.scope
		x.mu.Unlock()
		p.follow(ctx)
		select {
		case p.resume <- x:
		case <-p.ctx.Done():
			return x.refuse(adapter.CodeWorkerLost, "the process in which the execution waits is ending")
		}
	case x.continuing:
		return x.giveUp(adapter.CodeWorkerLost, goneWithProcess)
	default:
		p = &Parked{resume: make(chan *execution)}
		p.ctx, p.cancel = context.WithCancelCause(x.node.Ctx)
		x.parked = p
		p.follow(ctx)
		main := &line{x, x.main}
		x.node.Running.Start(func() {
			err := panics.Contain(func() error { return main.x.agent.Run(p.ctx, adapter.NewRun(main)) })
			p.unfollow()
			main.x.left <- departure{err: err}
		})
	}
	if d := <-x.left; !d.asked {
		p.cancel(nil)
		x.finish(d.err)
	}
	return nil
}

// wait parks the goroutine of an agent whose question is stored, until an
// activation brings the answers.
func (l *line) wait(calls []store.SuspendedCall) (*store.JournalEntry, []store.SuspendedCall, error) {
	l.x.mu.Lock()
	p, ending := l.x.parked, l.x.ending
	l.x.mu.Unlock()
	l.x.left <- departure{asked: true}
	select {
	case next := <-p.resume:
		next.mu.Lock()
		defer next.mu.Unlock()
		l.x, l.s, next.ending = next, next.main, ending
		answer := next.journal.Answered
		if answer == nil {
			return nil, nil, next.seal(errors.New("adapter: the execution goes on without an answer"))
		}
		return answer, calls, nil
	case <-p.ctx.Done():
		l.x.Parking.unpark(l.x.id)
		return nil, nil, adapter.ErrStopped
	}
}

// park makes the goroutine known before its question is, so that no answer can
// come too early, and parts it from the activation, which ends with the question.
// Its shadow holds what it had open, and will find closed.
func (x *execution) park(s *scope) {
	s.shadow = fold.New(nil, nil)
	s.shadow.Apply(&protocol.RunStarted{})
	for _, e := range x.fold.Openings() {
		s.shadow.Apply(e)
	}
	s.entries, s.final, s.cursor, s.reopen = nil, 0, 0, nil
	x.parked.scope = s
	x.parked.unfollow()
	x.Parking.park(x.id, x.parked)
}
