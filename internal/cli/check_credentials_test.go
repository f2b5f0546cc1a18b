package cli

import (
	"crypto/ed25519"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// A token that may do nothing is found out before its bearer is.
func TestCheckWarnsOfATokenThatAllowsNothing(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{KeyID: "k", Key: public}}})
	}))
	defer keys.Close()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: private}, (&jose.SignerOptions{}).WithHeader("kid", "k"))
	if err != nil {
		t.Fatal(err)
	}
	const nothing = "It may do nothing, because read, run, approver, admin, metrics is none of them: name a claim of your own in jwt-scopes"
	for name, c := range map[string]struct {
		scope any
		args  []string
		level string
		says  string
	}{
		"none":              {nil, nil, "ok    ", "read and run, because it names no scopes"},
		"ours among others": {"openid read", nil, "ok    ", "the scopes: openid read"},
		"of other programs": {"openid profile email", nil, "warn  ", "the scopes: openid profile email. " + nothing + `, or have the issuer add "read run"`},
		"empty":             {[]string{}, nil, "warn  ", nothing},
		"no use by itself":  {"tenants", nil, "warn  ", nothing},
	} {
		t.Run(name, func(t *testing.T) {
			claims := map[string]any{"iss": "i", "aud": "a", "sub": "ann", "exp": time.Now().Add(time.Hour).Unix()}
			if c.scope != nil {
				claims["scope"] = c.scope
			}
			token, err := jwt.Signed(signer).Claims(claims).Serialize()
			if err != nil {
				t.Fatal(err)
			}
			file := write(t, "token", token)
			out, err := checked(t, append([]string{"--auth", "jwt", "--jwt-issuer", "i", "--jwt-audience", "a", "--jwt-keys", keys.URL, "--jwt", file}, c.args...)...)
			if err != nil {
				t.Error(err)
			}
			wantLines(t, out, c.level+"jwt: "+file+" is the user \"ann\"")
			if !strings.Contains(out, c.says) || (c.level == "ok    ") == strings.Contains(out, "It may do nothing") {
				t.Errorf("it says %s", out)
			}
		})
	}
	out, err := checked(t, "--auth", "tokens", "--tokens", "[{token: 0123456789abcdef, user: ann, scopes: [reed]}]", "--jwt", write(t, "token", "0123456789abcdef"))
	if err != nil || !strings.Contains(out, "correct scopes in its entry") {
		t.Errorf("%v, %s", err, out)
	}
}

// A file of tokens that everybody may read is warned of, unless it holds no token itself.
func TestCheckWarnsOfTokensThatAllMayRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such rights there")
	}
	const token, sum = "[{token: 0123456789abcdef, user: ann}]", "[{sha256: 9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f, user: ann}]"
	for name, c := range map[string]struct {
		text  string
		mode  os.FileMode
		warns bool
	}{"all": {token, 0o644, true}, "the server": {token, 0o600, false}, "its group": {token, 0o640, false}, "sums": {sum, 0o644, false}} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "tokens.yaml")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, c.mode); err != nil {
				t.Fatal(err)
			}
			out, err := checked(t, "--auth", "tokens", "--token-file", file)
			if err != nil || strings.Contains(out, "warn  token-file: every user of this machine can read the tokens in "+file) != c.warns {
				t.Errorf("%v, %s", err, out)
			}
		})
	}
}
