package adapter_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// What an attach reads of a long thread: a window and a few missed events no more than of a
// short one, and the whole only where nobody on the node holds it. Guarded by the bytes
// that Redis answers.
func TestAnAttachReadsWhatIsAskedFor(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	agent := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error { return run.Say("hm") })
	costs := map[string]int{}
	for _, size := range []int{200, 10_000} {
		server := redistest.Start(t, redistest.Options{})
		open := func() store.Store {
			s, err := redisstore.Open(context.Background(), server.URL(), &redisstore.Options{Timeout: patience})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		}
		l := &lab{t: t, store: open(), key: store.ThreadKey{Namespace: "test", Thread: "thread"}}
		quiet := func(o *runner.Options) { o.MaxThreadBytes, o.Sweep = -1, time.Hour }
		l.start(agent, quiet)
		l.follow(nil)
		for from := 0; from < size; from += 2500 {
			var history protocol.Messages
			for i := from; i < min(size, from+2500); i++ {
				history = append(history, protocol.Message{ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), Role: protocol.RoleUser, Content: protocol.Text(strings.Repeat("word ", 80))})
			}
			l.begins(&protocol.RunAgentInput{Messages: history})
			succeeded(t, l.untilEnd())
		}
		for i := range 4 {
			succeeded(t, l.say(fmt.Sprint("more ", i)))
		}
		l.idle() // and the node holds what the turns have added
		end := l.cursor.Position()
		other := &lab{t: t, store: open(), key: l.key} // a node that has not met the thread
		other.start(agent, quiet)
		attach := func(on *lab, window int, after *store.Position) (a *follow.Attached, events, read int) {
			t.Helper()
			cursor := on.runner.Follow(l.key, func() {})
			defer cursor.Close()
			cursor.Window(window)
			_, before := traffic(t, server)
			a, err := cursor.Attach(l.ctx(), after)
			if err != nil {
				t.Fatal(err)
			}
			for at := a.Position.Seq; at < end.Seq; {
				page, err := cursor.Next(l.ctx())
				if err != nil || page.Restated != nil {
					t.Fatalf("%+v %v", page.Restated, err)
				}
				at, events = at+int64(len(page.Events)), events+len(page.Events)
			}
			_, now := traffic(t, server)
			return a, events, now - before
		}
		// What a node does when it begins falls into some of them.
		least := func(window int, after *store.Position) (a *follow.Attached, events, read int) {
			t.Helper()
			for i := range 5 {
				if got, n, bytes := attach(other, window, after); i == 0 || bytes < read {
					a, events, read = got, n, bytes
				}
			}
			return a, events, read
		}
		costs[fmt.Sprint("window ", size)] = func() int {
			a, _, read := least(20, nil)
			if n := bytes.Count(a.Restatement[2], []byte(`"role":`)); len(a.Restatement) != 4 || n != 20 || int(a.Older) < size-20 || a.Before == "" {
				t.Errorf("%d events, %d messages, %d older, place %q", len(a.Restatement), n, a.Older, a.Before)
			}
			return read
		}()
		costs[fmt.Sprint("missed ", size)] = func() int {
			a, events, read := least(0, &store.Position{Epoch: end.Epoch, Seq: end.Seq - 20})
			if !a.Recovered || a.Restatement != nil || events != 20 {
				t.Errorf("recovered %t, %d events, restated %d", a.Recovered, events, len(a.Restatement))
			}
			return read
		}()
		first, _, cold := attach(other, 0, nil)
		again, _, warm := attach(other, 0, nil)
		own, _, used := attach(l, 0, nil)
		for i := range first.Restatement {
			if !bytes.Equal(first.Restatement[i], again.Restatement[i]) || !bytes.Equal(first.Restatement[i], own.Restatement[i]) {
				t.Errorf("event %d of the restatement is not the same where the thread is held", i)
			}
		}
		t.Logf("%d messages: cold %d bytes, held by a reader %d, by who carried the run %d, window %d, 20 events behind %d",
			size, cold, warm, used, costs[fmt.Sprint("window ", size)], costs[fmt.Sprint("missed ", size)])
		if size > 1000 && (cold < 300_000 || warm > 32_000 || used > 32_000) {
			t.Errorf("reading it takes %d bytes, %d where another has read it and %d where it is in use", cold, warm, used)
		}
	}
	for _, what := range []string{"window ", "missed "} {
		if few, many := costs[what+"200"], costs[what+"10000"]; many > few+few/5+500 {
			t.Errorf("%s: %d bytes of 200 messages, %d of 10,000", what, few, many)
		}
	}
}
