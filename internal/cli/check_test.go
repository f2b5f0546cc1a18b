package cli

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// checked runs aguiws check.
func checked(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(context.Background(), append([]string{"check", "--addr", "127.0.0.1:0"}, args...), env(), &out, io.Discard)
	return out.String(), err
}

func wantLines(t *testing.T, out string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+out, "\n"+line) {
			t.Errorf("no line begins with %q:\n%s", line, out)
		}
	}
}

func TestCheckWithoutRedis(t *testing.T) {
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`)
	}))
	defer keys.Close()
	jwt := []string{"--auth", "jwt", "--jwt-issuer", "i", "--jwt-audience", "a"}
	effects := filepath.Join(t.TempDir(), "effects")

	out, err := checked(t, append(jwt, "--jwt-keys", keys.URL, "--effects", effects)...)
	if err != nil {
		t.Error(err)
	}
	wantLines(t, out, "ok    settings: ", "ok    jwt-keys: ", "ok    addr: ", "ok    effects: ", "ok    mode: auto: the store dies", "warn  redis: ")
	if _, err := os.Stat(effects); err == nil {
		t.Error("the check left a file behind")
	}
	keys.Close()
	out, err = checked(t, append(jwt, "--jwt-keys", keys.URL)...)
	if err == nil {
		t.Error("passes")
	}
	wantLines(t, out, "FAIL  jwt-keys: ")
	if out, err = checked(t, append(jwt, "--jwt-keys", "http://id.example")...); err == nil {
		t.Error("keys without TLS pass")
	}
	wantLines(t, out, "FAIL  identity: --jwt-keys: ")
	out, err = checked(t, "--auth", "tokens", "--tokens", "[{token: short, user: ann}]", "--agent", "nobody", "--effects", "/does/not/exist", "--redis", "mysql://here")
	if err == nil || !strings.Contains(err.Error(), "4 of ") {
		t.Errorf("got %v", err)
	}
	wantLines(t, out, "FAIL  identity: ", "FAIL  agent: ", "FAIL  effects: ", "FAIL  redis URL: ")
	// What it is wanted for is all of it that is missing, and not the first of it.
	out, _ = checked(t, "--auth", "tokens", "--token-file", "/no/tokens", "--tls-cert", "/no/chain", "--tls-key", "/no/key",
		"--signin-client-id", "x", "--signin-issuer", "https://id.example", "--login-keys", "/no/keys", "--signin-client-secret-file", "/no/secret")
	wantLines(t, out, "FAIL  identity: --token-file: open /no/tokens", "FAIL  identity: --tls-cert, --tls-key: open /no/chain",
		"FAIL  signin: --signin-client-secret-file: open /no/secret", "FAIL  signin: --login-keys: open /no/keys")
	if out, err = checked(t, "--redis", "redis://:hidden-4711@127.0.0.1:1"); err == nil || strings.Contains(out+err.Error(), "hidden-4711") {
		t.Errorf("got %v\n%s", err, out)
	}
	wantLines(t, out, "ok    auth: none", "FAIL  redis connect: ")
}

// Who lets others in is told when the demo agent would answer them, or when their
// credentials could be read on the way.
func TestCheckSaysWhatOthersMeet(t *testing.T) {
	const demo, clear = "warn  agent: no agent is named", "warn  addr: credentials come to 0.0.0.0:0 in clear"
	tokens := []string{"--auth", "tokens", "--tokens", "[{token: 0123456789abcdef, user: ann}]"}
	for name, c := range map[string]struct {
		args  []string
		warns []string
	}{
		"this machine alone":       {nil, nil},
		"others, nothing more set": {append(tokens, "--addr", "0.0.0.0:0"), []string{demo, clear}},
		"an agent that is named":   {append(tokens, "--agent", "script"), nil},
		"a proxy before it":        {append(tokens, "--agent", "script", "--addr", "0.0.0.0:0", "--trusted-proxies", "10.0.0.5"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := checked(t, c.args...)
			if err != nil {
				t.Error(err)
			}
			for _, line := range []string{demo, clear} {
				if got, want := strings.Contains(out, line), slices.Contains(c.warns, line); got != want {
					t.Errorf("%q is said: %v\n%s", line, got, out)
				}
			}
		})
	}
}

func TestCheckOrigins(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		lines []string
	}{
		"none named":        {nil, []string{"ok    origins: its own pages, and any that this machine serves"}},
		"authenticated":     {[]string{"--auth", "tokens", "--tokens", "[{token: 0123456789abcdef, user: ann}]"}, []string{"ok    origins: its own pages alone"}},
		"dev servers":       {[]string{"--origins", "http://localhost:*,http://[::1]:5173/"}, []string{"ok    origins: http://localhost:*\n", "ok    origins: http://[::1]:5173\n"}},
		"mixed":             {[]string{"--origins", "https://app.example"}, []string{"warn  origins: https://app.example: a page over https may not use http and ws"}},
		"behind a proxy":    {[]string{"--origins", "https://app.example", "--hosts", "app.example"}, []string{"ok    origins: https://app.example\n"}},
		"no TLS":            {[]string{"--origins", "http://app.example"}, []string{"warn  origins: http://app.example: whoever is between"}},
		"a proxy's page":    {[]string{"--hosts", "app.example"}, []string{"warn  origins: https://app.example is refused, because", "warn  trusted-proxies: hosts are served"}},
		"a proxy elsewhere": {[]string{"--hosts", "aguiws.svc,app.example", "--trusted-proxies", "10.0.0.5", "--origins", "https://other.example"}, []string{"warn  origins: https://aguiws.svc is refused", "ok    origins: https://other.example\n"}},
		"one of its names":  {[]string{"--hosts", "aguiws.svc,app.example", "--trusted-proxies", "127.0.0.1", "--origins", "https://app.example"}, []string{"ok    addr: 127.0.0.1:0 can be listened on\nok    origins: https://app.example\nok"}},
		"another port":      {[]string{"--hosts", "app.example", "--trusted-proxies", "127.0.0.1", "--origins", "https://app.example:8443"}, []string{"ok    origins: https://app.example:8443\n"}},
		"plain http":        {[]string{"--hosts", "app.example", "--addr", "0.0.0.0:0", "--auth", "tokens", "--tokens", "[{token: 0123456789abcdef, user: ann}]"}, []string{"ok    origins: its own pages alone"}},
		"any port":          {[]string{"--origins", "https://app.example:*", "--hosts", "app.example"}, []string{"warn  origins: https://app.example:*: whoever can serve"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := checked(t, c.args...)
			if err != nil {
				t.Error(err)
			}
			wantLines(t, out, c.lines...)
		})
	}
	for text, says := range map[string]string{"localhost:5173": "did you mean http://localhost:5173?", "https://*.example.com": "only the port may be *", "*": "must be named"} {
		if out, err := checked(t, "--origins", text); err == nil || !strings.Contains(err.Error(), "--origins: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v\n%s", text, err, out)
		}
	}
}

func TestCheckRedis(t *testing.T) {
	s := redistest.Start(t, redistest.Options{AOF: "everysec"})
	out, err := checked(t, "--redis", s.URL(), "--strict-durability")
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	wantLines(t, out, "ok    redis connect: ", "ok    redis version: ", "ok    redis role: master", "ok    redis maxmemory-policy: noeviction", "ok    redis appendonly: yes",
		`ok    redis prefix: "aguiws" has not been used`, "ok    redis scripts: ", "ok    redis write, read, delete: ")
	if n, err := s.Do("DBSIZE"); err != nil || n != ":0" {
		t.Errorf("the check left %s keys behind, %v", n, err)
	}

	out, err = checked(t, "--redis", s.URL(), "--wait-replicas", "1")
	if err == nil {
		t.Error("passes")
	}
	wantLines(t, out, "FAIL  redis replicas: the master has 0")

	risky := redistest.Start(t, redistest.Options{Args: []string{"--maxmemory-policy", "allkeys-lru"}})
	out, err = checked(t, "--redis", risky.URL())
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	wantLines(t, out, "warn  redis maxmemory-policy: allkeys-lru", "warn  redis appendonly: no", "ok    redis write, read, delete: ")
	out, err = checked(t, "--redis", risky.URL(), "--strict-durability")
	if err == nil {
		t.Error("passes")
	}
	wantLines(t, out, "FAIL  redis maxmemory-policy: allkeys-lru")

	if _, err := risky.Do("HSET", "aguiws:meta", "partitions", "7"); err != nil {
		t.Fatal(err)
	}
	out, err = checked(t, "--redis", risky.URL())
	if err == nil {
		t.Error("passes")
	}
	wantLines(t, out, "FAIL  redis prefix: ")

	if !suite.IsFull() {
		return
	}
	cluster := redistest.Cluster(t)
	out, err = checked(t, "--redis", cluster.URL())
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Count(out, " role: master") != 3 {
		t.Errorf("not every master was looked at:\n%s", out)
	}
	wantLines(t, out, "ok    redis scripts: ", "ok    redis write, read, delete: ")
}

// The lines that a page has Redis's own file begin with start a Redis that is taken as it is.
func TestCheckRedisOfThePage(t *testing.T) {
	shown := blocks(userDocs(t)["docs/operations.md"], "text")
	n := slices.IndexFunc(shown, func(block string) bool { return strings.Contains(block, "appendonly yes") })
	if n < 0 {
		t.Fatal("operations.md has no lines for redis.conf")
	}
	s := redistest.Start(t, redistest.Options{Args: []string{"--include", write(t, "redis.conf", shown[n])}})
	out, err := checked(t, "--redis", s.URL(), "--strict-durability")
	if err != nil || strings.Contains(out, "warn  redis") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A user who may not do what the store does is found out.
func TestCheckRedisRights(t *testing.T) {
	s := redistest.Start(t, redistest.Options{TCP: true})
	for name, c := range map[string]struct {
		rules []string
		line  string
	}{
		"no scripts":  {[]string{"~*", "&*", "+@all", "-@scripting"}, "FAIL  redis scripts: "},
		"other keys":  {[]string{"~other:*", "&*", "+@all"}, "FAIL  redis prefix: "},
		"no info":     {[]string{"~*", "&*", "+@all", "-info"}, "FAIL  redis info: "},
		"cannot set":  {[]string{"~*", "&*", "+@all", "-set"}, "FAIL  redis write: "},
		"wrong words": {nil, "FAIL  redis connect: "},
	} {
		if _, err := s.Do(append([]string{"ACL", "SETUSER", "narrow", "reset", "on", ">right"}, c.rules...)...); err != nil {
			t.Fatal(err)
		}
		password := "right"
		if c.rules == nil {
			password = "wrong"
		}
		out, err := checked(t, "--redis", strings.Replace(s.URL(), "redis://", "redis://narrow:"+password+"@", 1))
		if err == nil {
			t.Errorf("%s: passes\n%s", name, out)
		}
		wantLines(t, out, c.line)
	}
}

// Whom a credential stands for, and why another is refused, is said without the
// credential.
func TestCheckSaysWhatATokenIs(t *testing.T) {
	const good, bad = "0123456789abcdef-ann", "0123456789abcdef-eve"
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	tokens := []string{"--auth", "tokens", "--tokens", "[{token: " + good + ", user: ann, tenant: acme, scopes: [read, approver]}]"}
	for name, c := range map[string]struct {
		file, says string
		fails      bool
	}{
		"good":     {file(good + "\n"), `is the user "ann" of the tenant "acme", with the namespace "acme/user/ann" and the scopes: read approver`, false},
		"unlisted": {file(bad), "unlisted: the token is not on the list", true},
		"no file":  {"/does/not/exist", "no such file", true},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := checked(t, append(tokens, "--jwt", c.file)...)
			if (err != nil) != c.fails || !strings.Contains(out, c.says) || strings.Contains(out, good) || strings.Contains(out, bad) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
