package install

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

// The parts for React are installed with each React that they say they take, compiled against with every check, drawn
// by Node as a server draws them, and gone on with in a page.
func TestReactParts(t *testing.T) {
	suite.Full(t)
	tools(t)
	lines := shown(t, pack+" ./web/react", command.Pack(t)+" "+command.PackReact(t), "docs/quickstart-frontend.md", "web/react/README.md")
	for name, packages := range map[string][]string{
		"React 18": {"react@18.3.1", "react-dom@18.3.1", "@types/react@18.3.23", "@types/react-dom@18.3.7"},
		"React 19": react,
	} {
		t.Run(name, func(t *testing.T) {
			app := t.TempDir()
			if err := os.CopyFS(app, os.DirFS("parts")); err != nil {
				t.Fatal(err)
			}
			example, err := os.ReadFile(filepath.Join("..", "frontends", "snippets", "react.tsx"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, app, "react.tsx", string(example))
			write(t, app, "package.json", `{"name": "app", "private": true, "type": "module"}`)
			install(t, app, managers(t)[0], slices.Concat(lines, []string{"jsdom@26.1.0"}, packages), "npm_config_before="+asOf)
			compile(t, app, false)
			run(t, app)
			if out, err := try(app, nil, "node", "page.mjs"); err != nil {
				t.Errorf("node page.mjs: %v\n%s", err, out)
			}
			if got := copies(t, app, "react"); len(got) != 1 {
				t.Errorf("an application has %d copies of React: %q", len(got), got)
			}
		})
	}
}
