package storetest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var noticeTests = []test{
	{"a run that begins and ends is told", (*env).noticesOfARun},
	{"an interrupt is told from its opening to its decision", (*env).noticesOfAnInterrupt},
	{"a decision that is given back is told", (*env).noticesOfAGiveBack},
	{"a thread that turns away or expires is told", (*env).noticesOfWithdrawals},
	{"a dead letter and a deletion are told", (*env).noticesOfEnds},
	{"what was cancelled in the queue is told when it is logged", (*env).noticesOfTheQueue},
	{"a call that is sent again tells nothing again", (*env).noticesOnce},
	{"a cursor finds what lies behind it at any node", (*env).noticeCursors},
	{"a time finds what was told from then on", (*env).noticesFrom},
	{"who waits hears of the next one", (*env).noticesAwaited},
	{"what is too much or too old is given up, and a reader is told", (*env).noticesMissed},
	{"a cursor of nobody is refused", (*env).noticeBadCursors},
}

// heard reads all that lies behind a cursor.
func (th *thread) heard(after string) (list []store.Notice, next string) {
	th.Helper()
	for {
		page, err := th.s.Notices(th.Context(), store.NoticeQuery{After: after, Limit: 7})
		page = must(th, page, err)
		if after = page.Next; len(page.Notices) == 0 {
			return list, after
		}
		list = append(list, page.Notices...)
	}
}

// told is a notice in short.
func told(n store.Notice) string {
	words := []string{string(n.Kind)}
	add := func(name, value string) {
		if value != "" {
			words = append(words, name+value)
		}
	}
	add("", n.RunID)
	add("as ", strings.TrimPrefix(n.Label, "label-"))
	add("of ", n.Agent)
	add("for ", n.Owner)
	add("in ", n.Tenant)
	add("about ", strings.Join(n.Interrupts, ","))
	add("why ", strings.Join(n.Reasons, ","))
	for _, s := range n.Summaries {
		add("shows ", fmt.Sprintf("%+v", s))
	}
	if !n.Deadline.IsZero() {
		add("until ", fmt.Sprint(n.Deadline.UnixMilli()))
	}
	add("by ", n.By)
	add("how ", n.How)
	return strings.Join(words, " ")
}

