package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// heard collects a node's deliveries.
type heard struct {
	mu  sync.Mutex
	all []store.Delivery
}

func listen(s store.Store) *heard {
	h := &heard{}
	s.Listen(func(d store.Delivery) {
		h.mu.Lock()
		defer h.mu.Unlock()
		d.Events = slices.Clone(d.Events)
		h.all = append(h.all, d)
	})
	return h
}

// log is what was delivered of a thread, as "position:event", by position.
func (h *heard) log(key store.ThreadKey) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var lines []string
	at := map[string]int64{}
	for _, d := range h.all {
		if d.Kind != store.DeliverEvents || d.Thread != key {
			continue
		}
		for i, e := range d.Events {
			line := fmt.Sprintf("%d:%s", d.First+int64(i), e)
			lines = append(lines, line)
			at[line] = d.First + int64(i)
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return int(at[a] - at[b]) })
	return strings.Join(slices.Compact(lines), " ")
}

func (h *heard) count(kind store.DeliveryKind, key store.ThreadKey, token string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range h.all {
		if d.Kind == kind && d.Thread == key && d.Token == token {
			n++
		}
	}
	return n
}

// cancelled are the events of the inputs that were cancelled in the queue.
func (h *heard) cancelled(key store.ThreadKey) (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range h.all {
		if d.Kind == store.DeliverCancelled && d.Thread == key {
			all = append(all, text(d.Events))
		}
	}
	return all
}

