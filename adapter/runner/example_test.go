package runner_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
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

// A job begins a run without a client. Whoever opens the thread later sees its events, and its
// questions are in the tenant's inbox.
func ExampleRunner_Submit() {
	store, err := redisstore.Embedded(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	said := make(chan string, 1)
	report := func(_ context.Context, run *adapter.Run) error {
		asked := run.Input().Messages[0].Content.String()
		said <- "about " + asked
		return run.Say("Here is the report of " + asked + ".")
	}
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": adapter.AgentFunc(report)}})
	if err != nil {
		log.Fatal(err)
	}
	defer runs.Shutdown(context.Background())

	day := "2026-11-30" // the job makes its ids of it, so that a second call is recognised
	for range 2 {
		admitted, err := runs.Submit(context.Background(), admission.Input{
			Namespace: "local", Tenant: "local", // as the users' identity.Identity has them
			User: "job", // whose input it is: nobody may approve what an unknown user asked for
			Run: &protocol.RunAgentInput{
				ThreadID: "report-" + day, RunID: "run-" + day,
				Messages: []protocol.Message{{ID: "ask-" + day, Role: protocol.RoleUser, Content: protocol.Text(day)}},
			},
		})
		if err != nil {
			log.Fatal(err) // the store did not answer: call Submit again with the same input
		}
		if admitted.Refusal != nil {
			log.Fatal(admitted.Refusal.Code, ": ", admitted.Refusal.Message)
		}
		fmt.Println(admitted.Disposition)
	}
	fmt.Println(<-said)

	// Output:
	// started
	// repeat
	// about 2026-11-30
}
