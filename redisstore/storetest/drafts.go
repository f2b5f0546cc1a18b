package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
)

// openTwo suspends the thread over the interrupts "one" and "two".
func (th *thread) openTwo() {
	th.Helper()
	b := ending(th.begun(th.execute("r1")), 2, 1, "asks", store.EndSuspend)
	b.End.Interrupts = []string{"one", "two"}
	th.ok(b)
}

func draft(id, value string) map[string]json.RawMessage {
	d := map[string]json.RawMessage{id: nil}
	if value != "" {
		d[id] = json.RawMessage(value)
	}
	return d
}

var draftsTests = []test{
	{"drafts of open interrupts are kept, replaced and deleted", func(e *env) {
		th := e.thread()
		th.openTwo()
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
			version := th.view().Version
			for range 2 { // and once more, as after a lost reply
				if step.set == nil {
					version = th.view().Version
				}
				got, ok := th.draft(version, step.set)
				same(th, "drafts", fmt.Sprint(got, ok), fmt.Sprint(step.want, true))
				same(th, "read", show(th.view().Drafts), step.want)
				same(th, "version", th.view().Version, version+step.raises)
			}
		}
	}},
	{"answers that were judged on a draft are stale when it is replaced or taken back", func(e *env) {
		for what, now := range map[string]string{"replaced": "2", "taken-back": ""} {
			th := e.on(e.node(what), what)
			th.openTwo()
			th.draft(0, draft("one", "1"))
			resume := th.resume("r2", "exe-r1")
			th.draft(0, draft("one", now))
			th.unchanged(func() { same(th, what, th.begin(resume).Status, store.BeginStale) })
			th.begun(th.resume("r2", "exe-r1"))
		}
	}},
	{"a draft for what is not open, or for another version, changes nothing", func(e *env) {
		th := e.thread()
		th.unchanged(func() {
			_, ok := th.draft(0, draft("one", "1"))
			same(th, "before", ok, false)
		})
		th.openTwo()
		th.draft(0, draft("one", "1"))
		version := th.view().Version
		th.unchanged(func() {
			both := map[string]json.RawMessage{"two": raws("2")[0], "three": raws("3")[0]}
			for what, try := range map[string]func() bool{
				"a foreign id":    func() bool { _, ok := th.draft(0, both); return ok },
				"an empty id":     func() bool { _, ok := th.draft(0, draft("", "1")); return ok },
				"a later version": func() bool { _, ok := th.draft(version+1, draft("two", "2")); return ok },
				"an old version":  func() bool { _, ok := th.draft(version-1, draft("two", "2")); return ok },
			} {
				same(th, what, try(), false)
			}
		})
		same(th, "read", show(th.view().Drafts), `{"one":1}`)
	}},
	{"drafts go when the suspension is answered and do not come back with it", func(e *env) {
		th := e.thread()
		th.openTwo()
		th.draft(0, draft("one", "1"))
		claim := th.begun(th.resume("r2", "exe-r1"))
		same(th, "after the answer", len(th.view().Drafts), 0)
		_, ok := th.draft(0, draft("one", "1"))
		same(th, "kept", ok, false)
		b := ending(claim, 2, 3, "failed", store.EndFail)
		b.End.GiveBack = true
		th.ok(b)
		same(th, "given back", fmt.Sprint(len(th.view().Drafts), th.view().Suspension != nil), "0 true")
		_, ok = th.draft(0, draft("two", "2"))
		same(th, "kept again", ok, true)
	}},
	{"a draft that is too large or no JSON is an error that says so", func(e *env) {
		th := e.thread()
		th.openTwo()
		largest := `"` + strings.Repeat("x", 64<<10-2) + `"`
		_, ok := th.draft(0, draft("one", largest))
		same(th, "largest", ok, true)
		for bad, says := range map[string]string{largest + " ": "65536", "{": "JSON"} {
			_, _, err := th.s.Drafts(e.Context(), th.key, 0, "", draft("two", bad))
			if err == nil || !strings.Contains(err.Error(), says) {
				e.Errorf("%d bytes: %v", len(bad), err)
			}
		}
		same(th, "kept", len(th.view().Drafts), 1)
	}},
	{"of a draft and an answer at the same time the answer stands", func(e *env) {
		s := e.node("a")
		var group sync.WaitGroup
		for i := range 20 {
			th := e.on(s, fmt.Sprint("t", i))
			th.openTwo()
			version := th.view().Version
			resume := th.resume("r2", "exe-r1")
			group.Go(func() {
				if _, _, err := s.Drafts(e.Context(), th.key, version, "", draft("one", "1")); err != nil {
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
			if v := e.on(s, fmt.Sprint("t", i)).view(); len(v.Drafts) > 0 || v.Suspension != nil {
				e.Errorf("%+v", v)
			}
		}
	}},
}
