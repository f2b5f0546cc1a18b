package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/server"
)

// segment is what a name may be: a part of a path, of a key and of a list of settings.
var segment = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// unnamedUpstream is what an upstream is called that nobody has named.
const unnamedUpstream = "agent"

// upstreamList are those of --upstream, then those of the list, with names.
func (s *settings) upstreamList() ([]upstreamEntry, error) {
	var all []upstreamEntry
	for i, each := range slices.Concat(s.upstream, s.upstreams) {
		from := "upstreams"
		if i < len(s.upstream) {
			from = "upstream"
		}
		unnamed := each.Name == ""
		each.Name = cmp.Or(each.Name, unnamedUpstream)
		err := each.check(s)
		if err == nil && slices.ContainsFunc(all, func(e upstreamEntry) bool { return e.Name == each.Name }) {
			err = errors.New("another upstream has this name")
			if unnamed {
				err = errors.New("one upstream can do without a name: name the others, NAME=URL or name: NAME")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: upstream %q: %w", s.named(from), each.Name, err)
		}
		all = append(all, each)
	}
	return all, nil
}

// chosenUpstream is the one of the list that answers under /agui.
func (s *settings) chosenUpstream(list []upstreamEntry) (*upstreamEntry, error) {
	_, chosen := s.agentNames(list)
	for i := range list {
		if list[i].Name == chosen {
			return &list[i], nil
		}
	}
	return nil, fmt.Errorf("%s %q: there is no upstream of that name", s.named("agent"), chosen)
}

// check judges what an entry says, beside the settings.
func (e *upstreamEntry) check(s *settings) error {
	if err := server.CheckAgentName(e.Name); err != nil {
		return err
	}
	// CopilotKit's pages call the agent so that they do not name.
	if slices.Contains(ownAgents, e.Name) || e.Name == "default" {
		return fmt.Errorf("an agent of this server has the name %s: choose another", e.Name)
	}
	if !segment.MatchString(e.Name) {
		return errors.New("a name is 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or a digit")
	}
	u, err := e.parseURL()
	if err != nil {
		return err
	}
	if s.isSelf(u) {
		return fmt.Errorf("%s is where this server listens itself: the server would ask itself for ever", u.Host)
	}
	if e.Concurrency < 0 {
		return fmt.Errorf("concurrency: %d: at least 1", e.Concurrency)
	}
	return nil
}

// isSelf reports whether a URL leads to the address that is listened on, as far as it can
// be seen without asking anybody.
func (s *settings) isSelf(u *url.URL) bool {
	host, port, err := net.SplitHostPort(s.addr)
	if err != nil || port == "0" {
		return false
	}
	// A host that is left out is each of this machine.
	return port == portOf(u) && (strings.EqualFold(host, u.Hostname()) || isLoopback(u.Hostname()) && (host == "" || isUnspecified(host) || isLoopback(host)))
}

// portOf is the URL's port, or that of its scheme.
func portOf(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

func isUnspecified(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsUnspecified()
}

// agentNames are the agents that are served under their names, and which of them is the
// default one.
func (s *settings) agentNames(upstreams []upstreamEntry) (names []string, byDefault string) {
	for _, each := range upstreams {
		names = append(names, each.Name)
	}
	byDefault = s.agent
	if len(names) > 0 && s.from["agent"] == "" {
		byDefault = names[0]
	}
	if len(names) == 0 || byDefault == "script" {
		names = append(names, "script")
	}
	if s.hasAssistant() {
		names = append(names, assistant)
	}
	return names, byDefault
}

// checkDisconnect judges a setting that names agents.
func (s *settings) checkDisconnect(agents []string) error {
	if err := server.CheckOnDisconnect(s.onDisconnect, agents); err != nil {
		return fmt.Errorf("%s: %w", s.named("on-disconnect"), err)
	}
	return nil
}
