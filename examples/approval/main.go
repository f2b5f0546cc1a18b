// Command approval is an agent that asks before it sends a mail.
package main

import (
	"context"
	"encoding/json"
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
	redis := flag.String("redis", "", "URL of the Redis that keeps the questions; none: they end with the process")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("open http://%s/ (process %d)", listener.Addr(), os.Getpid())
	if err := serve(ctx, listener, *redis); err != nil {
		log.Fatal(err)
	}
}

// serve serves the agent, and the page, until ctx has ended.
func serve(ctx context.Context, listener net.Listener, redis string) error {
	store, err := open(ctx, redis)
	if err != nil {
		return err
	}
	defer store.Close()
	runs, err := runner.New(store, &runner.Options{
		Agents: map[string]adapter.Agent{"clerk": adapter.AgentFunc(clerk)}, Default: "clerk",
	})
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

func open(ctx context.Context, redis string) (*redisstore.Store, error) {
	if redis == "" {
		return redisstore.Embedded(nil)
	}
	return redisstore.Open(ctx, redis, &redisstore.Options{Prefix: "clerk"})
}

// clerk drafts a reply and sends it when a human approves.
func clerk(ctx context.Context, run *adapter.Run) error {
	messages := run.Input().Messages
	if len(messages) == 0 {
		return run.Say("What is the mail to be about?")
	}
	asked := messages[len(messages)-1].Content.String()
	draft, err := adapter.StepWith(ctx, run, "draft", adapter.StepOptions{Input: asked}, func(context.Context) (string, error) {
		return "Dear customer, thank you for: " + strings.TrimSpace(asked), nil // a model would be called here
	})
	if err != nil {
		return err
	}
	args, err := json.Marshal(map[string]string{"to": "customer@example.com", "body": draft})
	if err != nil {
		return err
	}
	outcomes, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: "send_mail", Args: args, Do: sendMail})
	if err != nil {
		return err // the run is suspended: nothing of it stays in memory
	}
	switch outcomes[0].Status {
	case adapter.ToolExecuted:
		return run.Say("Sent.")
	case adapter.ToolFailed: // it may have left, if a crash came between
		return run.Say("I could not make sure that it was sent.")
	}
	return run.Say("I have not sent it.")
}

// sendMail would hand the mail to a provider, with the key that makes a second
// attempt harmless.
func sendMail(_ context.Context, call adapter.Invocation) (json.RawMessage, error) {
	log.Printf("sending %s (idempotency key %s)", call.Args, call.IdempotencyKey)
	return json.Marshal(map[string]bool{"sent": true})
}
