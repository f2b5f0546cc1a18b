// Command aguiws serves an agent behind AG-UI over WebSockets.
//
// Without arguments it runs the script agent and the web UI on
// 127.0.0.1:8080, on an embedded store whose suspensions die with the process.
// --redis makes them durable. aguiws --help lists the settings; each is also
// read from the environment as AGUIWS_ and its name in capitals.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/web"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "aguiws:", err)
		os.Exit(1)
	}
}

// run carries out one command line. It returns when ctx has ended and the
// server has drained.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	s, err := readSettings(args, getenv, stderr)
	switch {
	case errors.Is(err, errHelp):
		return nil
	case err != nil:
		return err
	case s.version:
		fmt.Fprintln(stdout, "aguiws", version())
		return nil
	}
	return serve(ctx, s, slog.New(slog.NewTextHandler(stderr, nil)), stdout)
}

func serve(ctx context.Context, s settings, log *slog.Logger, stdout io.Writer) error {
	store, err := openStore(ctx, s, log)
	if err != nil {
		return err
	}
	defer store.Close()
	agents := map[string]adapter.Agent{"script": script.New(script.Options{Effects: s.effects})}
	agents[""] = agents[s.agent]
	if agents[""] == nil {
		return fmt.Errorf("--agent %q: there is no such agent; try script", s.agent)
	}
	runner, err := adapter.NewRunner(store, &adapter.Options{
		Agents: agents, Lease: s.lease, Busy: adapter.BusyPolicy(s.busy), Mode: adapter.Mode(s.mode),
		OnExpiry: adapter.ExpiryPolicy(s.onExpiry), Logger: log, Hook: crashHook(s.crashAt),
	})
	if err != nil {
		return err
	}
	defer shut(runner.Shutdown, s)
	srv, err := server.New(runner, &server.Options{
		Agents: []string{"script"}, Hosts: s.hosts, Origins: s.origins, Fallback: web.Handler(), Logger: log,
	})
	if err != nil {
		return err
	}
	listener, err := srv.Listen(s.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	fmt.Fprintf(stdout, "aguiws: open http://%s/\n", listener.Addr())
	if !store.Durable() {
		fmt.Fprintln(stdout, "aguiws: the store is embedded: suspensions will not survive this process. --redis URL makes them durable")
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	log.Info("draining", "timeout", s.drain)
	shut(srv.Shutdown, s)
	return <-served
}

// shut runs one shutdown within the drain timeout.
func shut(shutdown func(context.Context) error, s settings) {
	ctx, cancel := context.WithTimeout(context.Background(), s.drain)
	defer cancel()
	_ = shutdown(ctx) // what did not finish in time was handed back
}

func openStore(ctx context.Context, s settings, log *slog.Logger) (*redisstore.Store, error) {
	options := &redisstore.Options{Lease: s.lease, Logger: log, Strict: s.strict}
	if s.redis == "" {
		return redisstore.Embedded(options)
	}
	store, err := redisstore.Open(ctx, s.redis, options)
	if err != nil {
		return nil, fmt.Errorf("--redis: %w", err)
	}
	for _, w := range store.Warnings() {
		log.Warn("the store may lose what it acknowledged", "warning", w.String())
	}
	return store, nil
}
