package install

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

var all = flag.Bool("all", false, "install with every manager of packages, beside every frontend, in either order")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(command.Main(m))
}

// asOf is when what the tests without -all install was the newest.
const asOf = "2026-11-20"

// frontend is what an application has beside the package.
type frontend struct {
	name     string
	packages []string
	// overrides are versions that the application insists on.
	overrides string
	// sources are the files that show the package under it.
	sources []string
}

var (
	react   = []string{"react@19.3.1", "react-dom@19.3.1", "@types/react@19.3.0", "@types/react-dom@19.3.0"}
	react18 = []string{"react@18.3.1", "react-dom@18.3.1", "@types/react@18.3.26", "@types/react-dom@18.3.7"}
)

// together are packages of assistant-ui that fit each other: the newest ask for some that were never published.
const together = `{
  "@assistant-ui/core": "0.3.20", "@assistant-ui/store": "0.3.14", "@assistant-ui/tap": "0.9.18",
  "@assistant-ui/react-generative-ui": "0.0.16", "assistant-stream": "0.3.44"
}`

var frontends = []frontend{
	{name: "rxjs 7.8.2", packages: []string{"rxjs@7.8.2"}},
	{name: "@copilotkit/react-core 1.74.0", packages: append([]string{"@copilotkit/react-core@1.74.0"}, react...), sources: []string{"copilotkit.tsx"}},
	{name: "@copilotkit/react-core 1.60.2", packages: append([]string{"@copilotkit/react-core@1.60.2"}, react...), sources: []string{"copilotkit.tsx"}},
	{name: "@assistant-ui/react-ag-ui 0.0.58", packages: append([]string{"@assistant-ui/react-ag-ui@0.0.58", "@assistant-ui/react@0.15.21"}, react...), overrides: together, sources: []string{"assistant.tsx"}},
	{name: "@assistant-ui/react-ag-ui 0.0.49", packages: append([]string{"@assistant-ui/react-ag-ui@0.0.49", "@assistant-ui/react@0.15.21"}, react...), overrides: together, sources: []string{"assistant.tsx"}},
	{name: "@tanstack/ai-react 0.27.3", packages: append([]string{"@tanstack/ai@0.58.0", "@tanstack/ai-react@0.27.3"}, react...), sources: []string{"tanstack.tsx"}},
	{name: "React 18 and @copilotkit/react-core 1.74.0", packages: append([]string{"@copilotkit/react-core@1.74.0"}, react18...), sources: []string{"copilotkit.tsx"}},
	{name: "React 18 and @assistant-ui/react-ag-ui 0.0.58", packages: append([]string{"@assistant-ui/react-ag-ui@0.0.58", "@assistant-ui/react@0.15.21"}, react18...), overrides: together, sources: []string{"assistant.tsx"}},
	{name: "React 18 and @tanstack/ai-react 0.27.3", packages: append([]string{"@tanstack/ai@0.58.0", "@tanstack/ai-react@0.27.3"}, react18...), sources: []string{"tanstack.tsx"}},
}

// manager installs packages into a folder.
type manager struct {
	name string
	// add is its command; a tarball is named as it wants it.
	add     []string
	tarball func(path string) string
	// anyNode lets it install what says that it wants a newer Node, as dependencies of frontends do.
	anyNode []string
	// cache is where it keeps what it has fetched, for as long as the test runs.
	cache string
}

func managers(t *testing.T) []manager {
	cache := t.TempDir()
	as := func(path string) string { return path }
	bin := func(path ...string) string {
		return absolute(filepath.Join(append([]string{"node_modules"}, path...)...))
	}
	return []manager{
		{"npm", []string{"npm", "install"}, as, nil, cache},
		{"pnpm 10", []string{"node", bin("pnpm", "bin", "pnpm.cjs"), "add"}, as, nil, cache},
		{"yarn 1", []string{"node", bin("yarn", "bin", "yarn.js"), "add", "--non-interactive"}, as, []string{"--ignore-engines"}, cache},
		{"yarn 4", []string{"node", bin("@yarnpkg", "cli-dist", "bin", "yarn.js"), "add"}, func(path string) string { return "@aguiws/client@file:" + path }, nil, cache},
	}
}

// README's lines, word for word, in a project that has nothing else.
func TestReadmesLinesWithNpm(t *testing.T) {
	suite.Full(t)
	tools(t)
	tarball := command.Pack(t)
	app := project(t, frontend{})
	install(t, app, managers(t)[0], readme(t, tarball), "npm_config_before="+asOf)
	compile(t, app, false)
	run(t, app)
	if got := copies(t, app, "rxjs"); len(got) != 1 {
		t.Errorf("an application that has nothing else has %d copies of rxjs: %q", len(got), got)
	}
}

