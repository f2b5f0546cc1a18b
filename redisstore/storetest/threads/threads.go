package threads

import (
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var ThreadsTests = []stage.Test{
	{"a namespace's threads are listed by their latest input, on pages of any size", func(e *stage.Env) {
		c := e.Stopped()
		s := e.Node("a")
		for i := range 12 {
			th := e.On(s, fmt.Sprintf("t%02d", i))
			th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish))
			c.Move(time.Second)
		}
		again := e.On(s, "t03")
		again.Begun(again.Execute("r2"))
		queued := e.On(s, "t03")
		queued.Key.Namespace = "other"
		queued.Begun(queued.Wait("r1"))
		for _, limit := range []int{1, 5, 11, 12, 0} {
			stage.Same(again, fmt.Sprint("pages of ", limit), list(again, "space", limit), "t03 t11 t10 t09 t08 t07 t06 t05 t04 t02 t01 t00")
		}
		stage.Same(again, "others", list(again, "other", 0)+"/"+list(again, "", 0)+"/"+list(again, "spac", 0), "t03//")
	}},
	{"a list says of a thread what is going on in it", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		first := c.Read()
		says := func(want store.ThreadInfo) {
			e.Helper()
			infos := infos(th, "space", 0)
			if len(infos) != 1 || !infos[0].Updated.Equal(want.Updated) || !infos[0].Created.Equal(first) {
				e.Fatalf("%+v", infos)
			}
			infos[0].Created, infos[0].Updated, want.Updated, want.Thread = time.Time{}, time.Time{}, time.Time{}, th.Key
			stage.Same(th, "thread", infos[0], want)
		}
		b := th.Execute("r1")
		b.Title = "About"
		claim := th.Begun(b)
		at := c.Read()
		says(store.ThreadInfo{Title: "About", Updated: at, Active: true, ActiveRun: "r1", LatestRun: "r1", Agent: "agent"})
		c.Move(time.Second)
		th.Begun(th.Wait("r2"))
		at = c.Read()
		says(store.ThreadInfo{Title: "About", Updated: at, Active: true, Queued: 1, ActiveRun: "r1", LatestRun: "r1", Agent: "agent"})
		c.Move(time.Second)
		askAbout(th, claim, 2, 1)
		says(store.ThreadInfo{Title: "About", Updated: at, Suspended: true, Queued: 1, LatestRun: "r1", Agent: "agent"})
		claim = th.Begun(th.Resume("r3", "exe-r1"))
		at = c.Read()
		th.OK(stage.Ending(claim, 2, 3, "end", store.EndFinish))
		says(store.ThreadInfo{Title: "About", Updated: at, Queued: 1, LatestRun: "r3", Agent: "agent"})
	}},
	{"a list says for what a thread waits that asks nobody, and until when", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		says := func(when, reason string, until time.Time) {
			e.Helper()
			if infos := infos(th, "space", 0); len(infos) != 1 || infos[0].Suspended != (reason != "") || infos[0].WaitsOn != reason || !infos[0].Until.Equal(until) {
				e.Errorf("%s: %+v", when, infos)
			}
		}
		waits := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "waits", store.EndSuspend)
		until := c.Read().Add(time.Hour)
		waits.End.Quiet, waits.End.Reasons, waits.End.Deadline = true, []string{"timer"}, until.UnixMilli()
		th.OK(waits)
		says("a timer", "timer", until)
		claim := th.Begun(th.Resume("r2", "exe-r1"))
		says("awake", "", time.Time{})
		end := stage.Ending(claim, 2, 3, "fails", store.EndFail)
		end.End.GiveBack = true
		th.OK(end)
		says("given back", "timer", until)
		waits = stage.Ending(th.Begun(th.Resume("r3", "exe-r1")), 2, 5, "waits", store.EndSuspend)
		waits.End.Quiet, waits.End.Reasons = true, []string{"event"}
		th.OK(waits)
		says("an event", "event", time.Time{})
	}},
	{"a list says when nothing that a thread asks can be answered any more", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		says := func(when string, expires time.Time) {
			e.Helper()
			if infos := infos(th, "space", 0); len(infos) != 1 || !infos[0].Expires.Equal(expires) {
				e.Errorf("%s: %+v", when, infos)
			}
		}
		expires := c.Read().Add(time.Hour)
		asks := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "asks", store.EndSuspend)
		asks.End.Reasons, asks.End.Expires = []string{"tool_call"}, expires.UnixMilli()
		th.OK(asks)
		says("asked", expires)
		claim := th.Begun(th.Resume("r2", "exe-r1"))
		says("answered", time.Time{})
		end := stage.Ending(claim, 2, 3, "fails", store.EndFail)
		end.End.GiveBack = true
		th.OK(end)
		says("given back", expires)
		waits := stage.Ending(th.Begun(th.Resume("r3", "exe-r1")), 2, 5, "waits", store.EndSuspend)
		waits.End.Quiet, waits.End.Reasons, waits.End.Expires = true, []string{"timer"}, expires.UnixMilli()
		th.OK(waits)
		says("nobody is asked", time.Time{})
	}},
	{"a list says of a thread that its latest run has failed, until another begins", func(e *stage.Env) {
		th := e.Thread()
		failed := func(when string, want bool) {
			e.Helper()
			if infos := infos(th, "space", 0); len(infos) != 1 || infos[0].Failed != want {
				e.Errorf("%s: %+v", when, infos)
			}
		}
		for i, kind := range []store.EndKind{store.EndFail, store.EndFinish, store.EndFail, store.EndCancel} {
			claim := th.Begun(th.Execute(fmt.Sprint("r", i)))
			failed("under way", false)
			th.OK(stage.Ending(claim, 2, int64(2*i+1), "end", kind))
			failed("ended", kind == store.EndFail)
		}
		claim := th.Begun(th.Execute("letter"))
		res, err := th.Store.Bury(e.Context(), store.Nack{Claim: claim, Error: "x", Terminal: []byte("end")})
		stage.Same(th, "buried", stage.Must(th, res, err).State, store.DispatchDeadLetter)
		failed("a dead letter", true)
		stopped, err := th.Store.Stop(e.Context(), store.Stop{Thread: th.Key, RunID: "letter", Letter: true, Request: "dismissed", Terminal: []byte("end")})
		stage.Must(th, stopped, err)
		failed("a dead letter that was dismissed", false)
	}},
	{"an unused thread is in no list, whoever reads or follows it", func(e *stage.Env) {
		th := e.Thread()
		th.View(store.ReadQuery{Follower: true})
		stage.Same(th, "list", list(th, "space", 0), "")
		ok, err := th.Store.SetTitle(e.Context(), th.Key, "x")
		stage.Same(th, "named", stage.Must(th, ok, err), false)
		stage.Same(th, "title", th.View().Title, "")
	}},
	{"the latest title of an input stands, and one that was set stays", func(e *stage.Env) {
		th := e.Thread()
		runs := 0
		begins := func(title string) {
			b := th.Execute(fmt.Sprint("r", runs))
			b.Title = title
			th.OK(stage.Ending(th.Begun(b), 2, int64(2*runs+1), "end", store.EndFinish))
			runs++
		}
		for _, title := range []string{"", "first", "second", ""} {
			begins(title)
		}
		stage.Same(th, "title", th.View().Title, "second")
		set := func(title string) {
			ok, err := th.Store.SetTitle(e.Context(), th.Key, title)
			stage.Same(th, "named", stage.Must(th, ok, err), true)
		}
		version := th.View().Version
		set("third")
		stage.Same(th, "title", th.View().Title+" "+infos(th, "space", 0)[0].Title, "third third")
		stage.Same(th, "version", th.View().Version, version)
		begins("fourth")
		stage.Same(th, "title", th.View().Title, "third")
		set("")
		stage.Same(th, "no title", th.View().Title, "")
		begins("fifth")
		stage.Same(th, "title", th.View().Title, "fifth")
	}},
	{"a title is cut at 60 bytes, at the end of a character", func(e *stage.Env) {
		th := e.Thread()
		b := th.Execute("r1")
		b.Title = strings.Repeat("é", 40)
		th.Begun(b)
		stage.Same(th, "of an input", th.View().Title, strings.Repeat("é", 30))
		for title, want := range map[string]string{strings.Repeat("x", 60): strings.Repeat("x", 60), "x" + strings.Repeat("é", 40): "x" + strings.Repeat("é", 29), "a\xffb": "a\uFFFDb"} {
			ok, err := th.Store.SetTitle(e.Context(), th.Key, title)
			stage.Must(th, ok, err)
			stage.Same(th, "title", th.View().Title, want)
		}
	}},
	{"a cursor stays where it is when threads move to the front", func(e *stage.Env) {
		c := e.Stopped()
		s := e.Node("a")
		for i := range 5 {
			th := e.On(s, fmt.Sprint("t", i))
			th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish))
			c.Move(time.Second)
		}
		p, err := s.Threads(e.Context(), store.ThreadQuery{Namespace: "space", Limit: 2})
		th := e.On(s, "t1")
		p = stage.Must(th, p, err)
		th.Begun(th.Execute("r2"))
		e.On(s, "t9").Begun(e.On(s, "t9").Execute("r1"))
		p, err = s.Threads(e.Context(), store.ThreadQuery{Namespace: "space", Limit: 2, Cursor: p.Next})
		p = stage.Must(th, p, err)
		stage.Same(th, "second page", fmt.Sprint(p.Threads[0].Thread.Thread, p.Threads[1].Thread.Thread, p.Next), "t2t0")
	}},
}
