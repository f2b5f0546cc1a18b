package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/aguiws/aguiws/internal/child"
	"github.com/aguiws/aguiws/server/metrics"
)

// devUpstream is where dev expects an agent that no setting names.
const devUpstream = "http://127.0.0.1:8000/"

// dev runs an agent as a child of this process, and serves in front of it when it answers.
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
	// The agent outlives the drain: what it does may end in order. A second signal ends the agent,
	// and what it did breaks off. Only then may a signal end this process at once: nobody else would
	// end the agent.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	keeping, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	answers := make(chan struct{})
	agent := &child.Child{Command: s.agentCommand, Env: env.ofAgent(), Name: of.Name, URL: of.shownURL(), Connect: of.connect,
		Answers: sync.OnceFunc(func() { close(answers) }), Out: stdout, Log: log}
	kept := make(chan error, 1)
	go func() {
		defer signal.Stop(signals)
		kept <- agent.Keep(keeping)
	}()
	select {
	case err := <-kept:
		if err != nil {
			return fmt.Errorf("dev: %w", err)
		}
		return nil
	case <-ctx.Done():
		end()
		return <-kept
	case <-answers:
	}
	var hurried sync.WaitGroup
	hurried.Go(func() {
		for range 2 {
			select {
			case <-signals:
			case <-keeping.Done():
				return
			}
		}
		end()
	})
	err = serve(ctx, s, log, stdout)
	end()
	hurried.Wait()
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
