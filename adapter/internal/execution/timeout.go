package execution

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

// errRunTimeout ends the context of an agent that took too long.
var errRunTimeout = errors.New("adapter: the run has reached its time limit")

// limitTime ends the run, and with it the agent's context, at the time limit. The
// run ends even if the agent does not heed its context; the worker then still
// waits for it.
func (x *execution) limitTime(ctx context.Context) (context.Context, context.CancelFunc) {
	after := x.node.Options.RunTimeout
	if after <= 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(max(after-x.before, 0), func() {
		x.timeOut(after)
		cancel(errRunTimeout)
	})
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// timeOut ends the run, unless it is over or another worker is to go on.
func (x *execution) timeOut(after time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sealed != nil || x.leaving || x.Ctx.Err() != nil {
		return
	}
	if err := x.fail(adapter.CodeRunTimeout, fmt.Sprintf("the run took longer than %s", after), false); err != nil {
		if !errors.Is(err, adapter.ErrStopped) {
			x.Broken = err
		}
	}
	x.seal(adapter.ErrStopped)
}
