package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// foundRuns are all pages of a query.
func (l *lab) foundRuns(q operate.RunQuery) (all []operate.RunInfo) {
	l.t.Helper()
	q.Namespace = l.key.Namespace
	for {
		runs, next, err := l.runner.FindRuns(l.ctx(), q)
		if err != nil {
			l.t.Fatal(err)
		}
		if all, q.Cursor = append(all, runs...), next; next == "" {
			return all
		}
	}
}

// stepsOf are a run's steps, in short.
func stepsOf(r operate.RunInfo) string {
	var list []string
	for _, s := range r.Summary.Steps {
		list = append(list, fmt.Sprintf("%s %d/%d", s.Name, s.Count, s.Failed))
	}
	return strings.Join(list, ", ")
}

// A run record says why its run came to be, what it came from, which steps it ran itself and
// what its agent has used.
func TestRunRecord(t *testing.T) {
	ten := int64(10)
	nothing := func(context.Context) (int, error) { return 0, nil }
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for range 2 {
			if _, err := adapter.Step(ctx, run, "look", nothing); err != nil {
				return err
			}
		}
		if last := run.Input().Messages; last[len(last)-1].Content.String() != "ask" {
			return nil
		}
		if _, err := run.Confirm(ctx, "Go on?"); err != nil {
			return err
		}
		if _, err := adapter.Step(ctx, run, "write", func(context.Context) (int, error) { return 0, errors.New("no") }); err == nil {
			t.Error("a step that fails returns no error")
		}
		if err := run.Say("It is done."); err != nil {
			return err
		}
		return run.Usage(protocol.TokenUsage{Model: "m", InputTokens: &ten})
	}))
	before := time.Now().Add(-time.Minute)
	asks := l.say("ask")
	if waits := l.foundRuns(operate.RunQuery{Thread: l.key.Thread}); len(waits) != 1 || !waits[0].Waits || waits[0].Result != operate.ResultInterrupt {
		t.Errorf("it waits as %+v", waits)
	}
	open, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil || open.OpenRun == "" || open.OpenRun != open.Latest || open.Active != "" {
		t.Fatalf("%+v %v", open, err)
	}
	l.answer(resolved(interrupts(t, asks)[0].ID, `{"approved":true}`))
	l.begins(&protocol.RunAgentInput{RunID: "child", ParentRunID: "run-1", Messages: protocol.Messages{{ID: "c", Role: protocol.RoleUser, Content: protocol.Text("x")}}})
	l.untilEnd()
	if a, err := l.runner.Inject(l.ctx(), operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Text: "x", Label: "injected", From: store.Origin{Through: store.ThroughOperator}}); err != nil || a.Disposition != admission.Started {
		t.Fatalf("%+v %v", a, err)
	}
	l.untilEnd()
	runs := l.foundRuns(operate.RunQuery{Thread: l.key.Thread})
	slices.Reverse(runs)
	if len(runs) != 4 {
		t.Fatalf("%+v", runs)
	}
	for i, want := range []struct {
		origin        store.RunOrigin
		parent, steps string
		result        operate.RunResult
		text          string
	}{
		{store.OriginUser, "", "look 2/0", operate.ResultInterrupt, ""}, {store.OriginResume, "", "write 1/1", operate.ResultSuccess, "It is done."},
		{store.OriginUser, "run-1", "look 2/0", operate.ResultSuccess, ""}, {store.OriginOperator, "", "look 2/0", operate.ResultSuccess, ""},
	} {
		r := runs[i]
		if r.Result != want.result || r.Waits || (r.ContinuedAs == runs[1].ID) != (i == 0) {
			t.Errorf("run %d came to %q, waits %t, and %q went on with it", i, r.Result, r.Waits, r.ContinuedAs)
		}
		if did := r.Summary; did.Text != want.text || (did.Wrote == 1) != (want.text != "") || (did.Last != "") != (want.text != "") {
			t.Errorf("run %d has written %+v, not %q", i, did, want.text)
		}
		if r.Origin != want.origin || r.ParentRunID != want.parent || stepsOf(r) != want.steps {
			t.Errorf("run %d is of %q, from %q, with steps %s; want %+v", i, r.Origin, r.ParentRunID, stepsOf(r), want)
		}
		for _, s := range r.Summary.Steps {
			if s.First < before.UnixMilli() || s.Last < s.First {
				t.Errorf("step %s is from %d to %d", s.Name, s.First, s.Last)
			}
		}
		if used := len(r.Usage) == 1 && r.Usage[0].Model == "m" && *r.Usage[0].InputTokens == 10; used != (i == 1) {
			t.Errorf("run %d has used %+v", i, r.Usage)
		}
	}
	rest, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil || rest.OpenRun != "" || rest.Latest != runs[3].ID {
		t.Errorf("at rest %+v %v", rest, err)
	}
}

