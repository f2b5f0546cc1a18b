package cli

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/internal/oauthtest"
)

func TestSettingsOfSigningIn(t *testing.T) {
	keys, secret, empty := write(t, "keys", loginKey4711+"\n"), write(t, "secret", "k-4711\n"), write(t, "empty", "\n")
	tokens := []string{"--auth", "tokens", "--tokens", "[{token: 0123456789abcdef-ann, user: ann}]"}
	jwt := []string{"--auth", "jwt", "--jwt-keys", "https://id.example/keys", "--jwt-issuer", "https://id.example", "--jwt-audience", "x"}
	client := []string{"--signin-client-id", "x", "--login-keys", keys}
	for _, tt := range []struct {
		args []string
		says string // "": it is taken
	}{
		{slices.Concat(jwt, client), ""}, // of the issuer of tokens
		{slices.Concat(tokens, client, []string{"--signin-issuer", "https://id.example", "--jwt-user", "email", "--jwt-scopes", "roles"}), ""},
		{slices.Concat(tokens, client), "needs --signin-issuer"},
		{append([]string{"--signin-issuer", "https://id.example"}, client...), "use --auth tokens or jwt"},
		{append([]string{"--signin-client-id", "x"}, jwt...), "needs --login-keys"},
		{slices.Concat(jwt, client, []string{"--addr", "0.0.0.0:8080"}), "needs --public-url"},
		{append([]string{"--signin-lifetime", "1h"}, jwt...), "needs --signin-client-id"},
		{append([]string{"--jwt-user", "email"}, tokens...), "needs auth to be jwt"},
		{slices.Concat(tokens, client, []string{"--signin-issuer", "http://id.example"}), "the issuer: the URL must begin with https://"},
		{slices.Concat(jwt, client, []string{"--signin-client-secret-file", empty}), "signin-client-secret-file: " + empty + " is empty"},
		{slices.Concat(jwt, client, []string{"--login-keys", secret}), "login-keys: "},
	} {
		s, err := readSettings(tt.args, env(), io.Discard)
		if err == nil {
			err = s.validate()
		}
		if err == nil {
			_, err = newSignIn(s, nil)
		}
		if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "4711")) {
			t.Errorf("%v: %v", tt.args, err)
		}
	}
	provider := oauthtest.Start(t, "http://127.0.0.1")
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	args := slices.Concat(tokens, client, []string{"--signin-issuer", provider.URL, "--public-url", "https://chat.example.com"})
	out, err := checked(t, args...)
	if err != nil {
		t.Error(err)
	}
	wantLines(t, out, "ok    signin: people sign in at "+provider.URL+"/authorize, whose metadata are of "+provider.URL,
		"ok    signin: the provider must know the redirect URI https://chat.example.com/signin/callback", "warn  signin: without signin-client-secret-file")
	provider.Stop()
	out, err = checked(t, args...)
	if err != nil {
		t.Error(err)
	}
	wantLines(t, out, "warn  signin: nobody could sign in now: ")
}
