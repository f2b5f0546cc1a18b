package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// reviewed notes that a user looks at the thread's questions, and returns who does by then.
func (th *thread) reviewed(by string, length time.Duration) string {
	th.Helper()
	users, open, err := th.s.Review(th.Context(), th.key, by, length)
	if users = must(th, users, err); !open {
		return "nothing is open"
	}
	return strings.Join(users, " ")
}

// listedReviewers are the users whom the tenant's inbox tells of.
func (th *thread) listedReviewers() string {
	th.Helper()
	var all []string
	for _, item := range th.inboxItems("acme", "", 0) {
		all = append(all, item.Reviewers...)
	}
	return strings.Join(all, " ")
}

var reviewTests = []test{
	{"who looks at what is open is told until the time is over, and changes nothing else", func(e *env) {
		c := e.stopped()
		th := e.thread()
		same(th, "before", th.reviewed("ann", time.Minute), "nothing is open")
		th.asking("acme")
		th.unchanged(func() {
			for _, step := range []struct {
				by     string
				length time.Duration
				after  time.Duration
				want   string
			}{
				{"bob", time.Minute, 0, "bob"},
				{"ann", time.Minute, 30 * time.Second, "ann bob"},
				{"bob", 2 * time.Minute, 0, "ann bob"},
				{"eve", 0, 0, "ann bob"},
				{"", 0, 50 * time.Second, "ann bob"},
				{"", 0, 20 * time.Second, "bob"},
				{"bob", 0, 0, ""},
			} {
				c.move(step.after)
				same(th, "noted", th.reviewed(step.by, step.length), step.want)
				same(th, "once more", th.reviewed(step.by, step.length), step.want)
				same(th, "listed", th.listedReviewers(), step.want)
			}
		})
	}},
	{"who looks goes with the suspension, and comes back with it", func(e *env) {
		th := e.thread()
		th.openTwo()
		same(th, "asked", th.reviewed("bob", time.Minute), "bob")
		claim := th.begun(th.resume("r2", "exe-r1"))
		same(th, "answered", th.reviewed("ann", time.Minute), "nothing is open")
		b := ending(claim, 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		th.ok(b)
		same(th, "given back", th.reviewed("ann", time.Minute), "ann bob")
	}},
	{"who has looked at what a thread asked before does not look at what it asks now", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.openTwo()
		for i := range store.MostReviewers {
			th.reviewed(fmt.Sprint("user", i), time.Minute)
		}
		c.move(time.Second)
		b := ending(th.begun(th.resume("r2", "exe-r1")), 2, 3, "asks", store.EndSuspend)
		b.End.Interrupts = []string{"three"}
		th.ok(b)
		same(th, "asked again", th.reviewed("", 0), "")
		same(th, "noted", th.reviewed("ann", time.Minute), "ann")
	}},
	{"so many are noted, and no further one until one of them goes", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.openTwo()
		var all []string
		for i := range store.MostReviewers {
			all = append(all, fmt.Sprint("user", i))
			th.reviewed(all[i], time.Duration(i+1)*time.Minute)
		}
		full := strings.Join(all, " ")
		same(th, "full", th.reviewed("zoe", time.Minute), full)
		same(th, "one of them", th.reviewed(all[0], time.Minute), full)
		c.move(time.Minute)
		same(th, "one has gone", th.reviewed("zoe", time.Hour), strings.Join(append(all[1:], "zoe"), " "))
	}},
}