// An expiry is nobody's input, and says so in the record of the run that it begins.
func TestRunRecordOfExpiry(t *testing.T) {
	l := newLab(t, expiring(adapter.ExpiryCancel))
	interrupts(t, l.say("hi"))
	l.untilEnd()
	if runs := l.foundRuns(operate.RunQuery{Thread: l.key.Thread, Origin: store.OriginExpiry}); len(runs) != 1 || !strings.HasPrefix(runs[0].Label, "expired-") {
		t.Errorf("%+v", runs)
	}
	if runs := l.foundRuns(operate.RunQuery{Thread: l.key.Thread, Result: operate.ResultInterrupt}); len(runs) != 1 || runs[0].Answered != store.DecisionExpired {
		t.Errorf("what asked is %+v", runs)
	}
}

// A run record keeps what its run was asked, in few bytes, and whose it was.
func TestRunRecordOfAsked(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }))
	long := strings.Repeat("é ", 200)
	for _, text := range []string{"Book a **table** for two. Not too late.", long, `{"only":"JSON"}`} {
		l.as("acme/ann", user(text))
		l.untilEnd()
	}
	runs := l.foundRuns(operate.RunQuery{Thread: l.key.Thread})
	if asked := runs[2].Asked; asked != "Book a table for two" || runs[2].User != "acme/ann" {
		t.Errorf("asked %q by %q", asked, runs[2].User)
	}
	if asked := runs[1].Asked; len(asked) > 120 || !strings.HasPrefix(asked, "é é é") {
		t.Errorf("%d bytes: %q", len(asked), asked)
	}
	if asked := runs[0].Asked; asked != "" {
		t.Errorf("%q", asked)
	}
}

// A run that was stopped names who had it stopped; one that gave way to another names that, too.
func TestRunRecordOfStops(t *testing.T) {
	agent, gate := gated()
	defer close(gate)
	l := newLab(t, agent, func(o *runner.Options) { o.Busy = runner.BusySupersede })
	l.as("acme/ann", user("one"))
	l.as("acme/bob", user("two"))
	last := l.theRun(store.DispatchClaimed)
	if _, err := l.runner.CancelRun(l.ctx(), l.key, last.ID, "enough", admission.Actor{User: "acme/cy"}); err != nil {
		t.Fatal(err)
	}
	stopped := l.foundRuns(operate.RunQuery{Thread: l.key.Thread})
	if r := stopped[0]; r.StoppedBy != "acme/cy" || r.ReplacedBy != "" || r.Error != "enough" {
		t.Errorf("stopped: %+v", r)
	}
	if r := stopped[1]; r.StoppedBy != "acme/bob" || r.ReplacedBy != last.ID {
		t.Errorf("replaced: %+v", r)
	}
	l.as("acme/ann", user("three"))
	if _, err := l.runner.Cancel(l.ctx(), l.key, "run-3", admission.Actor{User: "acme/ann"}); err != nil {
		t.Fatal(err)
	}
	if r := l.foundRuns(operate.RunQuery{Thread: l.key.Thread})[0]; r.StoppedBy != "acme/ann" {
		t.Errorf("stopped by its client: %+v", r)
	}
}

// A step's record has how long the step took.
func TestRunRecordOfTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			for range 2 {
				if _, err := adapter.Step(ctx, run, "look", func(context.Context) (int, error) {
					time.Sleep(700 * time.Millisecond)
					return 0, nil
				}); err != nil {
					return err
				}
			}
			return nil
		}))
		l.say("hi")
		if r := l.theRun(store.DispatchAcked); len(r.Summary.Steps) != 1 || r.Summary.Steps[0].Took != 1400 {
			t.Errorf("%+v", r.Summary)
		}
	})
}

// What a worker had recorded that was lost is counted; nobody knows when it was.
func TestRunRecordAfterTakeover(t *testing.T) {
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for _, name := range []string{"one", "two", "two"} {
			if _, err := adapter.StepWith(ctx, run, name, adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 0, nil }); err != nil {
				return err
			}
			if err := run.Say(name); err != nil {
				return err
			}
		}
		return nil
	})
	l := newLab(t, agent)
	l.lose(agent, 1)
	l.untilEnd()
	r := l.theRun(store.DispatchAcked)
	if stepsOf(r) != "one 1/0, two 2/0" || r.Summary.Steps[0].First != 0 || r.Summary.Steps[1].Last == 0 {
		t.Errorf("%+v", r.Summary)
	}
}

