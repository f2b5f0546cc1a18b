// Command approval mounts an agent of one's own behind the WebSocket binding.
//
//	go run ./examples/approval
//
// Open http://127.0.0.1:8081/ and write anything: the agent drafts a reply,
// proposes to send it, and sends it once you approve, with your edits if you
// made any. Reload the page while it waits: the question is still there.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/web"
)

func main() {
	store, err := redisstore.Embedded(nil) // redisstore.Open with a URL makes suspensions durable
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	runner, err := adapter.NewRunner(store, &adapter.Options{
		Agents: map[string]adapter.Agent{"": adapter.AgentFunc(clerk)},
	})
	if err != nil {
		log.Fatal(err)
	}
	srv, err := server.New(runner, &server.Options{Fallback: web.Handler()})
	if err != nil {
		log.Fatal(err)
	}
	log.Print("open http://127.0.0.1:8081/")
	log.Print(http.ListenAndServe("127.0.0.1:8081", srv.Handler()))
}

// clerk drafts a reply and sends it when a human approves.
func clerk(ctx context.Context, run *adapter.Run) error {
	messages := run.Input().Messages
	asked := messages[len(messages)-1].Content.String()
	draft, err := adapter.Step(ctx, run, "draft", func(context.Context) (string, error) {
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
	if outcomes[0].Status != adapter.ToolExecuted {
		return run.Say("I have not sent it.")
	}
	return run.Say("Sent.")
}

// sendMail would hand the mail to a provider, with the key that makes a second
// attempt harmless.
func sendMail(_ context.Context, call adapter.Invocation) (json.RawMessage, error) {
	log.Printf("sending %s (idempotency key %s)", call.Args, call.IdempotencyKey)
	return json.Marshal(map[string]bool{"sent": true})
}
