package server_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/web"
)

// mounted serves a site that has an agent below /ai, until ctx has ended.
func mounted(ctx context.Context, st *redisstore.Store, runs *runner.Runner, auth identity.Authenticator, site *http.ServeMux, public, private net.Listener) error {
	agent, err := server.New(runs, &server.Options{
		Auth: auth, Base: "/ai", Fallback: web.HandlerFor(web.Options{Base: "/ai", Login: "/login"}),
		Hosts:          []string{"shop.example.com"},
		Origins:        []string{"https://shop.example.com"},                 // needed if a proxy ends TLS
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.5/32")}, // their X-Forwarded-For counts
		Store:          st, Ready: st.Ready,
	})
	if err != nil {
		return err
	}
	site.Handle("/ai/", agent.Handler())
	srv := &http.Server{Handler: logged(site), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	probes := server.Aside(agent.Probes(), nil) // /healthz, /readyz and /metrics
	ended := make(chan error, 2)
	go func() { ended <- probes.Serve(private) }() // nobody but the operator reaches it
	go func() { ended <- srv.Serve(public) }()
	select {
	case err = <-ended: // a listener is gone
	case <-ctx.Done():
	}
	soon, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return errors.Join(err, agent.Shutdown(soon), srv.Shutdown(soon), probes.Close(), st.Close())
}

// noted is an answer whose status a middleware wants to know.
type noted struct {
	http.ResponseWriter
	status int
}

func (n *noted) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap lets streams flush and sockets hijack.
func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// logged is where a site's own middleware stands.
func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(&noted{ResponseWriter: w}, r) })
}

// A site's own http.Server, with a middleware of its own, carries streams and sockets, and
// ends in order.
func TestMounted(t *testing.T) {
	st, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := runner.New(st, &runner.Options{Agents: map[string]adapter.Agent{
		"": adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error { return run.Say("Hello.") }),
	}})
	if err != nil {
		t.Fatal(err)
	}
	var at [2]net.Listener
	for i := range at {
		if at[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- mounted(ctx, st, runs, signedIn{"f00d": "ann"}, http.NewServeMux(), at[0], at[1])
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	browser, cookie := &http.Client{Transport: transport}, http.Header{"Cookie": {"session=f00d"}, "Origin": {"https://shop.example.com"}}

	ready, err := browser.Get("http://" + at[1].Addr().String() + "/readyz")
	if err != nil || ready.StatusCode != http.StatusOK {
		t.Fatalf("%+v %v", ready, err)
	}
	ready.Body.Close()
	base := "http://" + at[0].Addr().String() + "/ai"
	c, err := client.Dial(ctx, base+"/agui/ws", &client.Options{HTTPClient: browser, Header: cookie})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	thread, err := c.Follow(ctx, "t", nil)
	if err != nil {
		t.Fatal(err)
	}
	follow, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/agui/threads/t/events?follow=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	follow.Header = cookie
	stream, err := browser.Do(follow)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if _, err := thread.Say("hello").Wait(ctx); err != nil {
		t.Fatal(err)
	}
	told := make([]byte, 0, 1<<10)
	for !strings.Contains(string(told), "Hello.") {
		piece := make([]byte, 1<<10)
		n, err := stream.Body.Read(piece)
		if err != nil && (err != io.EOF || n == 0) {
			t.Fatalf("after %s: %v", told, err)
		}
		told = append(told, piece[:n]...)
	}
}
