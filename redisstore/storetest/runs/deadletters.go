package runs

import (
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var DeadLetterTests = []stage.Test{
	{"dead letters of a tenant are paged across its threads, oldest first", func(e *stage.Env) {
		c := e.Stopped()
		s := e.Node("a")
		var want []string
		for i := range 7 {
			th := e.On(s, fmt.Sprint("t", i))
			b := th.Wait(fmt.Sprint("r", i))
			b.Tenant = []string{"acme", "other"}[i%7/5]
			th.Begun(b)
			c.Move(time.Second)
			th.Bury(stage.Failing(th.Claimed("t", store.ClaimQueued).Claim))
			if b.Tenant == "acme" {
				want = append(want, b.RunID)
			}
		}
		var got []string
		q := store.PageQuery{Tenant: "acme", Limit: 2}
		for pages := 0; ; pages++ {
			page, err := s.DeadLetters(e.Context(), q)
			th := e.On(s, "t0")
			for _, d := range stage.Must(th, page, err).Letters {
				stage.Same(th, "state", d.State, store.DispatchDeadLetter)
				got = append(got, d.ID)
			}
			if q.Cursor = page.Next; q.Cursor == "" || pages > 10 {
				break
			}
		}
		stage.Same(e.On(s, "t0"), "letters", got, want)
	}},
}
