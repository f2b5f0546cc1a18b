package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/redisstore/redistest"
)

// A server starts from each file. What a file names and only its reader has, such as
// certificates, is given by flags, which win over the file.
func TestConfigInit(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	certify(t, cert, key, 1)
	tokens := write(t, "tokens.yaml", "[{token: 0123456789abcdef-ann, user: ann}]")
	with := map[string][]string{
		"dev":        {},
		"gateway":    {"--redis", ""},
		"production": {"--tls-cert", cert, "--tls-key", key, "--token-file", tokens, "--metrics-addr", "127.0.0.1:0"},
	}
	for _, kind := range configKinds {
		t.Run(kind, func(t *testing.T) {
			args := with[kind]
			if kind == "production" {
				args = append(args, "--redis", redistest.Start(t, redistest.Options{AOF: "everysec"}).URL())
			}
			file := filepath.Join(t.TempDir(), "mine.yaml")
			var out strings.Builder
			if err := run(context.Background(), []string{"config", "init", kind, file}, env(), &out, io.Discard); err != nil || !strings.Contains(out.String(), "check --config "+file) {
				t.Fatalf("%q, %v", out.String(), err)
			}
			if _, err := readSettings([]string{"--config", file}, env(), io.Discard); err != nil {
				t.Errorf("as it is written: %v", err)
			}
			text, err := os.ReadFile(file)
			if err != nil || strings.Contains(string(text), "aguiws.yaml") {
				t.Errorf("its comments name another file: %v", err)
			}
			start(t, env(), append([]string{"--config", file}, args...)...)
			if err := run(context.Background(), []string{"config", "init", kind, file}, env(), &out, io.Discard); err == nil || !strings.Contains(err.Error(), "is there already") {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}

// What a file has behind a # is a setting when the # is gone.
func TestConfigInitHasSettingsThatAreOff(t *testing.T) {
	found := 0
	for _, kind := range configKinds {
		text, err := configs.ReadFile("configs/" + kind + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range regexp.MustCompile(`(?m)^#(\S.*)$`).FindAllStringSubmatch(string(text), -1) {
			found++
			s := newSettings()
			if err := s.readFile(write(t, "a.yaml", line[1]), s.table()); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
		// What belongs to an entry of a list is read in its place.
		s := newSettings()
		whole := regexp.MustCompile(`(?m)^#(  \S.*)$`).ReplaceAllString(string(text), "$1")
		if err := s.readFile(write(t, "b.yaml", whole), s.table()); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if kind == "production" && (len(s.upstreams) != 1 || len(s.upstreams[0].HeaderFiles) != 1) {
			t.Errorf("%s: no upstream has a secret: %+v", kind, s.upstreams)
		}
	}
	if found < 6 {
		t.Errorf("the files have %d settings that are off: are they read as they are written?", found)
	}
}

func TestConfigInitRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"expected aguiws config init": {"config"},
		"did you mean production":     {"config", "init", "prodction", "-"},
		"no such file or directory":   {"config", "init", "dev", filepath.Join(t.TempDir(), "none", "a.yaml")},
	} {
		if err := run(context.Background(), args, env(), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestHealthz(t *testing.T) {
	served := start(t, env())
	for url, want := range map[string]string{
		"http://" + served.addr + "/healthz": "",
		"http://" + served.addr + "/readyz":  "",
		"http://" + served.addr + "/nowhere": "404",
		"http://127.0.0.1:1/healthz":         "refused",
		"127.0.0.1:8080":                     "expected aguiws healthz URL",
	} {
		err := run(context.Background(), []string{"healthz", url}, env(), io.Discard, io.Discard)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
}
