package threads

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var NoticeTests = []stage.Test{
	{"a run that begins and ends is told", noticesOfARun},
	{"an interrupt is told from its opening to its decision", noticesOfAnInterrupt},
	{"a decision that is given back is told", noticesOfAGiveBack},
	{"a thread that turns away or expires is told", noticesOfWithdrawals},
	{"a dead letter and a deletion are told", noticesOfEnds},
	{"what was cancelled in the queue is told when it is logged", noticesOfTheQueue},
	{"a call that is sent again tells nothing again", noticesOnce},
	{"a cursor finds what lies behind it at any node", noticeCursors},
	{"a time finds what was told from then on", noticesFrom},
	{"who waits hears of the next one", noticesAwaited},
	{"what is too much or too old is given up, and a reader is told", noticesMissed},
	{"a cursor of nobody is refused", noticeBadCursors},
}

// hears expects notices in this order, of this thread and made now.
func hears(th *stage.Thread, after string, want ...string) (next string) {
	th.Helper()
	list, next := stage.Hearing(th, after)
	var got []string
	seen := map[string]bool{}
	for _, n := range list {
		got = append(got, stage.Told(n))
		if n.Thread != th.Key || seen[n.ID] || th.Clock != nil && !n.At.Equal(th.Clock.Read()) {
			th.Errorf("%+v", n)
		}
		seen[n.ID] = true
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		th.Errorf("heard\n\t%s\nwanted\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	return next
}

func noticesOfARun(e *stage.Env) {
	e.Stopped()
	th := e.Thread()
	_, at := stage.Hearing(th, "")
	b := th.Execute("r1")
	b.Tenant, b.User, b.Label = "acme", "ann", "label"
	k := b.Kind.(store.Execute)
	k.Agent = "clerk"
	b.Kind = k
	c := th.Begun(b)
	at = hears(th, at, "run.started r1 as label of clerk for ann in acme by ann")
	th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))
	at = hears(th, at, "run.ended r1 as label of clerk for ann in acme how finish")
	other := th.Execute("r2")
	other.User = "bob"
	c = th.Begun(other)
	th.OK(stage.Ending(c, 2, 3, "end", store.EndFail))
	hears(th, at, "run.started r2 as r2 of agent for ann in acme by bob", "run.ended r2 as r2 of agent for ann in acme how fail")
}

func noticesOfAnInterrupt(e *stage.Env) {
	clock := e.Stopped()
	th := e.Thread()
	_, at := stage.Hearing(th, "")
	c := th.Begun(th.Execute("r1"))
	b := stage.Ending(c, 2, 1, "asks", store.EndSuspend)
	b.End.Interrupts, b.End.Reasons = []string{"one", "two", "three"}, []string{"tool_call", "input_required"}
	b.End.Deadline = clock.Read().Add(time.Hour).UnixMilli()
	b.End.Summaries = []store.InterruptSummary{
		{ID: "one", Reason: "tool_call", Message: "Pay \"all\" <of it>?", Tool: "pay", Arguments: `{"n":1}`, Redacted: true},
		{ID: "two", Reason: "input_required", Truncated: true},
	}
	th.OK(b)
	at = hears(th, at, "run.started r1 as r1 of agent", "run.ended r1 as r1 of agent how suspend",
		"interrupt.opened r1 as r1 of agent about one,two,three why tool_call,input_required "+
			`shows {ID:one Reason:tool_call Message:Pay "all" <of it>? Tool:pay Arguments:{"n":1} Redacted:true Truncated:false} `+
			"shows {ID:two Reason:input_required Message: Tool: Arguments: Redacted:false Truncated:true} until "+fmt.Sprint(b.End.Deadline))
	for _, by := range []string{"ann", "bob"} {
		if _, ok, err := th.Store.Drafts(th.Context(), th.Key, 0, by, draft("two", `"`+by+`"`)); err != nil || !ok {
			th.Fatal(ok, err)
		}
	}
	if _, ok, err := th.Store.Drafts(th.Context(), th.Key, 0, "bob", draft("two", `"bob"`)); err != nil || !ok {
		th.Fatal(ok, err)
	}
	const why = " why tool_call,input_required"
	at = hears(th, at, "interrupt.drafted r1 of agent about two"+why+" by ann", "interrupt.drafted r1 of agent about two"+why+" by bob")
	r := th.Resume("r2", "exe-r1")
	k := r.Kind.(store.Resume)
	k.Answers = stage.RawMap(map[string]string{"one": "1", "two": "2", "three": "3"})
	k.Decided = []store.Decided{{Interrupt: "one", Status: store.DecisionResolved, User: "ann"},
		{Interrupt: "two", Status: store.DecisionCancelled, User: "bob"}, {Interrupt: "three", Status: store.DecisionResolved, User: "ann"}}
	r.Kind = k
	th.Begun(r)
	hears(th, at, "interrupt.decided r2 as r2 of agent about one,three"+why+" by ann how resolved",
		"interrupt.decided r2 as r2 of agent about two"+why+" by bob how cancelled", "run.started r2 as r2 of agent")
}

