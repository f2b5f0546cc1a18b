package browser

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/web"
)

// pace is how long a step of the stepper takes.
const pace = 100 * time.Millisecond

// stepper serves the page with an agent that goes from step to step for as long
// as it is let, which is what an operator pauses, or types. It returns the
// address.
func stepper(t *testing.T) string {
	t.Helper()
	store, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{
		"": adapter.AgentFunc(unhurried), "part": adapter.AgentFunc(part)}})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(runs, &server.Options{Fallback: web.Handler()})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = srv.Shutdown(ctx) // a failed test may leave a run that never ends
		<-served
	})
	return "http://" + listener.Addr().String()
}

func steps(ctx context.Context, run *adapter.Run) error {
	for n := 1; ; n++ {
		said, err := adapter.Step(ctx, run, "step", func(ctx context.Context) (string, error) {
			select {
			case <-time.After(pace):
				return fmt.Sprintf("Step %d", n), nil
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		})
		if err != nil {
			return err
		}
		if err := run.Say(said); err != nil {
			return err
		}
	}
}
