package runner_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/web"
)

// A store, a runner and a server are a whole program.
func ExampleNew() {
	store, err := redisstore.Embedded(nil) // or redisstore.Open(ctx, "redis://127.0.0.1:6379", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	clerk := func(_ context.Context, run *adapter.Run) error { return run.Say("Hello.") }
	runs, err := runner.New(store, &runner.Options{
		Agents: map[string]adapter.Agent{"clerk": adapter.AgentFunc(clerk)}, Default: "clerk",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer runs.Shutdown(context.Background())
	srv, err := server.New(runs, &server.Options{Fallback: web.Handler()})
	if err != nil {
		log.Fatal(err)
	}
	site := httptest.NewServer(srv.Handler()) // or srv.Listen and srv.Serve
	defer site.Close()

	ready, err := http.Get(site.URL + "/readyz")
	if err != nil {
		log.Fatal(err)
	}
	defer ready.Body.Close()
	fmt.Println(ready.StatusCode)

	// Output:
	// 200
}
