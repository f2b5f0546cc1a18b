package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var largeTests = []test{
	{"large events come back whole and in their places, however they are read", func(e *env) {
		e.large = 20
		s, other := e.node("a"), e.node("b")
		th := e.on(s, "t")
		ears := []*heard{listen(s), listen(other)}
		th.from(other).view(store.ReadQuery{Follower: true})
		large := func(name string) string { return name + strings.Repeat("-", 20) }
		c := th.begun(with(th.execute("r1"), func(k *store.Execute) { k.Events = events(large("start")) }))
		th.ok(batch(c, 2, 1, "a "+large("b")+" c "+large("d")))
		th.ok(batch(c, 3, 5, strings.Repeat("x", 20)+" "+large("\x00\x00")+" \x00"))
		th.begun(th.wait("r2"))
		th.ok(ending(c, 4, 8, "f "+large("end"), store.EndFinish))
		next := th.claimed("t2", store.ClaimQueued).Claim
		started := activation(next)
		started.Events = events(large("start:r2"))
		res, err := s.Activate(e.Context(), started)
		same(th, "activated", must(th, res, err).End.Seq, 11)
		want := strings.Fields(strings.Join([]string{large("start"), "a", large("b"), "c", large("d"), strings.Repeat("x", 20),
			large("\x00\x00"), "\x00", "f", large("end"), large("start:r2")}, " "))
		same(th, "log", text(th.view().Log), strings.Join(want, " "))
		epoch := th.view().Epoch
		for after := range want {
			v := th.view(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: int64(after)}})
			same(th, fmt.Sprint("after ", after), text(v.Missed), strings.Join(want[after:], " "))
			r, err := s.Range(e.Context(), th.key, epoch, int64(after+1), 2)
			same(th, fmt.Sprint("range from ", after+1), text(must(th, r, err).Events), strings.Join(want[after:min(after+2, len(want))], " "))
		}
		same(th, "terminal", string(th.view(store.ReadQuery{RunID: "r1"}).Run.Terminal), large("end"))
		lines := ""
		for i, event := range want {
			lines += fmt.Sprintf("%d:%s ", i+1, event)
		}
		for i, h := range ears {
			eventually(th, fmt.Sprintf("node %d hears all of them", i), func() bool { return h.log(th.key)+" " == lines })
		}
	}},
	{"large events count with their bytes and go with the others", func(e *env) {
		c := e.stopped()
		e.large, e.bytes, e.age = 20, 150, time.Hour
		th := e.thread()
		th.whole("r1", strings.Repeat("a", 100)+" "+strings.Repeat("b", 30))
		same(th, "below", th.kept(), "1 3")
		th.whole("r2", "1234")
		same(th, "at the limit", th.kept(), "1 5")
		th.whole("r3", "e")
		same(th, "above", th.kept(), "3 7")
		r, err := th.s.Range(e.Context(), th.key, th.view().Epoch, 3, 1)
		same(th, "the other large one", text(must(th, r, err).Events), strings.Repeat("b", 30))
		c.move(e.age)
		th.retire()
		same(th, "past its age", th.kept(), "8 7")
		th.whole("r4", strings.Repeat("c", 30))
		r, err = th.s.Range(e.Context(), th.key, th.view().Epoch, 8, 10)
		same(th, "a new one", text(must(th, r, err).Events), "start:r4 "+strings.Repeat("c", 30))
	}},
	{"a batch sent again logs its large events once", func(e *env) {
		e.large = 20
		th := e.thread()
		b := batch(th.begun(th.execute("r1")), 2, 1, "a "+strings.Repeat("b", 30))
		first := th.ok(b)
		th.unchanged(func() { same(th, "again", th.ok(b), first) })
	}},
}
