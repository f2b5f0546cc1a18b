// Package packaging_test holds what is packed to what the sources have.
package packaging_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/aguiws/aguiws/internal/build"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse[T any](t *testing.T, name string) (v T) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, name)), &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// Files that are no templates are YAML, to the last document.
func TestYAML(t *testing.T) {
	found := 0
	for _, root := range []string{".", "../.github", "../.goreleaser.yaml"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(name); err != nil || ext != ".yaml" && ext != ".yml" || strings.Contains(name, "templates") {
				return err
			}
			found++
			documents := yaml.NewDecoder(strings.NewReader(read(t, name)))
			for {
				if err := documents.Decode(new(yaml.Node)); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					t.Errorf("%s: %v", name, err)
					return nil
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	if found < 9 {
		t.Errorf("%d files were read", found)
	}
}

// What is packed has the version of the sources.
func TestVersions(t *testing.T) {
	chart := parse[struct {
		Version string
		App     string `yaml:"appVersion"`
	}](t, "helm/aguiws/Chart.yaml")
	compose := parse[struct {
		Services map[string]struct{ Image string }
	}](t, "compose.yaml")
	want := build.Version()
	if snapshot := parse[struct {
		Snapshot struct {
			Version string `yaml:"version_template"`
		}
	}](t, "../.goreleaser.yaml"); snapshot.Snapshot.Version != want {
		t.Errorf("a snapshot is of version %q, and the sources of %q", snapshot.Snapshot.Version, want)
	}
	if chart.Version != want || chart.App != want {
		t.Errorf("the chart is of version %q for %q, and the sources of %q", chart.Version, chart.App, want)
	}
	if image := compose.Services["aguiws"].Image; !strings.HasSuffix(image, ":"+want) {
		t.Errorf("compose.yaml names %s, and the sources are %s", image, want)
	}
}

// What the linker is told to set is there to be set: it says nothing of a name that it
// does not find.
func TestLinkerFindsTheVersion(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^var (.*) string$`).FindStringSubmatch(read(t, "../internal/build/build.go"))
	if declared == nil {
		t.Fatal("internal/build has no variables")
	}
	want := strings.Split(declared[1], ", ")
	for _, name := range []string{"../.goreleaser.yaml", "Dockerfile"} {
		var set []string
		for _, m := range regexp.MustCompile(`-X github\.com/aguiws/aguiws/internal/build\.(\w+)=`).FindAllStringSubmatch(read(t, name), -1) {
			set = append(set, m[1])
		}
		if !slices.Equal(set, want) {
			t.Errorf("%s sets %q of %q", name, set, want)
		}
	}
}

// Every file that a package takes is there.
func TestPackagesTakeFilesThatThereAre(t *testing.T) {
	text := read(t, "../.goreleaser.yaml")
	found := 0
	for _, m := range regexp.MustCompile(`(?m)(?:src|postinstall|preremove): ([^,\s]+)`).FindAllStringSubmatch(text, -1) {
		found++
		if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
			t.Error(err)
		}
	}
	if found < 8 {
		t.Errorf("%d files were found", found)
	}
}

// The image is built from every folder that the binary is made of.
func TestImageHasTheSources(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	list.Dir = ".."
	deps, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	ignored := read(t, "Dockerfile.dockerignore")
	found := 0
	for line := range strings.Lines(string(deps)) {
		if below, ours := strings.CutPrefix(strings.TrimSpace(line), "github.com/aguiws/aguiws/"); ours {
			found++
			if room, _, _ := strings.Cut(below, "/"); !strings.Contains(ignored, "\n!"+room+"\n") {
				t.Errorf("Dockerfile.dockerignore leaves %s out", room)
			}
		}
	}
	if found < 10 {
		t.Errorf("go list names %d packages", found)
	}
}

// The chart's schema knows every value, so that a misspelt one is refused.
func TestChartSchema(t *testing.T) {
	var schema struct {
		Properties map[string]struct{ Properties map[string]any }
	}
	if err := json.Unmarshal([]byte(read(t, "helm/aguiws/values.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	for name, value := range parse[map[string]any](t, "helm/aguiws/values.yaml") {
		known, ok := schema.Properties[name]
		if !ok {
			t.Errorf("the schema lacks %s", name)
		}
		below, _ := value.(map[string]any)
		for member := range below {
			if _, ok := known.Properties[member]; !ok && len(known.Properties) > 0 {
				t.Errorf("the schema lacks %s.%s", name, member)
			}
		}
	}
	var templates strings.Builder
	names, _ := filepath.Glob("helm/aguiws/templates/*")
	for _, name := range names {
		templates.WriteString(read(t, name))
	}
	for name := range schema.Properties {
		if name != "global" && !strings.Contains(templates.String(), ".Values."+name) {
			t.Errorf("no template uses %s", name)
		}
	}
}
