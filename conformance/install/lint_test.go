package install

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

// published are the packages that npm has of this project.
var published = map[string]func(testing.TB) string{"@aguiws/client": command.Pack, "@aguiws/react": command.PackReact}

// publint holds the tarballs to what bundlers and Node want of one.
func TestPublintFindsNothing(t *testing.T) {
	suite.Full(t)
	tools(t)
	packs := maps.Clone(published)
	packs["create-aguiws"] = packCreate
	for name, pack := range packs {
		t.Run(name, func(t *testing.T) {
			out, err := try(".", nil, "node", filepath.Join("node_modules", "publint", "src", "cli.js"), "run", "--strict", pack(t))
			if err != nil || !strings.Contains(out, "All good!") {
				t.Errorf("publint: %v\n%s", err, out)
			}
		})
	}
}

// explained is what attw finds and is meant so, by the way of resolving modules in which it finds it. README's
// "Modules" says the same to those whom it concerns.
var explained = map[string]string{
	"node10":     "NoResolution",     // it knows no exports, and TypeScript gives it up
	"node16-cjs": "CJSResolvesToESM", // a second build for CommonJS would be a second page's worth of sockets; require works without
}

// attw holds their types to every way in which TypeScript finds them.
func TestAttwFindsWhatIsExplained(t *testing.T) {
	suite.Full(t)
	tools(t)
	for name, pack := range published {
		t.Run(name, func(t *testing.T) { attw(t, pack(t)) })
	}
}

func attw(t *testing.T, tarball string) {
	t.Helper()
	// Into a file: it exits before a pipe has taken all of it.
	out, err := os.Create(filepath.Join(t.TempDir(), "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command("node", filepath.Join("node_modules", "@arethetypeswrong", "cli", "dist", "index.js"), tarball, "--format", "json", "--exclude-entrypoints", "styles.css")
	cmd.Stdout = out
	ended := cmd.Run() // with 1, where there are findings
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Analysis struct {
			Entrypoints map[string]any
			Problems    []struct{ Kind, Entrypoint, ResolutionKind string }
		}
	}
	if err := json.Unmarshal(text, &report); err != nil || len(report.Analysis.Entrypoints) == 0 {
		t.Fatalf("attw: %v, %v\n%s", ended, err, text)
	}
	found := map[string]bool{}
	for _, p := range report.Analysis.Problems {
		found[p.ResolutionKind] = true
		if explained[p.ResolutionKind] != p.Kind {
			t.Errorf("attw finds %s of %s, resolved as %s does", p.Kind, p.Entrypoint, p.ResolutionKind)
		}
	}
	for resolution, kind := range explained {
		if !found[resolution] {
			t.Errorf("attw finds no %s any more, resolved as %s does", kind, resolution)
		}
	}
}
