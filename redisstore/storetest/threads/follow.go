package threads

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var FollowTests = []stage.Test{
	{"every node that follows hears of an input that was stopped while it waited, once and before it is logged", func(e *stage.Env) {
		th := e.Thread()
		other := e.Node("b")
		deaf := e.Node("c")
		ears := []*stage.Heard{stage.Listen(th.Store), stage.Listen(other)}
		none := stage.Listen(deaf)
		th.From(other).View(store.ReadQuery{Follower: true})
		c := th.Begun(th.Execute("r1"))
		for _, run := range []string{"r2", "r3", "r4"} {
			th.Begun(th.Wait(run))
		}
		th.Stop("label-r4")
		askAbout(th, c, 2, 1)
		th.StopAll("i", "")
		stage.Same(th, "log", th.Logged(), "start:r1 asks")
		want := []string{"start:r4 cancelled:r4", "start:r2 cancelled:r2", "start:r3 cancelled:r3"}
		for _, h := range ears {
			stage.Eventually(th, "all are heard of", func() bool { return slices.Equal(h.Cancelled(th.Key), want) })
		}
		th.Begun(th.Resume("r5", "exe-r1"))
		th.Begun(th.Wait("r6"))
		th.StopAll("j", "r5")
		stage.Same(th, "the end of the log", strings.HasSuffix(th.Logged(), "cancelled:r6"), true)
		stage.Eventually(th, "the log is heard", func() bool { return strings.HasSuffix(ears[1].Logged(th.Key), "cancelled:r6") })
		for _, h := range ears {
			stage.Same(th, "of what is logged", h.Cancelled(th.Key), want)
		}
		stage.Same(th, "who does not follow", len(none.Cancelled(th.Key)), 0)
	}},
	{"a node's own writes are delivered on it, with positions, once acknowledged", func(e *stage.Env) {
		th := e.Thread()
		h := stage.Listen(th.Store)
		c := th.Begun(th.Execute("r1"))
		th.OK(stage.Batch(c, 2, 1, "b c"))
		th.Begun(th.Wait("r2"))
		th.Stop("label-r2")
		th.OK(stage.Ending(c, 3, 3, "end", store.EndFinish))
		th.Begun(th.Wait("r3"))
		th.Activate(th.Claimed("t3", store.ClaimQueued).Claim)
		th.Stop("label-r3")
		stage.Same(th, "heard", h.Logged(th.Key), "1:start:r1 2:b 3:c 4:end 5:start:r2 6:cancelled:r2 7:start:r3 8:stopped:label-r3")
		for _, d := range h.All {
			if d.Kind == store.DeliverEvents && d.Epoch != th.View().Epoch {
				e.Errorf("epoch %q", d.Epoch)
			}
		}
	}},
	{"a following node hears everything, one that does not follow nothing", func(e *stage.Env) {
		th := e.Thread()
		b, c := e.Node("b"), e.Node("c")
		heardB, heardC := stage.Listen(b), stage.Listen(c)
		th.From(b).View(store.ReadQuery{Follower: true})
		th.From(c).View()
		claim := th.Begun(th.Execute("r1"))
		th.OK(stage.Batch(claim, 2, 1, "b\x00\xff c"))
		th.Begun(th.Wait("r2"))
		th.Stop("label-r2")
		th.OK(stage.Ending(claim, 3, 3, "end", store.EndFinish))
		th.Begun(th.Wait("r3"))
		th.Activate(th.Claimed("t3", store.ClaimQueued).Claim)
		th.Stop("label-r3")
		want := "1:start:r1 2:b\x00\xff 3:c 4:end 5:start:r2 6:cancelled:r2 7:start:r3 8:stopped:label-r3"
		stage.Eventually(th, "the follower has heard it all", func() bool { return heardB.Logged(th.Key) == want })
		// A message that was sent to b after this would come after it.
		marker := e.On(th.Store, "marker")
		marker.From(c).View(store.ReadQuery{Follower: true})
		marker.Begun(marker.Execute("r1"))
		stage.Eventually(th, "the other node hears the marker", func() bool { return heardC.Logged(marker.Key) != "" })
		stage.Same(th, "the other node", heardC.Logged(th.Key), "")
	}},
	{"a node follows until its time is over, and tail renews it", func(e *stage.Env) {
		clock := e.Stopped()
		th := e.Thread()
		b := e.Node("b")
		h := stage.Listen(b)
		th.From(b).View(store.ReadQuery{Follower: true})
		claim := th.Begun(th.Execute("r1"))
		clock.Move(time.Hour)
		th.OK(stage.Batch(claim, 2, 1, "late"))
		ends, err := b.Tail(e.Context(), []store.ThreadKey{th.Key})
		stage.Same(th, "tail", stage.Must(th, ends, err), []store.Position{{Epoch: th.View().Epoch, Seq: 2}})
		th.OK(stage.Batch(claim, 3, 2, "again"))
		stage.Eventually(th, "it hears again", func() bool { return strings.HasSuffix(h.Logged(th.Key), "3:again") })
		stage.Same(th, "heard", h.Logged(th.Key), "1:start:r1 3:again")
	}},
	{"tail answers in the order asked, for threads everywhere and never used ones", func(e *stage.Env) {
		s := e.Node("a")
		var keys []store.ThreadKey
		var want []int64
		for i := range 300 {
			th := e.On(s, fmt.Sprint("t", i))
			if i%50 == 0 {
				c := th.Begun(th.Execute("r1"))
				th.OK(stage.Batch(c, 2, 1, strings.Repeat("e ", i/50)))
				want = append(want, int64(1+i/50))
			} else {
				want = append(want, 0)
			}
			keys = append(keys, th.Key)
		}
		ends, err := s.Tail(e.Context(), keys)
		th := e.On(s, "t7")
		stage.Must(th, ends, err)
		var got []int64
		for _, p := range ends {
			got = append(got, p.Seq)
		}
		stage.Same(th, "ends", got, want)
		stage.Same(th, "the epoch of an unused thread stays", ends[7].Epoch, th.View().Epoch)
		none, err := s.Tail(e.Context(), nil)
		stage.Same(th, "of none", len(stage.Must(th, none, err)), 0)
	}},
	{"range pages through the log", func(e *stage.Env) {
		e.Retain = 4
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Ending(c, 2, 1, "b c d e f", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{}
		th.OK(b)
		epoch := th.View().Epoch
		page := func(epoch string, first int64, limit int) store.RangeResult {
			r, err := th.Store.Range(e.Context(), th.Key, epoch, first, limit)
			return stage.Must(th, r, err)
		}
		end := store.Position{Epoch: epoch, Seq: 6}
		stage.Same(th, "first", page(epoch, 3, 2), store.RangeResult{Events: stage.Events("c d"), End: end})
		stage.Same(th, "last", page(epoch, 5, 100), store.RangeResult{Events: stage.Events("e f"), End: end})
		stage.Same(th, "past the end", page(epoch, 7, 10), store.RangeResult{Events: [][]byte{}, End: end})
		stage.Same(th, "trimmed", page(epoch, 2, 10).Status, store.RangeGone)
		stage.Same(th, "another epoch", page("other", 3, 10).Status, store.RangeEpoch)
		stage.Same(th, "and where the log is now", page("other", 3, 10).End, end)
	}},
	{"a dispatch that becomes ready is announced to every node", func(e *stage.Env) {
		th := e.Thread()
		h := stage.Listen(e.Node("b"))
		c := th.Begun(th.Execute("r1"))
		th.Begun(th.Wait("r2"))
		stage.Same(th, "while it waits", h.Count(store.DeliverReady, th.Key, ""), 0)
		th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))
		stage.Eventually(th, "the other node hears", func() bool { return h.Count(store.DeliverWork, th.Key, "") == 1 })
		idle := e.On(th.Store, "idle")
		own := stage.Listen(th.Store)
		idle.Begun(idle.Wait("r1"))
		stage.Same(th, "queued at rest: on its own node too", own.Count(store.DeliverReady, idle.Key, ""), 1)
		stage.Eventually(th, "the other node hears", func() bool { return h.Count(store.DeliverWork, idle.Key, "") == 1 })
	}},
}