// hears expects notices in this order, of this thread and made now.
func (th *thread) hears(after string, want ...string) (next string) {
	th.Helper()
	list, next := th.heard(after)
	var got []string
	seen := map[string]bool{}
	for _, n := range list {
		got = append(got, told(n))
		if n.Thread != th.key || seen[n.ID] || th.clock != nil && !n.At.Equal(th.clock.read()) {
			th.Errorf("%+v", n)
		}
		seen[n.ID] = true
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		th.Errorf("heard\n\t%s\nwanted\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	return next
}

func (e *env) noticesOfARun() {
	e.stopped()
	th := e.thread()
	_, at := th.heard("")
	b := th.execute("r1")
	b.Tenant, b.User, b.Label = "acme", "ann", "label"
	k := b.Kind.(store.Execute)
	k.Agent = "clerk"
	b.Kind = k
	c := th.begun(b)
	at = th.hears(at, "run.started r1 as label of clerk for ann in acme by ann")
	th.ok(ending(c, 2, 1, "end", store.EndFinish))
	at = th.hears(at, "run.ended r1 as label of clerk for ann in acme how finish")
	other := th.execute("r2")
	other.User = "bob"
	c = th.begun(other)
	th.ok(ending(c, 2, 3, "end", store.EndFail))
	th.hears(at, "run.started r2 as r2 of agent for ann in acme by bob", "run.ended r2 as r2 of agent for ann in acme how fail")
}

func (e *env) noticesOfAnInterrupt() {
	clock := e.stopped()
	th := e.thread()
	_, at := th.heard("")
	c := th.begun(th.execute("r1"))
	b := ending(c, 2, 1, "asks", store.EndSuspend)
	b.End.Interrupts, b.End.Reasons = []string{"one", "two", "three"}, []string{"tool_call", "input_required"}
	b.End.Deadline = clock.read().Add(time.Hour).UnixMilli()
	b.End.Summaries = []store.InterruptSummary{
		{ID: "one", Reason: "tool_call", Message: "Pay \"all\" <of it>?", Tool: "pay", Arguments: `{"n":1}`, Redacted: true},
		{ID: "two", Reason: "input_required", Truncated: true},
	}
	th.ok(b)
	at = th.hears(at, "run.started r1 as r1 of agent", "run.ended r1 as r1 of agent how suspend",
		"interrupt.opened r1 as r1 of agent about one,two,three why tool_call,input_required "+
			`shows {ID:one Reason:tool_call Message:Pay "all" <of it>? Tool:pay Arguments:{"n":1} Redacted:true Truncated:false} `+
			"shows {ID:two Reason:input_required Message: Tool: Arguments: Redacted:false Truncated:true} until "+fmt.Sprint(b.End.Deadline))
	for _, by := range []string{"ann", "bob"} {
		if _, ok, err := th.s.Drafts(th.Context(), th.key, 0, by, draft("two", `"`+by+`"`)); err != nil || !ok {
			th.Fatal(ok, err)
		}
	}
	if _, ok, err := th.s.Drafts(th.Context(), th.key, 0, "bob", draft("two", `"bob"`)); err != nil || !ok {
		th.Fatal(ok, err)
	}
	const why = " why tool_call,input_required"
	at = th.hears(at, "interrupt.drafted r1 of agent about two"+why+" by ann", "interrupt.drafted r1 of agent about two"+why+" by bob")
	r := th.resume("r2", "exe-r1")
	k := r.Kind.(store.Resume)
	k.Answers = rawMap(map[string]string{"one": "1", "two": "2", "three": "3"})
	k.Decided = []store.Decided{{Interrupt: "one", Status: store.DecisionResolved, User: "ann"},
		{Interrupt: "two", Status: store.DecisionCancelled, User: "bob"}, {Interrupt: "three", Status: store.DecisionResolved, User: "ann"}}
	r.Kind = k
	th.begun(r)
	th.hears(at, "interrupt.decided r2 as r2 of agent about one,three"+why+" by ann how resolved",
		"interrupt.decided r2 as r2 of agent about two"+why+" by bob how cancelled", "run.started r2 as r2 of agent")
}

func (e *env) noticesOfAGiveBack() {
	th := e.thread()
	th.ok(ending(th.begun(th.execute("r1")), 2, 1, "asks", store.EndSuspend))
	_, at := th.heard("")
	c := th.begun(th.resume("r2", "exe-r1"))
	b := ending(c, 2, 3, "fails", store.EndFail)
	b.End.GiveBack, b.End.Code = true, "agent_error"
	if res := th.ok(b); !res.GaveBack {
		th.Fatalf("%+v", res)
	}
	at = th.hears(at, "interrupt.decided r2 as r2 of agent about int how resolved", "run.started r2 as r2 of agent",
		"run.ended r2 as r2 of agent how fail", "interrupt.reopened r2 as r2 of agent about int how agent_error")
	th.begun(th.resume("r3", "exe-r1"))
	th.hears(at, "interrupt.decided r3 as r3 of agent about int how resolved", "run.started r3 as r3 of agent")
}

func (e *env) noticesOfWithdrawals() {
	th := e.thread()
	th.ok(ending(th.begun(th.execute("r1")), 2, 1, "asks", store.EndSuspend))
	_, at := th.heard("")
	c := th.begun(th.steer("r2"))
	at = th.hears(at, "interrupt.cancelled r2 as r2 of agent about int", "run.started r2 as r2 of agent")
	th.ok(ending(c, 2, 3, "asks", store.EndSuspend))
	_, at = th.heard(at)
	b := th.resume("r3", "exe-r2")
	b.Kind.(store.Resume).Decided[0].Status = store.DecisionExpired
	th.begun(b)
	th.hears(at, "interrupt.expired r3 as r3 of agent about int", "run.started r3 as r3 of agent")
}

func (e *env) noticesOfEnds() {
	th := e.thread()
	_, at := th.heard("")
	c := th.begun(th.execute("r1"))
	if _, err := th.s.Bury(th.Context(), store.Nack{Claim: c, Terminal: []byte("dead")}); err != nil {
		th.Fatal(err)
	}
	at = th.hears(at, "run.started r1 as r1 of agent", "run.ended r1 as r1 of agent how fail", "dispatch.dead r1 as r1 of agent")
	th.begun(th.execute("r2"))
	if _, err := th.s.Stop(th.Context(), store.Stop{Thread: th.key, Request: "q", RunID: "r2", Terminal: []byte("stopped")}); err != nil {
		th.Fatal(err)
	}
	at = th.hears(at, "run.started r2 as r2 of agent", "run.ended r2 as r2 of agent how cancel")
	if ok, err := th.s.Delete(th.Context(), th.key, Deleting("")); err != nil || !ok {
		th.Fatal(ok, err)
	}
	at = th.hears(at, "thread.deleted")
	th.ok(ending(th.begun(th.execute("r3")), 2, 1, "asks", store.EndSuspend))
	_, at = th.heard(at)
	if err := th.s.Erase(th.Context(), th.key, Deleting("")); err != nil {
		th.Fatal(err)
	}
	th.hears(at, "interrupt.cancelled r3 of agent about int", "thread.deleted")
}

func (e *env) noticesOfTheQueue() {
	th := e.thread()
	c := th.begun(th.execute("r1"))
	th.begun(th.wait("r2"))
	th.begun(th.wait("r3"))
	_, at := th.heard("")
	if _, err := th.s.Stop(th.Context(), store.Stop{Thread: th.key, Request: "q", RunID: "r2", Terminal: []byte("stopped")}); err != nil {
		th.Fatal(err)
	}
	at = th.hears(at)
	th.ok(ending(c, 2, 1, "end", store.EndFinish))
	at = th.hears(at, "run.ended r1 as r1 of agent how finish", "run.ended r2 as r2 how cancel")
	claimed, err := th.s.Claim(th.Context(), store.ClaimRequest{Thread: th.key, Token: "t"})
	if must(th, claimed, err).Kind != store.ClaimQueued {
		th.Fatalf("%+v", claimed)
	}
	at = th.hears(at)
	a := activation(claimed.Claim)
	a.User, a.Agent = "ann", "agent"
	if res, err := th.s.Activate(th.Context(), a); err != nil || res.Status != store.CommitOK {
		th.Fatal(res, err)
	}
	at = th.hears(at, "run.started r3 as r3 of agent by ann")
	if _, err := th.s.StopAll(th.Context(), store.StopAll{Thread: th.key, Request: "all", Active: "r3", Terminal: []byte("stopped")}); err != nil {
		th.Fatal(err)
	}
	th.hears(at, "run.ended r3 as r3 of agent how cancel")
}

func (e *env) noticesOnce() {
	th := e.thread()
	_, at := th.heard("")
	b := th.execute("r1")
	c := th.begun(b)
	th.begun(b)
	end := ending(c, 2, 1, "asks", store.EndSuspend)
	th.ok(end)
	th.ok(end)
	at = th.hears(at, "run.started r1 as r1 of agent", "run.ended r1 as r1 of agent how suspend", "interrupt.opened r1 as r1 of agent about int")
	r := th.resume("r2", "exe-r1")
	c = th.begun(r)
	th.begun(r)
	at = th.hears(at, "interrupt.decided r2 as r2 of agent about int how resolved", "run.started r2 as r2 of agent")
	n := store.Nack{Claim: c, Terminal: []byte("dead")}
	for range 2 {
		if _, err := th.s.Bury(th.Context(), n); err != nil {
			th.Fatal(err)
		}
	}
	at = th.hears(at, "run.ended r2 as r2 of agent how fail", "dispatch.dead r2 as r2 of agent")
	for range 2 {
		if _, err := th.s.Delete(th.Context(), th.key, Deleting("")); err != nil {
			th.Fatal(err)
		}
	}
	th.hears(at, "thread.deleted")
}

func (e *env) noticeCursors() {
	a, b := e.node("a"), e.node("b")
	first := e.on(a, "t")
	_, from := first.heard("")
	const threads = 30
	for i := range threads {
		th := e.on(a, fmt.Sprint("t", i))
		th.ok(ending(th.begun(th.execute("r")), 2, 1, "end", store.EndFinish))
	}
	list, at := e.on(b, "t").heard(from)
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
	if again, _ := first.heard(at); len(again) > 0 {
		e.Errorf("behind the end there are %+v", again)
	}
	if again, _ := first.heard(from); len(again) != len(list) {
		e.Errorf("%d of %d are heard again", len(again), len(list))
	}
}

func (e *env) noticesFrom() {
	th := e.thread()
	_, at := th.heard("")
	th.ok(ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFinish))
	all, _ := th.heard(at)
	from := func(when time.Time) (list []store.Notice) {
		page, err := th.s.Notices(th.Context(), store.NoticeQuery{From: when, Limit: 1000})
		for _, n := range must(th, page, err).Notices {
			if n.Thread == th.key {
				list = append(list, n)
			}
		}
		more, _ := th.heard(page.Next)
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

func (e *env) noticesAwaited() {
	a, b := e.node("a"), e.node("b")
	th := e.on(a, "t")
	_, at := th.heard("")
	type answer struct {
		page store.NoticePage
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		page, err := b.Notices(e.Context(), store.NoticeQuery{After: at, Wait: time.Minute})
		done <- answer{page, err}
	}()
	c := th.begun(th.execute("r1"))
	got := <-done
	if got.err != nil || len(got.page.Notices) == 0 || got.page.Notices[0].Kind != store.NoticeRunStarted {
		e.Fatalf("%+v", got)
	}
	page, err := b.Notices(e.Context(), store.NoticeQuery{After: got.page.Next, Wait: time.Millisecond})
	if err != nil || len(page.Notices) > 0 || page.Next == "" {
		e.Fatalf("%+v %v", page, err)
	}
	th.ok(ending(c, 2, 1, "end", store.EndFinish))
	th.hears(page.Next, "run.ended r1 as r1 of agent how finish")
}

func (e *env) noticesMissed() {
	e.notices = 1
	th := e.thread()
	_, from := th.heard("")
	const runs = 200
	for i := range runs {
		th.ok(ending(th.begun(th.execute(fmt.Sprint("r", i))), 2, int64(2*i+1), "end", store.EndFinish))
	}
	page, err := th.s.Notices(th.Context(), store.NoticeQuery{After: from, Limit: 1000})
	if page = must(th, page, err); !page.Missed {
		e.Errorf("of %d notices %d are left, and none was missed", 2*runs, len(page.Notices))
	}
	list, at := th.heard(page.Next)
	list = append(page.Notices, list...)
	if len(list) == 0 || len(list) > 300 || list[len(list)-1].RunID != fmt.Sprint("r", runs-1) {
		e.Errorf("%d are left", len(list))
	}
	if page, err := th.s.Notices(th.Context(), store.NoticeQuery{After: at}); err != nil || page.Missed {
		e.Errorf("at the end: %+v %v", page, err)
	}
}

func (e *env) noticeBadCursors() {
	th := e.thread()
	_, at := th.heard("")
	for _, bad := range []string{"x", "!", at + "x", at[1:], "bg", strings.Repeat("A", 5000)} {
		if _, err := th.s.Notices(th.Context(), store.NoticeQuery{After: bad}); !errors.Is(err, store.ErrBadCursor) {
			th.Errorf("cursor %q: %v", bad, err)
		}
	}
}
