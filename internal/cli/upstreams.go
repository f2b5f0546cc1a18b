package cli

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aguiws/aguiws/gateway"
)

// upstreamEntry is an entry of a list of upstreams, or one of --upstream.
type upstreamEntry struct {
	Name             string            `yaml:"name"`
	URL              string            `yaml:"url"`
	Headers          map[string]string `yaml:"headers"`
	HeaderFiles      map[string]string `yaml:"header-files"`
	PassHeaders      []string          `yaml:"pass-headers"`
	UserHeader       string            `yaml:"user-header"`
	Dialect          string            `yaml:"dialect"`
	Yes              yaml.Node         `yaml:"yes"`
	No               yaml.Node         `yaml:"no"`
	History          string            `yaml:"history"`
	Idempotent       bool              `yaml:"idempotent"`
	AskLost          bool              `yaml:"ask-lost"`
	OwnMetadata      bool              `yaml:"own-metadata"`
	StopURL          string            `yaml:"stop-url"`
	CapabilitiesURL  string            `yaml:"capabilities-url"`
	ConnectTimeout   string            `yaml:"connect-timeout"`
	FirstByteTimeout string            `yaml:"first-byte-timeout"`
	SilenceTimeout   string            `yaml:"silence-timeout"`
	RunTimeout       string            `yaml:"run-timeout"`
	MaxEvent         string            `yaml:"max-event"`
	MaxRun           string            `yaml:"max-run"`
	Concurrency      int               `yaml:"concurrency"`
	TLSCA            string            `yaml:"tls-ca"`
	TLSCert          string            `yaml:"tls-cert"`
	TLSKey           string            `yaml:"tls-key"`
}

// upstreamWords are those that may stand behind the URL of one.
var upstreamWords = []string{"dialect", "history", "idempotent", "ask-lost", "user-header", "connect-timeout", "first-byte-timeout", "silence-timeout", "run-timeout", "max-event", "max-run", "concurrency"}

var upstreamEntries = entries[upstreamEntry]{"an upstream",
	"expected a list of upstreams such as [{name: weather, url: https://…, headers: {Authorization: Bearer …}, idempotent: true}] in YAML or JSON"}

// upstreamValue is [NAME=][DIALECT+]URL[#MEMBER=VALUE&…], the members those of a list; each time that it is given adds one, or several with commas.
type upstreamValue struct{ into *[]upstreamEntry }

func (v upstreamValue) Set(text string) error {
	list := slices.Clone(*v.into)
	for _, each := range words(text) {
		address, members, _ := strings.Cut(each, "#")
		entry, err := upstreamMembersOf(members)
		if err != nil {
			return err
		}
		entry.URL = address
		if name, rest, named := strings.Cut(address, "="); named && !strings.ContainsAny(name, ":/") {
			entry.Name, entry.URL = name, rest
		}
		if dialect, rest, said := strings.Cut(entry.URL, "+"); said && !strings.ContainsAny(dialect, ":/") {
			if !slices.Contains(gateway.Dialects, gateway.Dialect(dialect)) {
				return fmt.Errorf("%q before its URL is no dialect: must be one of %v", dialect, gateway.Dialects)
			}
			entry.Dialect, entry.URL = dialect, rest
		}
		if _, err := entry.parseURL(); err != nil {
			return err
		}
		list = append(list, entry)
	}
	*v.into = list
	return nil
}

func (v upstreamValue) String() string {
	var list []string
	for _, each := range *v.into {
		text := each.shownURL()
		if each.Dialect != "" {
			text = each.Dialect + "+" + text
		}
		if each.Name != "" {
			text = each.Name + "=" + text
		}
		list = append(list, text)
	}
	return strings.Join(list, ",")
}

func (v upstreamValue) kind() string { return "[name=][dialect+]URL" }

// upstreamMembersOf reads what stands behind the URL of an upstream. A list in YAML has the
// rest: what is not one word, and what command lines do not show everybody.
func upstreamMembersOf(text string) (entry upstreamEntry, err error) {
	if text == "" {
		return entry, nil
	}
	members := []string{}
	for _, each := range strings.Split(text, "&") {
		name, value, _ := strings.Cut(each, "=")
		if !slices.Contains(upstreamWords, name) || value == "" || strings.ContainsAny(value, "{}[]:\"'") {
			return entry, fmt.Errorf("settings such as max-event=32MiB may follow the # of an upstream, with & between them: %s; a list in upstreams takes all others", strings.Join(upstreamWords, ", "))
		}
		members = append(members, name+": "+value)
	}
	list, err := upstreamEntries.parse([]byte("[{" + strings.Join(members, ", ") + "}]"))
	if err != nil {
		return entry, err
	}
	return list[0], nil
}

// parseURL judges the URL without repeating it: what is secret may be in it.
func (e *upstreamEntry) parseURL() (*url.URL, error) {
	u, err := url.Parse(e.URL)
	switch {
	case err != nil || u.Hostname() == "":
		return nil, errors.New("its URL cannot be read: expected one such as http://localhost:8000/agui")
	case u.User != nil:
		return nil, errors.New("its URL holds a user or a password, which would be in logs: put them in a header, such as headers: {Authorization: …} in upstreams")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the URL begins with %s: must be http or https", u.Scheme)
	case u.Fragment != "":
		return nil, errors.New("its URL has a fragment (#), which is never sent")
	}
	return u, nil
}

// shownURL is the URL without its query.
func (e *upstreamEntry) shownURL() string {
	u, err := e.parseURL()
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}
