package adapter_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// crowd is an agent whose runs go on until each is let go, and that knows how many
// there are.
type crowd struct {
	began chan string // threads
	leave chan struct{}

	mu          sync.Mutex
	now, widest int
}

func newCrowd() *crowd { return &crowd{began: make(chan string, 100), leave: make(chan struct{})} }

// Run asks first when it is told to.
func (c *crowd) Run(ctx context.Context, run *adapter.Run) error {
	c.mu.Lock()
	c.now++
	c.widest = max(c.widest, c.now)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now--
	}()
	m := run.Input().Messages
	if m[len(m)-1].Content.String() == "ask" {
		if _, err := run.Ask(ctx, confirmation("go?")); err != nil {
			return err
		}
	}
	c.began <- run.ThreadID()
	select {
	case <-c.leave:
	case <-ctx.Done():
		return ctx.Err()
	}
	return run.Say("done")
}

func (c *crowd) end() { c.leave <- struct{}{} }

// full is a lab with one place, that sweeps no more.
func full(t *testing.T, c *crowd, configure ...func(*runner.Options)) *lab {
	t.Helper()
	return newLab(t, c, append(configure, func(o *runner.Options) { o.MaxRuns, o.Sweep = 1, time.Hour })...)
}

// idle waits until no place is taken: that is a little after a run's end is logged.
func (l *lab) idle() {
	l.t.Helper()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	ctx := l.ctx()
	for l.runner.Load().Runs > 0 {
		select {
		case <-poll.C:
		case <-ctx.Done():
			l.t.Fatal("the place is not given back")
		}
	}
}

// fill takes the place.
func (l *lab) fill(c *crowd) *lab {
	l.t.Helper()
	l.idle()
	other := l.on("other")
	other.begins(user("hold"))
	await(l, c.began)
	if load := l.runner.Load(); load.Runs != 1 || load.MaxRuns != 1 {
		l.t.Fatalf("%+v", load)
	}
	return other
}

// Inputs beyond the bound wait, and each place that is freed is taken at once.
func TestRunsAtOnceAreBounded(t *testing.T) {
	const runs, places = 20, 3
	c := newCrowd()
	l := newLab(t, c, func(o *runner.Options) { o.MaxRuns, o.Sweep = places, time.Hour })
	var labs []*lab
	for i := range runs {
		other := l.on(fmt.Sprint("thread-", i))
		labs = append(labs, other)
		want := admission.Started
		if i >= places {
			want = admission.Queued
		}
		if a := other.submit(user("hi")); a.Disposition != want {
			t.Fatalf("run %d: %s %+v", i, a.Disposition, a.Refusal)
		}
		if i < places {
			await(l, c.began)
		}
	}
	for i := range runs {
		if i >= places {
			await(l, c.began)
		}
		c.end()
	}
	for _, other := range labs {
		succeeded(t, other.untilEnd())
	}
	if c.widest > places {
		t.Errorf("%d runs at once", c.widest)
	}
}

// A continuation beyond the bound waits for a place too.
func TestAnAnswerWaitsForAPlace(t *testing.T) {
	c := newCrowd()
	l := full(t, c)
	open := interrupts(t, l.say("ask"))
	other := l.fill(c)
	a := l.begins(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1")}})
	if len(c.began) > 0 {
		t.Error("it goes on although there is no place")
	}
	c.end()
	succeeded(t, other.untilEnd())
	if thread := await(l, c.began); thread != l.key.Thread {
		t.Errorf("%s goes on", thread)
	}
	c.end()
	succeeded(t, l.untilEnd())
	l.wellFormed()
	if c.widest > 1 {
		t.Errorf("%d runs at once", c.widest)
	}
	if d, err := l.runner.FindRun(l.ctx(), l.key, a.RunID); err != nil || d.Attempts != 1 {
		t.Errorf("%+v %v", d, err)
	}
}

// A node that has a place takes what waits at one that has none.
func TestAnotherNodeHasAPlace(t *testing.T) {
	for name, waits := range map[string]func(l *lab, c *crowd) *protocol.RunAgentInput{
		"an input": func(*lab, *crowd) *protocol.RunAgentInput { return user("hi") },
		"an answer": func(l *lab, c *crowd) *protocol.RunAgentInput {
			open := interrupts(l.t, l.say("ask"))
			return &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1")}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrowd()
			l := full(t, c)
			in := waits(l, c)
			l.fill(c)
			l.submit(in)
			elsewhere := newCrowd()
			l.worker(l.store, elsewhere)
			await(l, elsewhere.began)
			elsewhere.end()
			succeeded(t, l.untilEnd())
			c.end()
		})
	}
}

// What cannot wait is refused and changes nothing.
func TestWhatCannotWaitForAPlaceIsRefused(t *testing.T) {
	busy := func(t *testing.T, a admission.Admitted) {
		t.Helper()
		if a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodeThreadBusy || details(t, a.Refusal)["retryAfterMs"] == nil {
			t.Errorf("%s %+v", a.Disposition, a.Refusal)
		}
	}
	c := newCrowd()
	l := full(t, c)
	steers := l.on("steers")
	open := interrupts(t, steers.say("ask"))
	l.idle()
	rewinds := l.on("rewinds")
	rewinds.begins(user("one"))
	await(l, c.began)
	c.end()
	succeeded(t, rewinds.untilEnd())
	other := l.fill(c)
	away := user("two")
	away.Resume = []protocol.ResumeEntry{cancelled(open[0].ID)}
	busy(t, steers.submit(away))
	back := user("one")
	back.RunID, back.Messages = "again", append(back.Messages, user("other").Messages...)
	busy(t, rewinds.submit(back))
	a, err := l.runner.Requeue(l.ctx(), l.key, "letter")
	if err != nil {
		t.Fatal(err)
	}
	busy(t, a)
	c.end()
	succeeded(t, other.untilEnd())
	if at, err := steers.cursor.Attach(l.ctx(), nil); err != nil || len(at.Interrupts) != 1 {
		t.Errorf("%d interrupts are open: %v", len(at.Interrupts), err)
	}
}

// Making room on a thread, the end of the process and goroutines that wait in
// Ask need no place that they would have to wait for.
func TestNothingWaitsForItsOwnPlace(t *testing.T) {
	t.Run("supersede", func(t *testing.T) {
		c := newCrowd()
		l := full(t, c, func(o *runner.Options) { o.Busy = runner.BusySupersede })
		l.submit(user("one"))
		await(l, c.began)
		l.submit(user("two"))
		await(l, c.began)
		c.end()
		l.untilEnd()
		succeeded(t, l.untilEnd())
	})
	t.Run("shutdown", func(t *testing.T) {
		c := newCrowd()
		l := full(t, c)
		l.fill(c)
		for i := range 5 {
			l.on(fmt.Sprint("thread-", i)).submit(user("hi"))
		}
		down := make(chan error, 1)
		go func() { down <- l.runner.Shutdown(l.ctx()) }()
		c.end()
		if err := await(l, down); err != nil {
			t.Error(err)
		}
		if len(c.began) > 0 {
			t.Error("a run began in the midst of it")
		}
	})
	t.Run("blocking", func(t *testing.T) {
		c := newCrowd()
		l := full(t, c, func(o *runner.Options) { o.Mode = runner.ModeBlocking })
		open := interrupts(t, l.say("ask"))
		other := l.fill(c)
		l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1")}})
		await(l, c.began)
		c.end()
		c.end()
		succeeded(t, l.untilEnd())
		succeeded(t, other.untilEnd())
	})
}
