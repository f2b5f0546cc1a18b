package execution

import (
	"context"
	"sync"

	"github.com/aguiws/aguiws/adapter"
)

// Parked is an agent's goroutine in ModeBlocking, which lives from the
// execution's beginning to its end and waits in Ask in between.
type Parked struct {
	cancel   context.CancelCauseFunc // of the agent's context
	ctx      context.Context
	resume   chan *execution // the activation that goes on
	scope    *scope          // numbers on where it stopped
	unfollow func() bool
}

// departure says why an agent's goroutine left an activation.
type departure struct {
	asked bool // it waits for the answers
	err   error
}

// follow ends the agent's context with that of an activation.
func (p *Parked) follow(ctx context.Context) {
	p.unfollow = context.AfterFunc(ctx, func() { p.cancel(context.Cause(ctx)) })
}

// Parking keeps the goroutines of ModeBlocking that wait.
type Parking struct {
	mu     sync.Mutex
	Parked map[string]*Parked // by execution
}

func (p *Parking) park(execution string, waits *Parked) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Parked[execution] = waits
}

// unpark takes a goroutine that waits; nil when the execution has none here.
func (p *Parking) unpark(execution string) *Parked {
	p.mu.Lock()
	defer p.mu.Unlock()
	waits := p.Parked[execution]
	delete(p.Parked, execution)
	return waits
}

// Dismiss ends the goroutine of an execution that nobody continues, if it has
// one here.
func (p *Parking) Dismiss(execution string) {
	if waits := p.unpark(execution); waits != nil {
		waits.cancel(adapter.ErrStopped)
	}
}

// DismissAll ends those that wait when the process does.
func (p *Parking) DismissAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, waits := range p.Parked {
		waits.cancel(adapter.ErrStopped)
	}
	clear(p.Parked)
}
