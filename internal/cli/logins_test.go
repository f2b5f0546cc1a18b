package cli

import (
	"io"
	"strings"
	"testing"
)

const loginKey4711 = "NDcxMTQ3MTE0NzExNDcxMTQ3MTE0NzExNDcxMTQ3MTE="

// Providers come from the settings or a file, their secrets and keys from files, and a
// mistake is told without what is secret.
func TestProvidersOfLogins(t *testing.T) {
	one := func(more string) string { return `[{name: git, ` + more + `}]` }
	kept, empty := write(t, "secret", "k-4711\n"), write(t, "empty", "\n")
	keys := write(t, "keys", loginKey4711+"\n")
	for text, says := range map[string]string{
		one(`issuer: "https://git.example", client-id: x, client-secret-file: ` + kept):         "",
		one(`issuer: "https://git.example", client-id: x, client-secret-file: ` + empty):        "is empty",
		one(`issuer: "https://git.example", client-id: x, client-secret-file: /does/not/exist`): "client-secret-file: open /does/not/exist",
		one(`issuer: "http://git.example", client-id: x`):                                       "must begin with https://",
		one(`client-id: x`):                  "the provider needs an issuer, or authorize-url and token-url",
		one(`issuer: "https://git.example"`): "client-id is missing",
	} {
		args := []string{"--logins", text}
		s, err := readSettings(append(args, "--login-keys", keys), env(), io.Discard)
		if err == nil {
			err = s.validate()
		}
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.providers()
		switch {
		case says == "" && (err != nil || len(list) != 1 || list[0].ClientSecret != "k-4711"):
			t.Errorf("%s: %v", text, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), args[0]+`: provider "git": `)):
			t.Errorf("%s: %v", text, err)
		case err != nil && strings.Contains(err.Error(), "k-4711"):
			t.Errorf("a secret is told: %v", err)
		}
	}
	good := one(`issuer: "http://127.0.0.1:9", client-id: x`)
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"--logins", good}, "needs --login-keys"},
		{[]string{"--login-keys", keys}, "needs --logins"},
		{[]string{"--public-url", "http://chat.example.com"}, "must begin with https://"},
		{[]string{"--public-url", "chat.example.com"}, "expected one such as https://"},
		{[]string{"--logins", good, "--login-keys", keys, "--public-url", "http://chat.example.com"}, "must begin with https://"},
		{[]string{"--logins", good, "--login-keys", keys, "--public-url", "https://chat.example.com/x?y"}, "no query"},
		{[]string{"--logins", good, "--login-keys", keys, "--auth", "tokens", "--tokens", "[{token: 0123456789abcdef-ann, user: ann}]"}, "needs --public-url"},
	} {
		if s, err := readSettings(tt.args, env(), io.Discard); err == nil {
			if err = s.validate(); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v: %v", tt.args, err)
			}
		} else if !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v: %v", tt.args, err)
		}
	}
	out, err := checked(t, "--logins", good, "--login-keys", keys)
	if err != nil {
		t.Error(err)
	}
	wantLines(t, out, "ok    logins: git: must know the redirect URI http://127.0.0.1:", "warn  logins: git: nobody could log in now: ")
	out, err = checked(t, "--logins", good, "--login-keys", kept)
	if err == nil || strings.Contains(out, "k-4711") {
		t.Errorf("passes, or tells: %s", out)
	}
	wantLines(t, out, "FAIL  logins: --login-keys: ")
}