func noticesOfAGiveBack(e *stage.Env) {
	th := e.Thread()
	th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "asks", store.EndSuspend))
	_, at := stage.Hearing(th, "")
	c := th.Begun(th.Resume("r2", "exe-r1"))
	b := stage.Ending(c, 2, 3, "fails", store.EndFail)
	b.End.GiveBack, b.End.Code = true, "agent_error"
	if res := th.OK(b); !res.GaveBack {
		th.Fatalf("%+v", res)
	}
	at = hears(th, at, "interrupt.decided r2 as r2 of agent about int how resolved", "run.started r2 as r2 of agent",
		"run.ended r2 as r2 of agent how fail", "interrupt.reopened r2 as r2 of agent about int how agent_error")
	th.Begun(th.Resume("r3", "exe-r1"))
	hears(th, at, "interrupt.decided r3 as r3 of agent about int how resolved", "run.started r3 as r3 of agent")
}

func noticesOfWithdrawals(e *stage.Env) {
	th := e.Thread()
	th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "asks", store.EndSuspend))
	_, at := stage.Hearing(th, "")
	c := th.Begun(th.Steer("r2"))
	at = hears(th, at, "interrupt.cancelled r2 as r2 of agent about int", "run.started r2 as r2 of agent")
	th.OK(stage.Ending(c, 2, 3, "asks", store.EndSuspend))
	_, at = stage.Hearing(th, at)
	b := th.Resume("r3", "exe-r2")
	b.Kind.(store.Resume).Decided[0].Status = store.DecisionExpired
	th.Begun(b)
	hears(th, at, "interrupt.expired r3 as r3 of agent about int", "run.started r3 as r3 of agent")
}

func noticesOfEnds(e *stage.Env) {
	th := e.Thread()
	_, at := stage.Hearing(th, "")
	c := th.Begun(th.Execute("r1"))
	if _, err := th.Store.Bury(th.Context(), store.Nack{Claim: c, Terminal: []byte("dead")}); err != nil {
		th.Fatal(err)
	}
	at = hears(th, at, "run.started r1 as r1 of agent", "run.ended r1 as r1 of agent how fail", "dispatch.dead r1 as r1 of agent")
	th.Begun(th.Execute("r2"))
	if _, err := th.Store.Stop(th.Context(), store.Stop{Thread: th.Key, Request: "q", RunID: "r2", Terminal: []byte("stopped")}); err != nil {
		th.Fatal(err)
	}
	at = hears(th, at, "run.started r2 as r2 of agent", "run.ended r2 as r2 of agent how cancel")
	if ok, err := th.Store.Delete(th.Context(), th.Key, stage.Deleting("")); err != nil || !ok {
		th.Fatal(ok, err)
	}
	at = hears(th, at, "thread.deleted")
	th.OK(stage.Ending(th.Begun(th.Execute("r3")), 2, 1, "asks", store.EndSuspend))
	_, at = stage.Hearing(th, at)
	if err := th.Store.Erase(th.Context(), th.Key, stage.Deleting("")); err != nil {
		th.Fatal(err)
	}
	hears(th, at, "interrupt.cancelled r3 of agent about int", "thread.deleted")
}

