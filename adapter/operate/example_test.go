package operate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
)

// approveAll shows the first page of a tenant's inbox, and approves what is on it.
func approveAll(ctx context.Context, runs *runner.Runner, tenant, user string) error {
	page, _, err := runs.Inbox(ctx, operate.InboxQuery{InboxQuery: store.InboxQuery{Tenant: tenant}})
	if err != nil {
		return err
	}
	for _, thread := range page {
		var answers []protocol.ResumeEntry
		for _, open := range thread.Interrupts {
			var asked protocol.Interrupt
			if err := json.Unmarshal(open.Interrupt, &asked); err != nil {
				return err
			}
			fmt.Printf("%s asks: %s\n", thread.Thread.Thread, asked.Message)
			answers = append(answers, protocol.ResumeEntry{InterruptID: open.ID, Status: protocol.ResumeResolved, Payload: protocol.Any(`{"approved":true}`)})
		}
		answered, err := runs.Answer(ctx, thread.Thread, tenant, user, "approved-"+thread.Label, answers, store.Origin{Through: store.ThroughInbox}, nil)
		if err != nil {
			return err
		}
		if refusal := answered.Admitted.Refusal; refusal != nil {
			return fmt.Errorf("%s: %s", refusal.Code, refusal.Message) // somebody else has answered, for example
		}
	}
	return nil
}

// A page of an inbox, and its answers. Without server.Options.Auth everybody is the user local
// of the tenant local.
func Example() {
	kept, err := redisstore.Embedded(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer kept.Close()
	sent := make(chan struct{})
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		approved, err := run.Confirm(ctx, "Send it?")
		if err != nil || !approved {
			return err
		}
		close(sent)
		return nil
	})
	runs, err := runner.New(kept, &runner.Options{Agents: map[string]adapter.Agent{"": agent}})
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
	resp, err := http.Post(site.URL+"/agui", "application/json", strings.NewReader(`{"threadId":"letter","runId":"r1","messages":[{"id":"m1","role":"user","content":"Write it."}]}`))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil { // until the run asks
		log.Fatal(err)
	}

	if err := approveAll(context.Background(), runs, "local", "local"); err != nil {
		log.Fatal(err)
	}
	<-sent

	// Output:
	// letter asks: Send it?
}
