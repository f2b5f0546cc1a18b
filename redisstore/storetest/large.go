package storetest

import (
	"encoding/json"
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
	{"an event that tells the snapshot reads as it was, and goes no later than the snapshot moves on", func(e *env) {
		e.large = 20
		s, other := e.node("a"), e.node("b")
		th := e.on(s, "t")
		ear := listen(s)
		var want []string
		turn := func(run, told string, u *store.SnapshotUpdate) {
			c := th.begun(th.execute(run))
			want = append(want, "start:"+run)
			b := ending(c, 2, int64(len(want)), "a "+told+" end", store.EndFinish)
			b.End.Snapshot, b.End.Tells = u, &store.SnapshotTold{Head: 6, Tail: 1}
			th.ok(b)
			want = append(want, "a", told, "end")
		}
		// from is the first position from which the log reads, at whichever node.
		from := func() int {
			epoch, first := th.view().Epoch, 1
			for _, at := range []*thread{th, th.from(other), th.from(e.node("c"))} {
				first = 1
				for after := range want {
					v := at.view(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: int64(after)}})
					r, err := at.s.Range(e.Context(), th.key, epoch, int64(after+1), 100)
					page := must(at, r, err)
					same(at, fmt.Sprint("recovered after ", after), v.Recovered, page.Status == store.RangeOK)
					same(at, fmt.Sprint("retained after ", after), v.Recovered, v.Base <= int64(after+1))
					if !v.Recovered {
						first = after + 2
						continue
					}
					for got := page.Events; ; got = append(got, must(at, r, err).Events...) {
						if after+len(got) == len(want) {
							same(at, fmt.Sprint("after ", after), text(got), strings.Join(want[after:], " "))
							break
						}
						if r, err = at.s.Range(e.Context(), th.key, epoch, int64(after+1+len(got)), 100); err == nil && len(r.Events) == 0 {
							at.Fatalf("nothing at %d", after+1+len(got))
						}
					}
				}
			}
			return first
		}
		messages := map[string]json.RawMessage{"m1": raw(`"one"`), "m2": raw(`"two-and-more-than-that"`)}
		turn("r1", `"all":"two-and-more-than-that","one"]`, &store.SnapshotUpdate{Order: []string{"m2", "m1"}, Upsert: messages})
		same(th, "reads from", from(), 1)
		same(th, "terminal", string(th.view(store.ReadQuery{RunID: "r1"}).Run.Terminal), "end")
		lines := ""
		for i, event := range want {
			lines += fmt.Sprintf("%d:%s ", i+1, event)
		}
		eventually(th, "who has logged it is told the event", func() bool { return ear.log(th.key)+" " == lines })
		turn("r2", `"all":"uno","two-and-more-than-that"]`, &store.SnapshotUpdate{Order: []string{"m1", "m2"}, Upsert: map[string]json.RawMessage{"m1": raw(`"uno"`)}})
		if first := from(); first != 1 && first != 4 {
			e.Errorf("it reads from %d", first)
		}
		c := th.begun(th.execute("r3"))
		want = append(want, "start:r3")
		if first := from(); first != 1 && first != 4 {
			e.Errorf("while a run is active, it reads from %d", first)
		}
		b := ending(c, 2, int64(len(want)), "end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{Order: []string{"m2"}}
		th.ok(b)
		want = append(want, "end")
		if first := from(); first != 1 && first != 8 {
			e.Errorf("behind both, it reads from %d", first)
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
