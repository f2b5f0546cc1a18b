// Package cli is the command aguiws, from its command line to its exit code.
//
// There is one way through it. The settings are read (settings.go lists them):
// flags (flags.go) win over the environment (environment.go), that over the
// configuration file (configfile.go), and that over the defaults. They are
// judged together (validate.go). Then one of the commands goes on. serve wires store,
// runner, identity and server together, listens, and drains when it is told to end
// (serve.go). dev does so in front of an agent that it starts itself (dev.go). check says what it finds of what the settings name (check.go). record keeps
// what an upstream answers (record.go). show prints what the store holds of a thread
// (package show), and erase takes a person out of it (erase.go). version says what this is, config init writes a file to begin with
// (init.go), and healthz asks a server whether it is well.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/internal/build"
	"github.com/aguiws/aguiws/internal/show"
)

// Main carries out one command line in an environment as os.Environ has it, says
// on stderr what went wrong, and returns the exit code. When ctx ends it drains,
// and then returns.
func Main(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	err := run(ctx, args, environ, stdout, stderr)
	if err == nil {
		return 0
	}
	if !errors.As(err, new(loggedError)) {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(stderr, "aguiws:", strings.TrimSuffix(line, "\n"))
		}
	}
	return 1
}

// run carries out one command line. It returns when ctx has ended and the
// server has drained.
func run(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) (err error) {
	if len(args) > 0 && !slices.ContainsFunc(args, isHelp) {
		switch args[0] { // they have no settings
		case "config":
			return configure(args[1:], stdout)
		case "healthz":
			return healthz(ctx, args[1:], stdout)
		}
	}
	s, err := readSettings(args, env, stderr)
	defer func() {
		if err != nil && (s.command == "serve" || s.command == "dev") && s.logFormat == "json" {
			newLogger(s, stderr).Error("the command failed", "error", err)
			err = loggedError{err}
		}
	}()
	switch {
	case errors.Is(err, errHelp):
		return nil
	case err != nil:
		s.warnOfStrays(newLogger(s, stderr)) // what is missing may be what one of them was to set
		return err
	case s.command == "version":
		fmt.Fprintln(stdout, "aguiws", build.Get())
		return nil
	case s.command == "check":
		return check(ctx, s, stdout)
	case s.command == "record":
		return record(ctx, s, stdout)
	case s.command == "show":
		return showThread(ctx, s, stdout)
	case s.command == "erase":
		return erase(ctx, s, stdout)
	}
	if s.command == "dev" {
		return dev(ctx, s, env, newLogger(s, stderr), stdout)
	}
	return serve(ctx, s, newLogger(s, stderr), stdout)
}

// showTimeout bounds what show waits for the network.
const showTimeout = 30 * time.Second

// showThread prints what Redis holds of a thread.
func showThread(ctx context.Context, s *settings, w io.Writer) error {
	if s.redis == "" {
		return fmt.Errorf("show: %s is missing: the embedded store ends with its server, so there is nothing to look into", s.named("redis"))
	}
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	s.waitReplicas, s.strict = 0, false // what keeps a server from starting is the time to look
	st, err := openStore(ctx, s, newLogger(s, io.Discard))
	if err != nil {
		return fmt.Errorf("show: %w", err)
	}
	defer st.Close()
	if err := show.Thread(ctx, st, s.showing, w, readable); err != nil {
		return fmt.Errorf("show: %w", err)
	}
	return nil
}

// loggedError is an error that the log has.
type loggedError struct{ error }

func (e loggedError) Unwrap() error { return e.error }
