package storetest

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/store"
)

// withHeaders gives a Begin headers that name its run.
func withHeaders(b store.Begin) store.Begin {
	b.Headers = headersNamed(b.RunID)
	return b
}

func headersNamed(run string) json.RawMessage {
	return json.RawMessage(`{"authorization":"Bearer ` + run + `"}`)
}

var headerTests = []test{
	{"headers go to whoever claims the run, however often", func(e *env) {
		th := e.thread()
		th.begun(withHeaders(th.wait("r1")))
		th.begun(th.wait("r2"))
		first := th.claimed("t1", store.ClaimQueued)
		same(th, "claimed", string(first.Headers), string(headersNamed("r1")))
		th.unchanged(func() { same(th, "claimed again", string(th.claim("t1").Headers), string(headersNamed("r1"))) })
		th.nack(failing(first.Claim))
		again := th.claimed("t2", store.ClaimQueued)
		same(th, "after a nack", words(again.Claim.RunID, string(again.Headers)), "r1 "+string(headersNamed("r1")))
		res, err := th.s.Activate(e.Context(), store.Activation{Claim: again.Claim, Events: events("start:r1"), Execution: "exe-r1", Frozen: raws(`{}`)[0]})
		same(th, "activated", must(th, res, err).Status, store.CommitOK)
		if err := th.s.HandBack(e.Context(), again.Claim); err != nil {
			e.Fatal(err)
		}
		lost := th.claimed("t3", store.ClaimTakeover)
		same(th, "of a run that goes on elsewhere", string(lost.Headers), string(headersNamed("r1")))
		th.ok(ending(lost.Claim, 1, th.view().Seq, "end:r1", store.EndFinish))
		same(th, "of another", string(th.claimed("t4", store.ClaimQueued).Headers), "")
	}},
	{"headers of an answer are those of the run that it begins", func(e *env) {
		th := e.thread()
		c := th.begun(withHeaders(th.execute("r1")))
		th.ok(ending(c, 2, 1, "asks", store.EndSuspend))
		c = th.begun(withHeaders(th.resume("r2", "exe-r1")))
		if err := th.s.HandBack(e.Context(), c); err != nil {
			e.Fatal(err)
		}
		same(th, "claimed", string(th.claimed("t", store.ClaimTakeover).Headers), string(headersNamed("r2")))
	}},
	{"headers of a dead letter go with the run that requeues it, once", func(e *env) {
		for _, began := range []bool{true, false} {
			th := e.on(e.node("a"), words("began", began))
			var c store.Claim
			if began {
				c = th.begun(withHeaders(th.execute("r1")))
			} else {
				th.begun(withHeaders(th.wait("r1")))
				c = th.claimed("t1", store.ClaimQueued).Claim
			}
			th.bury(failing(c))
			b := th.afresh("r2", "r1")
			if began {
				b = th.requeue("r2", "exe-r1", "r1")
			}
			res := th.begin(b)
			same(th, "requeued", words(int(res.Status), string(res.Headers)), words(int(store.BeginAccepted), string(headersNamed("r1"))))
			th.unchanged(func() {
				again := th.begin(b)
				if again.Execution != nil && res.Execution != nil {
					again.Execution.Active = res.Execution.Active // which goes by the clock
				}
				same(th, "sent again", again, res)
			})
			if err := th.s.HandBack(e.Context(), res.Claim); err != nil {
				e.Fatal(err)
			}
			same(th, "claimed", string(th.claimed("t2", store.ClaimTakeover).Headers), string(headersNamed("r1")))
		}
	}},
}