// The lines of docs/assistant-ui.md, in their order: the first one keeps the second from asking for a version that npm
// does not have.
func TestAssistantUIsLines(t *testing.T) {
	suite.Full(t)
	tools(t)
	const name = "docs/assistant-ui.md"
	text, err := os.ReadFile(filepath.Join(command.Root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^(npm pkg set .*)\nnpm install (.*)\n\(cd`).FindSubmatch(text)
	if lines == nil {
		t.Fatalf("%s does not show the lines that this lane takes from it", name)
	}
	app, npm := t.TempDir(), managers(t)[0]
	write(t, app, "package.json", `{"name": "app", "private": true, "type": "module"}`)
	if out, err := try(app, nil, "sh", "-c", string(lines[1])); err != nil {
		t.Fatalf("%s: %v\n%s", lines[1], err, out)
	}
	install(t, app, npm, strings.Fields(string(lines[2])))
	install(t, app, npm, shown(t, pack+" ./web/react", command.Pack(t)+" "+command.PackReact(t), name, "web/react/README.md"))
	if got := copies(t, app, "react"); len(got) != 1 {
		t.Errorf("an application has %d copies of React: %q", len(got), got)
	}
}

// Both lines in a checkout that has just been made.
func TestReadmesLinesFromAFreshClone(t *testing.T) {
	suite.Full(t)
	if !*all {
		t.Skip("without -all: it installs all that web needs")
	}
	tools(t)
	clone := filepath.Join(t.TempDir(), "aguiws")
	if out, err := try(".", nil, "git", "clone", "--quiet", "--depth", "1", "file://"+command.Root(t), clone); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	if out, err := try(clone, nil, "sh", "-c", pack); err != nil {
		t.Fatalf("%s: %v\n%s", pack, err, out)
	}
	tarballs, err := filepath.Glob(filepath.Join(clone, "*.tgz"))
	if err != nil || len(tarballs) != 1 {
		t.Fatalf("%s has made %q, %v", pack, tarballs, err)
	}
	app := project(t, frontend{})
	install(t, app, managers(t)[0], readme(t, tarballs[0]))
	compile(t, app, false)
	run(t, app)
}

// The same lines with each manager, in projects that have a frontend already, get one afterwards, or have none.
func TestMatrix(t *testing.T) {
	suite.Full(t)
	if !*all {
		t.Skip("without -all: it takes minutes, and is of today")
	}
	tools(t)
	tarball := command.Pack(t)
	for _, m := range managers(t) {
		t.Run(m.name, func(t *testing.T) {
			lines := readme(t, m.tarball(tarball))
			t.Run("alone", func(t *testing.T) {
				app := project(t, frontend{})
				install(t, app, m, lines)
				compile(t, app, false)
				run(t, app)
				tell(t, app)
			})
			for _, f := range frontends {
				for _, order := range []string{"before", "after"} {
					t.Run(order+" "+f.name, func(t *testing.T) {
						app := project(t, f)
						steps := [][]string{lines, f.packages}
						if order == "after" {
							steps = [][]string{f.packages, lines}
						}
						for _, packages := range steps {
							install(t, app, m, slices.Concat(packages, m.anyNode))
						}
						compile(t, app, len(f.sources) > 0)
						run(t, app)
						tell(t, app)
					})
				}
			}
		})
	}
}

// tools ends the test where the packages of this folder are not installed.
func tools(t *testing.T) { command.Node(t, "conformance/install") }

// pack is the first of README's lines.
const pack = "npm ci --prefix web && npm pack --silent ./web/client"

// readme is what the second of README's lines installs, with the tarball that the
// first has made in place of its name.
func readme(t *testing.T, tarball string) (packages []string) {
	t.Helper()
	return shown(t, pack, tarball, "web/client/README.md")
}

// shown are the packages that the line behind packing installs, which is the same on all
// pages: the tarballs, in place of the names that it has for them, and the others.
func shown(t *testing.T, packing, tarballs string, pages ...string) (packages []string) {
	t.Helper()
	var found [][]byte
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(command.Root(t), page))
		if err != nil {
			t.Fatal(err)
		}
		lines := regexp.MustCompile(`(?m)^\(cd \.\./aguiws && ` + regexp.QuoteMeta(packing) + `\) +# .*\nnpm install (.*)$`).FindSubmatch(text)
		if lines == nil || found != nil && !bytes.Equal(lines[0], found[0]) {
			t.Fatalf("%s does not show the lines that this lane takes from it", page)
		}
		found = lines
	}
	made := strings.Fields(tarballs)
	for i, name := range strings.Fields(string(found[1])) {
		if i >= len(made) {
			packages = append(packages, name)
			continue
		}
		if !strings.HasSuffix(made[i], filepath.Base(name)) {
			t.Fatalf("the line installs %s, and %s was made", name, made[i])
		}
		packages = append(packages, made[i])
	}
	return packages
}

// project is a new folder with the sources that are compiled in it: the lane's own,
// those of README that need no frontend, and those of the one that it gets.
func project(t *testing.T, beside frontend) (app string) {
	t.Helper()
	app = t.TempDir()
	if err := os.CopyFS(app, os.DirFS("app")); err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"page.ts", "token.ts", "node.ts", "ws.d.ts"}, beside.sources...) {
		text, err := os.ReadFile(filepath.Join("..", "frontends", "snippets", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, app, name, string(text))
	}
	overrides := cmp.Or(beside.overrides, "{}")
	write(t, app, "package.json", fmt.Sprintf(`{
  "name": "app", "private": true, "type": "module",
  "overrides": %[1]s, "pnpm": {"overrides": %[1]s}, "resolutions": %[1]s
}`, overrides))
	write(t, app, "yarn.lock", "") // or yarn 4 takes the folder for a part of a project further up
	return app
}

// unreachable is what managers of packages say when there is no registry to ask.
var unreachable = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|RequestError`)

func install(t *testing.T, app string, m manager, packages []string, env ...string) {
	t.Helper()
	env = append([]string{
		"npm_config_prefer_offline=true", "npm_config_audit=false", "npm_config_fund=false", "npm_config_ignore_scripts=true",
		"npm_config_store_dir=" + filepath.Join(m.cache, "pnpm"),
		"YARN_CACHE_FOLDER=" + filepath.Join(m.cache, "yarn"), "YARN_ENABLE_TELEMETRY=0", "YARN_NODE_LINKER=node-modules", "YARN_ENABLE_IMMUTABLE_INSTALLS=0",
	}, env...)
	if out, err := try(app, env, append(m.add, packages...)...); err != nil {
		if unreachable.MatchString(out) {
			command.Missing(t, "registry", "the registry of packages does not answer:\n"+out)
		}
		t.Fatalf("%s installs %q: %v\n%s", m.name, packages, err, out)
	}
}

// compile holds the project to every check, in each way that an application resolves modules. The declarations of the
// packages are checked too, where no frontend is among them: theirs do not pass.
func compile(t *testing.T, app string, frontend bool) {
	t.Helper()
	tsc := absolute(filepath.Join("node_modules", "typescript", "bin", "tsc"))
	for _, way := range []struct{ module, resolution, files string }{
		{"ESNext", "Bundler", `"*.ts", "*.tsx"`},
		{"Node16", "Node16", `"*.ts", "*.tsx"`},
		{"NodeNext", "NodeNext", `"*.ts", "*.tsx", "*.cts"`},
	} {
		write(t, app, "tsconfig.json", fmt.Sprintf(`{
  "compilerOptions": {
    "target": "ES2022", "lib": ["ES2023", "DOM", "DOM.Iterable"], "module": %q, "moduleResolution": %q, "jsx": "react-jsx",
    "strict": true, "noUncheckedIndexedAccess": true, "exactOptionalPropertyTypes": true, "skipLibCheck": %t, "noEmit": true, "types": []
  },
  "include": [%s]
}`, way.module, way.resolution, frontend, way.files))
		if out, err := try(app, nil, "node", tsc, "--project", "."); err != nil {
			t.Errorf("module %s: %v\n%s", way.module, err, out)
		}
	}
}

func run(t *testing.T, app string) {
	t.Helper()
	if out, err := try(app, nil, "node", "run.mjs"); err != nil {
		t.Errorf("node run.mjs: %v\n%s", err, out)
	}
}

// tell logs which copies there are of what may stand beside itself.
func tell(t *testing.T, app string) {
	t.Helper()
	for _, name := range []string{"@ag-ui/client", "rxjs"} {
		t.Logf("%s: %s", name, strings.Join(copies(t, app, name), ", "))
	}
}

// copies are the folders that hold the package, with its version.
func copies(t *testing.T, app, name string) (list []string) {
	t.Helper()
	version := regexp.MustCompile(`"version": "([^"]+)"`)
	modules := filepath.Join(app, "node_modules")
	err := filepath.WalkDir(modules, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || !strings.HasSuffix(filepath.ToSlash(path), "node_modules/"+name) {
			return err
		}
		about, err := os.ReadFile(filepath.Join(path, "package.json"))
		if err != nil {
			return err
		}
		below, err := filepath.Rel(modules, path)
		list = append(list, fmt.Sprintf("%s (%s)", version.FindSubmatch(about)[1], below))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func try(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func absolute(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return path
}
