package cli

import (
	"encoding/json"
	"io"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/server/metrics"
)

func agentsOf(t *testing.T, args ...string) (*agentSet, error) {
	t.Helper()
	s, err := readSettings(args, env(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return newAgents(s, metrics.New(), slog.New(slog.DiscardHandler))
}

// The first upstream answers where no agent is named, unless another one is set to; the
// script agent is there where it is asked for, or nobody else is.
func TestAgentsAreServed(t *testing.T) {
	const list = "[{name: c, url: http://c/}, {url: http://d/}]"
	for _, c := range []struct {
		args      []string
		names     string
		byDefault string
		fails     string
	}{
		{nil, "script", "script", ""},
		{[]string{"--upstream", "http://a/"}, "agent", "agent", ""},
		{[]string{"--upstream", "a=http://a/x?b=c", "--upstream", "http://b/"}, "a agent", "a", ""},
		{[]string{"--upstream", "a=http://a/,b=http://b/", "--agent", "b"}, "a b", "b", ""},
		{[]string{"--upstream", "a=http://a/", "--agent", "script"}, "a script", "script", ""},
		{[]string{"--upstream", "a=http://a/", "--upstreams", list}, "a c agent", "a", ""},
		{[]string{"--upstreams", list, "--unanswered", "c=cancel", "--on-disconnect", "c=finish"}, "c agent", "c", ""},
		{[]string{"--upstreams", list, "--unanswered", "e=cancel"}, "", "", "--unanswered e=cancel: no such agent: must be one of c, agent"},
		{[]string{"--upstream", "a=http://a/", "--agent", "x"}, "", "", `--agent "x": no such agent: must be one of a, assistant, script`},
	} {
		a, err := agentsOf(t, c.args...)
		switch {
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%q: %v, want %s", c.args, err, c.fails)
		case c.fails == "" && err != nil:
			t.Errorf("%q: %v", c.args, err)
		case c.fails == "":
			if strings.Join(a.names, " ") != c.names || a.byDefault != c.byDefault || a.byName[c.byDefault] == nil || len(a.byName) != len(a.names) {
				t.Errorf("%q: %v, and %s", c.args, a.names, a.byDefault)
			}
			if slices.Contains(a.names, "script") != (a.byName["script"] != nil) {
				t.Errorf("%q: script is named and not there, or the other way round", c.args)
			}
		}
	}
}

// What a list says of an upstream is what the gateway gets, and what is secret in it is in
// no error.
func TestUpstreamOptions(t *testing.T) {
	kept := write(t, "secret", " k-4711\n")
	options := func(text string) (*gateway.Options, error) {
		list, err := upstreamEntries.parse([]byte(text))
		if err != nil {
			return nil, err
		}
		return list[0].options(nil)
	}
	o, err := options(`[{name: crm, url: "https://h/agui", headers: {authorization: Bearer k-4711}, header-files: {X-Key: ` + kept + `}, pass-headers: [X-Trace], user-header: X-User,
		dialect: langgraph, yes: "yes", no: {ok: false, n: [1, null]}, history: new, idempotent: true, ask-lost: true, own-metadata: true, stop-url: "https://h/stop", capabilities-url: "https://h/caps",
		connect-timeout: 1s, first-byte-timeout: 2s, silence-timeout: 3s, run-timeout: 4m, max-event: 2MiB, max-run: 3MiB, concurrency: 5}]`)
	if err != nil {
		t.Fatal(err)
	}
	if o.Header.Get("Authorization") != "Bearer k-4711" || o.Header.Get("X-Key") != "k-4711" {
		t.Errorf("headers %v", o.Header)
	}
	o.Header = nil
	if want := (&gateway.Options{Name: "crm", PassHeaders: []string{"X-Trace"}, UserHeader: "X-User", Dialect: "langgraph", Yes: json.RawMessage(`"yes"`), No: json.RawMessage(`{"n":[1,null],"ok":false}`), History: gateway.HistoryNew, Idempotent: true, AskLost: true, OwnMetadata: true,
		StopURL: "https://h/stop", CapabilitiesURL: "https://h/caps", ConnectTimeout: time.Second, FirstByteTimeout: 2 * time.Second, SilenceTimeout: 3 * time.Second,
		RunTimeout: 4 * time.Minute, MaxEventBytes: 2 << 20, MaxRunBytes: 3 << 20, Concurrency: 5}); !reflect.DeepEqual(o, want) {
		t.Errorf("got  %+v\nwant %+v", o, want)
	}
	for text, says := range map[string]string{
		`[{url: "http://h", headers: {X-Key: k-4711}, header-files: {x-key: ` + kept + `}}]`: "header-files: x-key is there twice",
		`[{url: "http://h", header-files: {X-Key: /does/not/exist}}]`:                        "open /does/not/exist",
		`[{url: "http://h", headers: {X-Key: "k-4711\n"}}]`:                                  `headers: X-Key: the value cannot be sent`,
		`[{url: "http://h", headers: k-4711}]`:                                               "expected a list of upstreams",
		`[{url: "http://h", history: some}]`:                                                 `history: "some": must be whole or new`,
		`[{url: "http://h", no: {1: x}}]`:                                                    "no: the value must be one of JSON",
		`[{url: "http://h", run-timeout: soon}]`:                                             `run-timeout: "soon": expected a time`,
		`[{url: "http://h", max-run: 3MB}]`:                                                  `max-run: "3MB": expected a size`,
		`[{url: "http://h", tls-ca: ` + kept + `}]`:                                          "are for an https URL",
		`[{url: "https://h", tls-ca: ` + kept + `}]`:                                         "there is no certificate in PEM in it",
		`[{url: "https://h", tls-cert: ` + kept + `}]`:                                       "one needs the other",
		`[{url: "https://h", tls-cert: ` + kept + `, tls-key: ` + kept + `}]`:                "tls-cert, tls-key: ",
	} {
		if _, err := options(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", text, err, says)
		} else if strings.Contains(err.Error(), "4711") {
			t.Errorf("a secret is told: %v", err)
		}
	}
	for _, args := range [][]string{{"--upstream", "http://ann:k-4711@h/"}, {"--upstreams", "[{url: 'http://ann:k-4711@h/'}]"}} {
		if _, err := readSettings(args, env(), io.Discard); err == nil || !strings.Contains(err.Error(), "put them in a header") || strings.Contains(err.Error(), "4711") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// An upstream of the flag has the settings behind its URL, and takes events as large as what
// clients may send and agents then repeat.
func TestUpstreamSettingsInTheFlag(t *testing.T) {
	for args, want := range map[string]upstreamEntry{
		"http://a/":                                 {URL: "http://a/"},
		"a=http://a/x?b=c#max-event=32MiB":          {Name: "a", URL: "http://a/x?b=c", MaxEvent: "32MiB"},
		"http://a/#idempotent=true&dialect=mastra":  {URL: "http://a/", Idempotent: true, Dialect: "mastra"},
		"http://a/#run-timeout=1m30s&concurrency=5": {URL: "http://a/", RunTimeout: "1m30s", Concurrency: 5},
	} {
		s, err := readSettings([]string{"--upstream", args}, env(), io.Discard)
		if err != nil || !reflect.DeepEqual(s.upstream, []upstreamEntry{want}) {
			t.Errorf("%s: %+v, %v", args, s.upstream, err)
		}
	}
	for _, c := range []struct {
		args []string
		want int64
	}{
		{[]string{"--upstream", "a=http://a/"}, 16 << 20},
		{[]string{"--upstream", "a=http://a/#max-event=2MiB"}, 2 << 20},
		{[]string{"--upstream", "a=http://a/", "--max-frame", "64KiB"}, 16 << 20},
		{[]string{"--upstream", "a=http://a/", "--max-frame", "8MiB"}, 32 << 20},
	} {
		s, err := readSettings(c.args, env(), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.upstream[0].gatewayOptions(s, nil)
		if err != nil || o.MaxEventBytes != c.want {
			t.Errorf("%q: %+v, %v", c.args, o, err)
		}
	}
}

// Each agent has the server's own part of its capabilities, and is asked for the rest.
func TestUpstreamsAreAsked(t *testing.T) {
	a, err := agentsOf(t, "--upstream", "a=http://a/", "--upstream", "b=http://b/", "--agent", "script")
	if err != nil {
		t.Fatal(err)
	}
	if a.capabilities["a"] == nil || a.capabilities["b"] == nil || a.capabilities["script"] != nil || a.identities["a"].Name != "a" || a.identities["script"].Type != "aguiws:script" {
		t.Errorf("%+v", a)
	}
}

// docs/gateway.md shows a list that is one, with all that an upstream can have, and names each
// repair once.
func TestGatewayPage(t *testing.T) {
	page := readFile(t, "../../docs/gateway.md")
	_, text, found := strings.Cut(page, "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	s, err := readSettings([]string{"--config", write(t, "a.yaml", text)}, env(), io.Discard)
	if err != nil || !found || len(s.upstreams) != 1 {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, member := range upstreamEntries.members() {
		if !strings.Contains(text, " "+member+": ") {
			t.Errorf("it does not show %s", member)
		}
	}
	s.upstreams[0].HeaderFiles, s.upstreams[0].TLSCA, s.upstreams[0].TLSCert, s.upstreams[0].TLSKey = nil, "", "", ""
	if _, err := s.upstreams[0].upstream(s, metrics.New(), slog.New(slog.DiscardHandler)); err != nil {
		t.Error(err)
	}
	rows := func(title string) (first []string) {
		_, section, _ := strings.Cut(page, "\n## "+title+"\n")
		section, _, _ = strings.Cut(section, "\n##")
		for _, cell := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(section, -1) {
			first = append(first, strings.Split(strings.Trim(cell[1], "`"), "`, `")...)
		}
		slices.Sort(first)
		return first
	}
	if got, want := rows("What is put right"), slices.Sorted(slices.Values(gateway.Repairs)); !slices.Equal(got, want) {
		t.Errorf("it lists the repairs %v, and there are %v", got, want)
	}
}
