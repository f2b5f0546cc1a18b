package server

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documentedScopes are the scopes that an operation needs by its document, in the caller's
// own namespace. admin does all of it, and is told only when nothing else does.
func documentedScopes(t *testing.T) map[string]string {
	t.Helper()
	_, text, _ := strings.Cut(newWalk(t).request(t, http.MethodGet, "/v1/openapi.json", annsToken, ""), "\n{")
	var document struct {
		Paths map[string]map[string]struct{ Description string }
	}
	if err := json.Unmarshal([]byte("{"+text), &document); err != nil {
		t.Fatal(err)
	}
	needs := map[string]string{}
	for path, methods := range document.Paths {
		for method, op := range methods {
			found := regexp.MustCompile(`^Needs (?:the scope|one of the scopes) ([^.]*)\.`).FindStringSubmatch(op.Description)
			if strings.HasPrefix(op.Description, "Needs the token in its path, and no other credential.") {
				found = []string{"", "none"}
			}
			if strings.HasPrefix(op.Description, "Needs a credential, of whatever scopes.") {
				found = []string{"", "any"}
			}
			if found == nil {
				t.Fatalf("%s %s says %q", method, path, op.Description)
			}
			needs[strings.ToUpper(method)+" "+path] = strings.TrimSuffix(found[1], ", admin")
		}
	}
	return needs
}

// docs/control-api.md lists each operation once, with its scopes, and every page names
// operations that there are.
func TestDocsNameOperations(t *testing.T) {
	needs := documentedScopes(t)
	page := readFile(t, "../docs/control-api.md")
	listed := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z]+ /v1[^`]*)` \\| ([^|]*) \\|").FindAllStringSubmatch(page, -1) {
		if _, twice := listed[row[1]]; twice {
			t.Errorf("docs/control-api.md lists %s twice", row[1])
		}
		listed[row[1]] = strings.ReplaceAll(row[2], "`", "")
	}
	for operation, scopes := range needs {
		if listed[operation] != scopes {
			t.Errorf("docs/control-api.md lists %s with the scopes %q, want %q", operation, listed[operation], scopes)
		}
	}
	for operation := range listed {
		if needs[operation] == "" {
			t.Errorf("docs/control-api.md lists %s, which there is not", operation)
		}
	}
	named := regexp.MustCompile("`(?:(GET|POST|PATCH|PUT|DELETE) )?(/v1/[^`?\\s…]+)[^`]*`")
	err := filepath.WalkDir("../docs", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, found := range named.FindAllStringSubmatch(string(text), -1) {
			if method, path := found[1], found[2]; !hasOperation(needs, method, path) {
				t.Errorf("%s names %s %s, which is no operation", name, method, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The table of scopes in docs/binding/security.md names each operation that tells of the
// server, and no other, beside the scope metrics.
func TestDocsNameWhatMetricsAllows(t *testing.T) {
	page := readFile(t, "../docs/binding/security.md")
	row := regexp.MustCompile("(?m)^\\| `metrics` \\|.*$").FindString(page)
	var named, want []string
	for _, found := range regexp.MustCompile("`GET (/v1/[^`]*)`").FindAllStringSubmatch(row, -1) {
		named = append(named, found[1])
	}
	for operation, scopes := range documentedScopes(t) {
		if scopes == "metrics" {
			want = append(want, strings.TrimPrefix(operation, "GET "))
		}
	}
	slices.Sort(named)
	slices.Sort(want)
	if len(want) == 0 || !slices.Equal(named, want) {
		t.Errorf("docs/binding/security.md lists %q, want %q", named, want)
	}
}

// hasOperation reports whether a path is one of the document's, a place in braces being
// any segment. Without a method any will do.
func hasOperation(needs map[string]string, method, path string) bool {
	if path == "/v1/openapi.json" || strings.HasSuffix(path, "/") {
		return method == "" || method == http.MethodGet
	}
	for operation := range needs {
		has, template, _ := strings.Cut(operation, " ")
		pattern := regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(template), `[^/]+`)
		if (method == "" || method == has) && regexp.MustCompile("^"+pattern+"$").MatchString(path) {
			return true
		}
	}
	return false
}
