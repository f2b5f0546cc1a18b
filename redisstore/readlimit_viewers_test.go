package redisstore

import (
	"context"
	"crypto/rand"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// sent is how many bytes a server has sent.
func sent(t *testing.T, server *redistest.Server) int {
	t.Helper()
	info, err := server.Do("INFO", "stats")
	found := regexp.MustCompile(`total_net_output_bytes:(\d+)`).FindStringSubmatch(info)
	if err != nil || found == nil {
		t.Fatal(info, err)
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func many(n int, text func() string) (all []string) {
	for range n {
		all = append(all, text())
	}
	return all
}

// Sixty viewers come to a large thread at once, when the server has stood still for a
// moment, while somebody else's run is in the midst of a step.
func TestManyViewersOfALargeThreadShareWhatIsReadOfIt(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{})
	step, over := make(chan struct{}), make(chan struct{})
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if run.ThreadID() == "other" {
			_, err := adapter.Step(ctx, run, "slow", func(context.Context) (int, error) {
				close(step)
				<-over
				return 1, nil
			})
			return err
		}
		for range 1000 {
			// What is said at random is not compressed.
			if err := run.Say(strings.Join(many(20, rand.Text), "")); err != nil {
				return err
			}
		}
		return nil
	})
	r, err := runner.New(s, &runner.Options{Agents: map[string]adapter.Agent{"": agent}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Shutdown(context.Background()) })
	key := func(thread string) store.ThreadKey { return store.ThreadKey{Namespace: "n", Thread: thread} }
	ended := func(thread string) (state store.DispatchState) {
		list, err := s.Dispatches(context.Background(), key(thread), store.DispatchQuery{})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 && !list[0].Completed.IsZero() {
			state = list[0].State
		}
		return state
	}
	start := func(thread string) {
		in := &protocol.RunAgentInput{ThreadID: thread, RunID: "r", Messages: protocol.Messages{
			{ID: "m", Role: protocol.RoleUser, Content: protocol.Text("go")}}}
		if a, err := r.Submit(context.Background(), admission.Input{Namespace: "n", Run: in}); err != nil || a.Disposition != admission.Started {
			t.Fatal(a, err)
		}
	}
	start("large")
	await(t, "the large thread is there", func() bool { return ended("large") != "" })
	start("other")
	<-step

	before := sent(t, server)
	if _, err := s.Read(context.Background(), key("large"), store.ReadQuery{}); err != nil {
		t.Fatal(err)
	}
	size := sent(t, server) - before
	server.Freeze()
	const viewers = 60
	var come, group sync.WaitGroup
	come.Add(viewers)
	for range viewers {
		group.Go(func() {
			come.Done()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			f := r.Follow(key("large"), func() {})
			defer f.Close()
			a, err := f.Attach(ctx, nil)
			if err != nil {
				t.Error(err)
			} else if len(a.Restatement) != 4 || a.Reason != follow.ReasonNoPosition {
				t.Errorf("%d events, %s", len(a.Restatement), a.Reason)
			}
		})
	}
	come.Wait()
	server.Thaw()
	group.Wait()
	if all := sent(t, server) - before - size; size < link.SmallRead || all > viewers/3*size {
		t.Errorf("%d viewers took %d bytes of a thread of %d", viewers, all, size)
	}
	close(over)
	await(t, "the other run ends", func() bool { return ended("other") != "" })
	d, err := s.Dispatches(context.Background(), key("other"), store.DispatchQuery{})
	if err != nil || d[0].State != store.DispatchAcked || d[0].Attempts != 1 || strings.Contains(string(d[0].Outcome), "interrupt") {
		t.Errorf("the other run: %+v, %v", d, err)
	}
}
