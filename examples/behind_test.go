// Package examples tests what npm start does in the examples with an agent.
package examples

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// npm start, a question, kill -9 of aguiws, the answer: its effect is there once. A no and a cancel have none.
func TestAgentsBehind(t *testing.T) {
	for _, e := range []struct {
		folder, path, needs, effects string // effects: what names the file of effects
		ask, yes, no, done, says     string
	}{
		{"gateway", "/agui/ws", "@ag-ui/mastra", "LEDGER", "pay 30", `{"approved":true}`, `{"approved":false}`, `^paid 30\n$`, "I have paid 30."},
		{"langgraph", "/agui/ws", "@langchain/langgraph-cli", "SENT", "write to ann", "true", "false", `^{"to":"ann","key":"\S+ \S+ send"}\n$`, "I have sent the mail to ann."},
	} {
		t.Run(e.folder, func(t *testing.T) {
			suite.Full(t)
			installed(t, e.folder, e.needs)
			redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
			effects := filepath.Join(t.TempDir(), "effects")
			addr := fmt.Sprintf("127.0.0.1:%d", redistest.FreePort(t))
			said := start(t, e.folder, []string{e.effects + "=" + effects}, "--addr", addr, "--redis", redis.URL(), "--lease", "2s")
			pid := said(`aguiws is process (\d+)`)
			said("aguiws: (open)")

			c, err := client.Dial(t.Context(), "ws://"+addr+e.path, &client.Options{BackoffMax: 100 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			ask := func(thread string) (*client.Thread, protocol.Interrupt) {
				th, err := c.Follow(t.Context(), thread, nil)
				if err != nil {
					t.Fatal(err)
				}
				asked, err := th.Say(e.ask).Wait(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				questions := client.Asked(asked)
				if len(questions) != 1 {
					t.Fatalf("asked %v", questions)
				}
				return th, questions[0]
			}
			thread, question := ask("yes")
			kill(t, pid)
			said("aguiws: (open)")
			for range 2 { // the second is the same again
				if ended, err := thread.Answer(client.Resolve(question, e.yes)).Wait(t.Context()); err != nil || len(client.Asked(ended)) > 0 {
					t.Fatalf("%v, %v", ended, err)
				}
			}
			messages := thread.View().Messages
			if last := messages[len(messages)-1].Content.String(); last != e.says {
				t.Errorf("it says %q", last)
			}
			for _, answer := range []string{e.no, ""} {
				thread, question := ask("no " + answer)
				entry := client.Withdraw(question)
				if answer != "" {
					entry = client.Resolve(question, answer)
				}
				if _, err := thread.Answer(entry).Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if done, err := os.ReadFile(effects); err != nil || !regexp.MustCompile(e.done).Match(done) {
				t.Errorf("done: %q, %v", done, err)
			}
		})
	}
}

func installed(t *testing.T, folder, needs string) {
	t.Helper()
	for tool, there := range map[string]func() error{
		"node":                         func() error { _, err := exec.LookPath("node"); return err },
		"npm ci in examples/" + folder: func() error { _, err := os.Stat(filepath.Join(folder, "node_modules", needs)); return err },
		"go, which builds the gateway": func() error { _, err := exec.LookPath("go"); return err },
	} {
		if err := there(); err != nil {
			if strings.Contains(os.Getenv("AGUIWS_REQUIRE"), "upstreams") {
				t.Fatalf("AGUIWS_REQUIRE wants upstreams: without %s: %v", tool, err)
			}
			t.Skipf("without %s: %v (AGUIWS_REQUIRE=upstreams makes this a failure)", tool, err)
		}
	}
}

func kill(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// start runs the one command. What it returns waits until the output, behind what was read
// of it before, has a pattern, and returns the pattern's first group.
func start(t *testing.T, folder string, env []string, args ...string) (said func(pattern string) string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"start.mjs"}, args...)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), env...)
	// A terminal's Ctrl-C reaches every process of the group, too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errors strings.Builder
	cmd.Stderr = &errors
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Wait() // however it ended
		if t.Failed() {
			t.Logf("the command has logged:\n%s", errors.String())
		}
	})
	lines := make(chan string, 10_000)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			select {
			case lines <- scanner.Text():
			default: // nobody asks for so many
			}
		}
	}()
	return func(pattern string) string {
		t.Helper()
		for line := range lines {
			if found := regexp.MustCompile(pattern).FindStringSubmatch(line); found != nil {
				return found[1]
			}
		}
		t.Fatalf("the command has not said %q", pattern)
		return ""
	}
}
