package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"strings"
	"time"

	"github.com/aguiws/aguiws/conformance"
)

// replacing is a way to replace the server's process: a shell command, after which
// the address is tried until somebody answers.
func replacing(command string, u *url.URL) func(context.Context) error {
	if command == "" {
		return nil
	}
	return func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, "sh", "-c", command)
		// What the command leaves running may hold its output open.
		cmd.WaitDelay = time.Second
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
		return answers(ctx, u)
	}
}

func answers(ctx context.Context, u *url.URL) error {
	address := u.Host
	if u.Port() == "" {
		port := "80"
		if u.Scheme == "https" || u.Scheme == "wss" {
			port = "443"
		}
		address = net.JoinHostPort(u.Hostname(), port)
	}
	var dialer net.Dialer
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return fmt.Errorf("nobody answers at %s: %w", address, err)
		}
	}
}

// rerun is the command line that tries one result again.
func (o *testRun) rerun(r conformance.Result) string {
	words := []string{"go", "run", "./conformance/cmd/agui", "test", "--url", o.url, "--over", r.Over, "--case", r.Case.Name}
	for _, flag := range []struct{ name, value string }{
		{"--profile", o.profile}, {"--cases", o.cases}, {"--effects", o.effects}, {"--restart-cmd", o.restart}, {"--drain-cmd", o.drain},
	} {
		if flag.value != "" {
			words = append(words, flag.name, flag.value)
		}
	}
	for i, word := range words {
		if strings.ContainsAny(word, " '\"$&;|<>*?()\\") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	line := strings.Join(words, " ")
	if len(o.headers) > 0 {
		line += " (and the headers)" // they may be credentials, which no report should hold
	}
	return line
}
