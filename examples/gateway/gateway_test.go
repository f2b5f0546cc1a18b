package gateway

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
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// npm start, a question, kill -9 of aguiws, the answer: paid once.
func TestGateway(t *testing.T) {
	suite.Full(t)
	for tool, there := range map[string]func() error{
		"node":                         func() error { _, err := exec.LookPath("node"); return err },
		"npm ci in examples/gateway":   func() error { _, err := os.Stat("node_modules/@ag-ui/mastra"); return err },
		"go, which builds the gateway": func() error { _, err := exec.LookPath("go"); return err },
	} {
		if err := there(); err != nil {
			if strings.Contains(os.Getenv("AGUIWS_REQUIRE"), "upstreams") {
				t.Fatalf("AGUIWS_REQUIRE wants upstreams: without %s: %v", tool, err)
			}
			t.Skipf("without %s: %v (AGUIWS_REQUIRE=upstreams makes this a failure)", tool, err)
		}
	}
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	ledger := filepath.Join(t.TempDir(), "ledger.txt")
	addr := fmt.Sprintf("127.0.0.1:%d", redistest.FreePort(t))
	said, process := start(t, ledger, "--addr", addr, "--redis", redis.URL(), "--lease", "2s")
	pid := said(`aguiws is process (\d+)`)
	said("aguiws: (open)")

	c, err := client.Dial(t.Context(), "ws://"+addr+"/agui/ws", &client.Options{BackoffMax: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	thread, err := c.Follow(t.Context(), "payments", nil)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := thread.Say("pay 30").Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	questions := client.Asked(asked)
	if len(questions) != 1 {
		t.Fatalf("asked %v", questions)
	}
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	said("aguiws: (open)")
	answer := client.Resolve(questions[0], `{"approved":true}`)
	for range 2 { // the second is the same again
		if ended, err := thread.Answer(answer).Wait(t.Context()); err != nil || len(client.Asked(ended)) > 0 {
			t.Fatalf("%v, %v", ended, err)
		}
	}
	if paid, err := os.ReadFile(ledger); err != nil || string(paid) != "paid 30\n" {
		t.Errorf("the ledger has %q, %v", paid, err)
	}
	messages := thread.View().Messages
	if last := messages[len(messages)-1].Content.String(); last != "I have paid 30." {
		t.Errorf("it says %q", last)
	}
	if err := process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// start runs the one command. What it returns waits until the output, behind what was read
// of it before, has a pattern, and returns the pattern's first group.
func start(t *testing.T, ledger string, args ...string) (said func(pattern string) string, process *os.Process) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"start.mjs"}, args...)...)
	cmd.Env = append(os.Environ(), "LEDGER="+ledger)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
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
	lines := bufio.NewScanner(out)
	return func(pattern string) string {
		t.Helper()
		for lines.Scan() {
			if found := regexp.MustCompile(pattern).FindStringSubmatch(lines.Text()); found != nil {
				return found[1]
			}
		}
		t.Fatalf("the command has not said %q", pattern)
		return ""
	}, cmd.Process
}
