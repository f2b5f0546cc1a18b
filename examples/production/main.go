// Command production is a server that others can reach: TLS, users with tokens, a second
// person who approves, webhooks, probes.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/webhook"
	"github.com/aguiws/aguiws/web"
)

func main() {
	addr := flag.String("addr", ":8443", "address for users")
	operator := flag.String("probes", "127.0.0.1:9090", "address that the operator alone reaches")
	redis := flag.String("redis", "redis://127.0.0.1:6379", "URL of the Redis")
	issuer := flag.String("issuer", "https://id.example.com", "issuer of the users' tokens")
	keys := flag.String("keys", "https://id.example.com/keys", "URL of the issuer's key set")
	cert := flag.String("cert", "cert.pem", "file with the certificate")
	key := flag.String("key", "key.pem", "file with its key")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	pair, err := tls.LoadX509KeyPair(*cert, *key)
	if err != nil {
		log.Fatal(err)
	}
	auth, err := identity.NewJWT(identity.JWTOptions{Issuer: *issuer, KeySet: *keys, Audience: "aguiws"})
	if err != nil {
		log.Fatal(err)
	}
	public, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	private, err := net.Listen("tcp", *operator)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("users come to %s, and the operator to %s", public.Addr(), private.Addr())
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	if err := production(ctx, *redis, os.Getenv("WEBHOOK_SECRET"), auth, adapter.AgentFunc(refunds), public, private, config); err != nil {
		log.Fatal(err)
	}
}

// production serves others until ctx has ended.
func production(ctx context.Context, redis, secret string, auth identity.Authenticator, clerk adapter.Agent, public, private net.Listener, config *tls.Config) error {
	st, err := redisstore.Open(ctx, redis, &redisstore.Options{Prefix: "clerk", Strict: true})
	if err != nil {
		return err
	}
	defer st.Close()
	runs, err := runner.New(st, &runner.Options{
		Agents: map[string]adapter.Agent{"clerk": clerk}, Default: "clerk",
		SeparateDuties: true, // nobody approves what their own messages led to: you need an approver (below)
	})
	if err != nil {
		return err
	}
	hooks, err := telling(st, secret) // see "Telling the approver"
	if err != nil {
		return errors.Join(err, runs.Shutdown(context.Background()))
	}
	srv, err := server.New(runs, &server.Options{
		Auth:           auth,
		Hosts:          []string{"chat.example.com"},
		Origins:        []string{"https://chat.example.com"},                 // needed if a proxy ends TLS
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.5/32")}, // their X-Forwarded-For counts
		Store:          st,                                                   // for /ops
		Ready:          st.Ready,                                             // for /readyz
		Webhooks:       hooks,
		Fallback:       web.Handler(),
	})
	if err != nil {
		return errors.Join(err, runs.Shutdown(context.Background()), hooks.Shutdown(context.Background()))
	}
	probes := server.Aside(srv.Probes(), nil) // /healthz, /readyz and /metrics
	ended := make(chan error, 2)
	go func() { ended <- probes.Serve(private) }() // nobody but the operator reaches it
	go func() { ended <- srv.Serve(tls.NewListener(public, config)) }()
	select {
	case err = <-ended: // a listener is gone
	case <-ctx.Done():
	}
	// A run that no other server takes over has this long to end. The orchestrator waits longer.
	soon, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return errors.Join(err, srv.Shutdown(soon), hooks.Shutdown(soon), probes.Close())
}

// telling posts each question that is asked to a program, such as one that writes to a chat.
func telling(st *redisstore.Store, secret string) (*webhook.Sender, error) {
	return webhook.New(st, []webhook.Target{{
		Name: "approvers", URL: "https://hooks.example.com/aguiws", Secrets: []string{secret},
		Kinds: []store.NoticeKind{store.NoticeOpened},
	}}, &webhook.Options{PublicURL: "https://chat.example.com"}) // its links begin so
}

// refunds is the agent: it proposes a refund.
func refunds(ctx context.Context, run *adapter.Run) error {
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
