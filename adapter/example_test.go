package adapter_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
)

// Clerk drafts a letter and sends it when a human approves.
type Clerk struct {
	write func(ctx context.Context, asked protocol.Messages) (string, error)
	send  func(ctx context.Context, letter string) error
}

func (c *Clerk) Run(ctx context.Context, run *adapter.Run) error {
	asked := run.Input().Messages
	letter, err := adapter.StepWith(ctx, run, "write", adapter.StepOptions{Input: asked}, func(ctx context.Context) (string, error) {
		return c.write(ctx, asked) // runs once; if its worker dies inside, a human is asked
	})
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
	_, err = adapter.StepWith(ctx, run, "send", adapter.StepOptions{Input: letter}, func(ctx context.Context) (bool, error) {
		return true, c.send(ctx, letter)
	})
	if err != nil {
		return err
	}
	return run.Say("Sent.")
}

// An agent behind the server's handler, here asked over HTTP. It runs until it
// needs a human, and goes on when it is answered: on a store that is durable, by
// any other server and as much later as it takes.
func Example() {
	store, err := redisstore.Embedded(nil) // redisstore.Open(ctx, "redis://127.0.0.1:6379", nil) makes suspensions durable
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	clerk := &Clerk{
		write: func(context.Context, protocol.Messages) (string, error) { return "Dear all, …", nil },
		send:  func(_ context.Context, letter string) error { fmt.Println("sending:", letter); return nil },
	}
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": clerk}})
	if err != nil {
		log.Fatal(err)
	}
	defer runs.Shutdown(context.Background())
	srv, err := server.New(runs, nil)
	if err != nil {
		log.Fatal(err)
	}
	site := httptest.NewServer(srv.Handler())
	defer site.Close()

	question := post(site.URL+"/agui", `{"threadId":"t","runId":"r1","messages":[{"id":"m","role":"user","content":"Write to all."}]}`)
	post(site.URL+"/agui", `{"threadId":"t","runId":"r2","messages":[],"resume":[
		{"interruptId":"`+question+`","status":"resolved","payload":{"approved":true}}]}`)

	// Output:
	// asks: Send this? Dear all, …
	// sending: Dear all, …
	// says: Sent.
}

// post sends an input, prints what its run says, and returns the id of what it
// asks, if it does.
func post(url, input string) (question string) {
	resp, err := http.Post(url, "application/json", strings.NewReader(input))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, found := strings.CutPrefix(lines.Text(), "data: ")
		if !found {
			continue
		}
		event, err := protocol.Decode([]byte(data))
		if err != nil {
			log.Fatal(err)
		}
		switch e := event.(type) {
		case *protocol.TextMessageContent:
			fmt.Println("says:", e.Delta)
		case *protocol.RunFinished:
			if e.Outcome == nil {
				break
			}
			for _, i := range e.Outcome.Interrupts {
				fmt.Println("asks:", i.Message)
				question = i.ID
			}
		case *protocol.RunError:
			log.Fatal(e.Message)
		}
	}
	return question
}
