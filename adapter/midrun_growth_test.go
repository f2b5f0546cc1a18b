package adapter_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

var (
	longRun = flag.Int("longrun", 3, "how many MiB the long run of TestALongRunCostsItsReadersNothing has logged")
	midrun  = flag.Bool("midrun", true, "move the snapshot in the midst of runs")
)

// readsOfARun are the bytes that Redis has sent for each.
type readsOfARun struct{ attach, submit, takeover, cancel float64 }

// What is read of a thread by who attaches, sends an input or takes its run over is
// little, however much the run has logged.
func TestALongRunCostsItsReadersNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	t.Parallel() // it waits for a lease
	long := readsAfter(t, *longRun)
	t.Logf("bytes read of a run that has logged %d MiB: %+v", *longRun, long)
	if !*midrun {
		return
	}
	for what, read := range map[string]float64{"attach": long.attach, "submit": long.submit, "takeover": long.takeover, "cancel": long.cancel} {
		if read > 2<<20 {
			t.Errorf("%s reads %.0f bytes of a run that has logged %d MiB", what, read, *longRun)
		}
	}
}

func readsAfter(t *testing.T, mebibytes int) (read readsOfARun) {
	t.Helper()
	server := redistest.Start(t, redistest.Options{})
	ahead := new(atomic.Int64)
	st, err := redisstore.Open(t.Context(), server.URL(), &redisstore.Options{Lease: leaseInTests, Timeout: patience, Clock: func() time.Time {
		return time.Now().Add(time.Duration(ahead.Load()))
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	var text strings.Builder
	for text.Len() < 1024 {
		text.WriteString(rand.Text())
	}
	value := json.RawMessage(fmt.Sprintf("%q", text.String()))
	said := make(chan struct{}, 2)
	agent := &talker{events: mebibytes << 10, value: value, said: said}
	never := func(o *runner.Options) {
		if !*midrun {
			o.CheckpointBytes = 1 << 50
		}
		o.MaxThreadBytes, o.Sweep = -1, soon
	}
	l := &lab{t: t, store: st, key: store.ThreadKey{Namespace: "test", Thread: "thread"}, ahead: ahead}
	dying := l.cutAfter(st, -1)
	l.beginOn(l.worker(dying, agent, never), "hi", "run-1")
	await(l, said)
	l.polled(func() bool {
		ends, err := st.Tail(l.ctx(), []store.ThreadKey{l.key})
		return err == nil && ends[0].Seq > int64(mebibytes<<10)
	})
	spent := func(do func()) float64 {
		before := counted(t, server).read
		do()
		return counted(t, server).read - before
	}
	l.start(agent, never)
	read.attach = spent(func() { l.follow(nil) })
	read.submit = spent(func() {
		if a := l.submit(user("next")); a.Disposition != admission.Queued {
			t.Errorf("%+v", a)
		}
	})
	agent.quiet.Store(true)
	read.takeover = spent(func() {
		dying.sever()
		l.until(func(e protocol.Event) bool {
			s, ok := e.(*protocol.MessagesSnapshot)
			return ok && s.Metadata != nil
		})
		await(l, said)
	})
	read.cancel = spent(func() {
		if c, err := l.runner.Cancel(l.ctx(), l.key, "run-1", admission.Actor{}); err != nil || !c.Stopped {
			t.Fatalf("%+v %v", c, err)
		}
		l.untilEnd()
	})
	return read
}

// talker tells so many values that nobody keeps, and waits.
type talker struct {
	events int
	value  json.RawMessage
	said   chan struct{}
	quiet  atomic.Bool
}

func (*talker) Restartable() bool { return true }

func (a *talker) Run(ctx context.Context, run *adapter.Run) error {
	for i := range a.events {
		if a.quiet.Load() && i > 0 {
			break
		}
		if err := run.Emit(&protocol.Custom{Name: "progress", Value: a.value}); err != nil {
			return err
		}
	}
	a.said <- struct{}{}
	<-ctx.Done()
	return context.Cause(ctx)
}
