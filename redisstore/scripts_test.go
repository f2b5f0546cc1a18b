package redisstore

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Names say what an argument is on both sides; Redis knows only places. So whoever
// calls a script names all that its header declares, in that order.
func TestCallsNameWhatScriptsDeclare(t *testing.T) {
	sources := token.NewFileSet()
	files := map[string]*ast.File{}
	paths, err := filepath.Glob("*.go")
	for _, path := range paths {
		if err == nil && !strings.HasSuffix(path, "_test.go") {
			files[path], err = parser.ParseFile(sources, path, nil, 0)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	scripts := scriptsByVariable(files["scripts.go"])
	if len(scripts) != len(allScripts) {
		t.Fatalf("%d variables hold %d scripts", len(scripts), len(allScripts))
	}
	called, grouped := map[*script]bool{}, map[*script]bool{}
	same := func(at ast.Node, what string, got, want []string) {
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s: %q are given, %q are declared", sources.Position(at.Pos()), what, got, want)
		}
	}
	for _, file := range files {
		for _, d := range file.Decls {
			var gathers []*script // calls whose keys are added one thread after the other
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
					same(n, sc.name, argNames(given["args"]), sc.args)
					if given["keys"] == nil || name(given["keys"]) == "make" {
						gathers = append(gathers, sc)
					} else if keys, ok := given["keys"].(*ast.CompositeLit); ok {
						same(n, sc.name, names(keys.Elts), sc.keys)
					} else if got := name(given["keys"]); strings.Join(sc.keys, " ") != map[string]string{"all": "all of the thread's", "deciding": "all of the thread's and decisions decided", "tree": "nodes index felled meta made"}[got] {
						t.Errorf("%s: %s gets %s, and declares %q", sources.Position(n.Pos()), sc.name, got, sc.keys)
					}
				case *ast.CallExpr:
					switch f, ok := n.Fun.(*ast.SelectorExpr); {
					case ok && f.Sel.Name == "group":
						sc := scripts[name(f.X)]
						grouped[sc] = true
						same(n, sc.name, argNames(n.Args[1]), sc.each)
					case name(n.Fun) == "append" && name(n.Args[0]) == "keys" && len(gathers) == 1 && len(n.Args) > 2:
						same(n, gathers[0].name, names(n.Args[1:]), gathers[0].keys[2:]) // "for each:"
					}
				case *ast.FuncDecl:
					if n.Name.Name == "shared" {
						same(n, "lib", argNames(n.Body.List[0].(*ast.ReturnStmt).Results[0]), allScripts[0].shared)
					}
				}
				return true
			})
		}
	}
	for _, sc := range allScripts {
		if !called[sc] || grouped[sc] != (sc.each != nil) {
			t.Errorf("%s: called %t, with groups %t, which it declares: %q", sc.name, called[sc], grouped[sc], sc.each)
		}
	}
}

// scriptsByVariable are the scripts as the package's variables name them.
func scriptsByVariable(file *ast.File) map[string]*script {
	found := map[string]*script{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if c, ok := spec.Values[0].(*ast.CallExpr); ok && name(c.Fun) == "newScript" {
			of := name(c.Args[len(c.Args)-1])
			i := slices.IndexFunc(allScripts, func(sc *script) bool { return sc.name == of })
			found[spec.Names[0].Name] = allScripts[i]
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

// name is the last one in an expression.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
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

// Each call executes the whole script, so it has no more than it uses.
func TestScriptsHaveWhatTheyUse(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	for _, sc := range allScripts {
		pieces := definitions(sc.source)
		for i, piece := range pieces {
			_, below, _ := strings.Cut(strings.Join(pieces[i:], ""), "\n")
			if strings.HasPrefix(piece, "local function ") && !slices.Contains(named(below), defined(piece)[0]) {
				t.Errorf("%s has %s, and does not use it", sc.name, defined(piece)[0])
			}
		}
	}
	if !strings.Contains(endScript.source, "local function trim(") || strings.Contains(commitScript.source, "NOW") {
		t.Error("an end trims, and a commit does not need the time")
	}
}

// A name that two shared files define would mean the one that stands later, to whoever
// names both.
func TestSharedDefinitionsHaveTheirOwnNames(t *testing.T) {
	in := map[string]string{}
	for _, file := range []string{"lib", "thread", "work", "run", "index", "notice", "suspension", "retain", "snapshot", "queue", "repair", "window", "decision"} {
		text, err := luaFiles.ReadFile("lua/" + file + ".lua")
		if err != nil {
			t.Fatal(err)
		}
		for _, piece := range definitions(code(string(text))) {
			for _, name := range defined(piece) {
				if other, ok := in[name]; ok && other != file {
					t.Errorf("%s.lua and %s.lua define %s", other, file, name)
				}
				in[name] = file
			}
		}
	}
}

// Scripts are put together in every process that has this package, before its main.
func TestScriptsArePutTogetherQuickly(t *testing.T) {
	one := testing.AllocsPerRun(3, func() {
		newScript("thread", "run", "index", "suspension", "retain", "snapshot", "queue", "end")
	})
	if one > 5000 {
		t.Errorf("end.lua takes %.0f allocations", one)
	}
}

// What a script declares it uses, and it takes nothing by its number.
func TestScriptsTakeArgumentsByName(t *testing.T) {
	numbered := regexp.MustCompile(`(?:ARGV|KEYS)\[\d`)
	texts := map[string]string{}
	files, err := luaFiles.ReadDir("lua")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, f := range files {
		text, err := luaFiles.ReadFile("lua/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(f.Name(), ".lua")] = string(text)
		all += string(text)
		if n := numbered.FindString(string(text)); n != "" {
			t.Errorf("%s: %s", f.Name(), n)
		}
	}
	uses := func(text, kind string, names []string) (unused []string) {
		for _, n := range names {
			if !regexp.MustCompile(`\b` + kind + `\.` + n + `\b`).MatchString(text) {
				unused = append(unused, n)
			}
		}
		return unused
	}
	for _, sc := range allScripts {
		text := texts[sc.name]
		if strings.Contains(text, "decisionsIn(") { // which reads the groups for it
			text += texts["decision"]
		}
		unused := uses(text, "ARG", sc.args)
		if strings.Contains(text, "EACH.") { // else a group is one
			unused = append(unused, uses(text, "EACH", sc.each)...)
		}
		if strings.Contains(text, "KEY.") {
			unused = append(unused, uses(text, "KEY", sc.keys)...)
		}
		if unused != nil || !strings.Contains(text, "EACH.") && len(sc.each) > 1 {
			t.Errorf("%s declares and does not use %q", sc.name, unused)
		}
		for _, n := range sc.args {
			if slices.Contains(sc.shared, n) || strings.Count(" "+strings.Join(sc.args, " ")+" ", " "+n+" ") > 1 {
				t.Errorf("%s: %s is declared twice", sc.name, n)
			}
		}
	}
	if unused := uses(all, "ARG", allScripts[0].shared); unused != nil {
		t.Errorf("lib declares %q, which nobody uses", unused)
	}
}

// The keys of a thread have the order of keysOf.
func TestTheKeysOfAThreadAreInOrder(t *testing.T) {
	text, err := luaFiles.ReadFile("lua/thread.lua")
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range newKeyspace("p", 1).thread(testKey).all() {
		want := key[strings.LastIndexByte(key, ':')+1:] + " = k[" + strconv.Itoa(i+1) + "]"
		if !strings.Contains(string(text), want) {
			t.Errorf("keysOf has not %s", want)
		}
	}
}