var followTests = []test{
	{"every node that follows hears of an input that was stopped while it waited, once and before it is logged", func(e *env) {
		th := e.thread()
		other := e.node("b")
		deaf := e.node("c")
		ears := []*heard{listen(th.s), listen(other)}
		none := listen(deaf)
		th.from(other).view(store.ReadQuery{Follower: true})
		c := th.begun(th.execute("r1"))
		for _, run := range []string{"r2", "r3", "r4"} {
			th.begun(th.wait(run))
		}
		th.stop("label-r4")
		th.asks(c, 2, 1)
		th.stopAll("i", "")
		same(th, "log", th.log(), "start:r1 asks")
		want := []string{"start:r4 cancelled:r4", "start:r2 cancelled:r2", "start:r3 cancelled:r3"}
		for _, h := range ears {
			eventually(th, "all are heard of", func() bool { return slices.Equal(h.cancelled(th.key), want) })
		}
		th.begun(th.resume("r5", "exe-r1"))
		th.begun(th.wait("r6"))
		th.stopAll("j", "r5")
		same(th, "the end of the log", strings.HasSuffix(th.log(), "cancelled:r6"), true)
		eventually(th, "the log is heard", func() bool { return strings.HasSuffix(ears[1].log(th.key), "cancelled:r6") })
		for _, h := range ears {
			same(th, "of what is logged", h.cancelled(th.key), want)
		}
		same(th, "who does not follow", len(none.cancelled(th.key)), 0)
	}},
	{"a node's own writes are delivered on it, with positions, once acknowledged", func(e *env) {
		th := e.thread()
		h := listen(th.s)
		c := th.begun(th.execute("r1"))
		th.ok(batch(c, 2, 1, "b c"))
		th.begun(th.wait("r2"))
		th.stop("label-r2")
		th.ok(ending(c, 3, 3, "end", store.EndFinish))
		th.begun(th.wait("r3"))
		th.activate(th.claimed("t3", store.ClaimQueued).Claim)
		th.stop("label-r3")
		same(th, "heard", h.log(th.key), "1:start:r1 2:b 3:c 4:end 5:start:r2 6:cancelled:r2 7:start:r3 8:stopped:label-r3")
		for _, d := range h.all {
			if d.Kind == store.DeliverEvents && d.Epoch != th.view().Epoch {
				e.Errorf("epoch %q", d.Epoch)
			}
		}
	}},
	{"a following node hears everything, one that does not follow nothing", func(e *env) {
		th := e.thread()
		b, c := e.node("b"), e.node("c")
		heardB, heardC := listen(b), listen(c)
		th.from(b).view(store.ReadQuery{Follower: true})
		th.from(c).view()
		claim := th.begun(th.execute("r1"))
		th.ok(batch(claim, 2, 1, "b\x00\xff c"))
		th.begun(th.wait("r2"))
		th.stop("label-r2")
		th.ok(ending(claim, 3, 3, "end", store.EndFinish))
		th.begun(th.wait("r3"))
		th.activate(th.claimed("t3", store.ClaimQueued).Claim)
		th.stop("label-r3")
		want := "1:start:r1 2:b\x00\xff 3:c 4:end 5:start:r2 6:cancelled:r2 7:start:r3 8:stopped:label-r3"
		eventually(th, "the follower has heard it all", func() bool { return heardB.log(th.key) == want })
		// A message that was sent to b after this would come after it.
		marker := e.on(th.s, "marker")
		marker.from(c).view(store.ReadQuery{Follower: true})
		marker.begun(marker.execute("r1"))
		eventually(th, "the other node hears the marker", func() bool { return heardC.log(marker.key) != "" })
		same(th, "the other node", heardC.log(th.key), "")
	}},
	{"a node follows until its time is over, and tail renews it", func(e *env) {
		clock := e.stopped()
		th := e.thread()
		b := e.node("b")
		h := listen(b)
		th.from(b).view(store.ReadQuery{Follower: true})
		claim := th.begun(th.execute("r1"))
		clock.move(time.Hour)
		th.ok(batch(claim, 2, 1, "late"))
		ends, err := b.Tail(e.Context(), []store.ThreadKey{th.key})
		same(th, "tail", must(th, ends, err), []store.Position{{Epoch: th.view().Epoch, Seq: 2}})
		th.ok(batch(claim, 3, 2, "again"))
		eventually(th, "it hears again", func() bool { return strings.HasSuffix(h.log(th.key), "3:again") })
		same(th, "heard", h.log(th.key), "1:start:r1 3:again")
	}},
	{"tail answers in the order asked, for threads everywhere and never used ones", func(e *env) {
		s := e.node("a")
		var keys []store.ThreadKey
		var want []int64
		for i := range 300 {
			th := e.on(s, fmt.Sprint("t", i))
			if i%50 == 0 {
				c := th.begun(th.execute("r1"))
				th.ok(batch(c, 2, 1, strings.Repeat("e ", i/50)))
				want = append(want, int64(1+i/50))
			} else {
				want = append(want, 0)
			}
			keys = append(keys, th.key)
		}
		ends, err := s.Tail(e.Context(), keys)
		th := e.on(s, "t7")
		must(th, ends, err)
		var got []int64
		for _, p := range ends {
			got = append(got, p.Seq)
		}
		same(th, "ends", got, want)
		same(th, "the epoch of an unused thread stays", ends[7].Epoch, th.view().Epoch)
		none, err := s.Tail(e.Context(), nil)
		same(th, "of none", len(must(th, none, err)), 0)
	}},
	{"range pages through the log", func(e *env) {
		e.retain = 4
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := ending(c, 2, 1, "b c d e f", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{}
		th.ok(b)
		epoch := th.view().Epoch
		page := func(epoch string, first int64, limit int) store.RangeResult {
			r, err := th.s.Range(e.Context(), th.key, epoch, first, limit)
			return must(th, r, err)
		}
		end := store.Position{Epoch: epoch, Seq: 6}
		same(th, "first", page(epoch, 3, 2), store.RangeResult{Events: events("c d"), End: end})
		same(th, "last", page(epoch, 5, 100), store.RangeResult{Events: events("e f"), End: end})
		same(th, "past the end", page(epoch, 7, 10), store.RangeResult{Events: [][]byte{}, End: end})
		same(th, "trimmed", page(epoch, 2, 10).Status, store.RangeGone)
		same(th, "another epoch", page("other", 3, 10).Status, store.RangeEpoch)
		same(th, "and where the log is now", page("other", 3, 10).End, end)
	}},
	{"a dispatch that becomes ready is announced to every node", func(e *env) {
		th := e.thread()
		h := listen(e.node("b"))
		c := th.begun(th.execute("r1"))
		th.begun(th.wait("r2"))
		same(th, "while it waits", h.count(store.DeliverReady, th.key, ""), 0)
		th.ok(ending(c, 2, 1, "end", store.EndFinish))
		eventually(th, "the other node hears", func() bool { return h.count(store.DeliverWork, th.key, "") == 1 })
		idle := e.on(th.s, "idle")
		own := listen(th.s)
		idle.begun(idle.wait("r1"))
		same(th, "queued at rest: on its own node too", own.count(store.DeliverReady, idle.key, ""), 1)
		eventually(th, "the other node hears", func() bool { return h.count(store.DeliverWork, idle.key, "") == 1 })
	}},
}
