package runner

import (
	"context"
	"errors"
	"sync"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// parked is an agent's goroutine in ModeBlocking, which lives from the
// execution's beginning to its end and waits in Ask in between.
type parked struct {
	cancel   context.CancelCauseFunc // of the agent's context
	ctx      context.Context
	resume   chan *execution // the activation that goes on
	scope    *scope          // numbers on where it stopped
	unfollow func() bool
}

const goneWithProcess = "the execution waited in a process that is gone"

// departure says why an agent's goroutine left an activation.
type departure struct {
	asked bool // it waits for the answers
	err   error
}

// follow ends the agent's context with that of an activation.
func (p *parked) follow(ctx context.Context) {
	p.unfollow = context.AfterFunc(ctx, func() { p.cancel(context.Cause(ctx)) })
}

// callBlocking calls the agent, or goes on with its goroutine that waits.
func (x *execution) callBlocking() error {
	ctx, stop := x.limitTime(x.ctx)
	defer stop()
	x.left = make(chan departure, 1)
	p := x.parking.unpark(x.id)
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
		p = &parked{resume: make(chan *execution)}
		p.ctx, p.cancel = context.WithCancelCause(x.node.ctx)
		x.parked = p
		p.follow(ctx)
		main := &line{x, x.main}
		x.node.running.start(func() {
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
		answer := next.journal.answered
		if answer == nil {
			return nil, nil, next.seal(errors.New("adapter: the execution goes on without an answer"))
		}
		return answer, calls, nil
	case <-p.ctx.Done():
		l.x.parking.unpark(l.x.id)
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
	x.parking.park(x.id, x.parked)
}

// parking keeps the goroutines of ModeBlocking that wait.
type parking struct {
	mu     sync.Mutex
	parked map[string]*parked // by execution
}

func (p *parking) park(execution string, waits *parked) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parked[execution] = waits
}

// unpark takes a goroutine that waits; nil when the execution has none here.
func (p *parking) unpark(execution string) *parked {
	p.mu.Lock()
	defer p.mu.Unlock()
	waits := p.parked[execution]
	delete(p.parked, execution)
	return waits
}

// dismiss ends the goroutine of an execution that nobody continues, if it has
// one here.
func (p *parking) dismiss(execution string) {
	if waits := p.unpark(execution); waits != nil {
		waits.cancel(adapter.ErrStopped)
	}
}

// dismissAll ends those that wait when the process does.
func (p *parking) dismissAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, waits := range p.parked {
		waits.cancel(adapter.ErrStopped)
	}
	clear(p.parked)
}
