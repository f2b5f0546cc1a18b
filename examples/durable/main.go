// Command durable is an agent of ten steps that outlives its process.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
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
	addr := flag.String("addr", "127.0.0.1:8083", "address to listen on")
	redis := flag.String("redis", "redis://127.0.0.1:6379", "URL of the Redis that keeps the run")
	file := flag.String("ledger", "ledger.txt", "file in which each step leaves a line")
	pause := flag.Duration("pause", time.Second, "time that a step takes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("open http://%s/ and end this with kill -9 %d", listener.Addr(), os.Getpid())
	if err := serve(ctx, listener, *redis, &shipper{ledger(*file), *pause}); err != nil {
		log.Fatal(err)
	}
}

const parcels = 10

// shipper ships ten parcels.
type shipper struct {
	ledger ledger
	pause  time.Duration
}

func (s *shipper) Run(ctx context.Context, run *adapter.Run) error {
	for n := 1; n <= parcels; n++ {
		key := run.NewID() // the same whenever the agent is called again
		tracking, err := adapter.StepWith(ctx, run, "ship", adapter.StepOptions{Idempotent: true, Input: n}, func(ctx context.Context) (string, error) {
			return s.ship(ctx, n, key)
		})
		if err != nil {
			return err
		}
		if err := run.Say(fmt.Sprintf("Parcel %d of %d: %s", n, parcels, tracking)); err != nil {
			return err
		}
	}
	return run.Say("All are on their way.")
}

// Restartable says that the agent may begin again when its worker died before
// the first step was recorded: all that has an effect is an IdempotentStep.
func (s *shipper) Restartable() bool { return true }

// ship would call a carrier, who recognises the key of a second attempt.
func (s *shipper) ship(ctx context.Context, n int, key string) (tracking string, err error) {
	select {
	case <-time.After(s.pause):
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return fmt.Sprintf("P%03d by process %d", n, os.Getpid()), s.ledger.enter(key, n)
}

// ledger is the world outside: what is in it has happened.
type ledger string

func (l ledger) enter(key string, n int) error {
	known, err := os.ReadFile(string(l))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if strings.Contains(string(known), key) {
		return nil // the process died before the step was recorded
	}
	f, err := os.OpenFile(string(l), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s shipped parcel %d\n", key, n)
	return errors.Join(err, f.Close())
}

// serve serves the agent, and the page, until ctx has ended.
func serve(ctx context.Context, listener net.Listener, redis string, agent adapter.Agent) error {
	const lease = 3 * time.Second // after which a worker that is silent counts as lost
	store, err := redisstore.Open(ctx, redis, &redisstore.Options{Prefix: "durable-example", Lease: lease})
	if err != nil {
		return fmt.Errorf("no Redis to keep the run in: %w", err)
	}
	defer store.Close()
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": agent}, Lease: lease})
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
		soon, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		ended <- srv.Shutdown(soon)
	}()
	if err := srv.Serve(listener); err != nil {
		return err
	}
	return <-ended
}
