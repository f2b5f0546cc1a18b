// Command cluster is three servers before a Redis Cluster of three masters.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/web"
)

func main() {
	addrs := flag.String("addrs", "127.0.0.1:8085,127.0.0.1:8086,127.0.0.1:8087", "addresses of the servers")
	redis := flag.String("redis", "", "URL of a Redis Cluster; when empty one is started, and ends with the program")
	ports := flag.String("redis-ports", "7001,7002,7003", "ports of the Cluster that is started")
	one := flag.Bool("one", false, "be one of the servers, until standard input ends")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *one {
		err = serve(ctx, *addrs, *redis)
	} else {
		err = start(ctx, strings.Split(*addrs, ","), *redis, strings.Split(*ports, ","))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// start starts the Cluster, unless there is one, and a process for each server,
// and ends them when ctx ends.
func start(ctx context.Context, addrs []string, redis string, ports []string) error {
	if redis == "" {
		c, err := startCluster(ctx, ports)
		if err != nil {
			return err
		}
		defer c.stop()
		redis = c.url()
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var servers sync.WaitGroup
	defer servers.Wait()
	for _, addr := range addrs {
		cmd := exec.Command(self, "--one", "--addrs", addr, "--redis", redis)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		input, err := cmd.StdinPipe() // it ends with this process, whatever becomes of that
		if err != nil {
			return err
		}
		defer input.Close()
		if err := cmd.Start(); err != nil {
			return err
		}
		servers.Go(func() { log.Printf("process %d has ended: %v", cmd.Process.Pid, cmd.Wait()) })
	}
	<-ctx.Done()
	return nil
}

// serve is one of the servers. It knows nothing of the others.
func serve(ctx context.Context, addr, redis string) error {
	store, err := redisstore.Open(ctx, redis, &redisstore.Options{Prefix: "cluster-example"})
	if err != nil {
		return err
	}
	defer store.Close()
	runs, err := runner.New(store, &runner.Options{
		Agents: map[string]adapter.Agent{"": script.New(script.Options{})}, // obeys commands; yours would stand here
	})
	if err != nil {
		return err
	}
	srv, err := server.New(runs, &server.Options{Fallback: web.Handler()})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return errors.Join(err, runs.Shutdown(ctx))
	}
	fmt.Printf("open http://%s/ and end it with kill -9 %d\n", listener.Addr(), os.Getpid())
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	ended := make(chan error, 1)
	go func() {
		<-over // and not ctx: Ctrl-C goes to all processes, and the program decides
		soon, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		ended <- srv.Shutdown(soon)
	}()
	if err := srv.Serve(listener); err != nil {
		return err
	}
	return <-ended
}
