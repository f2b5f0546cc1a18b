package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// errHelp: the usage was printed, there is nothing more to do.
var errHelp = errors.New("help")

const configHelp = "file with settings, in YAML: `lease: 5s`. What the environment says counts more, and flags most"

// readSettings reads the command line, then what it does not say from the
// environment, then what that does not say from the configuration file.
func readSettings(args []string, env environment, usage io.Writer) (*settings, error) {
	s := newSettings()
	s.crashAt = env.get("AGUIWS_CRASH_AT")
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		if commands := []string{"serve", "check", "version"}; !slices.Contains(commands, args[0]) {
			return s, fmt.Errorf("unknown command %q%s: try aguiws --help", args[0], suggest(args[0], commands))
		}
		s.command, args = args[0], args[1:]
	}
	table := s.table()
	s.strays = env.strays(table)
	config := env.get("AGUIWS_CONFIG")
	f := flag.NewFlagSet("aguiws", flag.ContinueOnError)
	f.SetOutput(io.Discard) // it would print the usage for every mistake
	f.StringVar(&config, "config", config, configHelp)
	for _, each := range table {
		f.Var(each.value, each.name, each.help)
	}
	err := f.Parse(args)
	f.Visit(func(given *flag.Flag) { s.from[given.Name] = "--" + given.Name })
	switch {
	case errors.Is(err, flag.ErrHelp):
		printUsage(usage, newSettings().table())
		return s, errHelp
	case err != nil:
		return s, flagError(err, table)
	case f.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q: try aguiws --help", f.Arg(0))
	}
	for _, each := range table {
		name := environmentName(each.name)
		if text := env.get(name); text != "" && s.from[each.name] == "" {
			if err := each.value.Set(text); err != nil {
				return s, fmt.Errorf("%s: %w", name, err)
			}
			s.from[each.name] = name
		}
	}
	if config != "" {
		if err := s.readFile(config, table); err != nil {
			return s, err
		}
	}
	return s, s.check()
}

// flagError says what the flag package says, in our words.
func flagError(err error, table []setting) error {
	const unknown = "flag provided but not defined: -"
	text := err.Error()
	if name, found := strings.CutPrefix(text, unknown); found {
		name = strings.TrimPrefix(name, "-")
		return fmt.Errorf("unknown flag --%s%s: aguiws --help lists the flags", name, suggest(name, append(names(table), "config")))
	}
	// invalid value "soon" for flag -lease: what Set said
	// invalid boolean value "soon" for -strict-durability: what Set said
	for _, before := range []string{" for flag -", " for -"} {
		if _, rest, found := strings.Cut(text, before); found && strings.HasPrefix(text, "invalid ") {
			return fmt.Errorf("--%s", rest)
		}
	}
	return fmt.Errorf("%s: aguiws --help lists the flags", text)
}

func names(table []setting) []string {
	var list []string
	for _, each := range table {
		list = append(list, each.name)
	}
	return list
}

// readFile sets what has not been set yet.
func (s *settings) readFile(path string, table []setting) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(document.Content) == 0 {
		return nil // nothing but comments
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: expected settings, each on a line of its own: lease: 5s", path, root.Line)
	}
	seen := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		from := fmt.Sprintf("%s:%d: %s", path, key.Line, key.Value)
		at := slices.IndexFunc(table, func(each setting) bool { return each.name == key.Value })
		switch {
		case at < 0:
			return fmt.Errorf("%s: there is no such setting%s", from, suggest(key.Value, names(table)))
		case seen[key.Value]:
			return fmt.Errorf("%s: it is set twice", from)
		}
		seen[key.Value] = true
		text, err := textOf(node)
		if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		if s.from[key.Value] != "" {
			// It is checked all the same: a mistake must not wait for the day
			// when the flag is gone.
			if err := newSettings().table()[at].value.Set(text); err != nil {
				return fmt.Errorf("%s: %w", from, err)
			}
			continue
		}
		if err := table[at].value.Set(text); err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		s.from[key.Value] = from
	}
	return nil
}