// However many steps a run has under however many names, its record stays small.
func TestRunRecordIsBounded(t *testing.T) {
	const each = 40
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for i := range each {
			if _, err := adapter.StepWith(ctx, run, fmt.Sprintf("%s%03d#x", strings.Repeat("é", 200), i), adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 0, nil }); err != nil {
				return err
			}
		}
		return nil
	}))
	l.say("hi")
	r := l.theRun(store.DispatchAcked)
	sum := r.Summary.More
	for _, s := range r.Summary.Steps {
		sum += s.Count
	}
	if len(r.Dispatch.Summary) > 3<<10 || len(r.Summary.Steps) > 16 || sum != each {
		t.Errorf("%d bytes, %d of %d steps: %+v", len(r.Dispatch.Summary), sum, each, r.Summary)
	}
}

// Runs are found by what is known of them, over the threads of a namespace too; a cursor goes
// on where its page ended, though runs begin meanwhile, and with its own query alone.
func TestFindRuns(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }))
	for range 5 {
		l.say("hi")
		l.forward(time.Millisecond)
	}
	other := l.on("other")
	other.say("hi")
	ids := func(runs []operate.RunInfo) (list []string) {
		for _, r := range runs {
			list = append(list, r.ID)
		}
		return list
	}
	all := ids(l.foundRuns(operate.RunQuery{Thread: l.key.Thread}))
	if len(all) != 5 {
		t.Fatalf("%q", all)
	}
	if got := ids(l.foundRuns(operate.RunQuery{Limit: 2})); len(got) != 6 || !slices.Equal(got[1:], all) {
		t.Errorf("of both threads %q, of one %q", got, all)
	}
	for name, q := range map[string]operate.RunQuery{
		"prefix": {IDPrefix: all[3][:13]}, "label": {Label: "run-2", Thread: l.key.Thread},
		"combined": {Label: "run-2", IDPrefix: all[3], States: []store.DispatchState{store.DispatchAcked}, Origin: store.OriginUser, Result: operate.ResultSuccess, Thread: l.key.Thread},
	} {
		q.Limit = 1
		if got := ids(l.foundRuns(q)); !slices.Equal(got, all[3:4]) {
			t.Errorf("%s: %q, want %q", name, got, all[3:4])
		}
	}
	for name, q := range map[string]operate.RunQuery{
		"state": {States: []store.DispatchState{store.DispatchDeadLetter}}, "origin": {Origin: store.OriginExpiry}, "result": {Result: operate.ResultError}, "agent": {Agent: "nobody"},
		"parent": {Parent: "x"}, "metacharacters": {IDPrefix: "*"}, "combined": {Label: "run-2", IDPrefix: all[0], Thread: l.key.Thread}, "thread": {Thread: "nobody"},
	} {
		if got := ids(l.foundRuns(q)); len(got) != 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
	q := operate.RunQuery{Namespace: l.key.Namespace, Thread: l.key.Thread, Limit: 2}
	first, next, err := l.runner.FindRuns(l.ctx(), q)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		l.say("hi")
	}
	q.Cursor = next
	second, _, err := l.runner.FindRuns(l.ctx(), q)
	if got := append(ids(first), ids(second)...); err != nil || !slices.Equal(got, all[:4]) {
		t.Errorf("%q %v, want %q", got, err, all[:4])
	}
	for name, q := range map[string]operate.RunQuery{
		"another query": {Namespace: q.Namespace, Thread: q.Thread, Origin: store.OriginUser, Cursor: next}, "no cursor": {Namespace: q.Namespace, Cursor: "?"},
		"another thread": {Namespace: q.Namespace, Thread: "other", Cursor: next},
	} {
		if _, _, err := l.runner.FindRuns(l.ctx(), q); !errors.Is(err, store.ErrBadCursor) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Runs of several threads come by when they began, over pages too, and are found by time and by
// the title of their threads. A long thread is read on from where its page ended.
func TestFindRunsLatest(t *testing.T) {
	reads := &countedReads{}
	l := newLabOn(t, func(s store.Store) store.Store {
		reads.Store = s
		return reads
	}, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }))
	other, third := l.on("other"), l.on("third")
	var began []time.Time
	say := func(l *lab) {
		l.say("hi")
		l.forward(time.Millisecond)
		runs := l.foundRuns(operate.RunQuery{Thread: l.key.Thread, Limit: 1})
		began = append(began, runs[0].Created)
	}
	for _, on := range []*lab{other, l, third, other, l, other} {
		say(on)
	}
	if _, err := l.runner.SetTitle(l.ctx(), other.key, "Trip to Berlin"); err != nil {
		t.Fatal(err)
	}
	for range 110 {
		l.say("hi")
		l.forward(time.Millisecond)
	}
	for _, limit := range []int{1, 7, 200} {
		all := l.foundRuns(operate.RunQuery{Limit: limit})
		if len(all) != 116 || !slices.IsSortedFunc(all, func(a, b operate.RunInfo) int { return b.Created.Compare(a.Created) }) {
			t.Errorf("%d runs in pages of %d", len(all), limit)
		}
		ids := map[string]bool{}
		for _, r := range all {
			ids[r.ID] = true
		}
		if len(ids) != len(all) {
			t.Errorf("%d different runs", len(ids))
		}
	}
	for name, of := range map[string]struct {
		q    operate.RunQuery
		want []time.Time
	}{
		"from and to": {operate.RunQuery{From: began[1], To: began[4]}, began[1:4]},
		"title":       {operate.RunQuery{Title: "BERLIN"}, []time.Time{began[0], began[3], began[5]}},
		"both":        {operate.RunQuery{Title: "berlin", To: began[5], Limit: 1}, []time.Time{began[0], began[3]}},
		"none":        {operate.RunQuery{Title: "Rome"}, nil},
	} {
		var got []time.Time
		for _, r := range l.foundRuns(of.q) {
			got = append(got, r.Created)
		}
		slices.Reverse(got)
		if !slices.EqualFunc(got, of.want, time.Time.Equal) {
			t.Errorf("%s: %v, want %v", name, got, of.want)
		}
	}
	if runs := l.foundRuns(operate.RunQuery{Title: "berlin"}); len(runs) != 3 || runs[0].Title != "Trip to Berlin" {
		t.Errorf("%+v", runs)
	}
	reads.n.Store(0)
	if _, _, err := l.runner.FindRuns(l.ctx(), operate.RunQuery{Namespace: l.key.Namespace, Limit: 7}); err != nil || reads.n.Load() != 1 {
		t.Errorf("a page of one busy thread reads threads %d times: %v", reads.n.Load(), err)
	}
}

