package storetest

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// end is where the thread's log ends for who was told no more than was delivered.
func (h *heard) end(key store.ThreadKey) (end store.Position) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range h.all {
		if d.Kind != store.DeliverEvents || d.Thread != key {
			continue
		}
		if last := d.First + int64(len(d.Events)) - 1; d.Epoch != end.Epoch || last > end.Seq {
			end = store.Position{Epoch: d.Epoch, Seq: last}
		}
	}
	return end
}

var retryTests = []test{
	{"a call that is sent again tells its own node where the log ends", func(e *env) {
		clock := e.stopped()
		th := e.thread()
		claims := map[string]store.Claim{}
		begins := func(run string, begin func(string) store.Begin) func() error {
			b := begin(run)
			return func() error {
				res, err := th.s.Begin(e.Context(), b)
				claims[run] = res.Claim
				return err
			}
		}
		commits := func(b func() store.Batch) func() error {
			return func() error {
				_, err := th.s.Commit(e.Context(), b())
				return err
			}
		}
		takes := func(run string, kind store.ClaimKind) func() error {
			token := "taken-" + run + string(rune('0'+kind))
			return func() error {
				res, err := th.s.Claim(e.Context(), store.ClaimRequest{Thread: th.key, Token: token})
				same(th, "claimed", res.Kind, kind)
				claims[run] = res.Claim
				return err
			}
		}
		stops := func(label string) func() error {
			return func() error {
				_, err := th.s.Stop(e.Context(), store.Stop{Thread: th.key, Request: "stop-" + label, Label: label, Terminal: []byte("stopped")})
				return err
			}
		}
		steps := []struct {
			name string
			call func() func() error
		}{
			{"begin", func() func() error { return begins("r1", th.execute) }},
			{"commit", func() func() error { return commits(func() store.Batch { return batch(claims["r1"], 2, 1, "b") }) }},
			{"queue", func() func() error { return begins("r2", th.wait) }},
			{"stop what waits", func() func() error { return stops("label-r2") }},
			{"end, behind which is logged what was stopped", func() func() error {
				return commits(func() store.Batch { return ending(claims["r1"], 3, 2, "end", store.EndFinish) })
			}},
			{"queue at rest", func() func() error { return begins("r3", th.wait) }},
			{"claim", func() func() error { return takes("r3", store.ClaimQueued) }},
			{"activate", func() func() error {
				return func() error {
					_, err := th.s.Activate(e.Context(), activation(claims["r3"]))
					return err
				}
			}},
			{"nack", func() func() error {
				return func() error {
					_, err := th.s.Nack(e.Context(), store.Nack{Claim: claims["r3"], Terminal: []byte("failed")})
					return err
				}
			}},
			{"take over", func() func() error {
				clock.move(time.Minute)
				return takes("r3", store.ClaimTakeover)
			}},
			{"bury", func() func() error {
				return func() error {
					_, err := th.s.Bury(e.Context(), store.Nack{Claim: claims["r3"], Terminal: []byte("failed")})
					return err
				}
			}},
			{"begin", func() func() error { return begins("r4", th.execute) }},
			{"stop what is active", func() func() error { return stops("label-r4") }},
			{"begin", func() func() error { return begins("r5", th.execute) }},
			{"stop all", func() func() error {
				return func() error {
					_, err := th.s.StopAll(e.Context(), store.StopAll{Thread: th.key, Request: "i", Active: "r5", Terminal: []byte("cancelled")})
					return err
				}
			}},
			{"begin", func() func() error { return begins("r6", th.execute) }},
			{"stop what has begun, unknown to its beginner", func() func() error {
				again := begins("r6", th.execute)
				th.stop("label-r6")
				return again
			}},
			{"delete", func() func() error {
				return func() error {
					_, err := th.s.Delete(e.Context(), th.key, Deleting(""))
					return err
				}
			}},
		}
		for _, step := range steps {
			call := step.call()
			if err := call(); err != nil {
				e.Fatalf("%s: %v", step.name, err)
			}
			again := listen(th.s)
			if err := call(); err != nil {
				e.Fatalf("%s again: %v", step.name, err)
			}
			if step.name == "queue" || step.name == "stop what waits" {
				continue // nothing is logged by it
			}
			v := th.view()
			same(th, step.name, again.end(th.key), store.Position{Epoch: v.Epoch, Seq: v.Seq})
		}
	}},
	{"what waits at rest is announced to its own node again", func(e *env) {
		th := e.thread()
		b := th.wait("r1")
		th.begun(b)
		again := listen(th.s)
		th.begun(b)
		same(th, "announced", again.count(store.DeliverReady, th.key, ""), 1)
		th.claimed("t", store.ClaimQueued)
		again = listen(th.s)
		th.begun(b)
		same(th, "once it is claimed", again.count(store.DeliverReady, th.key, ""), 0)
	}},
}
