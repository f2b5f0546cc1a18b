package cli

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

var update = flag.Bool("update", false, "write the table of settings into docs/configuration.md")

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Flags win over the environment, and that over the file.
func TestSettings(t *testing.T) {
	file := write(t, "a.yaml", "# all of them\naddr: 127.0.0.1:3\nlease: 7s\nhosts: [a.example, b.example]\nredis: redis://file\nmax-frame: 1MiB\nstrict-durability: true\ntrusted-proxies: 10.0.0.0/8, 192.0.2.1\n")
	s, err := readSettings([]string{"serve", "--config", file, "--addr", "127.0.0.1:1", "--max-sockets=7"},
		env("AGUIWS_ADDR", "127.0.0.1:2", "AGUIWS_REDIS", "redis://env", "AGUIWS_DRAIN_TIMEOUT", "5s", "AGUIWS_ORIGINS", "https://a, https://b"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if s.addr != "127.0.0.1:1" || s.redis != "redis://env" || s.lease != 7*time.Second || s.drain != 5*time.Second || len(s.origins) != 2 || len(s.hosts) != 2 ||
		s.agent != "script" || s.maxFrame != 1<<20 || !s.strict || s.sockets != 7 || len(s.proxies) != 2 {
		t.Errorf("got %+v", s)
	}
	if s, err = readSettings(nil, env("AGUIWS_CONFIG", file), io.Discard); err != nil || s.addr != "127.0.0.1:3" {
		t.Errorf("got %+v, %v", s, err)
	}
	if s, err = readSettings(nil, env("AGUIWS_CONFIG", write(t, "b.yaml", "# nothing\n")), io.Discard); err != nil || s.addr != "127.0.0.1:8080" {
		t.Errorf("got %+v, %v", s, err)
	}
}

// What is kept of notices and decisions is what the settings say.
func TestSettingsOfRecords(t *testing.T) {
	s, err := readSettings([]string{"--notice-age", "2h", "--keep-decisions", "3h", "--redact", "/a:/b, pay:/card"}, env(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if o := s.storeOptions(nil); o.NoticeAge != 2*time.Hour || o.KeepDecisions != 3*time.Hour {
		t.Errorf("the store gets %+v", o)
	}
	if !reflect.DeepEqual(s.redact, []adapter.Redaction{{Pointer: "/a:/b"}, {Tool: "pay", Pointer: "/card"}}) {
		t.Errorf("redacted is %+v", s.redact)
	}
}

// Each setting can be given in each of the three ways, and what it is then is
// what it would be called by itself.
func TestEverySettingInEveryWay(t *testing.T) {
	for i, each := range newSettings().table() {
		text := map[string]string{
			"addr": "127.0.0.1:7", "model-url": "http://m", "metrics-addr": "127.0.0.1:7", "pprof-addr": "localhost:7", "tls-cert": "c", "tls-key": "k", "trusted-proxies": "10.0.0.0/8", "origins": "http://localhost:*",
			"linger": "20ms", "busy": "reject", "mode": "durable", "on-expiry": "fail", "unanswered": "cancel,script=refuse", "on-disconnect": "/agui=finish,/copilotkit=finish,script=stop", "auth": "tokens", "tokens": `[{"token": "0123456789abcdef", "user": "ann"}]`, "log-format": "json", "log-level": "debug",
			"logins": `[{"name": "git", "issuer": "https://h", "client-id": "x"}]`, "login-keys": "f", "public-url": "https://h",
			"webhooks": `[{"name": "crm", "url": "https://h", "secrets": ["x"], "from": "now"}]`, "upstream": "http://h/agui,b=https://h/,c2=langgraph+http://h/", "upstreams": `[{"name": "c", "url": "http://h"}]`, "strict-durability": "true", "separate-duties": "true", "notice-summaries": "true", "redact": "pay:/card/number,/a~1b", "redact-lists": "pay:/card/number,/a~1b",
		}[each.name]
		switch each.value.(type) {
		case textValue, listValue:
			if text == "" {
				text = "x"
			}
		case durationValue:
			if text == "" {
				text = "2m"
			}
		case numberValue, limitValue:
			text = "77"
		case bytesValue, bytesLimitValue:
			text = "3MiB"
		}
		if each.name == "max-frame" {
			text = "3KiB"
		}
		// What it cannot be without.
		args := map[string][]string{
			"auth": {"--token-file", "f"}, "tokens": {"--auth", "tokens"}, "token-file": {"--auth", "tokens"}, "separate-duties": {"--auth", "tokens", "--token-file", "f"}, "webhook-private": {"--webhooks", "[{name: x}]"}, "logins": {"--login-keys", "f"}, "login-keys": {"--logins", "[{name: x}]"}, "tls-cert": {"--tls-key", "k"}, "tls-key": {"--tls-cert", "c"},
			"model": {"--model-url", "http://m"}, "model-url": {"--model", "m"},
			"mode": {"--redis", "redis://r"}, "wait-replicas": {"--redis", "redis://r"}, "keep-runs": {"--run-timeout", "1m"}, "max-held": {"--max-frame", "1KiB"},
		}[each.name]
		if strings.HasPrefix(each.name, "jwt-") {
			args = []string{"--auth", "jwt", "--jwt-keys", "https://k", "--jwt-issuer", "i", "--jwt-audience", "a"}
		}
		if strings.HasPrefix(each.name, "signin-") {
			args = []string{"--auth", "tokens", "--token-file", "f", "--signin-client-id", "i", "--signin-issuer", "https://i", "--login-keys", "f"}
		}
		without := func(name string) (list []string) {
			for j := 0; j < len(args); j += 2 {
				if args[j] != "--"+name {
					list = append(list, args[j:j+2]...)
				}
			}
			return list
		}(each.name)
		file := write(t, "a.yaml", each.name+": '"+text+"'\n")
		var got []*settings
		for way, read := range map[string]func() (*settings, error){
			"flag": func() (*settings, error) {
				return readSettings(append(without, "--"+each.name+"="+text), env(), io.Discard)
			},
			"environment": func() (*settings, error) {
				return readSettings(without, env(environmentName(each.name), text), io.Discard)
			},
			"file": func() (*settings, error) { return readSettings(append(without, "--config", file), env(), io.Discard) },
		} {
			s, err := read()
			if err != nil {
				t.Errorf("%s by %s: %v", each.name, way, err)
				continue
			}
			if s.from[each.name] == "" || each.name != "tokens" && each.name != "webhooks" && each.name != "logins" && each.name != "upstreams" && s.table()[i].value.String() != text {
				t.Errorf("%s by %s is %q", each.name, way, s.table()[i].value.String())
			}
			s.from = nil
			got = append(got, s)
		}
		for _, s := range got[1:] {
			if !reflect.DeepEqual(s, got[0]) {
				t.Errorf("%s: %+v and %+v", each.name, s, got[0])
			}
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"start"}, `unknown command "start"`},
		{[]string{"chek"}, "did you mean check?"},
		{[]string{"--nonsense"}, "unknown flag --nonsense: "},
		{[]string{"--max-sockets-per-usr", "1"}, "did you mean max-sockets-per-user?"},
		{[]string{"serve", "more"}, `unexpected argument "more"`},
		{[]string{"--on-disconnect", "stop"}, `--on-disconnect: "stop": expected name=policy`},
		{[]string{"--on-disconnect", "nobody=stop"}, `--on-disconnect: there is no route or agent "nobody": must be one of /agui, /copilotkit, script`},
		{[]string{"--on-disconnect", "/agui=maybe"}, `--on-disconnect: /agui cannot be "maybe": must be stop or finish`},
		{[]string{"--busy", "never"}, `--busy: "never": must be queue, reject or supersede`},
		{[]string{"--unanswered", "ignore"}, `--unanswered: "ignore": must be refuse, cancel or AGENT=POLICY`},
		{[]string{"--lease", "1ms"}, "--lease: 1ms: at least 100ms"},
		{[]string{"--keep-runs", "6h"}, "--keep-runs: 6h0m0s: must be longer than run-timeout"},
		{[]string{"--lease", "soon"}, `--lease: "soon": expected a time`},
		{[]string{"--drain-timeout", "0"}, "--drain-timeout: 0s: at least"},
		{[]string{"--max-frame", "4MB"}, `--max-frame: "4MB": expected a size`},
		{[]string{"--max-frame", "1GiB"}, "max-held: must be 32 times max-frame at least"},
		{[]string{"--memory-limit", "-2"}, `--memory-limit: "-2": expected a size`},
		{[]string{"--max-sockets", "0"}, "--max-sockets: 0: at least 1"},
		{[]string{"--max-inputs", "0"}, "-1 for no limit"},
		{[]string{"--trusted-proxies", "everybody"}, `--trusted-proxies: "everybody": expected addresses`},
		{[]string{"--strict-durability=perhaps"}, "--strict-durability: "},
		{[]string{"--separate-duties"}, "--separate-duties: without authentication"},
		{[]string{"--addr", "8080"}, `--addr "8080": expected host:port`},
		{[]string{"--addr", "0.0.0.0:80"}, "nobody is authenticated"},
		{[]string{"--addr", ":80"}, "nobody is authenticated"},
		{[]string{"--pprof-addr", "0.0.0.0:6060"}, "--pprof-addr"},
		{[]string{"--mode", "durable"}, "--redis"},
		{[]string{"--wait-replicas", "1"}, "--wait-replicas: the embedded store"},
		{[]string{"--auth", "tokens"}, "--token-file"},
		{[]string{"--auth", "tokens", "--token-file", "f", "--tokens", "[{token: 0123456789abcdef, user: ann}]"}, "--token-file"},
		{[]string{"--token-file", "f"}, "--token-file: needs auth to be tokens"},
		{[]string{"--jwt-issuer", "i"}, "--jwt-issuer: needs auth to be jwt"},
		{[]string{"--auth", "jwt"}, "--jwt-keys"},
		{[]string{"--auth", "jwt", "--jwt-keys", "https://k"}, "--jwt-issuer"},
		{[]string{"--auth", "jwt", "--jwt-keys", "https://k", "--jwt-issuer", "i"}, "--jwt-audience"},
		{[]string{"--tls-cert", "c"}, "--tls-key"},
		{[]string{"--redis-prefix", ""}, "--redis-prefix: a name is needed"},
		{[]string{"--auth", "tokens", "--tokens", "[{tokn: x}]"}, "is no member of a token"},
		{[]string{"--auth", "tokens", "--tokens", "nonsense"}, "expected a list of tokens"},
		{[]string{"--webhooks", "[{nam: x}]"}, "--webhooks: line 1: field nam is no member of a target: name, url"},
		{[]string{"--webhooks", "nonsense"}, "--webhooks: expected a list of targets"},
		{[]string{"--webhook-private", "h"}, "--webhook-private: needs --webhooks"},
		{[]string{"--upstream", "localhost:8000"}, "--upstream: its URL cannot be read: expected one such as http://localhost:8000/agui"},
		{[]string{"--upstream", "ftp://h/"}, "--upstream: the URL begins with ftp: must be http or https"},
		{[]string{"--upstream", "a=rails+http://h/"}, `--upstream: "rails" before its URL is no dialect: must be one of [auto plain langgraph mastra tanstack]`},
		{[]string{"--upstream", "http://h/#x"}, "--upstream: settings such as max-event=32MiB may follow the # of an upstream"},
		{[]string{"--upstream", "http://h/#url=x"}, "--upstream: settings such as max-event=32MiB"},
		{[]string{"--upstream", "http://h/#concurrency=many"}, "--upstream: expected a list of upstreams"},
		{[]string{"--upstream", "http://h/,http://i/"}, `--upstream: upstream "agent": one upstream can do without a name: name the others`},
		{[]string{"--upstream", "a=http://h/", "--upstream", "a=http://i/"}, `--upstream: upstream "a": another upstream has this name`},
		{[]string{"--upstream", "a=http://h/", "--upstreams", "[{name: a, url: http://i}]"}, `--upstreams: upstream "a": another upstream has this name`},
		{[]string{"--upstream", "threads=http://h/"}, `an agent cannot be named "threads"`},
		{[]string{"--upstream", "default=http://h/"}, `an agent of this server has the name default: choose another`},
		{[]string{"--upstream", "script=http://h/"}, `an agent of this server has the name script`},
		{[]string{"--upstream", "é=http://h/"}, "a name is 1 to 64 letters"},
		{[]string{"--upstream", "http://localhost:8080/agui"}, `--upstream: upstream "agent": localhost:8080 is where this server listens itself`},
		{[]string{"--upstream", "http://[::1]/", "--addr", "127.0.0.1:80"}, "is where this server listens itself"},
		{[]string{"--upstreams", "[{nam: x}]"}, "--upstreams: line 1: field nam is no member of an upstream: name, url"},
		{[]string{"--upstreams", "nonsense"}, "--upstreams: expected a list of upstreams"},
		{[]string{"--upstreams", "[{url: http://h, concurrency: -1}]"}, "concurrency: -1: at least 1"},
		{[]string{"--upstream", "http://h/", "--on-disconnect", "script=stop"}, `--on-disconnect: there is no route or agent "script": must be one of /agui, /copilotkit, agent`},
		{[]string{"--notice-age", "0"}, "--notice-age: 0s: at least 1m"},
		{[]string{"--max-runs", "0"}, "--max-runs: 0: at least 1"},
		{[]string{"--keep-decisions", "365d"}, `--keep-decisions: "365d": expected a time`},
		{[]string{"--redact", "/a,card"}, `--redact: "card": expected a JSON pointer such as /password, or one into the calls of a tool, such as pay:/card/number`},
		{[]string{"--redact", "/a~2"}, `--redact: "/a~2": in a JSON pointer ~ stands before 0 or 1`},
		{[]string{"--config", "/does/not/exist"}, "--config: "},
	} {
		_, err := readSettings(c.args, env(), io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %s", c.args, err, c.says)
		}
	}
	if _, err := readSettings(nil, env("AGUIWS_LEASE", "soon"), io.Discard); err == nil || !strings.HasPrefix(err.Error(), "AGUIWS_LEASE: ") {
		t.Errorf("got %v", err)
	}
	for text, says := range map[string]string{
		"lease: soon":                              "a.yaml:1: lease: \"soon\"",
		"# x\n\nlese: 5s":                          "a.yaml:3: lese: there is no such setting (did you mean lease?)",
		"config: b.yaml":                           "a.yaml:1: config: there is no such setting",
		"lease: 5s\nlease: 6s":                     "a.yaml:2: lease: is set twice",
		"lease:":                                   "a.yaml:1: lease: has no value",
		"jwt: {issuer: x}":                         "there is no such setting",
		"addr: {port: 80}":                         "a.yaml:1: addr: expected a value or a list",
		"- lease":                                  "expected settings",
		"lease: [":                                 "a.yaml: ",
		"addr: 0.0.0.0:80":                         "a.yaml:1: addr",
		"lease: 5s\nredact: [/a, card]":            "a.yaml:2: redact: \"card\": expected a JSON pointer",
		"auth: tokens\ntokens:\n- {tokn: x}":       "a.yaml:2: tokens: ",
		"auth: tokens\ntokens: [x, y]":             "expected a list of tokens",
		"auth: tokens\ntokens:\n- {user: x}\na: b": "a.yaml:4: a: there is no such setting",
	} {
		if _, err := readSettings([]string{"--config", write(t, "a.yaml", text)}, env(), io.Discard); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", text, err, says)
		}
	}
	// All of one kind are named together.
	for text, all := range map[string][]string{
		"lease: soon\nlese: 5s\nmax-runs: 0":                  {"a.yaml:1: lease: ", "a.yaml:2: lese: ", "a.yaml:3: max-runs: "},
		"auth: tokens\nmode: durable\njwt-issuer: i\naddr: x": {"tokens: needs either", "durable: the embedded store", "jwt-issuer: needs auth", "expected host:port"},
	} {
		_, err := readSettings([]string{"--config", write(t, "a.yaml", text)}, env(), io.Discard)
		for _, says := range all {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%q: %v, want %s", text, err, says)
			}
		}
	}
	// A mistake is found though something else counts.
	if _, err := readSettings([]string{"--lease", "5s", "--config", write(t, "a.yaml", "lease: soon")}, env(), io.Discard); err == nil {
		t.Error("a mistake behind a flag passes")
	}
}

func TestUsage(t *testing.T) {
	var usage strings.Builder
	if _, err := readSettings([]string{"--help"}, env("AGUIWS_LEASE", "77s"), &usage); !errors.Is(err, errHelp) {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(usage.String()), " ")
	for _, each := range newSettings().table() {
		want := "--" + each.name + " "
		if each.value.kind() != "" {
			want += each.value.kind() + " "
		}
		want += regexp.MustCompile(`\[([A-Za-z.]+)\]\(`).ReplaceAllString(strings.ReplaceAll(each.help, "`", ""), "$1 (") // a link says where it leads
		if def := shownDefault(each); def != "" {
			want += " (default " + def + ")"
		}
		if !strings.Contains(text, want) {
			t.Errorf("the usage lacks %q", want)
		}
	}
	for line := range strings.Lines(usage.String()) {
		if len(line) > 100 {
			t.Errorf("too wide: %s", line)
		}
	}
}

func TestEveryCommandHasUsage(t *testing.T) {
	for _, command := range []string{"serve", "dev", "check", "record", "show", "erase", "config", "healthz", "version"} {
		var usage strings.Builder
		if err := run(t.Context(), []string{command, "--help"}, env(), io.Discard, &usage); err != nil || !strings.HasPrefix(usage.String(), "Usage: ") {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// tables is what docs/configuration.md lists. A setting's help links as from the root.
func tables() string {
	var b strings.Builder
	for _, group := range groups {
		b.WriteString("\n| " + group + " | default | |\n| --- | --- | --- |\n")
		for _, each := range newSettings().table() {
			if each.group != group {
				continue
			}
			def := shownDefault(each)
			if def != "" {
				def = "`" + def + "`"
			}
			help := strings.NewReplacer("](server/", "](../server/", "](docs/", "](").Replace(each.help)
			if choice, ok := each.value.(choiceValue); ok {
				help = "`" + strings.Join(choice.among, "`, `") + "`: " + help
			}
			b.WriteString("| `" + each.name + "` | " + def + " | " + help + " |\n")
		}
	}
	return b.String()
}

func TestDocsListTheSettings(t *testing.T) {
	const file, begin, end = "../../docs/configuration.md", "<!-- settings -->\n", "\n<!-- end of settings -->"
	data := readFile(t, file)
	before, rest, found := strings.Cut(data, begin)
	has, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal("docs/configuration.md has no place for the table of settings")
	}
	if want := tables(); has != want && *update {
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if has != want {
		t.Error("docs/configuration.md lists other settings than there are: go test ./internal/cli -run TestDocsList -update")
	}
	_, begun, _ := strings.Cut(before, "\n## The twelve that matter first\n")
	begun, _, _ = strings.Cut(begun, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(begun, -1)
	for _, row := range rows {
		if !slices.ContainsFunc(newSettings().table(), func(each setting) bool { return each.name == row[1] }) {
			t.Errorf("%s is no setting", row[1])
		}
	}
	if len(rows) != 12 {
		t.Errorf("%d settings matter first", len(rows))
	}
}

// Every setting is of a group that is shown.
func TestGroups(t *testing.T) {
	for _, each := range newSettings().table() {
		if !strings.Contains(strings.Join(groups, ";"), each.group) {
			t.Errorf("%s is of group %q", each.name, each.group)
		}
	}
}
