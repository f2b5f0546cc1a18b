package storetest

import (
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

func (th *thread) dispatch(id string) store.Dispatch {
	th.Helper()
	d, err := th.s.Dispatch(th.Context(), th.key, id)
	if must(th, d, err) == nil {
		th.Fatalf("there is no dispatch %s", id)
	}
	if bad := misshapen(*d); bad != "" {
		th.Errorf("dispatch %s %s: %+v", id, bad, *d)
	}
	return *d
}

func (th *thread) dispatches(q store.DispatchQuery) []store.Dispatch {
	th.Helper()
	list, err := th.s.Dispatches(th.Context(), th.key, q)
	for _, d := range must(th, list, err) {
		if bad := misshapen(d); bad != "" {
			th.Errorf("dispatch %s %s: %+v", d.ID, bad, d)
		}
	}
	return list
}

// listed are the ids and states of all dispatches, in order.
func (th *thread) listed(states ...store.DispatchState) string {
	th.Helper()
	var words []string
	for _, d := range th.dispatches(store.DispatchQuery{States: states, Limit: 1000}) {
		words = append(words, d.ID+":"+string(d.State))
	}
	return strings.Join(words, " ")
}

func (th *thread) counts() map[store.DispatchState]int64 {
	th.Helper()
	counts, err := th.s.CountDispatches(th.Context())
	counts = must(th, counts, err)
	for state, n := range counts {
		if n == 0 {
			delete(counts, state)
		}
	}
	return counts
}

func (th *thread) nack(n store.Nack) store.NackResult {
	th.Helper()
	res, err := th.s.Nack(th.Context(), n)
	return must(th, res, err)
}

func (th *thread) bury(n store.Nack) store.NackResult {
	th.Helper()
	res, err := th.s.Bury(th.Context(), n)
	return must(th, res, err)
}

// failing is a Nack of the claim with an error, to be tried again at once.
func failing(c store.Claim) store.Nack {
	return store.Nack{Claim: c, Error: "boom", Terminal: []byte("failed:" + c.RunID)}
}

// stopAll stops all of the thread that the caller has seen active with a run.
func (th *thread) stopAll(request, active string) store.StopAllResult {
	th.Helper()
	res, err := th.s.StopAll(th.Context(), store.StopAll{Thread: th.key, Request: request, Active: active,
		Terminal: []byte("interrupted:" + active), Reason: "because of " + request})
	return must(th, res, err)
}

func (th *thread) pause() bool {
	th.Helper()
	active, err := th.s.Pause(th.Context(), th.key, store.Wish{})
	return must(th, active, err)
}

func (th *thread) unpause(request string) bool {
	th.Helper()
	back, err := th.s.Unpause(th.Context(), th.key, request)
	return must(th, back, err)
}

// claimRun claims a queued dispatch by its id.
func (th *thread) claimRun(run, token string) store.ClaimResult {
	th.Helper()
	res, err := th.s.Claim(th.Context(), store.ClaimRequest{Thread: th.key, Token: token, RunID: run})
	return must(th, res, err)
}

// carried claims the thread's next dispatch, which must be the named one, and
// brings its run to an end.
func (th *thread) carried(run string) {
	th.Helper()
	c := th.claimed("carry-"+run, store.ClaimQueued).Claim
	same(th, "next", c.RunID, run)
	at := th.activate(c).End.Seq
	th.ok(ending(c, 2, at, "end:"+run, store.EndFinish))
}

// misshapen says what a dispatch has that its state does not allow, or lacks.
func misshapen(d store.Dispatch) string {
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
