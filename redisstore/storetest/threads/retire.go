package threads

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// retire calls Retire until a pass is over.
func retire(th *stage.Thread) {
	th.Helper()
	for range 1000 {
		more, err := th.Store.Retire(th.Context())
		if !stage.Must(th, more, err) {
			return
		}
	}
	th.Fatal("a pass does not end")
}

// whole carries a run from its beginning to an end with a snapshot.
func whole(th *stage.Thread, run string, words string) {
	th.Helper()
	c := th.Begun(th.Execute(run))
	end := stage.Ending(c, 2, th.View().Seq, words, store.EndFinish)
	end.End.Snapshot = &store.SnapshotUpdate{State: json.RawMessage(`{}`)}
	th.OK(end)
}

// kept is the log's first position and its last.
func kept(th *stage.Thread) string {
	th.Helper()
	v := th.View()
	return fmt.Sprint(v.Base, " ", v.Seq)
}

const day = 24 * time.Hour

var RetireTests = []stage.Test{
	{"a log at rest holds so many bytes, counted event by event", func(e *stage.Env) {
		e.Bytes = 30
		th := e.Thread()
		whole(th, "r1", "12345678 1234567") // with start:r1 23 bytes
		stage.Same(th, "below", kept(th), "1 3")
		whole(th, "r2", "1") // 9 more make 32
		stage.Same(th, "above", kept(th), "2 5")
		whole(th, "r3", "1234567") // 24 and 15 more
		stage.Same(th, "above again", kept(th), "4 7")
		whole(th, "r4", "123456") // 24 and 14 more
		stage.Same(th, "at the limit", kept(th), "5 9")
		c := th.Begun(th.Execute("r5"))
		th.OK(stage.Ending(c, 2, 10, strings.Repeat("x", 40), store.EndFinish))
		stage.Same(th, "what follows the snapshot stays, however much it is", kept(th), "10 11")
		whole(th, "r6", strings.Repeat("x", 31))
		stage.Same(th, "a log may be empty", kept(th), "14 13")
		stage.Same(th, "log", th.Logged(), "")
	}},
	{"a log at rest holds so many events, and all that follow the snapshot, with their bytes counted", func(e *stage.Env) {
		e.Retain, e.Bytes = 1, 40
		th := e.Thread()
		whole(th, "r1", "one two three four five six seven")
		stage.Same(th, "the last", kept(th), "8 8")
		th.OK(stage.Ending(th.Begun(th.Execute("r2")), 2, 9, "a b c d e", store.EndFinish))
		stage.Same(th, "what follows the snapshot stays, and nothing before it", kept(th)+" "+th.Logged(), "9 14 start:r2 a b c d e")
		whole(th, "r3", "x y z")
		stage.Same(th, "the last again", kept(th), "18 18")
		// A run that is as long as is kept is the only one: what went counts no more.
		whole(th, "r4", "1 "+strings.Repeat("x", 40))
		stage.Same(th, "as many bytes", kept(th), "21 21")
		whole(th, "r5", "1 "+strings.Repeat("x", 41))
		stage.Same(th, "more bytes", kept(th), "25 24")
	}},
	{"an idle thread's log goes when its last event has its age, to the millisecond", func(e *stage.Env) {
		c := e.Stopped()
		e.Age = 7 * day
		th := e.Thread()
		whole(th, "r1", "b c")
		epoch := th.View().Epoch
		c.Move(e.Age - time.Millisecond)
		th.Unchanged(func() { retire(th) })
		stage.Same(th, "before", kept(th), "1 3")
		c.Move(time.Millisecond)
		retire(th)
		stage.Same(th, "then", kept(th), "4 3")
		v := th.View(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: 2}})
		stage.Same(th, "an old position", fmt.Sprint(v.Recovered, v.Epoch == epoch, string(v.Snapshot.State), len(v.Log)), "false true{}0")
		v = th.View(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: 3}})
		stage.Same(th, "the last position", fmt.Sprint(v.Recovered, len(v.Missed)), "true 0")
		whole(th, "r2", "e")
		stage.Same(th, "and it goes on", kept(th)+" "+th.Logged(), "4 5 ")
		th.Unchanged(func() { retire(th) })
	}},
	{"a log in use keeps events for their age at least and half of it more at most", func(e *stage.Env) {
		c := e.Stopped()
		e.Age = 100 * time.Hour
		th := e.Thread()
		born := map[int64]time.Time{}
		for i := range 400 {
			whole(th, fmt.Sprint("r", i), "e")
			v := th.View()
			born[v.Seq-1], born[v.Seq] = c.Read(), c.Read()
			if age := c.Read().Sub(born[v.Base]); age > e.Age+e.Age/2+4*time.Hour {
				e.Fatalf("run %d: the first event is %v old", i, age)
			}
			if gone, ok := born[v.Base-1]; ok && c.Read().Sub(gone) < e.Age {
				e.Fatalf("run %d: an event has gone at %v", i, c.Read().Sub(gone))
			}
			c.Move(time.Duration(i%5) * time.Hour)
		}
		if th.View().Base == 1 {
			e.Error("nothing was trimmed")
		}
	}},
	{"neither what follows the snapshot nor an active run is trimmed by age", func(e *stage.Env) {
		c := e.Stopped()
		e.Age = time.Hour
		th := e.Thread()
		whole(th, "r1", "b")
		th.OK(stage.Ending(th.Begun(th.Execute("r2")), 2, 3, "end", store.EndFinish))
		claim := th.Begun(th.Execute("r3"))
		th.OK(stage.Batch(claim, 2, 5, "x"))
		c.Move(10 * time.Hour)
		retire(th)
		stage.Same(th, "while active", kept(th)+" "+th.Logged(), "3 6 start:r2 end start:r3 x")
		th.OK(stage.Ending(claim, 3, 6, "end", store.EndFinish))
		c.Move(10 * time.Hour)
		retire(th)
		stage.Same(th, "at rest", kept(th)+" "+th.Logged(), "3 7 start:r2 end start:r3 x end")
	}},
	{"what the run that asked ended with outlives the log, and the answer", func(e *stage.Env) {
		e.Age = 7 * day
		clock := e.Stopped()
		th := e.Thread()
		whole(th, "r1", "words")
		c := th.Begun(th.Execute("r2"))
		asks := stage.Ending(c, 2, th.View().Seq, "before asked:r2", store.EndSuspend)
		asks.End.Suspension = json.RawMessage(`{"open":["i"]}`)
		asks.End.Interrupts = []string{"i"}
		asks.End.Snapshot = &store.SnapshotUpdate{State: json.RawMessage(`{}`)}
		th.OK(asks)
		ended := func(when string) {
			th.Helper()
			stage.Same(th, "terminal event "+when, string(th.View(store.ReadQuery{RunID: "r2"}).Run.Terminal), "asked:r2")
		}
		ended("in the log")
		clock.Move(8 * day)
		retire(th)
		stage.Same(th, "log", th.Logged(), "")
		ended("past the log")
		th.Begun(th.Resume("r3", "exe-r2"))
		ended("past the question")
	}},
	{"what the run that asked ended with outlives the log that is trimmed after the answer", func(e *stage.Env) {
		e.Age = 7 * day
		clock := e.Stopped()
		th := e.Thread()
		asks := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "asked:r1", store.EndSuspend)
		asks.End.Suspension = json.RawMessage(`{"open":["i"]}`)
		asks.End.Interrupts = []string{"i"}
		th.OK(asks)
		end := stage.Ending(th.Begun(th.Resume("r2", "exe-r1")), 2, 3, "end:r2", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: json.RawMessage(`{}`)}
		th.OK(end)
		clock.Move(8 * day)
		retire(th)
		stage.Same(th, "log", th.Logged(), "")
		stage.Same(th, "terminal event", string(th.View(store.ReadQuery{RunID: "r1"}).Run.Terminal), "asked:r1")
	}},
	{"a suspended thread's log goes by age, its question stays", func(e *stage.Env) {
		c := e.Stopped()
		e.Age, e.Keep = time.Hour, 2*time.Hour
		th := e.Thread()
		whole(th, "r0", "e")
		b := th.Execute("r1")
		b.Tenant = "acme"
		end := stage.Ending(th.Begun(b), 2, 3, "asks", store.EndSuspend)
		end.End.Snapshot = &store.SnapshotUpdate{State: json.RawMessage(`{}`)}
		th.OK(end)
		c.Move(e.Age)
		retire(th)
		stage.Same(th, "log", kept(th), "5 4")
		c.Move(100 * time.Hour)
		retire(th)
		if v := th.View(store.ReadQuery{RunID: "r1"}); v.Suspension == nil || v.Run == nil {
			e.Errorf("after a long time: %s", stage.Show(v))
		}
		claim := th.Begun(th.Resume("r2", "exe-r1"))
		x, err := th.Store.Journal(e.Context(), claim)
		stage.Same(th, "journal", len(stage.Must(th, x, err).Journal), 1)
		th.OK(stage.Ending(claim, 2, 5, "end", store.EndFinish))
		stage.Same(th, "log", th.Logged(), "start:r2 end")
	}},
	{"runs that ended go after their time, the latest and those under way stay", func(e *stage.Env) {
		c := e.Stopped()
		e.Keep = 30 * day
		th := e.Thread()
		whole(th, "r1", "end")
		c.Move(day)
		whole(th, "r2", "end")
		claim := th.Begun(th.Execute("r3"))
		th.Begun(th.Wait("r4"))
		ids := func() (ids string) {
			list, err := th.Store.Dispatches(e.Context(), th.Key, store.DispatchQuery{})
			for _, d := range stage.Must(th, list, err) {
				ids += d.ID + " "
			}
			return ids
		}
		c.Move(29*day - time.Millisecond)
		retire(th)
		stage.Same(th, "before", ids(), "r3 r4 r2 r1 ")
		c.Move(time.Millisecond)
		retire(th)
		for range 2 { // a thread in use is looked at an eighth of the time later
			c.Move(e.Keep / 8)
			retire(th)
		}
		stage.Same(th, "later", ids(), "r3 r4 ")
		if th.View(store.ReadQuery{RunID: "r1"}).Run != nil {
			e.Error("the run can still be read")
		}
		stage.Same(th, "sent again", th.Renew(claim), true)
		th.OK(stage.Ending(claim, 2, 5, "end", store.EndFinish))
		next := th.Claimed("t4", store.ClaimQueued).Claim
		th.Activate(next)
		th.OK(stage.Ending(next, 2, 7, "end", store.EndFinish))
		c.Move(e.Keep - time.Millisecond)
		retire(th)
		stage.Same(th, "two at rest", ids(), "r4 r3 ")
		c.Move(time.Millisecond)
		retire(th)
		stage.Same(th, "at rest", ids(), "r4 ")
		counts, err := th.Store.CountDispatches(e.Context())
		stage.Same(th, "counted", stage.Must(th, counts, err), map[store.DispatchState]int64{store.DispatchAcked: 1})
		stage.Same(th, "latest", th.View().Latest.ID, "r4")
	}},
	{"a purge forgets runs that ended so long ago, dead letters too; the latest and those that wait stay", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		purge := func(age time.Duration) int {
			n, err := th.Store.Purge(e.Context(), th.Key, age)
			return stage.Must(th, n, err)
		}
		stage.Same(th, "of a thread that was never used", purge(0), 0)
		whole(th, "r1", "end")
		c.Move(time.Hour)
		th.Bury(stage.Failing(th.Begun(th.Execute("r2"))))
		askAbout(th, th.Begun(th.Execute("r3")), 2, 5)
		ids := func() (ids string) {
			list, err := th.Store.Dispatches(e.Context(), th.Key, store.DispatchQuery{})
			for _, d := range stage.Must(th, list, err) {
				ids += d.ID + " "
			}
			return ids
		}
		before := ids()
		stage.Same(th, "younger", purge(time.Hour+time.Millisecond), 0)
		stage.Same(th, "all there", ids(), before)
		stage.Same(th, "the older one", purge(time.Hour), 1)
		stage.Same(th, "it can be read", th.View(store.ReadQuery{RunID: "r1"}).Run != nil, false)
		stage.Same(th, "the dead letter", purge(0), 1)
		stage.Same(th, "sent again", purge(0), 0)
		asked := th.View().Latest.ID
		stage.Same(th, "what waits", ids(), asked+" ")
		stage.Same(th, "it still waits", th.View().Suspension != nil, true)
		page, err := th.Store.DeadLetters(e.Context(), store.PageQuery{})
		stage.Same(th, "dead letters", len(stage.Must(th, page, err).Letters), 0)
		counts, err := th.Store.CountDispatches(e.Context())
		stage.Same(th, "counted", stage.Must(th, counts, err), map[store.DispatchState]int64{store.DispatchAcked: 1})
		if _, err := th.Store.Purge(e.Context(), th.Key, -1); err == nil {
			th.Error("a negative age is taken")
		}
	}},
	{"the run that asked stays as long as its question, whatever came after it", func(e *stage.Env) {
		c := e.Stopped()
		e.Keep = time.Hour
		th := e.Thread()
		asking(th, "acme")
		claim := th.Begun(th.Resume("r2", "exe-r1"))
		b := stage.Ending(claim, 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		th.OK(b)
		c.Move(10 * time.Hour)
		retire(th)
		asked := func() string {
			stage.Same(th, "inbox", inbox(th, "acme", "", 0), "t")
			d, err := th.Store.Dispatch(e.Context(), th.Key, "r1")
			return string(stage.Must(th, d, err).Record)
		}
		stage.Same(th, "record", asked(), `{"run":"r1"}`)
		claim = th.Begun(th.Resume("r3", "exe-r1"))
		c.Move(10 * time.Hour)
		retire(th)
		b = stage.Ending(claim, 2, 5, "failed", store.EndFail)
		b.End.GiveBack = true
		th.OK(b)
		stage.Same(th, "record when given back", asked(), `{"run":"r1"}`)
	}},
	{"a thread with thousands of runs loses all that are old", func(e *stage.Env) {
		suite.Full(e.T)
		c := e.Stopped()
		e.Keep = time.Hour
		th := e.Thread()
		for i := range 700 {
			th.OK(stage.Ending(th.Begun(th.Execute(fmt.Sprint("r", i))), 2, int64(2*i+1), "end", store.EndFinish))
		}
		c.Move(e.Keep)
		retire(th)
		list, err := th.Store.Dispatches(e.Context(), th.Key, store.DispatchQuery{Limit: 10})
		stage.Same(th, "left", len(stage.Must(th, list, err)), 1)
	}},
	{"a dead letter goes with its run", func(e *stage.Env) {
		c := e.Stopped()
		e.Keep = time.Hour
		th := e.Thread()
		b := th.Wait("r1")
		b.Tenant = "acme"
		th.Begun(b)
		buried(th, "r1")
		c.Move(time.Millisecond)
		whole(th, "r2", "end")
		letters := func() int {
			page, err := th.Store.DeadLetters(e.Context(), store.PageQuery{Tenant: "acme"})
			return len(stage.Must(th, page, err).Letters)
		}
		c.Move(e.Keep - 2*time.Millisecond)
		retire(th)
		stage.Same(th, "before", letters(), 1)
		c.Move(time.Millisecond)
		retire(th)
		c.Move(time.Millisecond)
		retire(th)
		stage.Same(th, "then", letters(), 0)
		counts, err := th.Store.CountDispatches(e.Context())
		stage.Same(th, "counted", stage.Must(th, counts, err), map[store.DispatchState]int64{store.DispatchAcked: 1})
	}},
	{"a thread at rest is kept for its time since the last input or end, if it has one", func(e *stage.Env) {
		c := e.Stopped()
		e.TTL = day
		s := e.Node("a")
		h := stage.Listen(s)
		idle, active, open, ended := e.On(s, "idle"), e.On(s, "active"), e.On(s, "open"), e.On(s, "ended")
		whole(idle, "r1", "end")
		active.Begun(active.Execute("r1"))
		open.Suspended()
		claim := ended.Begun(ended.Execute("r1"))
		c.Move(time.Hour)
		ended.OK(stage.Ending(claim, 2, 1, "end", store.EndFinish))
		c.Move(23*time.Hour - time.Millisecond)
		retire(idle)
		stage.Same(idle, "before", kept(idle), "1 2")
		epoch := idle.View().Epoch
		c.Move(time.Millisecond)
		retire(idle)
		stage.Same(idle, "then", fmt.Sprint(kept(idle), idle.View().Latest == nil, idle.View().Epoch != epoch), "1 0true true")
		stage.Eventually(idle, "who follows it hears of it", func() bool {
			h.Mu.Lock()
			defer h.Mu.Unlock()
			last := h.All[len(h.All)-1]
			return last.Thread == idle.Key && last.Epoch == idle.View().Epoch && last.First == 1
		})
		stage.Same(idle, "list", len(infos(idle, "space", 0)), 3)
		c.Move(time.Hour)
		retire(idle)
		stage.Same(idle, "list later", len(infos(idle, "space", 0)), 2)
		c.Move(10 * day)
		retire(idle)
		stage.Same(idle, "what is going on stays", kept(active)+" "+kept(open), "1 1 1 2")
	}},
	{"threads stay for ever when they have no time", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		whole(th, "r1", "end")
		c.Move(10 * 365 * day)
		retire(th)
		stage.Same(th, "list", list(th, "space", 0), "t")
		stage.Same(th, "latest", th.View().Latest.ID, "r1")
		whole(th, "r2", "end")
		stage.Same(th, "log", kept(th), "3 4")
	}},
	{"many threads are retired in many calls, by several nodes at once", func(e *stage.Env) {
		suite.Full(e.T)
		const threads = 1100
		c := e.Stopped()
		e.Age = time.Hour
		nodes := []store.Store{e.Node("a"), e.Node("b"), e.Node("c")}
		var group sync.WaitGroup
		for w := range 4 {
			group.Go(func() {
				for i := w; i < threads; i += 4 {
					whole(e.On(nodes[0], fmt.Sprint("t", i)), "r1", "end")
				}
			})
		}
		group.Wait()
		c.Move(e.Age)
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
			if th := e.On(nodes[0], fmt.Sprint("t", i)); kept(th) != "3 2" {
				e.Errorf("thread %d: %s", i, kept(th))
			}
		}
	}},
}

// buried claims the thread's next run, which is the named one, and makes a dead
// letter of it.
func buried(th *stage.Thread, run string) {
	th.Helper()
	c := th.Claimed("bury-"+run, store.ClaimQueued).Claim
	stage.Same(th, "claimed", c.RunID, run)
	res, err := th.Store.Bury(th.Context(), store.Nack{Claim: c, Error: "boom", Terminal: []byte("failed:" + run)})
	stage.Same(th, "buried", stage.Must(th, res, err).State, store.DispatchDeadLetter)
}
