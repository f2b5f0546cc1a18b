package operate

import (
	"context"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
)

// stoppedTogether is how many threads one StopBelow stops at most.
const stoppedTogether = 200

// StoppedBelow says what goes on below a thread, and what was stopped there.
type StoppedBelow struct {
	Active  int // threads with a run under way or inputs that wait for one, which were not stopped
	Waiting int // threads with open interrupts, which were not stopped
	Stopped int // threads in which all was stopped
	Threads int // that stand below it
}

// StopBelow says what goes on below a thread, and with stop stops all in those threads, the
// nearest first and 200 of them at most: while Active or Waiting is not 0, called again it goes on. It
// looks once: what begins below meanwhile is not stopped. After an error some are stopped.
func (ss *stops) StopBelow(ctx context.Context, key store.ThreadKey, reason string, stop bool, by admission.Actor) (StoppedBelow, error) {
	var out StoppedBelow
	below, err := ss.Store.TreeBelow(ctx, key)
	if err != nil || len(below) == 0 {
		return out, err
	}
	out.Threads = len(below)
	keys := make([]store.ThreadKey, len(below))
	for i, id := range below {
		keys[i] = store.ThreadKey{Namespace: key.Namespace, Thread: id}
	}
	infos, err := ss.Store.ThreadInfos(ctx, keys)
	if err != nil {
		return out, err
	}
	for i, info := range infos {
		if info == nil {
			continue
		}
		runs := info.Active || info.Queued > 0
		switch {
		case !runs && !info.Suspended:
		case !stop || out.Stopped == stoppedTogether:
			if info.Suspended {
				out.Waiting++
			}
			if runs {
				out.Active++
			}
		default:
			if _, err := ss.StopAll(ctx, keys[i], reason, by); err != nil {
				return out, err
			}
			out.Stopped++
		}
	}
	return out, nil
}
