package threads

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var LargeTests = []stage.Test{
	{"large events come back whole and in their places, however they are read", func(e *stage.Env) {
		e.Large = 20
		s, other := e.Node("a"), e.Node("b")
		th := e.On(s, "t")
		ears := []*stage.Heard{stage.Listen(s), stage.Listen(other)}
		th.From(other).View(store.ReadQuery{Follower: true})
		large := func(name string) string { return name + strings.Repeat("-", 20) }
		c := th.Begun(stage.With(th.Execute("r1"), func(k *store.Execute) { k.Events = stage.Events(large("start")) }))
		th.OK(stage.Batch(c, 2, 1, "a "+large("b")+" c "+large("d")))
		th.OK(stage.Batch(c, 3, 5, strings.Repeat("x", 20)+" "+large("\x00\x00")+" \x00"))
		th.Begun(th.Wait("r2"))
		th.OK(stage.Ending(c, 4, 8, "f "+large("end"), store.EndFinish))
		next := th.Claimed("t2", store.ClaimQueued).Claim
		started := stage.Activation(next)
		started.Events = stage.Events(large("start:r2"))
		res, err := s.Activate(e.Context(), started)
		stage.Same(th, "activated", stage.Must(th, res, err).End.Seq, 11)
		want := strings.Fields(strings.Join([]string{large("start"), "a", large("b"), "c", large("d"), strings.Repeat("x", 20),
			large("\x00\x00"), "\x00", "f", large("end"), large("start:r2")}, " "))
		stage.Same(th, "log", stage.Text(th.View().Log), strings.Join(want, " "))
		epoch := th.View().Epoch
		for after := range want {
			v := th.View(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: int64(after)}})
			stage.Same(th, fmt.Sprint("after ", after), stage.Text(v.Missed), strings.Join(want[after:], " "))
			r, err := s.Range(e.Context(), th.Key, epoch, int64(after+1), 2)
			stage.Same(th, fmt.Sprint("range from ", after+1), stage.Text(stage.Must(th, r, err).Events), strings.Join(want[after:min(after+2, len(want))], " "))
		}
		stage.Same(th, "terminal", string(th.View(store.ReadQuery{RunID: "r1"}).Run.Terminal), large("end"))
		lines := ""
		for i, event := range want {
			lines += fmt.Sprintf("%d:%s ", i+1, event)
		}
		for i, h := range ears {
			stage.Eventually(th, fmt.Sprintf("node %d hears all of them", i), func() bool { return h.Logged(th.Key)+" " == lines })
		}
	}},
	{"an event that tells the snapshot reads as it was, and goes no later than the snapshot moves on", func(e *stage.Env) {
		e.Large = 20
		s, other := e.Node("a"), e.Node("b")
		th := e.On(s, "t")
		ear := stage.Listen(s)
		var want []string
		turn := func(run, told string, u *store.SnapshotUpdate) {
			c := th.Begun(th.Execute(run))
			want = append(want, "start:"+run)
			b := stage.Ending(c, 2, int64(len(want)), "a "+told+" end", store.EndFinish)
			b.End.Snapshot, b.End.Tells = u, &store.SnapshotTold{Head: 6, Tail: 1}
			th.OK(b)
			want = append(want, "a", told, "end")
		}
		// from is the first position from which the log reads, at whichever node.
		from := func() int {
			epoch, first := th.View().Epoch, 1
			for _, at := range []*stage.Thread{th, th.From(other), th.From(e.Node("c"))} {
				first = 1
				for after := range want {
					v := at.View(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: int64(after)}})
					r, err := at.Store.Range(e.Context(), th.Key, epoch, int64(after+1), 100)
					page := stage.Must(at, r, err)
					stage.Same(at, fmt.Sprint("recovered after ", after), v.Recovered, page.Status == store.RangeOK)
					stage.Same(at, fmt.Sprint("retained after ", after), v.Recovered, v.Base <= int64(after+1))
					if !v.Recovered {
						first = after + 2
						continue
					}
					for got := page.Events; ; got = append(got, stage.Must(at, r, err).Events...) {
						if after+len(got) == len(want) {
							stage.Same(at, fmt.Sprint("after ", after), stage.Text(got), strings.Join(want[after:], " "))
							break
						}
						if r, err = at.Store.Range(e.Context(), th.Key, epoch, int64(after+1+len(got)), 100); err == nil && len(r.Events) == 0 {
							at.Fatalf("nothing at %d", after+1+len(got))
						}
					}
				}
			}
			return first
		}
		messages := map[string]json.RawMessage{"m1": stage.Raw(`"one"`), "m2": stage.Raw(`"two-and-more-than-that"`)}
		turn("r1", `"all":"two-and-more-than-that","one"]`, &store.SnapshotUpdate{Order: []string{"m2", "m1"}, Upsert: messages})
		stage.Same(th, "reads from", from(), 1)
		stage.Same(th, "terminal", string(th.View(store.ReadQuery{RunID: "r1"}).Run.Terminal), "end")
		lines := ""
		for i, event := range want {
			lines += fmt.Sprintf("%d:%s ", i+1, event)
		}
		stage.Eventually(th, "who has logged it is told the event", func() bool { return ear.Logged(th.Key)+" " == lines })
		turn("r2", `"all":"uno","two-and-more-than-that"]`, &store.SnapshotUpdate{Order: []string{"m1", "m2"}, Upsert: map[string]json.RawMessage{"m1": stage.Raw(`"uno"`)}})
		if first := from(); first != 1 && first != 4 {
			e.Errorf("it reads from %d", first)
		}
		c := th.Begun(th.Execute("r3"))
		want = append(want, "start:r3")
		if first := from(); first != 1 && first != 4 {
			e.Errorf("while a run is active, it reads from %d", first)
		}
		b := stage.Ending(c, 2, int64(len(want)), "end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{Order: []string{"m2"}}
		th.OK(b)
		want = append(want, "end")
		if first := from(); first != 1 && first != 8 {
			e.Errorf("behind both, it reads from %d", first)
		}
	}},
	{"large events count with their bytes and go with the others", func(e *stage.Env) {
		c := e.Stopped()
		e.Large, e.Bytes, e.Age = 20, 150, time.Hour
		th := e.Thread()
		whole(th, "r1", strings.Repeat("a", 100)+" "+strings.Repeat("b", 30))
		stage.Same(th, "below", kept(th), "1 3")
		whole(th, "r2", "1234")
		stage.Same(th, "at the limit", kept(th), "1 5")
		whole(th, "r3", "e")
		stage.Same(th, "above", kept(th), "3 7")
		r, err := th.Store.Range(e.Context(), th.Key, th.View().Epoch, 3, 1)
		stage.Same(th, "the other large one", stage.Text(stage.Must(th, r, err).Events), strings.Repeat("b", 30))
		c.Move(e.Age)
		retire(th)
		stage.Same(th, "past its age", kept(th), "8 7")
		whole(th, "r4", strings.Repeat("c", 30))
		r, err = th.Store.Range(e.Context(), th.Key, th.View().Epoch, 8, 10)
		stage.Same(th, "a new one", stage.Text(stage.Must(th, r, err).Events), "start:r4 "+strings.Repeat("c", 30))
	}},
	{"a batch sent again logs its large events once", func(e *stage.Env) {
		e.Large = 20
		th := e.Thread()
		b := stage.Batch(th.Begun(th.Execute("r1")), 2, 1, "a "+strings.Repeat("b", 30))
		first := th.OK(b)
		th.Unchanged(func() { stage.Same(th, "again", th.OK(b), first) })
	}},
}
