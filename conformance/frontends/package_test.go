package frontends

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

const token = "a-token-of-the-test"

// The package is what npm makes of it: packed, in a folder that has its peers
// and nothing else of ours, compiled against with every check, and run in Node.
func TestPackageInstalled(t *testing.T) {
	suite.Full(t)
	t.Parallel()
	packages(t)
	web, tsc := compiler(t)
	tarball := command.Pack(t)
	server := command.Start(t, command.Options{})
	guarded := command.Start(t, command.Options{Args: []string{"--auth", "tokens", "--token-file", tokensFile(t)}})

	for version, from := range map[string]string{"1.0.0": web, "0.0.59": "node_modules"} {
		t.Run("on @ag-ui/client "+version, func(t *testing.T) {
			if got := versionOf(t, filepath.Join(from, "@ag-ui", "client")); got != version {
				t.Fatalf("the base class is that of %s", got)
			}
			app := install(t, "consumer", tarball, map[string]string{"@ag-ui": from, "rxjs": from, "ws": web})
			in(t, app, nil, "node", tsc, "--project", ".")
			in(t, app, []string{"AGUIWS_URL=" + server.Socket(), "AGUIWS_GUARDED_URL=" + guarded.Socket(), "AGUIWS_TOKEN=" + token}, "node", "consumer.js")
		})
	}
}

// tokensFile lists the token.
func tokensFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("- {token: "+token+", user: ada}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// CopilotKit pins an @ag-ui/client, and an application may have another: CopilotKit
// takes an agent of the application's all the same.
func TestPackageBesideCopilotKit(t *testing.T) {
	suite.Full(t)
	t.Parallel()
	packages(t)
	web, tsc := compiler(t)
	const theirs = "node_modules"
	mine, its := versionOf(t, filepath.Join(web, "@ag-ui", "client")), versionOf(t, filepath.Join(theirs, "@ag-ui", "client"))
	if mine == its {
		t.Fatalf("there is only one @ag-ui/client, %s", mine)
	}
	t.Run(fmt.Sprintf("@copilotkit/core %s with its @ag-ui/client %s beside %s", versionOf(t, filepath.Join(theirs, "@copilotkit", "core")), its, mine), func(t *testing.T) {
		app := install(t, "beside", command.Pack(t), map[string]string{"@ag-ui": web, "rxjs": web, "ws": web, "@copilotkit": theirs})
		in(t, app, nil, "node", tsc, "--project", ".")
		in(t, app, []string{"AGUIWS_URL=" + command.Start(t, command.Options{}).Socket()}, "node", "beside.js")
	})
}

// What the READMEs of the packages show, and the examples with pages, compile in an
// application that has the frontends that they are about. That snippets holds what the README shows is seen to
// by a test of conformance.
func TestSnippetsCompile(t *testing.T) {
	suite.Full(t)
	t.Parallel()
	packages(t)
	web, tsc := compiler(t)
	const from = "node_modules"
	// The application's @ag-ui/client is not the one that the frontends bring.
	app := install(t, "snippets", command.Pack(t), map[string]string{"@ag-ui": web, "rxjs": web, "@copilotkit": from, "@assistant-ui": from, "@types": from, "react": from, "@tanstack": web, "zod": from})
	unpack(t, app, "react", command.PackReact(t))
	for _, example := range []string{"assistant-ui", "copilotkit", "tanstack"} {
		if err := os.CopyFS(filepath.Join(app, "example", example), os.DirFS(filepath.Join(command.Root(t), "examples", example, "src"))); err != nil {
			t.Fatal(err)
		}
	}
	in(t, app, nil, "node", tsc, "--project", ".")
}

// compiler returns where web's packages are, and of them the compiler.
func compiler(t *testing.T) (web, tsc string) {
	t.Helper()
	web = filepath.Join(command.Root(t), "web", "node_modules")
	tsc = filepath.Join(web, "typescript", "bin", "tsc")
	if _, err := os.Stat(tsc); err != nil {
		command.Missing(t, "node", "run npm ci --prefix web")
	}
	return web, tsc
}

// install makes an application of a folder's sources, what the tarball of the
// package holds, and other packages from the folders that have them. How it comes
// about with managers of packages is the lane conformance/install.
func install(t *testing.T, sources, tarball string, others map[string]string) (app string) {
	t.Helper()
	app = t.TempDir()
	if err := os.CopyFS(app, os.DirFS(sources)); err != nil {
		t.Fatal(err)
	}
	unpack(t, app, "client", tarball)
	for name, path := range others {
		link(t, filepath.Join(path, name), filepath.Join(app, "node_modules", name))
	}
	return app
}

// unpack puts a package of this project where npm would.
func unpack(t *testing.T, app, name, tarball string) {
	t.Helper()
	ours := filepath.Join(app, "node_modules", "@aguiws", name)
	if err := os.MkdirAll(ours, 0o777); err != nil {
		t.Fatal(err)
	}
	in(t, ours, nil, "tar", "-xzf", tarball, "--strip-components=1")
}

func versionOf(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var about struct{ Version string }
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	return about.Version
}

func link(t *testing.T, from, to string) {
	t.Helper()
	from, err := filepath.Abs(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(from, to); err != nil {
		t.Fatal(err)
	}
}

// in runs a command in a folder; it must succeed.
func in(t *testing.T, folder string, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}