// textOf writes a value of the file as a flag would have it.
func textOf(node *yaml.Node) (string, error) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return "", errors.New("it has no value")
	case node.Kind == yaml.ScalarNode:
		return node.Value, nil
	case node.Kind == yaml.SequenceNode && !slices.ContainsFunc(node.Content, func(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode }):
		var list []string
		for _, each := range node.Content {
			list = append(list, each.Value)
		}
		return strings.Join(list, ","), nil
	case node.Kind == yaml.SequenceNode:
		data, err := yaml.Marshal(node)
		return string(data), err
	default:
		return "", errors.New("expected a value or a list")
	}
}

// check judges settings that depend on one another.
func (s *settings) check() error {
	belong := map[string][]string{
		"tokens": {"tokens", "token-file"},
		"jwt": {"jwt-keys", "jwt-issuer", "jwt-audience", "jwt-algorithms", "jwt-leeway", "jwt-user", "jwt-tenant",
			"jwt-namespace", "jwt-scopes", "jwt-scope-prefix"},
	}
	for auth, list := range belong {
		for _, name := range list {
			if s.from[name] != "" && s.auth != auth {
				return fmt.Errorf("%s: it needs auth to be %s, which is %s", s.named(name), auth, s.auth)
			}
		}
	}
	switch {
	case s.auth == "tokens" && (len(s.tokens) == 0) == (s.tokenFile == ""):
		return fmt.Errorf("%s tokens: it needs either --tokens or --token-file", s.named("auth"))
	case s.auth == "jwt" && s.jwt.keySet == "":
		return fmt.Errorf("%s jwt: it needs --jwt-keys", s.named("auth"))
	case s.auth == "jwt" && s.jwt.issuer == "":
		return fmt.Errorf("%s jwt: it needs --jwt-issuer", s.named("auth"))
	case s.auth == "jwt" && s.jwt.audience == "":
		return fmt.Errorf("%s jwt: it needs --jwt-audience", s.named("auth"))
	case (s.tlsCert == "") != (s.tlsKey == ""):
		return errors.New("--tls-cert and --tls-key: one needs the other")
	case s.mode == "durable" && s.redis == "":
		return fmt.Errorf("%s durable: the embedded store dies with the process: it needs --redis", s.named("mode"))
	case s.waitReplicas > 0 && s.redis == "":
		return fmt.Errorf("%s: the embedded store has no replicas: it needs --redis", s.named("wait-replicas"))
	case s.inbound < s.maxFrame:
		return fmt.Errorf("%s: it must be no smaller than max-frame", s.named("max-inbound"))
	case s.prefix == "":
		return fmt.Errorf("%s: a name is needed", s.named("redis-prefix"))
	}
	for _, a := range []struct {
		name, addr string
		loopback   bool
	}{{"addr", s.addr, s.auth == "none"}, {"metrics-addr", s.metricsAddr, false}, {"pprof-addr", s.pprofAddr, true}} {
		if a.addr == "" && a.name != "addr" {
			continue
		}
		host, _, err := net.SplitHostPort(a.addr)
		if err != nil {
			return fmt.Errorf("%s %q: expected host:port", s.named(a.name), a.addr)
		}
		if ip := net.ParseIP(host); a.loopback && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			why := "what it serves is for this machine alone"
			if a.name == "addr" {
				why = "nobody is authenticated: set --auth"
			}
			return fmt.Errorf("%s %q: it must be a loopback address such as 127.0.0.1, because %s", s.named(a.name), a.addr, why)
		}
	}
	return nil
}

// suggest names the one of the list that was probably meant.
func suggest(name string, list []string) string { return meant(nearest(name, list)) }

func meant(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", name)
}

// nearest is the one of the list that differs least, or "" if all differ much.
func nearest(name string, list []string) string {
	best, least := "", 1+len(name)/3
	for _, each := range list {
		if d := distance(name, each); d <= least {
			best, least = each, d-1
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
