package storetest

import (
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var deadLetterTests = []test{
	{"dead letters of a tenant are paged across its threads, oldest first", func(e *env) {
		c := e.stopped()
		s := e.node("a")
		var want []string
		for i := range 7 {
			th := e.on(s, fmt.Sprint("t", i))
			b := th.wait(fmt.Sprint("r", i))
			b.Tenant = []string{"acme", "other"}[i%7/5]
			th.begun(b)
			c.move(time.Second)
			th.bury(failing(th.claimed("t", store.ClaimQueued).Claim))
			if b.Tenant == "acme" {
				want = append(want, b.RunID)
			}
		}
		var got []string
		q := store.PageQuery{Tenant: "acme", Limit: 2}
		for pages := 0; ; pages++ {
			page, err := s.DeadLetters(e.Context(), q)
			th := e.on(s, "t0")
			for _, d := range must(th, page, err).Letters {
				same(th, "state", d.State, store.DispatchDeadLetter)
				got = append(got, d.ID)
			}
			if q.Cursor = page.Next; q.Cursor == "" || pages > 10 {
				break
			}
		}
		same(e.on(s, "t0"), "letters", got, want)
	}},
}
