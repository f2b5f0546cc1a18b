package browser

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/oauthtest"
)

// provided starts a server at which people sign in at a provider that agrees at once: all
// of them are one who may answer, and may not operate.
func provided(t *testing.T) *command.Server {
	t.Helper()
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	provider := oauthtest.Start(t, "")
	provider.Say(oauthtest.Says{IDToken: func(claims map[string]any) { claims["roles"] = []string{"read", "run", "approver"} }})
	server := command.Start(t, command.Options{Args: []string{
		"--auth", "tokens", "--tokens", tokens, "--signin-client-id", oauthtest.ClientID, "--signin-client-secret-file", file("secret", oauthtest.ClientSecret),
		"--signin-issuer", provider.URL, "--jwt-scopes", "roles", "--login-keys", file("keys", base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))),
	}})
	provider.SendTo(server.URL())
	return server
}