func noticesOfTheQueue(e *stage.Env) {
	th := e.Thread()
	c := th.Begun(th.Execute("r1"))
	th.Begun(th.Wait("r2"))
	th.Begun(th.Wait("r3"))
	_, at := stage.Hearing(th, "")
	if _, err := th.Store.Stop(th.Context(), store.Stop{Thread: th.Key, Request: "q", RunID: "r2", Terminal: []byte("stopped")}); err != nil {
		th.Fatal(err)
	}
	at = hears(th, at)
	th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))
	at = hears(th, at, "run.ended r1 as r1 of agent how finish", "run.ended r2 as r2 how cancel")
	claimed, err := th.Store.Claim(th.Context(), store.ClaimRequest{Thread: th.Key, Token: "t"})
	if stage.Must(th, claimed, err).Kind != store.ClaimQueued {
		th.Fatalf("%+v", claimed)
	}
	at = hears(th, at)
	a := stage.Activation(claimed.Claim)
	a.User, a.Agent = "ann", "agent"
	if res, err := th.Store.Activate(th.Context(), a); err != nil || res.Status != store.CommitOK {
		th.Fatal(res, err)
	}
	at = hears(th, at, "run.started r3 as r3 of agent by ann")
	if _, err := th.Store.StopAll(th.Context(), store.StopAll{Thread: th.Key, Request: "all", Active: "r3", Terminal: []byte("stopped")}); err != nil {
		th.Fatal(err)
	}
	hears(th, at, "run.ended r3 as r3 of agent how cancel")
}

func noticesOnce(e *stage.Env) {
	th := e.Thread()
	_, at := stage.Hearing(th, "")
	b := th.Execute("r1")
	c := th.Begun(b)
	th.Begun(b)
	end := stage.Ending(c, 2, 1, "asks", store.EndSuspend)
	th.OK(end)
	th.OK(end)
	at = hears(th, at, "run.started r1 as r1 of agent", "run.ended r1 as r1 of agent how suspend", "interrupt.opened r1 as r1 of agent about int")
	r := th.Resume("r2", "exe-r1")
	c = th.Begun(r)
	th.Begun(r)
	at = hears(th, at, "interrupt.decided r2 as r2 of agent about int how resolved", "run.started r2 as r2 of agent")
	n := store.Nack{Claim: c, Terminal: []byte("dead")}
	for range 2 {
		if _, err := th.Store.Bury(th.Context(), n); err != nil {
			th.Fatal(err)
		}
	}
	at = hears(th, at, "run.ended r2 as r2 of agent how fail", "dispatch.dead r2 as r2 of agent")
	for range 2 {
		if _, err := th.Store.Delete(th.Context(), th.Key, stage.Deleting("")); err != nil {
			th.Fatal(err)
		}
	}
	hears(th, at, "thread.deleted")
}

func noticeCursors(e *stage.Env) {
	a, b := e.Node("a"), e.Node("b")
	first := e.On(a, "t")
	_, from := stage.Hearing(first, "")
	const threads = 30
	for i := range threads {
		th := e.On(a, fmt.Sprint("t", i))
		th.OK(stage.Ending(th.Begun(th.Execute("r")), 2, 1, "end", store.EndFinish))
	}
	list, at := stage.Hearing(e.On(b, "t"), from)
	order := map[string]string{}
	for _, n := range list {
		order[n.Thread.Thread] += string(n.Kind) + " "
	}
	for i := range threads {
		if got := order[fmt.Sprint("t", i)]; got != "run.started run.ended " {
			e.Errorf("of t%d: %q", i, got)
		}
	}
	if len(at) > 40*threads {
		e.Errorf("a cursor of %d bytes", len(at))
	}
	if again, _ := stage.Hearing(first, at); len(again) > 0 {
		e.Errorf("behind the end there are %+v", again)
	}
	if again, _ := stage.Hearing(first, from); len(again) != len(list) {
		e.Errorf("%d of %d are heard again", len(again), len(list))
	}
}

