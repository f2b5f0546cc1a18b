package storetest

import (
	"bufio"
	"fmt"
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

// required are the behaviours that this project is held to, by family.
var required = map[string][][2]int{
	"M": {{1, 65}, {105, 182}},
	"S": {{1, 22}},
	"R": {{1, 9}},
	"N": {{1, 15}},
}

var (
	named = regexp.MustCompile(`^((?:[MSRN]\d+ )+)\S`)
	apart = regexp.MustCompile(`^//\t((?:[MSRN]\d+(?:-[MSRN]?\d+)?,? ?)+?) +(\S.*)$`)
)

// Every line is held by a test that has its name, or stands in doc.go's table of
// those that cannot apply; and none in both.
func TestEveryLineIsHeldOrDoesNotApply(t *testing.T) {
	held := map[string][]string{}
	note := func(name, where string) {
		if m := named.FindStringSubmatch(name); m != nil {
			for _, line := range strings.Fields(m[1]) {
				held[line] = append(held[line], where+": "+name)
			}
		}
	}
	for _, g := range groups {
		for _, tt := range g.tests {
			note(tt.name, g.name)
		}
	}
	for _, dir := range []string{"..", "../../adapter"} {
		for name, where := range namesIn(t, dir) {
			note(name, where)
		}
	}
	table := linesApart(t)
	for family, ranges := range required {
		for _, r := range ranges {
			for n := r[0]; n <= r[1]; n++ {
				line := family + strconv.Itoa(n)
				switch why := table[line]; {
				case held[line] == nil && why == "":
					t.Errorf("%s: no test has its name, and doc.go does not say why it cannot apply", line)
				case held[line] != nil && why != "":
					t.Errorf("%s: held by %q, and yet doc.go says: %s", line, held[line], why)
				}
				delete(table, line)
			}
		}
	}
	for _, line := range slices.Sorted(maps.Keys(table)) {
		t.Errorf("%s: doc.go sets apart what nobody asks for", line)
	}
}

// namesIn finds the names of subtests in a package's test files: first arguments
// of Run, and first members or keys of composite literals.
func namesIn(t *testing.T, dir string) map[string]string {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s holds no tests: %v", dir, err)
	}
	names := map[string]string{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		literal := func(e ast.Expr) {
			if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if name, err := strconv.Unquote(lit.Value); err == nil && named.MatchString(name) {
					names[name] = filepath.Base(file)
				}
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Run" && len(n.Args) == 2 {
					literal(n.Args[0])
				}
			case *ast.CompositeLit:
				if len(n.Elts) == 2 {
					literal(n.Elts[0])
				}
			case *ast.KeyValueExpr:
				literal(n.Key)
			}
			return true
		})
	}
	return names
}

// linesApart reads doc.go's table.
func linesApart(t *testing.T) map[string]string {
	f, err := os.Open("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		m := apart.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		for _, span := range strings.Split(strings.ReplaceAll(m[1], " ", ""), ",") {
			first, last, isRange := strings.Cut(span, "-")
			from, err := strconv.Atoi(first[1:])
			to := from
			if isRange && err == nil {
				to, err = strconv.Atoi(strings.TrimLeft(last, "MSRN"))
			}
			if err != nil || to < from {
				t.Fatalf("doc.go: %s", lines.Text())
			}
			for n := from; n <= to; n++ {
				line := fmt.Sprint(first[:1], n)
				if table[line] != "" {
					t.Errorf("doc.go sets %s apart twice", line)
				}
				table[line] = m[2]
			}
		}
	}
	return table
}
