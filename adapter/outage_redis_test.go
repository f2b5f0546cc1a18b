package adapter_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// A Redis that is away for several leases, and comes back as it was or as another
// process with the same data, costs no run anything.
func TestRunsOutliveAnOutageOfRedis(t *testing.T) {
	const runs, lease, away = 10, 400 * time.Millisecond, 1200 * time.Millisecond
	for name, outage := range map[string]func(s *redistest.Server){
		"stands still": func(s *redistest.Server) { s.Freeze(); <-time.After(away); s.Thaw() },
		"dies":         func(s *redistest.Server) { s.Kill(); <-time.After(away); s.Restart() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t, redistest.Options{AOF: "always"})
			st, err := redisstore.Open(context.Background(), server.URL(), &redisstore.Options{Lease: lease})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { st.Close() })
			begun, end := make(chan struct{}, runs), make(chan struct{})
			var done effects
			agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				_, err := adapter.Step(ctx, run, "model", func(ctx context.Context) (int, error) {
					begun <- struct{}{}
					<-end
					done.happen(run.ThreadID())
					return 1, nil
				})
				return err
			})
			l := &lab{t: t, store: st, key: store.ThreadKey{Namespace: "test", Thread: "thread"}}
			l.start(agent, func(o *runner.Options) { o.Lease = lease })
			labs := make([]*lab, runs)
			for i := range labs {
				labs[i] = l.on(fmt.Sprint("thread-", i))
				labs[i].beginOn(l.runner, "hi", "run")
				await(l, begun)
			}
			time.AfterFunc(away/2, func() { close(end) })
			outage(server)
			if err := l.runner.Shutdown(l.ctx()); err != nil { // which waits for the runs
				t.Fatal(err)
			}
			for _, l := range labs {
				run := l.theRun(store.DispatchAcked)
				if done.of(l.key.Thread) != 1 || run.Attempts != 1 || !strings.Contains(string(run.Outcome), `"success"`) {
					t.Errorf("%s: %d workers, the step ran %d times: %s", l.key.Thread, run.Attempts, done.of(l.key.Thread), run.Outcome)
				}
			}
		})
	}
}
