package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// errHelp: the usage was printed, there is nothing more to do.
var errHelp = errors.New("help")

// settings is what the command line and the environment say.
type settings struct {
	addr, redis, agent, effects, busy, mode, onExpiry string
	hosts, origins                                    []string
	lease, drain                                      time.Duration
	strict, version                                   bool
	crashAt                                           string
}

// readSettings reads the flags, and for those not given the environment:
// --addr is AGUIWS_ADDR.
func readSettings(args []string, getenv func(string) string, usage io.Writer) (settings, error) {
	var s settings
	var hosts, origins string
	f := flag.NewFlagSet("aguiws", flag.ContinueOnError)
	f.SetOutput(usage)
	f.Usage = func() {
		fmt.Fprintln(usage, "Usage: aguiws [serve] [flags]\n       aguiws version\n\nEach flag is also read from the environment: --addr from AGUIWS_ADDR.\n\nFlags:")
		f.PrintDefaults()
	}
	f.StringVar(&s.addr, "addr", "127.0.0.1:8080", "address to listen on; without authentication it must be a loopback one")
	f.StringVar(&s.redis, "redis", "", "store: a redis://, rediss://, Sentinel or Cluster URL; embedded when empty")
	f.StringVar(&s.agent, "agent", "script", "agent that answers under /agui")
	f.StringVar(&s.effects, "effects", "", "file to which the script agent appends a line for each effect")
	f.StringVar(&s.busy, "busy", "queue", "an input while a run is active: queue, reject or supersede")
	f.StringVar(&s.mode, "mode", "auto", "auto, or durable: refuse a store that dies with the process")
	f.StringVar(&s.onExpiry, "on-expiry", "keep", "an interrupt that expires: keep, cancel or fail")
	f.StringVar(&hosts, "hosts", "", "names under which the server may be addressed besides loopback, separated by commas")
	f.StringVar(&origins, "origins", "", "origins of pages that may use the server besides its own, separated by commas")
	f.DurationVar(&s.lease, "lease", 10*time.Second, "how long a worker may be silent before its run is taken over")
	f.DurationVar(&s.drain, "drain-timeout", 20*time.Second, "how long runs may go on after SIGTERM")
	f.BoolVar(&s.strict, "strict-durability", false, "refuse a Redis that may lose what it acknowledged")
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "serve":
		case "version":
			s.version = true
		default:
			return s, fmt.Errorf("unknown command %q: try aguiws --help", args[0])
		}
		args = args[1:]
	}
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return s, errHelp
	} else if err != nil {
		return s, fmt.Errorf("%w (aguiws --help lists the flags)", err)
	}
	if f.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q: try aguiws --help", f.Arg(0))
	}
	if err := fromEnvironment(f, getenv); err != nil {
		return s, err
	}
	s.hosts, s.origins = split(hosts), split(origins)
	s.crashAt = getenv("AGUIWS_CRASH_AT")
	return s, s.check()
}

// fromEnvironment sets the flags that were not given on the command line.
func fromEnvironment(f *flag.FlagSet, getenv func(string) string) error {
	given := map[string]bool{}
	f.Visit(func(set *flag.Flag) { given[set.Name] = true })
	var err error
	f.VisitAll(func(each *flag.Flag) {
		name := "AGUIWS_" + strings.ToUpper(strings.ReplaceAll(each.Name, "-", "_"))
		if value := getenv(name); value != "" && !given[each.Name] {
			if bad := f.Set(each.Name, value); bad != nil && err == nil {
				err = fmt.Errorf("%s: %w", name, bad)
			}
		}
	})
	return err
}

func (s *settings) check() error {
	switch s.busy {
	case "queue":
		s.busy = ""
	case "reject", "supersede":
	default:
		return fmt.Errorf("--busy %q: it is queue, reject or supersede", s.busy)
	}
	switch s.mode {
	case "auto":
		s.mode = ""
	case "durable":
	default:
		return fmt.Errorf("--mode %q: it is auto or durable", s.mode)
	}
	if s.lease < 100*time.Millisecond {
		return fmt.Errorf("--lease %s: at least 100ms", s.lease)
	}
	if s.drain <= 0 {
		return fmt.Errorf("--drain-timeout %s: it must be positive", s.drain)
	}
	return nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// crashHook kills the process as a crash would when a run reaches the named
// point, "point" or "point:N" for the N-th time. It is for tests of recovery.
func crashHook(at string) func(string) {
	if at == "" {
		return nil
	}
	point, nth, _ := strings.Cut(at, ":")
	left := new(atomic.Int64)
	left.Store(1)
	if n, err := strconv.ParseInt(nth, 10, 64); err == nil {
		left.Store(n)
	}
	return func(reached string) {
		if reached == point && left.Add(-1) == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}
