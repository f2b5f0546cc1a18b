package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// patience is how long a process may take to begin or to end.
const patience = 20 * time.Second

// served is a server of the copy, one process after another at one address.
type served struct {
	ctx     context.Context // processes live as long as it does
	binary  string
	args    []string
	address string
	cmd     *exec.Cmd
}

// serve starts a server on a port of its own and returns when it listens.
func serve(ctx context.Context, binary string, args ...string) (*served, error) {
	s := &served{ctx: ctx, binary: binary, args: args, address: "127.0.0.1:0"}
	return s, s.start()
}

func (s *served) start() error {
	s.cmd = exec.CommandContext(s.ctx, s.binary, append([]string{"--addr", s.address}, s.args...)...)
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	late := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer late.Stop()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok {
			s.address, _, _ = strings.Cut(rest, "/")
			return nil
		}
	}
	s.kill()
	return fmt.Errorf("the server does not listen")
}

func (s *served) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// restart replaces the process without warning.
func (s *served) restart(context.Context) error {
	s.kill()
	return s.start()
}

// drain replaces it in an orderly way.
func (s *served) drain(context.Context) error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	late := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	_ = s.cmd.Wait()
	late.Stop()
	return s.start()
}

// startRedis starts a Redis that keeps nothing on disk, and returns its URL.
func startRedis(ctx context.Context, dir string) (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address := listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	listener.Close()
	cmd := exec.CommandContext(ctx, "redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir", dir)
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("the faults that need restarts need redis-server: %w", err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for poll := time.NewTicker(10 * time.Millisecond); ; {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return "redis://" + address, stop, nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			stop()
			return "", nil, errors.Join(fmt.Errorf("redis-server does not answer"), err)
		}
	}
}
