package redisstore

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// commands is how many commands the server has carried out, those that scripts
// call among them.
func commands(t *testing.T, server *redistest.Server) (n int) {
	t.Helper()
	text, err := server.Do("INFO", "commandstats")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`:calls=(\d+)`).FindAllStringSubmatch(text, -1) {
		calls, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		n += calls
	}
	return n
}

// TestCallsDoNotGrowWithWhatIsOver counts the commands of calls on a thread whose
// runs all have the same label, after some runs and after many.
func TestCallsDoNotGrowWithWhatIsOver(t *testing.T) {
	const some, many = 50, 500
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 1, Timeout: patience})
	ctx := context.Background()
	n := 0
	run := func() {
		t.Helper()
		n++
		b := inline(view(t, s, store.ReadQuery{}).Version, fmt.Sprint("r", n))
		b.Label = "label"
		c := begin(t, s, b)
		commit(t, s, store.Batch{Claim: c, Number: 2, Expect: int64(2*n - 1), Events: [][]byte{[]byte("end")},
			End: &store.End{Kind: store.EndFinish}})
	}
	page := func(q store.DispatchQuery) {
		t.Helper()
		list, err := s.Dispatches(ctx, testKey, q)
		if err != nil || len(list) != q.Limit || list[0].ID != fmt.Sprint("r", n-q.Offset) {
			t.Fatalf("%+v: %d of them, %v", q, len(list), err)
		}
	}
	calls := map[string]func(){
		"read":                 func() { view(t, s, store.ReadQuery{Label: "label"}) },
		"begin, end":           run,
		"a page of dispatches": func() { page(store.DispatchQuery{Limit: 1}) },
		"another page":         func() { page(store.DispatchQuery{Limit: 2, Offset: 7}) },
		"a page of those in a state": func() {
			page(store.DispatchQuery{Limit: 1, States: []store.DispatchState{store.DispatchAcked, store.DispatchDeadLetter}})
		},
		"stop": func() {
			if res, err := s.Stop(ctx, store.Stop{Thread: testKey, Request: "q", Label: "label", Terminal: []byte("stopped")}); err != nil || res.Stopped {
				t.Fatal(res, err)
			}
		},
	}
	cost := func(call func()) int {
		t.Helper()
		before := commands(t, server)
		call()
		return commands(t, server) - before
	}
	few := map[string]int{}
	for _, upTo := range []int{some, many} {
		for n < upTo {
			run()
		}
		for name, call := range calls {
			c := cost(call)
			if before, known := few[name]; known && c > before+3 {
				t.Errorf("%s: %d commands after %d runs, %d after %d", name, before, some, c, many)
			}
			few[name] = c
		}
	}
	if v := view(t, s, store.ReadQuery{Label: "label"}); len(v.Labelled) > 32 || v.Labelled[len(v.Labelled)-1].ID != fmt.Sprint("r", n) {
		t.Errorf("%d runs are found by a label", len(v.Labelled))
	}
	if c := cost(func() {
		if deleted, err := s.Delete(ctx, testKey, store.Deletion{}); err != nil || !deleted {
			t.Fatal(deleted, err)
		}
	}); c > 60 {
		t.Errorf("deleting %d runs takes %d commands", n, c)
	}
	if counts, err := s.CountDispatches(ctx); err != nil || len(counts) > 0 {
		t.Errorf("after that there are %v, %v", counts, err)
	}
}

// TestALabelFindsWhatGoesOn uses one label for more runs than it is kept for.
func TestALabelFindsWhatGoesOn(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1, Timeout: patience})
	ctx := context.Background()
	labelled := func(b store.Begin) store.Claim {
		t.Helper()
		b.Version, b.Label = view(t, s, store.ReadQuery{}).Version, "label"
		return begin(t, s, b)
	}
	for n := range int64(3) {
		c := labelled(inline(0, fmt.Sprint("over", n)))
		commit(t, s, store.Batch{Claim: c, Number: 2, Expect: 2*n + 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}})
	}
	labelled(inline(0, "active"))
	for n := range 40 {
		labelled(queued(0, fmt.Sprint("waits", n)))
	}
	list := view(t, s, store.ReadQuery{Label: "label"}).Labelled
	if len(list) != 32 || list[0].ID != "active" || list[1].ID != "waits9" || list[31].ID != "waits39" {
		t.Errorf("found are %+v", list)
	}
	for n := range 32 {
		res, err := s.Stop(ctx, store.Stop{Thread: testKey, Request: fmt.Sprint(n), Label: "label", Terminal: []byte("stopped")})
		want := fmt.Sprint("waits", 39-n)
		if n == 31 {
			want = "active"
		}
		if err != nil || res.RunID != want {
			t.Errorf("stop %d stopped %q, %v", n, res.RunID, err)
		}
	}
}

// An answered question asks for no worker at its deadline, whether it was asked with one or
// was given it by Postpone.
func TestAnsweredQuestionsAreNotReady(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1, Timeout: patience})
	ctx, at := context.Background(), s.conn.Keys.Thread(testKey)
	for i, deadline := range []int64{0, farAhead} {
		b := inline(view(t, s, store.ReadQuery{}).Version, fmt.Sprint("asks", i))
		c := begin(t, s, b)
		commit(t, s, store.Batch{Claim: c, Number: 2, Expect: view(t, s, store.ReadQuery{}).Seq, Events: [][]byte{delta},
			End: &store.End{Kind: store.EndSuspend, Suspension: []byte("{}"), Interrupts: []string{"int"}, Deadline: deadline}})
		if deadline == 0 {
			if is, err := s.Postpone(ctx, testKey, "int", unixTime(strconv.Itoa(farAhead))); err != nil || !is {
				t.Fatal(is, err)
			}
		}
		if n := s.conn.Client.ZCard(ctx, at.Part.Ready).Val(); n != 1 {
			t.Errorf("deadline %d: %d threads are ready when it has passed", deadline, n)
		}
		c = begin(t, s, answering(view(t, s, store.ReadQuery{}).Version, fmt.Sprint("answers", i), b.Execution))
		if n := s.conn.Client.ZCard(ctx, at.Part.Ready).Val(); n != 0 {
			t.Errorf("deadline %d: %d threads are ready once it is answered", deadline, n)
		}
		commit(t, s, store.Batch{Claim: c, Number: 2, Expect: view(t, s, store.ReadQuery{}).Seq, Events: [][]byte{delta}, End: &store.End{Kind: store.EndFinish}})
	}
}