func noticesFrom(e *stage.Env) {
	th := e.Thread()
	_, at := stage.Hearing(th, "")
	th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish))
	all, _ := stage.Hearing(th, at)
	from := func(when time.Time) (list []store.Notice) {
		page, err := th.Store.Notices(th.Context(), store.NoticeQuery{From: when, Limit: 1000})
		for _, n := range stage.Must(th, page, err).Notices {
			if n.Thread == th.Key {
				list = append(list, n)
			}
		}
		more, _ := stage.Hearing(th, page.Next)
		return append(list, more...)
	}
	last := all[len(all)-1].At
	for when, want := range map[time.Time]int{time.UnixMilli(-1): len(all), last.Add(-time.Hour): len(all), last.Add(time.Hour): 0} {
		if got := from(when); len(got) != want {
			th.Errorf("%d of %d are heard from %v", len(got), want, when)
		}
	}
	if got := from(last); len(got) == 0 || got[0].At.Before(last) || got[len(got)-1].ID != all[len(all)-1].ID {
		th.Errorf("from the last one's time: %+v", got)
	}
}

func noticesAwaited(e *stage.Env) {
	a, b := e.Node("a"), e.Node("b")
	th := e.On(a, "t")
	_, at := stage.Hearing(th, "")
	type answer struct {
		page store.NoticePage
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		page, err := b.Notices(e.Context(), store.NoticeQuery{After: at, Wait: time.Minute})
		done <- answer{page, err}
	}()
	c := th.Begun(th.Execute("r1"))
	got := <-done
	if got.err != nil || len(got.page.Notices) == 0 || got.page.Notices[0].Kind != store.NoticeRunStarted {
		e.Fatalf("%+v", got)
	}
	page, err := b.Notices(e.Context(), store.NoticeQuery{After: got.page.Next, Wait: time.Millisecond})
	if err != nil || len(page.Notices) > 0 || page.Next == "" {
		e.Fatalf("%+v %v", page, err)
	}
	th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))
	hears(th, page.Next, "run.ended r1 as r1 of agent how finish")
}

func noticesMissed(e *stage.Env) {
	e.Notices = 1
	th := e.Thread()
	_, from := stage.Hearing(th, "")
	const runs = 200
	for i := range runs {
		th.OK(stage.Ending(th.Begun(th.Execute(fmt.Sprint("r", i))), 2, int64(2*i+1), "end", store.EndFinish))
	}
	page, err := th.Store.Notices(th.Context(), store.NoticeQuery{After: from, Limit: 1000})
	if page = stage.Must(th, page, err); !page.Missed {
		e.Errorf("of %d notices %d are left, and none was missed", 2*runs, len(page.Notices))
	}
	list, at := stage.Hearing(th, page.Next)
	list = append(page.Notices, list...)
	if len(list) == 0 || len(list) > 300 || list[len(list)-1].RunID != fmt.Sprint("r", runs-1) {
		e.Errorf("%d are left", len(list))
	}
	if page, err := th.Store.Notices(th.Context(), store.NoticeQuery{After: at}); err != nil || page.Missed {
		e.Errorf("at the end: %+v %v", page, err)
	}
}

func noticeBadCursors(e *stage.Env) {
	th := e.Thread()
	_, at := stage.Hearing(th, "")
	for _, bad := range []string{"x", "!", at + "x", at[1:], "bg", strings.Repeat("A", 5000)} {
		if _, err := th.Store.Notices(th.Context(), store.NoticeQuery{After: bad}); !errors.Is(err, store.ErrBadCursor) {
			th.Errorf("cursor %q: %v", bad, err)
		}
	}
}
