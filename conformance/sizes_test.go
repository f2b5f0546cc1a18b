package conformance_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// The bounds of a room. A knot is a set of files that refer to each other in a circle.
const (
	mostFiles      = 40
	mostKnot       = 16
	mostLines      = 80 // of a function
	mostComplexity = 25
)

// tables are functions that list what there is: one that is split is read worse.
var tables = map[string]bool{
	"internal/cli/settings.go table": true,
	"protocol/family.go EffectOf":    true,
}

// TestRoomsAreSmall holds the size of folders and functions, and how far the files of a
// folder know each other.
func TestRoomsAreSmall(t *testing.T) {
	rooms := map[string][]*ast.File{}
	set := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "node_modules" || name == "testdata" || name == ".git" || path == "../conformance" || path == "../examples"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel("..", filepath.Dir(path))
		rooms[folder] = append(rooms[folder], file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, files := range rooms {
		if len(files) > mostFiles {
			t.Errorf("%s: %d files beside its tests, and %d at most: make a room of those that belong together", folder, len(files), mostFiles)
		}
		if n := largestKnot(set, files); n > mostKnot {
			t.Errorf("%s: %d files refer to each other in a circle, and %d at most", folder, n, mostKnot)
		}
		if strings.HasPrefix(folder, "redisstore/storetest") {
			continue
		}
		for _, file := range files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					checkFunction(t, set, folder, f)
				}
			}
		}
	}
}

func checkFunction(t *testing.T, set *token.FileSet, folder string, f *ast.FuncDecl) {
	at := set.Position(f.Pos())
	where := fmt.Sprintf("%s %s", filepath.Join(folder, filepath.Base(at.Filename)), f.Name.Name)
	if tables[where] {
		return
	}
	if n := set.Position(f.End()).Line - at.Line + 1; n > mostLines {
		t.Errorf("%s: %d lines, and %d at most", where, n, mostLines)
	}
	if n := complexity(f); n > mostComplexity {
		t.Errorf("%s: %d ways through it, and %d at most", where, n, mostComplexity)
	}
}

// complexity is McCabe's: one more than the branches.
func complexity(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.CommClause:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// elsewhere finds no package: what a folder has of others is no part of its knots.
type elsewhere struct{}

func (elsewhere) Import(string) (*types.Package, error) { return nil, errors.New("elsewhere") }

// largestKnot returns how many files are in the largest circle of references.
func largestKnot(set *token.FileSet, files []*ast.File) int {
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: elsewhere{}, Error: func(error) {}}
	pkg, _ := config.Check(files[0].Name.Name, set, files, &info)
	edges := map[string]map[string]bool{}
	for id, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		if v, ok := object.(*types.Var); ok && !v.IsField() && v.Parent() != pkg.Scope() {
			continue
		}
		from, to := set.Position(id.Pos()).Filename, set.Position(object.Pos()).Filename
		if edges[from] == nil {
			edges[from] = map[string]bool{}
		}
		edges[from][to] = true
	}
	reach := func(from string) map[string]bool {
		seen := map[string]bool{}
		for next := []string{from}; len(next) > 0; {
			last := next[len(next)-1]
			next = next[:len(next)-1]
			for to := range edges[last] {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		return seen
	}
	reached := map[string]map[string]bool{}
	for from := range edges {
		reached[from] = reach(from)
	}
	most := 0
	for from := range edges {
		n := 0
		for to := range reached[from] {
			if reached[to][from] {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}
