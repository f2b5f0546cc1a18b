package threads

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// openTwo suspends the thread over the interrupts "one" and "two".
func openTwo(th *stage.Thread) {
	th.Helper()
	b := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "asks", store.EndSuspend)
	b.End.Interrupts = []string{"one", "two"}
	th.OK(b)
}

func draft(id, value string) map[string]json.RawMessage {
	d := map[string]json.RawMessage{id: nil}
	if value != "" {
		d[id] = json.RawMessage(value)
	}
	return d
}

var DraftsTests = []stage.Test{
	{"drafts of open interrupts are kept, replaced and deleted", func(e *stage.Env) {
		th := e.Thread()
		openTwo(th)
		for _, step := range []struct {
			set    map[string]json.RawMessage
			want   string
			raises int64 // the version, when who has judged on a draft must judge again
		}{
			{draft("one", ` {"a":1.0}`), `{"one":{"a":1.0}}`, 0},
			{draft("two", `2`), `{"one":{"a":1.0},"two":2}`, 0},
			{draft("one", `3`), `{"one":3,"two":2}`, 1},
			{draft("one", `3`), `{"one":3,"two":2}`, 0},
			{draft("one", ""), `{"two":2}`, 1},
			{draft("one", ""), `{"two":2}`, 0},
			{nil, `{"two":2}`, 0},
		} {
			version := th.View().Version
			for range 2 { // and once more, as after a lost reply
				if step.set == nil {
					version = th.View().Version
				}
				got, ok := drafting(th, version, step.set)
				stage.Same(th, "drafts", fmt.Sprint(got, ok), fmt.Sprint(step.want, true))
				stage.Same(th, "read", stage.Show(th.View().Drafts), step.want)
				stage.Same(th, "version", th.View().Version, version+step.raises)
			}
		}
	}},
	{"answers that were judged on a draft are stale when it is replaced or taken back", func(e *stage.Env) {
		for what, now := range map[string]string{"replaced": "2", "taken-back": ""} {
			th := e.On(e.Node(what), what)
			openTwo(th)
			drafting(th, 0, draft("one", "1"))
			resume := th.Resume("r2", "exe-r1")
			drafting(th, 0, draft("one", now))
			th.Unchanged(func() { stage.Same(th, what, th.Begin(resume).Status, store.BeginStale) })
			th.Begun(th.Resume("r2", "exe-r1"))
		}
	}},
	{"a draft for what is not open, or for another version, changes nothing", func(e *stage.Env) {
		th := e.Thread()
		th.Unchanged(func() {
			_, ok := drafting(th, 0, draft("one", "1"))
			stage.Same(th, "before", ok, false)
		})
		openTwo(th)
		drafting(th, 0, draft("one", "1"))
		version := th.View().Version
		th.Unchanged(func() {
			both := map[string]json.RawMessage{"two": stage.Raws("2")[0], "three": stage.Raws("3")[0]}
			for what, try := range map[string]func() bool{
				"a foreign id":    func() bool { _, ok := drafting(th, 0, both); return ok },
				"an empty id":     func() bool { _, ok := drafting(th, 0, draft("", "1")); return ok },
				"a later version": func() bool { _, ok := drafting(th, version+1, draft("two", "2")); return ok },
				"an old version":  func() bool { _, ok := drafting(th, version-1, draft("two", "2")); return ok },
			} {
				stage.Same(th, what, try(), false)
			}
		})
		stage.Same(th, "read", stage.Show(th.View().Drafts), `{"one":1}`)
	}},
	{"drafts go when the suspension is answered and do not come back with it", func(e *stage.Env) {
		th := e.Thread()
		openTwo(th)
		drafting(th, 0, draft("one", "1"))
		claim := th.Begun(th.Resume("r2", "exe-r1"))
		stage.Same(th, "after the answer", len(th.View().Drafts), 0)
		_, ok := drafting(th, 0, draft("one", "1"))
		stage.Same(th, "kept", ok, false)
		b := stage.Ending(claim, 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		th.OK(b)
		stage.Same(th, "given back", fmt.Sprint(len(th.View().Drafts), th.View().Suspension != nil), "0 true")
		_, ok = drafting(th, 0, draft("two", "2"))
		stage.Same(th, "kept again", ok, true)
	}},
	{"a draft that is too large or no JSON is an error that says so", func(e *stage.Env) {
		th := e.Thread()
		openTwo(th)
		largest := `"` + strings.Repeat("x", 64<<10-2) + `"`
		_, ok := drafting(th, 0, draft("one", largest))
		stage.Same(th, "largest", ok, true)
		for bad, says := range map[string]string{largest + " ": "65536", "{": "JSON"} {
			_, _, err := th.Store.Drafts(e.Context(), th.Key, 0, "", draft("two", bad))
			if err == nil || !strings.Contains(err.Error(), says) {
				e.Errorf("%d bytes: %v", len(bad), err)
			}
		}
		stage.Same(th, "kept", len(th.View().Drafts), 1)
	}},
	{"of a draft and an answer at the same time the answer stands", func(e *stage.Env) {
		s := e.Node("a")
		var group sync.WaitGroup
		for i := range 20 {
			th := e.On(s, fmt.Sprint("t", i))
			openTwo(th)
			version := th.View().Version
			resume := th.Resume("r2", "exe-r1")
			group.Go(func() {
				if _, _, err := s.Drafts(e.Context(), th.Key, version, "", draft("one", "1")); err != nil {
					e.Error(err)
				}
			})
			group.Go(func() {
				if res, err := s.Begin(e.Context(), resume); err != nil || res.Status != store.BeginAccepted {
					e.Errorf("%+v, %v", res, err)
				}
			})
		}
		group.Wait()
		for i := range 20 {
			if v := e.On(s, fmt.Sprint("t", i)).View(); len(v.Drafts) > 0 || v.Suspension != nil {
				e.Errorf("%+v", v)
			}
		}
	}},
}
