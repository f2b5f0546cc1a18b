package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var threadsTests = []test{
	{"a namespace's threads are listed by their latest input, on pages of any size", func(e *env) {
		c := e.stopped()
		s := e.node("a")
		for i := range 12 {
			th := e.on(s, fmt.Sprintf("t%02d", i))
			th.ok(ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFinish))
			c.move(time.Second)
		}
		again := e.on(s, "t03")
		again.begun(again.execute("r2"))
		queued := e.on(s, "t03")
		queued.key.Namespace = "other"
		queued.begun(queued.wait("r1"))
		for _, limit := range []int{1, 5, 11, 12, 0} {
			same(again, fmt.Sprint("pages of ", limit), again.list("space", limit), "t03 t11 t10 t09 t08 t07 t06 t05 t04 t02 t01 t00")
		}
		same(again, "others", again.list("other", 0)+"/"+again.list("", 0)+"/"+again.list("spac", 0), "t03//")
	}},
	{"a list says of a thread what is going on in it", func(e *env) {
		c := e.stopped()
		th := e.thread()
		first := c.read()
		says := func(want store.ThreadInfo) {
			e.Helper()
			infos := th.infos("space", 0)
			if len(infos) != 1 || !infos[0].Updated.Equal(want.Updated) || !infos[0].Created.Equal(first) {
				e.Fatalf("%+v", infos)
			}
			infos[0].Created, infos[0].Updated, want.Updated, want.Thread = time.Time{}, time.Time{}, time.Time{}, th.key
			same(th, "thread", infos[0], want)
		}
		b := th.execute("r1")
		b.Title = "About"
		claim := th.begun(b)
		at := c.read()
		says(store.ThreadInfo{Title: "About", Updated: at, Active: true, ActiveRun: "r1", LatestRun: "r1", Agent: "agent"})
		c.move(time.Second)
		th.begun(th.wait("r2"))
		at = c.read()
		says(store.ThreadInfo{Title: "About", Updated: at, Active: true, Queued: 1, ActiveRun: "r1", LatestRun: "r1", Agent: "agent"})
		c.move(time.Second)
		th.asks(claim, 2, 1)
		says(store.ThreadInfo{Title: "About", Updated: at, Suspended: true, Queued: 1, LatestRun: "r1", Agent: "agent"})
		claim = th.begun(th.resume("r3", "exe-r1"))
		at = c.read()
		th.ok(ending(claim, 2, 3, "end", store.EndFinish))
		says(store.ThreadInfo{Title: "About", Updated: at, Queued: 1, LatestRun: "r3", Agent: "agent"})
	}},
	{"a list says for what a thread waits that asks nobody, and until when", func(e *env) {
		c := e.stopped()
		th := e.thread()
		says := func(when, reason string, until time.Time) {
			e.Helper()
			if infos := th.infos("space", 0); len(infos) != 1 || infos[0].Suspended != (reason != "") || infos[0].WaitsOn != reason || !infos[0].Until.Equal(until) {
				e.Errorf("%s: %+v", when, infos)
			}
		}
		waits := ending(th.begun(th.execute("r1")), 2, 1, "waits", store.EndSuspend)
		until := c.read().Add(time.Hour)
		waits.End.Quiet, waits.End.Reasons, waits.End.Deadline = true, []string{"timer"}, until.UnixMilli()
		th.ok(waits)
		says("a timer", "timer", until)
		claim := th.begun(th.resume("r2", "exe-r1"))
		says("awake", "", time.Time{})
		end := ending(claim, 2, 3, "fails", store.EndFail)
		end.End.GiveBack = true
		th.ok(end)
		says("given back", "timer", until)
		waits = ending(th.begun(th.resume("r3", "exe-r1")), 2, 5, "waits", store.EndSuspend)
		waits.End.Quiet, waits.End.Reasons = true, []string{"event"}
		th.ok(waits)
		says("an event", "event", time.Time{})
	}},
	{"a list says when nothing that a thread asks can be answered any more", func(e *env) {
		c := e.stopped()
		th := e.thread()
		says := func(when string, expires time.Time) {
			e.Helper()
			if infos := th.infos("space", 0); len(infos) != 1 || !infos[0].Expires.Equal(expires) {
				e.Errorf("%s: %+v", when, infos)
			}
		}
		expires := c.read().Add(time.Hour)
		asks := ending(th.begun(th.execute("r1")), 2, 1, "asks", store.EndSuspend)
		asks.End.Reasons, asks.End.Expires = []string{"tool_call"}, expires.UnixMilli()
		th.ok(asks)
		says("asked", expires)
		claim := th.begun(th.resume("r2", "exe-r1"))
		says("answered", time.Time{})
		end := ending(claim, 2, 3, "fails", store.EndFail)
		end.End.GiveBack = true
		th.ok(end)
		says("given back", expires)
		waits := ending(th.begun(th.resume("r3", "exe-r1")), 2, 5, "waits", store.EndSuspend)
		waits.End.Quiet, waits.End.Reasons, waits.End.Expires = true, []string{"timer"}, expires.UnixMilli()
		th.ok(waits)
		says("nobody is asked", time.Time{})
	}},
	{"a list says of a thread that its latest run has failed, until another begins", func(e *env) {
		th := e.thread()
		failed := func(when string, want bool) {
			e.Helper()
			if infos := th.infos("space", 0); len(infos) != 1 || infos[0].Failed != want {
				e.Errorf("%s: %+v", when, infos)
			}
		}
		for i, kind := range []store.EndKind{store.EndFail, store.EndFinish, store.EndFail, store.EndCancel} {
			claim := th.begun(th.execute(fmt.Sprint("r", i)))
			failed("under way", false)
			th.ok(ending(claim, 2, int64(2*i+1), "end", kind))
			failed("ended", kind == store.EndFail)
		}
		claim := th.begun(th.execute("letter"))
		res, err := th.s.Bury(e.Context(), store.Nack{Claim: claim, Error: "x", Terminal: []byte("end")})
		same(th, "buried", must(th, res, err).State, store.DispatchDeadLetter)
		failed("a dead letter", true)
		stopped, err := th.s.Stop(e.Context(), store.Stop{Thread: th.key, RunID: "letter", Letter: true, Request: "dismissed", Terminal: []byte("end")})
		must(th, stopped, err)
		failed("a dead letter that was dismissed", false)
	}},
	{"an unused thread is in no list, whoever reads or follows it", func(e *env) {
		th := e.thread()
		th.view(store.ReadQuery{Follower: true})
		same(th, "list", th.list("space", 0), "")
		ok, err := th.s.SetTitle(e.Context(), th.key, "x")
		same(th, "named", must(th, ok, err), false)
		same(th, "title", th.view().Title, "")
	}},
	{"the first title stays until another is set", func(e *env) {
		th := e.thread()
		for i, title := range []string{"", "first", "second"} {
			b := th.execute(fmt.Sprint("r", i))
			b.Title = title
			th.ok(ending(th.begun(b), 2, int64(2*i+1), "end", store.EndFinish))
		}
		same(th, "title", th.view().Title, "first")
		set := func(title string) {
			ok, err := th.s.SetTitle(e.Context(), th.key, title)
			same(th, "named", must(th, ok, err), true)
		}
		version := th.view().Version
		set("third")
		same(th, "title", th.view().Title+" "+th.infos("space", 0)[0].Title, "third third")
		same(th, "version", th.view().Version, version)
		set("")
		same(th, "no title", th.view().Title, "")
		b := th.execute("r9")
		b.Title = "fourth"
		th.begun(b)
		same(th, "title", th.view().Title, "fourth")
	}},
	{"a title is cut at 60 bytes, at the end of a character", func(e *env) {
		th := e.thread()
		b := th.execute("r1")
		b.Title = strings.Repeat("é", 40)
		th.begun(b)
		same(th, "of an input", th.view().Title, strings.Repeat("é", 30))
		for title, want := range map[string]string{strings.Repeat("x", 60): strings.Repeat("x", 60), "x" + strings.Repeat("é", 40): "x" + strings.Repeat("é", 29), "a\xffb": "a\uFFFDb"} {
			ok, err := th.s.SetTitle(e.Context(), th.key, title)
			must(th, ok, err)
			same(th, "title", th.view().Title, want)
		}
	}},
	{"a cursor stays where it is when threads move to the front", func(e *env) {
		c := e.stopped()
		s := e.node("a")
		for i := range 5 {
			th := e.on(s, fmt.Sprint("t", i))
			th.ok(ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFinish))
			c.move(time.Second)
		}
		p, err := s.Threads(e.Context(), store.ThreadQuery{Namespace: "space", Limit: 2})
		th := e.on(s, "t1")
		p = must(th, p, err)
		th.begun(th.execute("r2"))
		e.on(s, "t9").begun(e.on(s, "t9").execute("r1"))
		p, err = s.Threads(e.Context(), store.ThreadQuery{Namespace: "space", Limit: 2, Cursor: p.Next})
		p = must(th, p, err)
		same(th, "second page", fmt.Sprint(p.Threads[0].Thread.Thread, p.Threads[1].Thread.Thread, p.Next), "t2t0")
	}},
}
