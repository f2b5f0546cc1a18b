package stage

import (
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

func (th *Thread) Dispatch(id string) store.Dispatch {
	th.Helper()
	d, err := th.Store.Dispatch(th.Context(), th.Key, id)
	if Must(th, d, err) == nil {
		th.Fatalf("there is no dispatch %s", id)
	}
	if bad := Misshapen(*d); bad != "" {
		th.Errorf("dispatch %s %s: %+v", id, bad, *d)
	}
	return *d
}

func (th *Thread) Dispatches(q store.DispatchQuery) []store.Dispatch {
	th.Helper()
	list, err := th.Store.Dispatches(th.Context(), th.Key, q)
	for _, d := range Must(th, list, err) {
		if bad := Misshapen(d); bad != "" {
			th.Errorf("dispatch %s %s: %+v", d.ID, bad, d)
		}
	}
	return list
}

// Listed are the ids and states of all dispatches, in order.
func (th *Thread) Listed(states ...store.DispatchState) string {
	th.Helper()
	var words []string
	for _, d := range th.Dispatches(store.DispatchQuery{States: states, Limit: 1000}) {
		words = append(words, d.ID+":"+string(d.State))
	}
	return strings.Join(words, " ")
}

func (th *Thread) Counts() map[store.DispatchState]int64 {
	th.Helper()
	counts, err := th.Store.CountDispatches(th.Context())
	counts = Must(th, counts, err)
	for state, n := range counts {
		if n == 0 {
			delete(counts, state)
		}
	}
	return counts
}

func (th *Thread) Nack(n store.Nack) store.NackResult {
	th.Helper()
	res, err := th.Store.Nack(th.Context(), n)
	return Must(th, res, err)
}

func (th *Thread) Bury(n store.Nack) store.NackResult {
	th.Helper()
	res, err := th.Store.Bury(th.Context(), n)
	return Must(th, res, err)
}

// Failing is a Nack of the claim with an error, to be tried again at once.
func Failing(c store.Claim) store.Nack {
	return store.Nack{Claim: c, Error: "boom", Terminal: []byte("failed:" + c.RunID)}
}

// StopAll stops all of the thread that the caller has seen active with a run.
func (th *Thread) StopAll(request, active string) store.StopAllResult {
	th.Helper()
	res, err := th.Store.StopAll(th.Context(), store.StopAll{Thread: th.Key, Request: request, Active: active,
		Terminal: []byte("interrupted:" + active), Reason: "because of " + request})
	return Must(th, res, err)
}

func (th *Thread) Pause() bool {
	th.Helper()
	active, err := th.Store.Pause(th.Context(), th.Key, store.Wish{})
	return Must(th, active, err)
}

func (th *Thread) Unpause(request string) bool {
	th.Helper()
	back, err := th.Store.Unpause(th.Context(), th.Key, request)
	return Must(th, back, err)
}

// ClaimRun claims a queued dispatch by its id.
func (th *Thread) ClaimRun(run, token string) store.ClaimResult {
	th.Helper()
	res, err := th.Store.Claim(th.Context(), store.ClaimRequest{Thread: th.Key, Token: token, RunID: run})
	return Must(th, res, err)
}

// Carried claims the thread's next dispatch, which must be the named one, and
// brings its run to an end.
func (th *Thread) Carried(run string) {
	th.Helper()
	c := th.Claimed("carry-"+run, store.ClaimQueued).Claim
	Same(th, "next", c.RunID, run)
	at := th.Activate(c).End.Seq
	th.OK(Ending(c, 2, at, "end:"+run, store.EndFinish))
}

// Misshapen says what a dispatch has that its state does not allow, or lacks.
func Misshapen(d store.Dispatch) string {
	claimed := d.State == store.DispatchClaimed
	switch {
	case d.ID == "" || d.Thread.Thread == "":
		return "has no id"
	case d.MaxAttempts < 1:
		return "may not be tried"
	case d.Attempts < 0:
		return fmt.Sprintf("has %d attempts", d.Attempts)
	case d.Created.IsZero() || d.Updated.Before(d.Created):
		return "has no times"
	case claimed && (d.ClaimedBy == "" || d.LeaseUntil.IsZero()):
		return "is claimed by nobody, or for ever"
	case !claimed && !d.LeaseUntil.IsZero():
		return "is not claimed and has a lease"
	case d.State.Terminal() == d.Completed.IsZero():
		return "is completed without being terminal, or the other way round"
	case !d.State.Terminal() && d.Outcome != nil:
		return "is not terminal and has an outcome"
	case d.Outcome != nil && !d.Activated && d.State != store.DispatchAcked: // of what has joined another run it is known before it is logged
		return "has an outcome without a start"
	case d.ContinuedAs != "" && d.State != store.DispatchDeadLetter && d.State != store.DispatchAcked:
		return "was continued and is neither a dead letter nor has asked"
	case d.Waits && (d.State != store.DispatchAcked || d.ContinuedAs != ""):
		return "waits, and has not ended or was continued"
	case d.Activated && d.Input != nil && d.State != store.DispatchDeadLetter:
		return "has started and keeps its input"
	case len(d.Record) == 0:
		return "has no record"
	}
	switch d.State {
	case store.DispatchQueued, store.DispatchClaimed, store.DispatchCancelled:
	case store.DispatchAcked, store.DispatchDeadLetter:
		if d.Outcome == nil {
			return "ended without an outcome"
		}
	case store.DispatchSuperseded:
	default:
		return "is in no known state"
	}
	return ""
}
