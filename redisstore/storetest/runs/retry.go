package runs

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var RetryTests = []stage.Test{
	{"a call that is sent again tells its own node where the log ends", func(e *stage.Env) {
		clock := e.Stopped()
		th := e.Thread()
		claims := map[string]store.Claim{}
		begins := func(run string, begin func(string) store.Begin) func() error {
			b := begin(run)
			return func() error {
				res, err := th.Store.Begin(e.Context(), b)
				claims[run] = res.Claim
				return err
			}
		}
		commits := func(b func() store.Batch) func() error {
			return func() error {
				_, err := th.Store.Commit(e.Context(), b())
				return err
			}
		}
		takes := func(run string, kind store.ClaimKind) func() error {
			token := "taken-" + run + string(rune('0'+kind))
			return func() error {
				res, err := th.Store.Claim(e.Context(), store.ClaimRequest{Thread: th.Key, Token: token})
				stage.Same(th, "claimed", res.Kind, kind)
				claims[run] = res.Claim
				return err
			}
		}
		stops := func(label string) func() error {
			return func() error {
				_, err := th.Store.Stop(e.Context(), store.Stop{Thread: th.Key, Request: "stop-" + label, Label: label, Terminal: []byte("stopped")})
				return err
			}
		}
		steps := []struct {
			name string
			call func() func() error
		}{
			{"begin", func() func() error { return begins("r1", th.Execute) }},
			{"commit", func() func() error {
				return commits(func() store.Batch { return stage.Batch(claims["r1"], 2, 1, "b") })
			}},
			{"queue", func() func() error { return begins("r2", th.Wait) }},
			{"stop what waits", func() func() error { return stops("label-r2") }},
			{"end, behind which is logged what was stopped", func() func() error {
				return commits(func() store.Batch { return stage.Ending(claims["r1"], 3, 2, "end", store.EndFinish) })
			}},
			{"queue at rest", func() func() error { return begins("r3", th.Wait) }},
			{"claim", func() func() error { return takes("r3", store.ClaimQueued) }},
			{"activate", func() func() error {
				return func() error {
					_, err := th.Store.Activate(e.Context(), stage.Activation(claims["r3"]))
					return err
				}
			}},
			{"nack", func() func() error {
				return func() error {
					_, err := th.Store.Nack(e.Context(), store.Nack{Claim: claims["r3"], Terminal: []byte("failed")})
					return err
				}
			}},
			{"take over", func() func() error {
				clock.Move(time.Minute)
				return takes("r3", store.ClaimTakeover)
			}},
			{"bury", func() func() error {
				return func() error {
					_, err := th.Store.Bury(e.Context(), store.Nack{Claim: claims["r3"], Terminal: []byte("failed")})
					return err
				}
			}},
			{"begin", func() func() error { return begins("r4", th.Execute) }},
			{"stop what is active", func() func() error { return stops("label-r4") }},
			{"begin", func() func() error { return begins("r5", th.Execute) }},
			{"stop all", func() func() error {
				return func() error {
					_, err := th.Store.StopAll(e.Context(), store.StopAll{Thread: th.Key, Request: "i", Active: "r5", Terminal: []byte("cancelled")})
					return err
				}
			}},
			{"begin", func() func() error { return begins("r6", th.Execute) }},
			{"stop what has begun, unknown to its beginner", func() func() error {
				again := begins("r6", th.Execute)
				th.Stop("label-r6")
				return again
			}},
			{"delete", func() func() error {
				return func() error {
					_, err := th.Store.Delete(e.Context(), th.Key, stage.Deleting(""))
					return err
				}
			}},
		}
		for _, step := range steps {
			call := step.call()
			if err := call(); err != nil {
				e.Fatalf("%s: %v", step.name, err)
			}
			again := stage.Listen(th.Store)
			if err := call(); err != nil {
				e.Fatalf("%s again: %v", step.name, err)
			}
			if step.name == "queue" || step.name == "stop what waits" {
				continue // nothing is logged by it
			}
			v := th.View()
			stage.Same(th, step.name, again.End(th.Key), store.Position{Epoch: v.Epoch, Seq: v.Seq})
		}
	}},
	{"what waits at rest is announced to its own node again", func(e *stage.Env) {
		th := e.Thread()
		b := th.Wait("r1")
		th.Begun(b)
		again := stage.Listen(th.Store)
		th.Begun(b)
		stage.Same(th, "announced", again.Count(store.DeliverReady, th.Key, ""), 1)
		th.Claimed("t", store.ClaimQueued)
		again = stage.Listen(th.Store)
		th.Begun(b)
		stage.Same(th, "once it is claimed", again.Count(store.DeliverReady, th.Key, ""), 0)
	}},
}
