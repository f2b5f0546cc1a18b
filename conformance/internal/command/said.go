package command

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// forWords is how long a program may take to say it: LangGraph compiles its graph.
const forWords = 3 * time.Minute

// Said starts a program that runs until the test ends, and returns what it says behind a word
// at the beginning of a line, such as where it listens.
func Said(t testing.TB, cmd *exec.Cmd, word string) string {
	t.Helper()
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if rest, ok := strings.CutPrefix(lines.Text(), word+" "); ok {
				said <- rest
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(forWords, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		<-done
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s has complained:\n%s", cmd, complaints.String())
		}
	})
	select {
	case rest := <-said:
		return rest
	case <-done:
		t.Fatalf("%s has ended before it has said %s", cmd, word)
	case <-time.After(forWords):
		t.Fatalf("%s does not say %s", cmd, word)
	}
	return ""
}
