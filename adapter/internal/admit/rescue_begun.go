package admit

import (
	"context"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/store"
)

// rescueBegun carries a run whose Begin was sent and never answered, if it turns
// out to have begun: nobody else knows that its agent was not called, and whoever
// took it over would have to give it up. It only asks, and begins nothing: the
// sender was told to send the input again, and may have chosen not to. A Begin that
// was on its way may be carried out when the store answers again; that is waited
// for as long as a lease.
func (a *Admission) rescueBegun(b store.Begin, run execution.Begun, why error) {
	var until time.Time
	a.Worker.Rescue(b.Thread, b.Label, why, func(ctx context.Context) (bool, error) {
		dispatch, err := a.Store.Dispatch(ctx, b.Thread, b.RunID)
		if err != nil {
			return false, err
		}
		if dispatch == nil {
			if until.IsZero() {
				until = time.Now().Add(a.Options.Lease)
			}
			return time.Now().After(until), nil
		}
		result, err := a.Store.Begin(ctx, b) // is recognised
		if err == nil && result.Claim.Token != "" {
			err = a.Worker.GoOnWith(ctx, result.Claim, func(asked time.Time) { a.carryBegun(b, run, result, asked) })
		}
		return true, err
	})
}
