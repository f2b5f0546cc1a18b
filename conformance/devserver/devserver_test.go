// Package devserver is the lane of pages that a dev server serves: Vite's, on a port
// of its own, in Chromium, with the real @ag-ui/client.
package devserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

const token = "a-token-of-the-test"

func TestDevServer(t *testing.T) {
	suite.Full(t)
	command.Node(t, "web", "conformance/frontends")
	browser := command.Chromium(t)
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("- {token: "+token+", user: ada}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"AGUIWS_BROWSER=" + browser, "AGUIWS_TOKEN=" + token, "AGUIWS_APP=" + app(t)}
	logs := http.NewServeMux()
	for name, args := range map[string][]string{
		"open":    nil,
		"named":   {"--origins", "https://app.example"},
		"guarded": {"--auth", "tokens", "--token-file", tokens},
		"allowed": {"--auth", "tokens", "--token-file", tokens, "--origins", "http://localhost:*"},
	} {
		server := command.Start(t, command.Options{Args: args})
		env = append(env, "AGUIWS_"+strings.ToUpper(name)+"="+server.Addr())
		logs.HandleFunc("GET /"+name, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, server.Output()) })
	}
	kept := httptest.NewServer(logs)
	t.Cleanup(kept.Close)
	command.NodeTests(t, append(env, "AGUIWS_LOGS="+kept.URL), "devserver.test.mjs")
}

// app is the application as its developer has it: sources beside node_modules.
func app(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("app")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(command.Root(t), "web", "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}
