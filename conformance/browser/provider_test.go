package browser

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/oauthtest"
)

// provided starts a server at which people sign in at a provider that agrees at once: all
// of them are one who may answer, and may not operate. It stands below a path, and a
// proxy passes on nothing else. It returns where browsers find it.
func provided(t *testing.T) string {
	t.Helper()
	front := httptest.NewUnstartedServer(nil)
	public := "http://" + front.Listener.Addr().String() + base
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
		"--public-url", public, "--signin-issuer", provider.URL, "--jwt-scopes", "roles", "--login-keys", file("keys", base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))),
	}})
	to, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, base+"/") {
			if r.URL.Path != "/favicon.ico" { // of a page that names no icon
				t.Errorf("below %s a browser asks for %s %s", base, r.Method, r.URL)
			}
			http.NotFound(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	})
	front.Start()
	t.Cleanup(front.Close)
	provider.SendTo(public)
	return public
}

// base is the path below which provided stands.
const base = "/some/agents"
