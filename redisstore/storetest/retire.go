package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
)

// retire calls Retire until a pass is over.
func (th *thread) retire() {
	th.Helper()
	for range 1000 {
		more, err := th.s.Retire(th.Context())
		if !must(th, more, err) {
			return
		}
	}
	th.Fatal("a pass does not end")
}

// whole carries a run from its beginning to an end with a snapshot.
func (th *thread) whole(run string, words string) {
	th.Helper()
	c := th.begun(th.execute(run))
	end := ending(c, 2, th.view().Seq, words, store.EndFinish)
	end.End.Snapshot = &store.SnapshotUpdate{State: json.RawMessage(`{}`)}
	th.ok(end)
}

// kept is the log's first position and its last.
func (th *thread) kept() string {
	th.Helper()
	v := th.view()
	return fmt.Sprint(v.Base, " ", v.Seq)
}

const day = 24 * time.Hour

var retireTests = []test{
	{"a log at rest holds so many bytes, counted event by event", func(e *env) {
		e.bytes = 30
		th := e.thread()
		th.whole("r1", "12345678 1234567") // with start:r1 23 bytes
		same(th, "below", th.kept(), "1 3")
		th.whole("r2", "1") // 9 more make 32
		same(th, "above", th.kept(), "2 5")
		th.whole("r3", "1234567") // 24 and 15 more
		same(th, "above again", th.kept(), "4 7")
		th.whole("r4", "123456") // 24 and 14 more
		same(th, "at the limit", th.kept(), "5 9")
		c := th.begun(th.execute("r5"))
		th.ok(ending(c, 2, 10, strings.Repeat("x", 40), store.EndFinish))
		same(th, "what follows the snapshot stays, however much it is", th.kept(), "10 11")
		th.whole("r6", strings.Repeat("x", 31))
		same(th, "a log may be empty", th.kept(), "14 13")
		same(th, "log", th.log(), "")
	}},
	{"a log at rest holds so many events, and all that follow the snapshot, with their bytes counted", func(e *env) {
		e.retain, e.bytes = 1, 40
		th := e.thread()
		th.whole("r1", "one two three four five six seven")
		same(th, "the last", th.kept(), "8 8")
		th.ok(ending(th.begun(th.execute("r2")), 2, 9, "a b c d e", store.EndFinish))
		same(th, "what follows the snapshot stays, and nothing before it", th.kept()+" "+th.log(), "9 14 start:r2 a b c d e")
		th.whole("r3", "x y z")
		same(th, "the last again", th.kept(), "18 18")
		// A run that is as long as is kept is the only one: what went counts no more.
		th.whole("r4", "1 "+strings.Repeat("x", 40))
		same(th, "as many bytes", th.kept(), "21 21")
		th.whole("r5", "1 "+strings.Repeat("x", 41))
		same(th, "more bytes", th.kept(), "25 24")
	}},
	{"an idle thread's log goes when its last event has its age, to the millisecond", func(e *env) {
		c := e.stopped()
		e.age = 7 * day
		th := e.thread()
		th.whole("r1", "b c")
		epoch := th.view().Epoch
		c.move(e.age - time.Millisecond)
		th.unchanged(th.retire)
		same(th, "before", th.kept(), "1 3")
		c.move(time.Millisecond)
		th.retire()
		same(th, "then", th.kept(), "4 3")
		v := th.view(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: 2}})
		same(th, "an old position", fmt.Sprint(v.Recovered, v.Epoch == epoch, string(v.Snapshot.State), len(v.Log)), "false true{}0")
		v = th.view(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: 3}})
		same(th, "the last position", fmt.Sprint(v.Recovered, len(v.Missed)), "true 0")
		th.whole("r2", "e")
		same(th, "and it goes on", th.kept()+" "+th.log(), "4 5 ")
		th.unchanged(th.retire)
	}},
	{"a log in use keeps events for their age at least and half of it more at most", func(e *env) {
		c := e.stopped()
		e.age = 100 * time.Hour
		th := e.thread()
		born := map[int64]time.Time{}
		for i := range 400 {
			th.whole(fmt.Sprint("r", i), "e")
			v := th.view()
			born[v.Seq-1], born[v.Seq] = c.read(), c.read()
			if age := c.read().Sub(born[v.Base]); age > e.age+e.age/2+4*time.Hour {
				e.Fatalf("run %d: the first event is %v old", i, age)
			}
			if gone, ok := born[v.Base-1]; ok && c.read().Sub(gone) < e.age {
				e.Fatalf("run %d: an event has gone at %v", i, c.read().Sub(gone))
			}
			c.move(time.Duration(i%5) * time.Hour)
		}
		if th.view().Base == 1 {
			e.Error("nothing was trimmed")
		}
	}},
	{"neither what follows the snapshot nor an active run is trimmed by age", func(e *env) {
		c := e.stopped()
		e.age = time.Hour
		th := e.thread()
		th.whole("r1", "b")
		th.ok(ending(th.begun(th.execute("r2")), 2, 3, "end", store.EndFinish))
		claim := th.begun(th.execute("r3"))
		th.ok(batch(claim, 2, 5, "x"))
		c.move(10 * time.Hour)
		th.retire()
		same(th, "while active", th.kept()+" "+th.log(), "3 6 start:r2 end start:r3 x")
		th.ok(ending(claim, 3, 6, "end", store.EndFinish))
		c.move(10 * time.Hour)
		th.retire()
		same(th, "at rest", th.kept()+" "+th.log(), "3 7 start:r2 end start:r3 x end")
	}},
	{"what the run that asked ended with outlives the log, and the answer", func(e *env) {
		e.age = 7 * day
		clock := e.stopped()
		th := e.thread()
		th.whole("r1", "words")
		c := th.begun(th.execute("r2"))
		asks := ending(c, 2, th.view().Seq, "before asked:r2", store.EndSuspend)
		asks.End.Suspension = json.RawMessage(`{"open":["i"]}`)
		asks.End.Interrupts = []string{"i"}
		asks.End.Snapshot = &store.SnapshotUpdate{State: json.RawMessage(`{}`)}
		th.ok(asks)
		ended := func(when string) {
			th.Helper()
			same(th, "terminal event "+when, string(th.view(store.ReadQuery{RunID: "r2"}).Run.Terminal), "asked:r2")
		}
		ended("in the log")
		clock.move(8 * day)
		th.retire()
		same(th, "log", th.log(), "")
		ended("past the log")
		th.begun(th.resume("r3", "exe-r2"))
		ended("past the question")
	}},
	{"what the run that asked ended with outlives the log that is trimmed after the answer", func(e *env) {
		e.age = 7 * day
		clock := e.stopped()
		th := e.thread()
		asks := ending(th.begun(th.execute("r1")), 2, 1, "asked:r1", store.EndSuspend)
		asks.End.Suspension = json.RawMessage(`{"open":["i"]}`)
		asks.End.Interrupts = []string{"i"}
		th.ok(asks)
		end := ending(th.begun(th.resume("r2", "exe-r1")), 2, 3, "end:r2", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: json.RawMessage(`{}`)}
		th.ok(end)
		clock.move(8 * day)
		th.retire()
		same(th, "log", th.log(), "")
		same(th, "terminal event", string(th.view(store.ReadQuery{RunID: "r1"}).Run.Terminal), "asked:r1")
	}},
	{"a suspended thread's log goes by age, its question stays", func(e *env) {
		c := e.stopped()
		e.age, e.keep = time.Hour, 2*time.Hour
		th := e.thread()
		th.whole("r0", "e")
		b := th.execute("r1")
		b.Tenant = "acme"
		end := ending(th.begun(b), 2, 3, "asks", store.EndSuspend)
		end.End.Snapshot = &store.SnapshotUpdate{State: json.RawMessage(`{}`)}
		th.ok(end)
		c.move(e.age)
		th.retire()
		same(th, "log", th.kept(), "5 4")
		c.move(100 * time.Hour)
		th.retire()
		if v := th.view(store.ReadQuery{RunID: "r1"}); v.Suspension == nil || v.Run == nil {
			e.Errorf("after a long time: %s", show(v))
		}
		claim := th.begun(th.resume("r2", "exe-r1"))
		x, err := th.s.Journal(e.Context(), claim)
		same(th, "journal", len(must(th, x, err).Journal), 1)
		th.ok(ending(claim, 2, 5, "end", store.EndFinish))
		same(th, "log", th.log(), "start:r2 end")
	}},
	{"runs that ended go after their time, the latest and those under way stay", func(e *env) {
		c := e.stopped()
		e.keep = 30 * day
		th := e.thread()
		th.whole("r1", "end")
		c.move(day)
		th.whole("r2", "end")
		claim := th.begun(th.execute("r3"))
		th.begun(th.wait("r4"))
		ids := func() (ids string) {
			list, err := th.s.Dispatches(e.Context(), th.key, store.DispatchQuery{})
			for _, d := range must(th, list, err) {
				ids += d.ID + " "
			}
			return ids
		}
		c.move(29*day - time.Millisecond)
		th.retire()
		same(th, "before", ids(), "r3 r4 r2 r1 ")
		c.move(time.Millisecond)
		th.retire()
		for range 2 { // a thread in use is looked at an eighth of the time later
			c.move(e.keep / 8)
			th.retire()
		}
		same(th, "later", ids(), "r3 r4 ")
		if th.view(store.ReadQuery{RunID: "r1"}).Run != nil {
			e.Error("the run can still be read")
		}
		same(th, "sent again", th.renew(claim), true)
		th.ok(ending(claim, 2, 5, "end", store.EndFinish))
		next := th.claimed("t4", store.ClaimQueued).Claim
		th.activate(next)
		th.ok(ending(next, 2, 7, "end", store.EndFinish))
		c.move(e.keep - time.Millisecond)
		th.retire()
		same(th, "two at rest", ids(), "r4 r3 ")
		c.move(time.Millisecond)
		th.retire()
		same(th, "at rest", ids(), "r4 ")
		counts, err := th.s.CountDispatches(e.Context())
		same(th, "counted", must(th, counts, err), map[store.DispatchState]int64{store.DispatchAcked: 1})
		same(th, "latest", th.view().Latest.ID, "r4")
	}},
	{"a purge forgets runs that ended so long ago, dead letters too; the latest and those that wait stay", func(e *env) {
		c := e.stopped()
		th := e.thread()
		purge := func(age time.Duration) int {
			n, err := th.s.Purge(e.Context(), th.key, age)
			return must(th, n, err)
		}
		same(th, "of a thread that was never used", purge(0), 0)
		th.whole("r1", "end")
		c.move(time.Hour)
		th.bury(failing(th.begun(th.execute("r2"))))
		th.asks(th.begun(th.execute("r3")), 2, 5)
		ids := func() (ids string) {
			list, err := th.s.Dispatches(e.Context(), th.key, store.DispatchQuery{})
			for _, d := range must(th, list, err) {
				ids += d.ID + " "
			}
			return ids
		}
		before := ids()
		same(th, "younger", purge(time.Hour+time.Millisecond), 0)
		same(th, "all there", ids(), before)
		same(th, "the older one", purge(time.Hour), 1)
		same(th, "it can be read", th.view(store.ReadQuery{RunID: "r1"}).Run != nil, false)
		same(th, "the dead letter", purge(0), 1)
		same(th, "sent again", purge(0), 0)
		asked := th.view().Latest.ID
		same(th, "what waits", ids(), asked+" ")
		same(th, "it still waits", th.view().Suspension != nil, true)
		page, err := th.s.DeadLetters(e.Context(), store.PageQuery{})
		same(th, "dead letters", len(must(th, page, err).Letters), 0)
		counts, err := th.s.CountDispatches(e.Context())
		same(th, "counted", must(th, counts, err), map[store.DispatchState]int64{store.DispatchAcked: 1})
		if _, err := th.s.Purge(e.Context(), th.key, -1); err == nil {
			th.Error("a negative age is taken")
		}
	}},
	{"the run that asked stays as long as its question, whatever came after it", func(e *env) {
		c := e.stopped()
		e.keep = time.Hour
		th := e.thread()
		th.asking("acme")
		claim := th.begun(th.resume("r2", "exe-r1"))
		b := ending(claim, 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		th.ok(b)
		c.move(10 * time.Hour)
		th.retire()
		asked := func() string {
			same(th, "inbox", th.inbox("acme", "", 0), "t")
			d, err := th.s.Dispatch(e.Context(), th.key, "r1")
			return string(must(th, d, err).Record)
		}
		same(th, "record", asked(), `{"run":"r1"}`)
		claim = th.begun(th.resume("r3", "exe-r1"))
		c.move(10 * time.Hour)
		th.retire()
		b = ending(claim, 2, 5, "failed", store.EndFail)
		b.End.GiveBack = true
		th.ok(b)
		same(th, "record when given back", asked(), `{"run":"r1"}`)
	}},
	{"a thread with thousands of runs loses all that are old", func(e *env) {
		suite.Full(e.T)
		c := e.stopped()
		e.keep = time.Hour
		th := e.thread()
		for i := range 700 {
			th.ok(ending(th.begun(th.execute(fmt.Sprint("r", i))), 2, int64(2*i+1), "end", store.EndFinish))
		}
		c.move(e.keep)
		th.retire()
		list, err := th.s.Dispatches(e.Context(), th.key, store.DispatchQuery{Limit: 10})
		same(th, "left", len(must(th, list, err)), 1)
	}},
	{"a dead letter goes with its run", func(e *env) {
		c := e.stopped()
		e.keep = time.Hour
		th := e.thread()
		b := th.wait("r1")
		b.Tenant = "acme"
		th.begun(b)
		th.buried("r1")
		c.move(time.Millisecond)
		th.whole("r2", "end")
		letters := func() int {
			page, err := th.s.DeadLetters(e.Context(), store.PageQuery{Tenant: "acme"})
			return len(must(th, page, err).Letters)
		}
		c.move(e.keep - 2*time.Millisecond)
		th.retire()
		same(th, "before", letters(), 1)
		c.move(time.Millisecond)
		th.retire()
		c.move(time.Millisecond)
		th.retire()
		same(th, "then", letters(), 0)
		counts, err := th.s.CountDispatches(e.Context())
		same(th, "counted", must(th, counts, err), map[store.DispatchState]int64{store.DispatchAcked: 1})
	}},
	{"a deleted thread's dead letters are gone", func(e *env) {
		th := e.thread()
		b := th.wait("r1")
		b.Tenant = "acme"
		th.begun(b)
		th.buried("r1")
		same(th, "deleted", th.deleted(), true)
		page, err := th.s.DeadLetters(e.Context(), store.PageQuery{Tenant: "acme"})
		same(th, "letters", len(must(th, page, err).Letters), 0)
		counts, err := th.s.CountDispatches(e.Context())
		same(th, "counted", len(must(th, counts, err)), 0)
	}},
	{"a thread at rest is kept for its time since the last input or end, if it has one", func(e *env) {
		c := e.stopped()
		e.ttl = day
		s := e.node("a")
		h := listen(s)
		idle, active, open, ended := e.on(s, "idle"), e.on(s, "active"), e.on(s, "open"), e.on(s, "ended")
		idle.whole("r1", "end")
		active.begun(active.execute("r1"))
		open.suspended()
		claim := ended.begun(ended.execute("r1"))
		c.move(time.Hour)
		ended.ok(ending(claim, 2, 1, "end", store.EndFinish))
		c.move(23*time.Hour - time.Millisecond)
		idle.retire()
		same(idle, "before", idle.kept(), "1 2")
		epoch := idle.view().Epoch
		c.move(time.Millisecond)
		idle.retire()
		same(idle, "then", fmt.Sprint(idle.kept(), idle.view().Latest == nil, idle.view().Epoch != epoch), "1 0true true")
		eventually(idle, "who follows it hears of it", func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			last := h.all[len(h.all)-1]
			return last.Thread == idle.key && last.Epoch == idle.view().Epoch && last.First == 1
		})
		same(idle, "list", len(idle.infos("space", 0)), 3)
		c.move(time.Hour)
		idle.retire()
		same(idle, "list later", len(idle.infos("space", 0)), 2)
		c.move(10 * day)
		idle.retire()
		same(idle, "what is going on stays", active.kept()+" "+open.kept(), "1 1 1 2")
	}},
	{"threads stay for ever when they have no time", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.whole("r1", "end")
		c.move(10 * 365 * day)
		th.retire()
		same(th, "list", th.list("space", 0), "t")
		same(th, "latest", th.view().Latest.ID, "r1")
		th.whole("r2", "end")
		same(th, "log", th.kept(), "3 4")
	}},
	{"many threads are retired in many calls, by several nodes at once", func(e *env) {
		suite.Full(e.T)
		const threads = 1100
		c := e.stopped()
		e.age = time.Hour
		nodes := []store.Store{e.node("a"), e.node("b"), e.node("c")}
		var group sync.WaitGroup
		for w := range 4 {
			group.Go(func() {
				for i := w; i < threads; i += 4 {
					e.on(nodes[0], fmt.Sprint("t", i)).whole("r1", "end")
				}
			})
		}
		group.Wait()
		c.move(e.age)
		for _, s := range nodes {
			group.Go(func() {
				calls := 0
				for more := true; more; calls++ {
					var err error
					if more, err = s.Retire(e.Context()); err != nil {
						e.Error(err)
						return
					}
				}
				if calls < 3 {
					e.Errorf("all of it in %d calls", calls)
				}
			})
		}
		group.Wait()
		for i := range threads {
			if th := e.on(nodes[0], fmt.Sprint("t", i)); th.kept() != "3 2" {
				e.Errorf("thread %d: %s", i, th.kept())
			}
		}
	}},
}

// buried claims the thread's next run, which is the named one, and makes a dead
// letter of it.
func (th *thread) buried(run string) {
	th.Helper()
	c := th.claimed("bury-"+run, store.ClaimQueued).Claim
	same(th, "claimed", c.RunID, run)
	res, err := th.s.Bury(th.Context(), store.Nack{Claim: c, Error: "boom", Terminal: []byte("failed:" + run)})
	same(th, "buried", must(th, res, err).State, store.DispatchDeadLetter)
}
