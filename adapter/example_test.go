package adapter_test

import (
	"context"
	"log"
	"net/http"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
)

// Clerk drafts a letter and sends it when a human approves.
type Clerk struct {
	write func(ctx context.Context) (string, error)
	send  func(ctx context.Context, letter string) error
}

func (c *Clerk) Run(ctx context.Context, run *adapter.Run) error {
	letter, err := adapter.Step(ctx, run, "write", c.write) // runs once, whatever dies
	if err != nil {
		return err
	}
	approved, err := run.Confirm(ctx, "Send this? "+letter)
	if err != nil {
		return err // suspended: nothing of the run stays in memory
	}
	if !approved { // declined, cancelled or expired
		return run.Say("I have not sent it.")
	}
	_, err = adapter.Step(ctx, run, "send", func(ctx context.Context) (bool, error) {
		return true, c.send(ctx, letter)
	}, adapter.Given(letter))
	if err != nil {
		return err
	}
	return run.Say("Sent.")
}

// An agent behind the WebSocket binding.
func Example() {
	store, err := redisstore.Embedded(nil) // redisstore.Open with a URL makes suspensions durable
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	clerk := &Clerk{
		write: func(context.Context) (string, error) { return "Dear customer, …", nil },
		send:  func(_ context.Context, letter string) error { log.Print("sent: ", letter); return nil },
	}
	runner, err := adapter.NewRunner(store, &adapter.Options{Agents: map[string]adapter.Agent{"": clerk}})
	if err != nil {
		log.Fatal(err)
	}
	srv, err := server.New(runner, nil)
	if err != nil {
		log.Fatal(err)
	}
	log.Print(http.ListenAndServe("127.0.0.1:8081", srv.Handler()))
}
