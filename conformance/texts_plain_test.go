package conformance_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// textAt is which argument of a call is the text of an error or a line of the log; -1 for
// another call's.
func textAt(call *ast.CallExpr) int {
	called, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return -1
	}
	from, _ := called.X.(*ast.Ident)
	switch called.Sel.Name {
	case "Errorf", "New":
		if from != nil && (from.Name == "fmt" || from.Name == "errors") {
			return 0
		}
	case "Debug", "Info", "Warn", "Error":
		return 0
	case "DebugContext", "InfoContext", "WarnContext", "ErrorContext":
		return 1
	case "Log":
		return 2
	}
	return -1
}

// The texts of errors and of the log that stand in the product's sources read as its pages
// do: each part of them is short and begins with its subject.
func TestErrorsAndLogsReadPlainly(t *testing.T) {
	part := regexp.MustCompile(`[.:;!?] `)
	var all []string
	for _, name := range treeFiles(t) {
		if !commentsRead(name) || strings.Contains(name, "storetest/") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join("..", filepath.FromSlash(name)), nil, parser.SkipObjectResolution)
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			at := textAt(call)
			if at < 0 || at >= len(call.Args) {
				return true
			}
			lit, is := call.Args[at].(*ast.BasicLit)
			if !is || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, each := range part.Split(text, -1) {
				if len(strings.Fields(each)) < 3 {
					continue // the name of a package, or of what failed
				}
				// They begin with small letters.
				if inverted.MatchString(strings.ToUpper(each[:1]) + each[1:]) {
					t.Errorf("%s: it begins with another thing than its subject: %s", files.Position(lit.Pos()), each)
				}
				all = append(all, each)
			}
			return true
		})
	}
	if len(all) < 700 {
		t.Fatalf("only %d texts were found", len(all))
	}
	plainly(t, "errors and logs", all)
}