// A run that begins while a page is read moves others into what is read next. The page has each of
// them once.
func TestFindRunsWhileOneBegins(t *testing.T) {
	reads := &countedReads{}
	l := newLabOn(t, func(s store.Store) store.Store {
		reads.Store = s
		return reads
	}, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }))
	for range 110 {
		l.say("hi")
		l.forward(time.Millisecond)
	}
	reads.n.Store(0)
	reads.before = func(n int64) {
		if n == 2 {
			l.say("meanwhile")
		}
	}
	runs, _, err := l.runner.FindRuns(l.ctx(), operate.RunQuery{Namespace: l.key.Namespace, Limit: 200})
	ids := map[string]bool{}
	for _, r := range runs {
		ids[r.ID] = true
	}
	if err != nil || reads.n.Load() < 2 || len(ids) != 110 || len(runs) != 110 {
		t.Errorf("%d runs, %d different, in %d reads: %v", len(runs), len(ids), reads.n.Load(), err)
	}
}

// countedReads counts how often the runs of a thread are read.
type countedReads struct {
	store.Store
	n      atomic.Int64
	before func(n int64) // each read; nil: nothing
}

func (c *countedReads) Dispatches(ctx context.Context, key store.ThreadKey, q store.DispatchQuery) ([]store.Dispatch, error) {
	if n := c.n.Add(1); c.before != nil {
		c.before(n)
	}
	return c.Store.Dispatches(ctx, key, q)
}

// A run record says whose run an answer continues, and which message is answered
// anew.
func TestRunRecordOfOthers(t *testing.T) {
	l := newLab(t, clerk(), separate)
	said := user("pay")
	l.as(ann, said)
	open := interrupts(t, l.untilEnd())
	l.as(bob, &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, goAhead), resolved(open[1].ID, `1`)}})
	l.untilEnd()
	for range 2 {
		l.runs++
		if a, err := l.runner.Inject(l.ctx(), operate.Injection{Namespace: l.key.Namespace, Tenant: "acme", User: ann, Thread: l.key.Thread,
			Label: fmt.Sprint("run-", l.runs), After: said.Messages[0].ID, StopAll: true}); err != nil || a.Disposition != admission.Started {
			t.Fatalf("%+v %v", a, err)
		}
		open = interrupts(t, l.untilEnd())
		l.as(ann, &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{cancelled(open[0].ID), cancelled(open[1].ID)}})
		l.untilEnd()
	}
	runs := l.foundRuns(operate.RunQuery{Thread: l.key.Thread})
	slices.Reverse(runs)
	var got []string
	for _, r := range runs {
		got = append(got, fmt.Sprintf("%q of %s, begun by %q, anew %q", r.Asked, r.User, r.BegunBy, r.Anew))
	}
	want := []string{
		`"pay" of acme/ann, begun by "", anew ""`, `"" of acme/bob, begun by "acme/ann", anew ""`,
		`"pay" of acme/ann, begun by "", anew "m-pay"`, `"" of acme/ann, begun by "", anew ""`,
		`"pay" of acme/ann, begun by "", anew "m-pay"`, `"" of acme/ann, begun by "", anew ""`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
