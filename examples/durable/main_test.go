package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// TestMain is the command itself where a test has started it so, up to a line of
// the ledger.
func TestMain(m *testing.M) {
	if last := os.Getenv("AGUIWS_LAST_LINE"); last != "" {
		go dieAt(flagged("--ledger"), last)
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// dieAt ends the process as kill -9 does, as soon as the file has the text.
func dieAt(file, text string) {
	for {
		if held, _ := os.ReadFile(file); bytes.Contains(held, []byte(text)) {
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
		}
		time.Sleep(time.Millisecond)
	}
}

// flagged is what the command line says behind a flag.
func flagged(name string) string {
	return os.Args[slices.Index(os.Args, name)+1]
}

// Ten steps, and the process is killed twice: whoever has looked on sees each
// step once, and so does the world outside.
func TestDurable(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	addr := fmt.Sprintf("127.0.0.1:%d", redistest.FreePort(t))
	file := filepath.Join(t.TempDir(), "ledger.txt")
	args := []string{"--addr", addr, "--redis", redis.URL(), "--ledger", file, "--pause", "100ms"}
	var output bytes.Buffer // the processes run one after the other
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("output:\n%s", output.String())
		}
	})
	start := func(lastLine string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), "AGUIWS_LAST_LINE="+lastLine)
		cmd.Stdout, cmd.Stderr = &output, &output
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // whether it was killed here or before
		})
		return cmd
	}

	first := start("parcel 3\n")
	thread := follow(t, addr)
	run := thread.Say("ship them")
	_ = first.Wait() // it was killed, which is an error
	_ = start("parcel 7\n").Wait()
	start("never")
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}

	messages := thread.View().Messages
	if len(messages) != 1+parcels+1 {
		t.Fatalf("%d messages", len(messages))
	}
	shippers := map[string]bool{}
	for n := 1; n <= parcels; n++ {
		text := messages[n].Content.String()
		if !strings.HasPrefix(text, fmt.Sprintf("Parcel %d of 10: P%03d", n, n)) {
			t.Errorf("message %d says %q", n, text)
		}
		_, by, _ := strings.Cut(text, " by ")
		shippers[by] = true
	}
	if len(shippers) != 3 {
		t.Errorf("three processes have shipped, and the thread tells of %v", shippers)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= parcels; n++ {
		if times := strings.Count(string(text), fmt.Sprintf("shipped parcel %d\n", n)); times != 1 {
			t.Errorf("parcel %d was shipped %d times", n, times)
		}
	}
}

// follow follows a thread at a server that is about to be there, and whatever
// server is at its address later.
func follow(t *testing.T, addr string) *client.Thread {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		c, err := client.Dial(ctx, "ws://"+addr+"/agui/ws", &client.Options{BackoffMax: 100 * time.Millisecond})
		if ctx.Err() != nil {
			t.Fatal("the server does not come up")
		}
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		t.Cleanup(c.Close)
		thread, err := c.Follow(ctx, "parcels", nil)
		if err != nil {
			t.Fatal(err)
		}
		return thread
	}
}
