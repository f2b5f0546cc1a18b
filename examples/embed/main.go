// Command embed is a site of one's own, with users of its own, that has an agent
// under /ai/.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
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
	"github.com/aguiws/aguiws/web"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8084", "address to listen on")
	redis := flag.String("redis", "", "URL of the Redis that keeps the questions; none: they end with the process")
	separate := flag.Bool("separate-duties", false, "users cannot approve what their own messages led to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("open http://%s/", listener.Addr())
	if err := serve(ctx, listener, *redis, *separate); err != nil {
		log.Fatal(err)
	}
}

// Authenticate makes sessions an identity.Authenticator. Each user has threads of
// its own, because each has a namespace. It is asked once a socket, which closes when the
// session ends or its user logs out.
func (s *sessions) Authenticate(_ context.Context, c identity.Credential) (identity.Identity, error) {
	session, known := s.of(c.Request)
	if !known || c.Bearer != "" { // a token decides if there is one, and this site has given none out
		return identity.Identity{}, identity.ErrUnauthenticated
	}
	id := identity.Identity{
		Namespace: identity.OwnNamespace("shop", session.user), Tenant: "shop", User: session.user,
		Expires: session.ends, Revoked: session.left,
	}
	if session.user == "boss" { // may answer for the whole tenant, at /ai/inbox
		id.Scopes = []string{identity.ScopeRead, identity.ScopeRun, identity.ScopeApprover}
	}
	return id, nil
}

// clerk is the agent: it proposes a refund.
func clerk(ctx context.Context, run *adapter.Run) error {
	call := adapter.ToolCall{Name: "refund", Args: json.RawMessage(`{"order":17,"euros":20}`), Do: refund}
	outcomes, err := adapter.CallTools(ctx, run, call)
	if err != nil {
		return err // the run is suspended: nothing of it stays in memory
	}
	return run.Say(fmt.Sprintf("The refund was %s.", outcomes[0].Status))
}

// refund would move the money, with the key that makes a second attempt harmless.
func refund(_ context.Context, call adapter.Invocation) (json.RawMessage, error) {
	log.Printf("refunding %s (idempotency key %s)", call.Args, call.IdempotencyKey)
	return json.RawMessage(`{"refunded":true}`), nil
}

// site is all that the program serves.
func site(agent http.Handler, sessions *sessions) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/ai/", agent)
	mux.HandleFunc("POST /login", sessions.logIn)
	mux.HandleFunc("POST /logout", sessions.logOut)
	mux.HandleFunc("GET /{$}", sessions.home)
	return mux
}

func open(ctx context.Context, redis string) (*redisstore.Store, error) {
	if redis == "" {
		return redisstore.Embedded(nil)
	}
	return redisstore.Open(ctx, redis, &redisstore.Options{Prefix: "shop"})
}

// serve serves the site until ctx has ended.
func serve(ctx context.Context, listener net.Listener, redis string, separate bool) error {
	store, err := open(ctx, redis)
	if err != nil {
		return err
	}
	defer store.Close()
	runs, err := runner.New(store, &runner.Options{
		Agents: map[string]adapter.Agent{"clerk": adapter.AgentFunc(clerk)}, Default: "clerk",
		SeparateDuties: separate,
	})
	if err != nil {
		return err
	}
	sessions := newSessions()
	agent, err := server.New(runs, &server.Options{Auth: sessions, Base: "/ai", Fallback: web.HandlerFor(web.Options{Base: "/ai", Login: "/"})})
	if err != nil {
		return errors.Join(err, runs.Shutdown(context.Background()))
	}
	srv := &http.Server{Handler: site(agent.Handler(), sessions), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(listener) }()
	select {
	case err = <-ended: // the listener is gone
	case <-ctx.Done():
	}
	// A run that no other server takes over has this long to end. The orchestrator waits longer.
	soon, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return errors.Join(err, agent.Shutdown(soon), srv.Shutdown(soon)) // sockets are the agent's to close
}

//go:embed page.html
var page []byte
