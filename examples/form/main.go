// Command form is an agent that asks for data, by a form, and uses what it is
// given.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/web"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8082", "address to listen on")
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

// tripSchema is what the form is drawn from, and what the answer is held to: one
// that does not fit never reaches the agent.
var tripSchema = protocol.Any(`{
	"type": "object",
	"title": "Your trip",
	"properties": {
		"city":      {"type": "string", "title": "City", "enum": ["Lisbon", "Oslo", "Turin"]},
		"nights":    {"type": "integer", "title": "Nights", "minimum": 1, "maximum": 14},
		"breakfast": {"type": "boolean", "title": "Breakfast"}
	},
	"required": ["city", "nights"]
}`)

type trip struct {
	City      string `json:"city"`
	Nights    int    `json:"nights"`
	Breakfast bool   `json:"breakfast"`
}

var nightly = map[string]int{"Lisbon": 110, "Oslo": 190, "Turin": 95}

// clerk books a room.
func clerk(ctx context.Context, run *adapter.Run) error {
	answers, err := run.Ask(ctx, protocol.Interrupt{
		Reason: protocol.ReasonInputRequired, Message: "Where do you want to stay, and how long?", ResponseSchema: tripSchema,
	})
	if err != nil {
		return err // the run is suspended: nothing of it stays in memory
	}
	var t trip
	filledIn, err := answers.Of[0].Decode(&t)
	if err != nil {
		return err
	}
	if !filledIn { // cancelled, or nobody answered in time
		return run.Say("Then I book nothing.")
	}
	euros := t.Nights * nightly[t.City]
	if t.Breakfast {
		euros += t.Nights * 12
	}
	yes, err := run.Confirm(ctx, fmt.Sprintf("%d nights in %s are %d euros. Shall I book them?", t.Nights, t.City, euros))
	if err != nil {
		return err
	}
	if !yes {
		return run.Say("Then I book nothing.")
	}
	return run.Say(fmt.Sprintf("Booked: %s, %d nights, %d euros.", t.City, t.Nights, euros))
}

// serve serves the agent, and the page, until ctx has ended.
func serve(ctx context.Context, listener net.Listener) error {
	store, err := redisstore.Embedded(nil)
	if err != nil {
		return err
	}
	defer store.Close()
	runs, err := runner.New(store, &runner.Options{
		Agents: map[string]adapter.Agent{"": adapter.AgentFunc(clerk)},
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
