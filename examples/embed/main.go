// Command embed is a site of one's own, with users of its own, that has an agent
// under /ai/.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/identity"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8084", "address to listen on")
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

// Authenticate makes a session a identity.Authenticator. Each user has threads of
// its own, because each has a namespace.
func (s *sessions) Authenticate(_ context.Context, c identity.Credential) (identity.Identity, error) {
	user, known := s.user(c.Request)
	if !known {
		return identity.Identity{}, identity.ErrUnauthenticated
	}
	return identity.Identity{Namespace: "shop/user/" + user, Tenant: "shop", User: user}, nil
}

// greeter is the agent.
func greeter(ctx context.Context, run *adapter.Run) error {
	yes, err := run.Confirm(ctx, "Shall I go on?")
	if err != nil {
		return err // the run is suspended: nothing of it stays in memory
	}
	return run.Say(fmt.Sprintf("You said %t.", yes))
}

// site is all that the program serves. What it returns ends the agent's part.
func site(sessions *sessions) (http.Handler, func(context.Context) error, error) {
	store, err := redisstore.Embedded(nil) // redisstore.Open(ctx, url, &redisstore.Options{Prefix: "shop"}) makes suspensions durable
	if err != nil {
		return nil, nil, err
	}
	runs, err := runner.New(store, &runner.Options{
		Agents: map[string]adapter.Agent{"": adapter.AgentFunc(greeter)},
	})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	agent, err := server.New(runs, &server.Options{Auth: sessions})
	if err != nil {
		return nil, nil, errors.Join(err, runs.Shutdown(context.Background()), store.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("/ai/", http.StripPrefix("/ai", agent.Handler()))
	mux.HandleFunc("POST /login", sessions.logIn)
	mux.HandleFunc("GET /{$}", sessions.home)
	return mux, func(ctx context.Context) error { return errors.Join(agent.Shutdown(ctx), store.Close()) }, nil
}

// serve serves the site until ctx has ended.
func serve(ctx context.Context, listener net.Listener) error {
	handler, shutdown, err := site(newSessions())
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		soon, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		ended <- errors.Join(shutdown(soon), srv.Shutdown(soon)) // sockets are the agent's to close
	}()
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

//go:embed page.html
var page []byte
