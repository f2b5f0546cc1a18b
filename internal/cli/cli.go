// Package cli is the command aguiws, from its command line to its exit code.
//
// There is one way through it. The settings are read (settings.go lists them):
// flags (flags.go) win over the environment (environment.go), that over the
// configuration file (configfile.go), and that over the defaults. They are
// judged together (validate.go). Then one of the commands goes on. serve wires store,
// runner, identity and server together, listens, and drains when it is told to end
// (serve.go). check says what it finds of what the settings name (check.go). record keeps
// what an upstream answers (record.go). version says what this is.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
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
		fmt.Fprintln(stderr, "aguiws:", err)
	}
	return 1
}

// run carries out one command line. It returns when ctx has ended and the
// server has drained.
func run(ctx context.Context, args []string, env environment, stdout, stderr io.Writer) (err error) {
	s, err := readSettings(args, env, stderr)
	defer func() {
		if err != nil && s.command == "serve" && s.logFormat == "json" {
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
		fmt.Fprintln(stdout, "aguiws", version())
		return nil
	case s.command == "check":
		return check(ctx, s, stdout)
	case s.command == "record":
		return record(ctx, s, stdout)
	}
	return serve(ctx, s, newLogger(s, stderr), stdout)
}

// loggedError is an error that the log has.
type loggedError struct{ error }

func (e loggedError) Unwrap() error { return e.error }

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
