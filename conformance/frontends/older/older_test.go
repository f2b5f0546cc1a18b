// Package older is the lane of CopilotKit's older releases: as published, in Chromium,
// on a page of another origin, with the command for their runtime. What npm installs for
// them is large, so the lane is run by hand, after npm ci in its folder.
package older

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

const document = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%[1]s</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/build/%[1]s.css"></head>
<body><div id="root"></div><script type="module" src="/build/%[1]s.js"></script></body></html>`

func TestOlderCopilotKit(t *testing.T) {
	suite.Full(t)
	command.Node(t, "conformance/frontends")
	if _, err := os.Stat(filepath.Join("node_modules", ".package-lock.json")); err != nil {
		command.Missing(t, "older", "run npm ci --prefix conformance/frontends/older")
	}
	browser := command.Chromium(t)
	build := t.TempDir()
	if out, err := exec.Command("node", "bundle.mjs", build).CombinedOutput(); err != nil {
		t.Fatalf("bundle.mjs: %v\n%s", err, out)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{release}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, document, r.PathValue("release"))
	})
	mux.Handle("GET /build/", http.StripPrefix("/build/", http.FileServer(http.Dir(build))))
	page := httptest.NewServer(mux)
	t.Cleanup(page.Close)
	server := command.Start(t, command.Options{Args: []string{"--origins", page.URL}})
	command.NodeTests(t, []string{
		"AGUIWS_PAGES=" + page.URL,
		"AGUIWS_SERVER=" + server.URL(),
		"AGUIWS_EFFECTS=" + server.EffectsFile(),
		"AGUIWS_BROWSER=" + browser,
		"AGUIWS_SHOTS=" + command.Artifacts(t),
	}, "older.test.mjs")
}
