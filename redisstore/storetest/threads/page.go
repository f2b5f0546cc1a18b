package threads

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var PageTests = []stage.Test{
	{"what was missed comes in pages, of which the first comes with the view", func(e *stage.Env) {
		for name, tt := range map[string]struct{ events, bytes, most int }{
			"many":  {1500, 1, 1024},
			"long":  {40, 30_000, 12},
			"large": {5, 100_000, 2},
			"huge":  {3, 400_000, 1},
		} {
			e.Large = 60_000
			th := e.On(e.Node("a"), name)
			c := th.Begun(th.Execute("r1"))
			event := strings.Repeat("x", tt.bytes)
			th.OK(stage.Batch(c, 2, 1, strings.TrimSpace(strings.Repeat(event+" ", tt.events))))
			v := th.View(store.ReadQuery{After: &store.Position{Epoch: th.View().Epoch, Seq: 1}})
			seen, last := len(v.Missed), len(v.Missed)
			if !v.Recovered || seen < 1 || seen > tt.most {
				e.Errorf("%s: recovered %t, %d events come with the view", name, v.Recovered, seen)
			}
			for last > 0 {
				r, err := th.Store.Range(e.Context(), th.Key, v.Epoch, int64(2+seen), 256)
				last = len(stage.Must(th, r, err).Events)
				if last > tt.most {
					e.Errorf("%s: a page of %d events", name, last)
				}
				seen += last
			}
			stage.Same(th, name, seen, tt.events)
		}
	}},
	{"a large thread says how large it is to who does not want it whole", func(e *stage.Env) {
		large := strings.Repeat("m", 2_000)
		whole := func(th *stage.Thread, messages int) {
			end := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish)
			snap := &store.SnapshotUpdate{State: stage.Raws(`{}`)[0], Upsert: map[string]json.RawMessage{}}
			for i := range messages {
				id := fmt.Sprint(i)
				snap.Order = append(snap.Order, id)
				text := make([]byte, 2_000) // of which nothing can be squeezed out
				rand.Read(text)
				snap.Upsert[id] = stage.Raws(fmt.Sprintf("%q", base64.StdEncoding.EncodeToString(text)))[0]
			}
			end.End.Snapshot = snap
			th.OK(end)
		}
		s := e.Node("a")
		for name, fill := range map[string]func(th *stage.Thread){
			"by its messages": func(th *stage.Thread) { whole(th, 500) },
			"by its log": func(th *stage.Thread) {
				whole(th, 1)
				th.OK(stage.Batch(th.Begun(th.Execute("r2")), 2, 3, strings.TrimSpace(strings.Repeat(large+" ", 500))))
			},
		} {
			th := e.On(s, name)
			fill(th)
			full := th.View(store.ReadQuery{Follower: true})
			stage.Same(th, name, full.Large, 0)
			v := th.View(store.ReadQuery{Small: true})
			if v.Large < 500_000 || v.Large > 3_000_000 || v.Recovered || v.Log != nil {
				e.Errorf("%s: about 1,000,000 bytes are taken for %d; recovered %t, %d events", name, v.Large, v.Recovered, len(v.Log))
			}
			v = th.View(store.ReadQuery{Small: true, After: &store.Position{Epoch: full.Epoch, Seq: full.Seq - 1}})
			if v.Large != 0 || !v.Recovered || len(v.Missed) != 1 {
				e.Errorf("%s, close to its end: large %d, recovered %t, %d events", name, v.Large, v.Recovered, len(v.Missed))
			}
		}
		th := e.On(s, "small")
		whole(th, 3)
		if v := th.View(store.ReadQuery{Small: true}); v.Large != 0 || len(v.Snapshot.Messages) != 3 {
			e.Errorf("a small one: large %d, %d messages", v.Large, len(v.Snapshot.Messages))
		}
	}},
}
