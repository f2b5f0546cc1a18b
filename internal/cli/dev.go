package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aguiws/aguiws/server/metrics"
)

// devUpstream is where dev expects an agent that no setting names.
const devUpstream = "http://127.0.0.1:8000/"

const (
	devGrace   = 3 * time.Second        // an agent has to end when it is told to
	devPause   = 500 * time.Millisecond // before it is started again, and doubled each time
	devPauses  = 10 * time.Second       // the longest pause
	devSlow    = 10 * time.Second       // after which it is said that it does not answer
	devStarts  = 3                      // of an agent that never answers
	devLines   = 10                     // that it said last
	devLine    = 500                    // bytes of each
	devConnect = 100 * time.Millisecond // between two tries to connect to it
)

// developed is an agent that dev runs as a child of this process.
type developed struct {
	command []string
	env     []string
	of      upstreamEntry
	log     *slog.Logger
	out     io.Writer
	there   func()   // told when it answers, as often as it does
	last    []string // lines that it has said
}

// dev runs an agent, and serves in front of it when it answers.
func dev(ctx context.Context, s *settings, env environment, log *slog.Logger, stdout io.Writer) error {
	agents, err := newAgents(s, metrics.New(), slog.New(slog.DiscardHandler)) // judges settings before anything is started
	if err != nil {
		return err
	}
	defer shut(agents.close, s)
	of, err := s.chosenUpstream(agents.upstreams)
	if err != nil {
		return fmt.Errorf("dev: %w", err)
	}
	if of.connect(ctx) == nil {
		return fmt.Errorf("dev: %s answers before the agent is started: end what listens there, or name the agent's own address by --upstream", of.shownURL())
	}
	// A terminal that is closed ends the agent, too.
	ctx, cancel := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer cancel()
	// A second signal ends the process at once, but not before its agent: nobody else would end that.
	held := make(chan os.Signal, 1)
	signal.Notify(held, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	answers := make(chan struct{})
	d := &developed{command: s.agentCommand, env: env.ofAgent(), of: *of, log: log, out: stdout, there: sync.OnceFunc(func() { close(answers) })}
	kept := make(chan error, 1)
	go func() {
		defer signal.Stop(held)
		kept <- d.keep(ctx)
	}()
	select {
	case err := <-kept:
		return err
	case <-answers:
	}
	err = serve(ctx, s, log, stdout)
	cancel()
	return errors.Join(err, <-kept)
}

// ofAgent is the environment of an agent. The settings of the server before it are not the
// agent's, which may be such a server itself, and secrets are among them.
func (e environment) ofAgent() []string {
	list := []string{"PYTHONUNBUFFERED=1"} // or what Python prints into a pipe comes when it ends
	for _, each := range e {
		if !strings.HasPrefix(each, environmentPrefix) {
			list = append(list, each)
		}
	}
	return list
}

// keep runs the agent, again and again, until ctx has ended. It gives an agent up that never
// answers.
func (d *developed) keep(ctx context.Context) error {
	ever := false
	for starts, pause := 1, devPause; ; starts++ {
		answered, why, err := d.once(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if answered {
			ever, pause = true, devPause
		}
		switch {
		case ever:
		case err != nil:
			return fmt.Errorf("dev: the agent cannot be started: %w", err)
		case starts == devStarts:
			return fmt.Errorf("dev: the agent (%s) ended %d times before it answered at %s: %s. It said last:\n  %s",
				strings.Join(d.command, " "), starts, d.of.shownURL(), why, strings.Join(d.last, "\n  "))
		}
		d.log.Warn("the agent has ended, and is started again", "why", why, "in", pause.String())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, devPauses)
	}
}

// once runs the agent until it ends or is told to, and says whether it answered and why it
// ended. err tells that it could not be started.
func (d *developed) once(ctx context.Context) (answered bool, why string, err error) {
	out, in, err := os.Pipe()
	if err != nil {
		return false, err.Error(), err
	}
	defer out.Close()
	c := exec.CommandContext(ctx, d.command[0], d.command[1:]...)
	c.Env, c.Stdout, c.Stderr = d.env, in, in
	c.SysProcAttr = ownGroup()
	c.Cancel = func() error { return endGroup(c.Process) }
	c.WaitDelay = devGrace
	err = c.Start()
	in.Close()
	if err != nil {
		return false, err.Error(), err
	}
	alive, ended := context.WithCancel(ctx)
	defer ended()
	var awaited, passed sync.WaitGroup
	awaited.Go(func() { answered = d.await(alive, c.Process.Pid) })
	passed.Go(func() { d.pass(out) })
	_ = c.Wait() // its state tells
	ended()
	if ctx.Err() != nil { // what it has started has time to end, too: it holds the pipe until then
		_ = out.SetReadDeadline(time.Now().Add(devGrace))
		passed.Wait()
	}
	killGroup(c.Process)
	_ = out.SetReadDeadline(time.Now().Add(devGrace)) // a process that left the group may hold the pipe for ever
	passed.Wait()
	awaited.Wait()
	return answered, c.ProcessState.String(), nil
}

// await waits until the agent can be connected to, and reports whether it can. It sends
// nothing: a message would have the agent act.
func (d *developed) await(ctx context.Context, pid int) bool {
	slow, again := time.After(devSlow), time.NewTicker(devConnect)
	defer again.Stop()
	for d.of.connect(ctx) != nil {
		select {
		case <-ctx.Done():
			return false
		case <-slow:
			d.log.Warn("the agent does not answer yet: if it listens elsewhere, say so by --upstream", "url", d.of.shownURL())
		case <-again.C:
		}
	}
	d.log.Info("the agent answers", "command", strings.Join(d.command, " "), "url", d.of.shownURL(), "pid", pid)
	d.there()
	return true
}

// pass hands on what the agent says, and keeps the last of it.
func (d *developed) pass(out io.Reader) {
	for lines := bufio.NewReaderSize(out, 64<<10); ; {
		line, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		fmt.Fprintf(d.out, "%s | %s\n", d.of.Name, line)
		d.last = append(d.last, string(line[:min(len(line), devLine)]))
		d.last = d.last[max(0, len(d.last)-devLines):]
	}
}
