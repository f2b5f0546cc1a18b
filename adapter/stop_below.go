package adapter

import (
	"context"

	"github.com/aguiws/aguiws/adapter/store"
)

// stoppedTogether is how many threads one StopBelow stops at most.
const stoppedTogether = 200

// StoppedBelow says what goes on below a thread, and what was stopped there.
type StoppedBelow struct {
	Active  int // threads with a run under way or inputs that wait for one, which were not stopped
	Waiting int // threads with open interrupts, which stay
	Stopped int // threads in which all was stopped
}

// StopBelow says what goes on below a thread, and with stop stops all in those threads, the
// nearest first and 200 of them at most: while Active is not 0, called again it goes on. It
// looks once: what begins below meanwhile is not stopped. After an error some are stopped.
func (r *Runner) StopBelow(ctx context.Context, key store.ThreadKey, reason string, stop bool) (StoppedBelow, error) {
	var out StoppedBelow
	list, err := r.Below(ctx, key)
	if err != nil || len(list) == 0 {
		return out, err
	}
	for _, t := range list[1:] {
		if t.Info == nil {
			continue
		}
		if t.Info.Suspended {
			out.Waiting++
		}
		switch {
		case !t.Info.Active && t.Info.Queued == 0:
		case !stop || out.Stopped == stoppedTogether:
			out.Active++
		default:
			if _, err := r.StopAll(ctx, store.ThreadKey{Namespace: key.Namespace, Thread: t.Thread}, reason); err != nil {
				return out, err
			}
			out.Stopped++
		}
	}
	return out, nil
}
