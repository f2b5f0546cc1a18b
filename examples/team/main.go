// Command team is an agent that has two others do the work, one of which asks.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/web"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8081", "address to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("open http://%s/", listener.Addr())
	if err := serve(ctx, listener); err != nil {
		log.Fatal(err)
	}
}

// serve serves the agents, and the page, until ctx has ended.
func serve(ctx context.Context, listener net.Listener) error {
	store, err := redisstore.Embedded(nil) // redisstore.Open(ctx, "redis://127.0.0.1:6379", nil) makes suspensions durable
	if err != nil {
		return err
	}
	defer store.Close()
	runs, err := runner.New(store, &runner.Options{Default: "lead", Agents: map[string]adapter.Agent{
		"lead": adapter.AgentFunc(lead), "researcher": adapter.AgentFunc(researcher), "writer": adapter.AgentFunc(writer),
	}})
	if err != nil {
		return err
	}
	srv, err := server.New(runs, &server.Options{Fallback: web.Handler()})
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		soon, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		ended <- srv.Shutdown(soon)
	}()
	if err := srv.Serve(listener); err != nil {
		return err
	}
	return <-ended
}

// lead has a question researched, and a text written of what was found.
func lead(ctx context.Context, run *adapter.Run) error {
	found, err := run.Call(ctx, "researcher", adapter.CallInput{Text: asked(run)})
	if err != nil {
		return err // the run is suspended: nothing of it stays in memory
	}
	var facts struct{ Facts []string }
	if err := found.Decode(&facts); err != nil {
		return err
	}
	text, err := run.Call(ctx, "writer", adapter.CallInput{Text: strings.Join(facts.Facts, "\n")})
	var failed *adapter.CallError
	switch {
	case errors.As(err, &failed):
		return run.Say("Nothing is published: the writer was " + string(failed.Status) + ".")
	case err != nil:
		return err
	}
	return run.Say(text.Text)
}

// researcher returns facts.
func researcher(ctx context.Context, run *adapter.Run) error {
	facts, err := adapter.Step(ctx, run, "search", func(context.Context) ([]string, error) {
		return []string{"It is about " + asked(run) + ".", "Nobody has written about it."}, nil // a search would be here
	})
	if err != nil {
		return err
	}
	result, err := json.Marshal(map[string][]string{"facts": facts})
	if err != nil {
		return err
	}
	run.Finish(result, nil)
	return run.Say("I have found something.")
}

// writer writes a text, and publishes it when a human approves.
func writer(ctx context.Context, run *adapter.Run) error {
	args, err := json.Marshal(map[string]string{"text": "News. " + strings.ReplaceAll(asked(run), "\n", " ")})
	if err != nil {
		return err
	}
	outcomes, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: "publish", Args: args, Do: publish})
	if err != nil {
		return err
	}
	if outcomes[0].Status != adapter.ToolExecuted {
		return run.Say("It stays a draft.")
	}
	return run.Say("It is published.")
}

func publish(_ context.Context, call adapter.Invocation) (json.RawMessage, error) {
	log.Printf("publishing %s (idempotency key %s)", call.Args, call.IdempotencyKey)
	return json.Marshal(map[string]bool{"published": true})
}

func asked(run *adapter.Run) string {
	messages := run.Input().Messages
	if len(messages) == 0 {
		return ""
	}
	return messages[len(messages)-1].Content.String()
}
