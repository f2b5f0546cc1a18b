// Package child keeps a program running as a child of this process. The program has a group
// of processes of its own, and nothing of the group outlives it.
package child

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Grace is the time that a program has to end when it is told to.
const Grace = 3 * time.Second

const (
	firstPause   = 500 * time.Millisecond // before it is started again, and doubled each time
	longestPause = 10 * time.Second
	slow         = 10 * time.Second       // after which it is said that it does not answer
	poll         = 100 * time.Millisecond // between two tries to connect to it
	mostStarts   = 3                      // of a program that never answers
	keptLines    = 10                     // that it said last
	keptBytes    = 500                    // of each
)

// Child is a program that answers at an address.
type Child struct {
	Command []string
	Env     []string
	Name    string                      // before each line that it says
	URL     string                      // as it is shown
	Connect func(context.Context) error // fails until the program answers
	Answers func()                      // is called each time that it begins to answer
	Out     io.Writer                   // for what it says
	Log     *slog.Logger

	last []string // lines that it has said since it was started
}

// Keep runs the program, again and again, until ctx has ended. It returns an error, and none
// of the program's processes is left, if the program ends a few times and has never answered.
func (c *Child) Keep(ctx context.Context) error {
	ever := false
	for starts, pause := 1, firstPause; ; starts++ {
		answered, why, err := c.once(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if answered {
			ever, pause = true, firstPause
		}
		switch {
		case ever:
		case err != nil:
			return fmt.Errorf("the agent cannot be started: %w", err)
		case starts == mostStarts:
			return fmt.Errorf("the agent (%s) ended %d times before it answered at %s: %s. It said last:\n  %s",
				strings.Join(c.Command, " "), starts, c.URL, why, strings.Join(c.last, "\n  "))
		}
		c.Log.Warn("the agent has ended, and is started again", "why", why, "in", pause.String())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// once runs the program until it ends or is told to, and says whether it answered and why it
// ended. err tells that it could not be started.
func (c *Child) once(ctx context.Context) (answered bool, why string, err error) {
	out, in, err := os.Pipe()
	if err != nil {
		return false, err.Error(), err
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, c.Command[0], c.Command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = c.Env, in, in
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { return endGroup(cmd.Process) }
	cmd.WaitDelay = Grace
	c.last = nil
	err = cmd.Start()
	in.Close()
	if err != nil {
		return false, err.Error(), err
	}
	alive, ended := context.WithCancel(ctx)
	defer ended()
	var awaited, passed sync.WaitGroup
	awaited.Go(func() { answered = c.await(alive, cmd.Process.Pid) })
	passed.Go(func() { c.pass(out) })
	_ = cmd.Wait() // its state tells
	ended()
	if ctx.Err() != nil { // what it has started has time to end, too: it holds the pipe until then
		_ = out.SetReadDeadline(time.Now().Add(Grace))
		passed.Wait()
	}
	killGroup(cmd.Process)
	_ = out.SetReadDeadline(time.Now().Add(Grace)) // a process that left the group may hold the pipe for ever
	passed.Wait()
	awaited.Wait()
	return answered, cmd.ProcessState.String(), nil
}

// await waits until the program can be connected to, and reports whether it can. It sends
// nothing: a message would have an agent act.
func (c *Child) await(ctx context.Context, pid int) bool {
	late, again := time.After(slow), time.NewTicker(poll)
	defer again.Stop()
	for c.Connect(ctx) != nil {
		select {
		case <-ctx.Done():
			return false
		case <-late:
			c.Log.Warn("the agent does not answer yet: if it listens elsewhere, say so by --upstream", "url", c.URL)
		case <-again.C:
		}
	}
	c.Log.Info("the agent answers", "command", strings.Join(c.Command, " "), "url", c.URL, "pid", pid)
	c.Answers()
	return true
}

// pass hands on what the program says, and keeps the last of it.
func (c *Child) pass(out io.Reader) {
	for lines := bufio.NewReaderSize(out, 64<<10); ; {
		line, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		fmt.Fprintf(c.Out, "%s | %s\n", c.Name, line)
		c.last = append(c.last, string(line[:min(len(line), keptBytes)]))
		c.last = c.last[max(0, len(c.last)-keptLines):]
	}
}
