package runs

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// withHeaders gives a Begin headers that name its run.
func withHeaders(b store.Begin) store.Begin {
	b.Headers = stage.HeadersNamed(b.RunID)
	return b
}

var HeaderTests = []stage.Test{
	{"headers go to whoever claims the run, however often", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(withHeaders(th.Wait("r1")))
		th.Begun(th.Wait("r2"))
		first := th.Claimed("t1", store.ClaimQueued)
		stage.Same(th, "claimed", string(first.Headers), string(stage.HeadersNamed("r1")))
		th.Unchanged(func() {
			stage.Same(th, "claimed again", string(th.Claim("t1").Headers), string(stage.HeadersNamed("r1")))
		})
		th.Nack(stage.Failing(first.Claim))
		again := th.Claimed("t2", store.ClaimQueued)
		stage.Same(th, "after a nack", stage.Words(again.Claim.RunID, string(again.Headers)), "r1 "+string(stage.HeadersNamed("r1")))
		res, err := th.Store.Activate(e.Context(), store.Activation{Claim: again.Claim, Events: stage.Events("start:r1"), Execution: "exe-r1", Frozen: stage.Raws(`{}`)[0]})
		stage.Same(th, "activated", stage.Must(th, res, err).Status, store.CommitOK)
		if err := th.Store.HandBack(e.Context(), again.Claim); err != nil {
			e.Fatal(err)
		}
		lost := th.Claimed("t3", store.ClaimTakeover)
		stage.Same(th, "of a run that goes on elsewhere", string(lost.Headers), string(stage.HeadersNamed("r1")))
		th.OK(stage.Ending(lost.Claim, 1, th.View().Seq, "end:r1", store.EndFinish))
		stage.Same(th, "of another", string(th.Claimed("t4", store.ClaimQueued).Headers), "")
	}},
	{"headers of an answer are those of the run that it begins", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(withHeaders(th.Execute("r1")))
		th.OK(stage.Ending(c, 2, 1, "asks", store.EndSuspend))
		c = th.Begun(withHeaders(th.Resume("r2", "exe-r1")))
		if err := th.Store.HandBack(e.Context(), c); err != nil {
			e.Fatal(err)
		}
		stage.Same(th, "claimed", string(th.Claimed("t", store.ClaimTakeover).Headers), string(stage.HeadersNamed("r2")))
	}},
	{"headers of a dead letter go with the run that requeues it, once", func(e *stage.Env) {
		for _, began := range []bool{true, false} {
			th := e.On(e.Node("a"), stage.Words("began", began))
			var c store.Claim
			if began {
				c = th.Begun(withHeaders(th.Execute("r1")))
			} else {
				th.Begun(withHeaders(th.Wait("r1")))
				c = th.Claimed("t1", store.ClaimQueued).Claim
			}
			th.Bury(stage.Failing(c))
			b := th.Afresh("r2", "r1")
			if began {
				b = th.Requeue("r2", "exe-r1", "r1")
			}
			res := th.Begin(b)
			stage.Same(th, "requeued", stage.Words(int(res.Status), string(res.Headers)), stage.Words(int(store.BeginAccepted), string(stage.HeadersNamed("r1"))))
			th.Unchanged(func() {
				again := th.Begin(b)
				if again.Execution != nil && res.Execution != nil {
					again.Execution.Active = res.Execution.Active // which goes by the clock
				}
				stage.Same(th, "sent again", again, res)
			})
			if err := th.Store.HandBack(e.Context(), res.Claim); err != nil {
				e.Fatal(err)
			}
			stage.Same(th, "claimed", string(th.Claimed("t2", store.ClaimTakeover).Headers), string(stage.HeadersNamed("r1")))
		}
	}},
}
