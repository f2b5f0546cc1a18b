package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// cluster is a Redis Cluster of this program's own. Its data goes with it.
type cluster struct {
	ports   []string
	dir     string
	servers []*exec.Cmd
}

// startCluster starts a master on each port, and returns when all of them see all
// slots served.
func startCluster(ctx context.Context, ports []string) (c *cluster, err error) {
	for _, program := range []string{"redis-server", "redis-cli"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("%w: install Redis, or name a Cluster by --redis redis+cluster://host:port", err)
		}
	}
	dir, err := os.MkdirTemp("", "cluster-example")
	if err != nil {
		return nil, err
	}
	c = &cluster{ports: ports, dir: dir}
	defer func() {
		if err != nil {
			c.stop()
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	create := []string{"--cluster", "create"}
	for _, port := range ports {
		data := filepath.Join(dir, port)
		if err := os.Mkdir(data, 0o700); err != nil {
			return nil, err
		}
		cmd := exec.Command("redis-server", "--bind", "127.0.0.1", "--port", port, "--dir", data,
			"--cluster-enabled", "yes", "--appendonly", "yes", "--save", "", "--logfile", filepath.Join(data, "log"))
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		c.servers = append(c.servers, cmd)
		create = append(create, "127.0.0.1:"+port)
	}
	for _, port := range ports {
		if err := until(ctx, "PONG", "-p", port, "ping"); err != nil {
			return nil, err
		}
	}
	if out, err := exec.CommandContext(ctx, "redis-cli", append(create, "--cluster-yes")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("redis-cli --cluster create: %w\n%s", err, out)
	}
	for _, port := range ports {
		if err := until(ctx, "cluster_state:ok", "-p", port, "cluster", "info"); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *cluster) url() string {
	return "redis+cluster://127.0.0.1:" + strings.Join(c.ports, ",127.0.0.1:")
}

func (c *cluster) stop() {
	for _, cmd := range c.servers {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed, which is an error
	}
	_ = os.RemoveAll(c.dir)
}

// until asks by redis-cli until the answer holds what is wanted.
func until(ctx context.Context, want string, args ...string) error {
	for {
		out, err := exec.CommandContext(ctx, "redis-cli", args...).CombinedOutput()
		if err == nil && strings.Contains(string(out), want) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("redis-cli %s: %w: %s", strings.Join(args, " "), errors.Join(err, ctx.Err()), out)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
