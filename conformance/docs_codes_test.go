package conformance_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// declaredCodes are the codes that the sources of the server and of what runs agents
// declare: constants that are named so, members Code, and arguments of those who refuse.
func declaredCodes(t *testing.T) map[string]string {
	t.Helper()
	where := regexp.MustCompile(`^(?:server|adapter|gateway|llm)/(?:.*/)?[a-z_]+\.go$`)
	named, word := regexp.MustCompile(`^[Cc]ode[A-Z]`), regexp.MustCompile(`^[a-z]+(?:_[a-z]+)*$`)
	refuses := []string{"New", "newProblem", "Faultf", "Laterf", "RetryLater"}
	found := map[string]string{}
	for _, name := range treeFiles(t) {
		if !where.MatchString(name) || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.SkipObjectResolution)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		note := func(e ast.Expr) {
			if lit, is := e.(*ast.BasicLit); is && lit.Kind == token.STRING {
				if code, err := strconv.Unquote(lit.Value); err == nil && word.MatchString(code) {
					found[code] = name
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if named.MatchString(id.Name) && i < len(n.Values) {
						note(n.Values[i])
					}
				}
			case *ast.KeyValueExpr:
				if key, is := n.Key.(*ast.Ident); is && key.Name == "Code" {
					note(n.Value)
				}
			case *ast.CallExpr:
				called := ""
				switch f := n.Fun.(type) {
				case *ast.Ident:
					called = f.Name
				case *ast.SelectorExpr:
					if from, is := f.X.(*ast.Ident); is && from.Name == "refusal" {
						called = f.Sel.Name
					}
				}
				if slices.Contains(refuses, called) {
					for _, arg := range n.Args[:min(2, len(n.Args))] {
						note(arg)
					}
				}
			}
			return true
		})
	}
	return found
}

// rowsOf are the first cells of a page's tables, each as the words in its backticks, or
// as itself where it has none.
func rowsOf(text string) (first []string) {
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(text, -1) {
		words := inline.FindAllStringSubmatch(row[1], -1)
		for _, w := range words {
			first = append(first, w[1])
		}
		if len(words) == 0 {
			first = append(first, row[1])
		}
	}
	return first
}

// docs/errors.md has each code that there is, once, and no other; so it does of the codes
// that sockets close with, which docs/binding/codes.md lists.
func TestDocsListTheCodes(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := read("docs/errors.md")
	declared, listed := declaredCodes(t), map[string]int{}
	for _, code := range rowsOf(page) {
		listed[code]++
	}
	for _, code := range slices.Sorted(maps.Keys(declared)) {
		if listed[code] != 1 {
			t.Errorf("docs/errors.md lists %s %d times (%s)", code, listed[code], declared[code])
		}
	}
	if len(declared) < 80 {
		t.Errorf("only %d codes are found: are they declared as they were?", len(declared))
	}
	_, closing, _ := strings.Cut(read("docs/binding/codes.md"), "\n## Closing\n")
	numbers := regexp.MustCompile(`^[0-9]{4}$`)
	for _, code := range rowsOf(closing) {
		if numbers.MatchString(code) && listed[code] != 1 {
			t.Errorf("docs/errors.md lists the close code %s %d times", code, listed[code])
		}
	}
	for code := range listed {
		if _, is := declared[code]; !is && !numbers.MatchString(code) && !slices.Contains([]string{"code", "close", "---", "status"}, code) {
			t.Errorf("docs/errors.md lists %q, which nobody declares", code)
		}
	}
}
