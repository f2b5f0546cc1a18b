package redisstore

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/redisstore/lua"
)

// Names say what an argument is on both sides; Redis knows only places. So whoever
// calls a script names all that its header declares, in that order.
func TestCallsNameWhatScriptsDeclare(t *testing.T) {
	sources := token.NewFileSet()
	files := map[string]*ast.File{}
	var err error
	for _, pattern := range []string{"*.go", "lua/scripts.go", "internal/*/*.go"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			if err == nil && !strings.HasSuffix(path, "_test.go") {
				files[path], err = parser.ParseFile(sources, path, nil, 0)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	scripts := scriptsByVariable(files["lua/scripts.go"])
	if len(scripts) != len(lua.All) {
		t.Fatalf("%d variables hold %d scripts", len(scripts), len(lua.All))
	}
	called, grouped := map[*lua.Script]bool{}, map[*lua.Script]bool{}
	same := func(at ast.Node, what string, got, want []string) {
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s: %q are given, %q are declared", sources.Position(at.Pos()), what, got, want)
		}
	}
	for _, file := range files {
		for _, d := range file.Decls {
			var gathers []*lua.Script // calls whose keys are added one thread after the other
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CompositeLit:
					if name(n.Type) != "call" || len(n.Elts) == 0 {
						return true
					}
					given := fields(n)
					sc := scripts[name(given["script"])]
					if sc == nil {
						t.Fatalf("%s: a call of no script", sources.Position(n.Pos()))
					}
					called[sc] = true
					same(n, sc.Name, argNames(given["args"]), sc.Args)
					if given["keys"] == nil || name(given["keys"]) == "make" {
						gathers = append(gathers, sc)
					} else if keys, ok := given["keys"].(*ast.CompositeLit); ok {
						same(n, sc.Name, names(keys.Elts), sc.Keys)
					} else if got := name(given["keys"]); strings.Join(sc.Keys, " ") != map[string]string{"all": "all of the thread's", "deciding": "all of the thread's and decisions", "tree": "nodes index felled meta made"}[got] {
						t.Errorf("%s: %s gets %s, and declares %q", sources.Position(n.Pos()), sc.Name, got, sc.Keys)
					}
				case *ast.CallExpr:
					switch f, ok := n.Fun.(*ast.SelectorExpr); {
					case ok && name(f) == "group":
						sc := scripts[name(f.X)]
						grouped[sc] = true
						same(n, sc.Name, argNames(n.Args[1]), sc.Each)
					case name(n.Fun) == "append" && name(n.Args[0]) == "keys" && len(gathers) == 1 && len(n.Args) > 2:
						same(n, gathers[0].Name, names(n.Args[1:]), gathers[0].Keys[2:]) // "for each:"
					}
				case *ast.FuncDecl:
					if n.Name.Name == "shared" {
						same(n, "lib", argNames(n.Body.List[0].(*ast.ReturnStmt).Results[0]), lua.All[0].Shared)
					}
				}
				return true
			})
		}
	}
	for _, sc := range lua.All {
		if !called[sc] || grouped[sc] != (sc.Each != nil) {
			t.Errorf("%s: called %t, with groups %t, which it declares: %q", sc.Name, called[sc], grouped[sc], sc.Each)
		}
	}
}

// scriptsByVariable are the scripts as the package's variables name them.
func scriptsByVariable(file *ast.File) map[string]*lua.Script {
	found := map[string]*lua.Script{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if c, ok := spec.Values[0].(*ast.CallExpr); ok && name(c.Fun) == "newScript" {
			of := name(c.Args[len(c.Args)-1])
			i := slices.IndexFunc(lua.All, func(sc *lua.Script) bool { return sc.Name == of })
			found[name(spec.Names[0])] = lua.All[i]
		}
		return true
	})
	return found
}

// fields are a call's parts, written with their names or in the order of its fields.
func fields(lit *ast.CompositeLit) map[string]ast.Expr {
	found := map[string]ast.Expr{}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			found[name(kv.Key)] = kv.Value
		} else {
			found[[]string{"script", "keys", "args", "rest"}[i]] = e
		}
	}
	return found
}

func argNames(e ast.Expr) []string {
	var list []string
	if lit, ok := e.(*ast.CompositeLit); ok && name(lit.Type) == "args" {
		for _, arg := range lit.Elts {
			list = append(list, name(arg.(*ast.CompositeLit).Elts[0]))
		}
	}
	return list
}

func names(of []ast.Expr) (list []string) {
	for _, e := range of {
		list = append(list, name(e))
	}
	return list
}

// name is the last one in an expression, as Lua writes it: with a small letter first.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return small(e.Name)
	case *ast.SelectorExpr:
		return small(e.Sel.Name)
	case *ast.CallExpr:
		return name(e.Fun)
	case *ast.BinaryExpr:
		return name(e.Y)
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	}
	return ""
}

func small(name string) string { return strings.ToLower(name[:1]) + name[1:] }
