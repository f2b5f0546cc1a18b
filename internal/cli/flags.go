package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// errHelp: the usage was printed, there is nothing more to do.
var errHelp = errors.New("help")

const configHelp = "file with settings, in YAML: `lease: 5s`. The environment wins over it, and flags win over both"

// readSettings reads the command line, then what it does not say from the
// environment, then what that does not say from the configuration file. A setting that
// nobody gives stays as newSettings has it.
func readSettings(args []string, env environment, usage io.Writer) (*settings, error) {
	s := newSettings()
	s.crashAt = env.get("AGUIWS_CRASH_AT")
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"} // as most commands say it
	}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		if commands := []string{"serve", "dev", "check", "record", "show", "erase", "config", "healthz", "version"}; !slices.Contains(commands, args[0]) {
			return s, fmt.Errorf("unknown command %q%s: try aguiws --help", args[0], suggest(args[0], commands))
		}
		s.command, args = args[0], args[1:]
	}
	table := s.table()
	s.strays = env.strays(table)
	config := env.get("AGUIWS_CONFIG")
	flags := append(table[:len(table):len(table)], setting{name: "config", value: textValue{&config, "file"}})
	switch s.command {
	case "record":
		flags = append(flags, s.recording.table()...)
	case "check":
		flags = append(append(flags, s.recording.table()[0]), s.checking.table()...)
	case "show":
		flags = append(flags, s.forShow()...)
	case "erase":
		flags = append(flags, s.erasing.table()...)
	}
	rest, err := s.readFlags(args, flags)
	if err == nil {
		err = s.readArguments(rest)
	}
	if errors.Is(err, errHelp) {
		printUsage(usage, newSettings().table())
	}
	if err != nil {
		return s, err
	}
	err = s.readEnvironment(env, table)
	if config != "" {
		err = errors.Join(err, s.readFile(config, table))
	}
	if err != nil {
		return s, err
	}
	if s.command == "dev" && len(s.upstream)+len(s.upstreams) == 0 {
		s.upstream = []upstreamEntry{{URL: devUpstream}}
	}
	s.readModelKey(env)
	s.traces = readTraces(env)
	return s, s.validate()
}

// readFlags sets what the command line says. The flag package would do, if it
// told which flag it does not know in another way than in a text: there would be
// no naming the one that was meant.
func (s *settings) readFlags(args []string, table []setting) (rest []string, err error) {
	for len(args) > 0 {
		arg, after := args[0], args[1:]
		if len(arg) < 2 || arg[0] != '-' || arg == "--" {
			break
		}
		name, text, given := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		at := slices.IndexFunc(table, func(each setting) bool { return each.name == name })
		switch {
		case name == "" || name[0] == '-':
			return nil, fmt.Errorf("bad flag syntax: %s: aguiws --help lists the flags", arg)
		case isHelp(arg):
			return nil, errHelp
		case at < 0:
			return nil, fmt.Errorf("unknown flag --%s%s: aguiws --help lists the flags", name, suggest(name, names(table)))
		case given:
		case table[at].value.kind() == "": // a switch
			text = "true"
		case len(after) == 0:
			return nil, fmt.Errorf("flag needs an argument: --%s: aguiws --help lists the flags", name)
		default:
			text, after = after[0], after[1:]
		}
		if err := table[at].value.Set(text); err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
		s.from[name] = "--" + name
		args = after
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	return args, nil
}

// readArguments reads what stands behind the flags.
func (s *settings) readArguments(args []string) error {
	if s.command == "dev" {
		if len(args) == 0 {
			return errors.New("dev: the agent's command is missing: aguiws dev [flags] -- COMMAND ARGUMENTS…")
		}
		s.agentCommand, args = args, nil
	}
	if s.command == "show" {
		if len(args) == 0 {
			return errors.New("show: the thread is missing: aguiws show [flags] THREAD")
		}
		s.showing.Thread, args = args[0], args[1:]
	}
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: try aguiws --help", args[0])
	}
	return nil
}

// isHelp reports whether an argument asks for the usage.
func isHelp(arg string) bool {
	return slices.Contains([]string{"--help", "-help", "--h", "-h"}, arg)
}
